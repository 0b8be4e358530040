"""Commands: what the app, the command line or the API asks of the host, and the host of a worker."""

from __future__ import annotations

import msgspec

from engine.protocol.settings_values import Settings
from engine.protocol.values import (
    ChatMessage,
    ContextPolicy,
    KvType,
    LoraAdapter,
    ModelSettings,
    Priority,
    Sampling,
    Speculative,
)


class Command(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True, tag_field="type"):
    """Base of all commands."""

    request_id: str = ""
    """Chosen by the sender, in the app by its HostClient; the terminal event carries it back."""


class Hello(Command, frozen=True, kw_only=True):
    """First line of a connection; another protocol version is answered with RequestFailed."""

    protocol_version: int


class LoadModel(Command, frozen=True, kw_only=True):
    """Load a model and warm it. Progress: LoadProgress. Ends with ModelLoaded."""

    model_id: str
    """A path, a library name, or `starter`; a worker gets a path."""
    path: str = ""
    """Filled in by the host for the worker."""
    settings: ModelSettings = ModelSettings()
    keep_warm: bool = False


class UnloadModel(Command, frozen=True, kw_only=True):
    """Ends with ModelUnloaded, when the worker's process has ended and its memory is free.

    A load that is on its way is given up, with the requests that wait for it.
    """

    model_id: str


class Generate(Command, frozen=True, kw_only=True):
    """Answer a chat. Events: Queued, GenerationStarted, PrefillProgress, TokenDelta, MetricsUpdate.

    Ends with GenerationFinished (cancelled too) or RequestFailed.
    """

    model_id: str = ""
    """Empty: the model that was loaded last."""
    messages: tuple[ChatMessage, ...] = ()
    prompt: str | None = None
    """Raw text without a template, instead of messages."""
    chat_id: str = ""
    """Keeps a chat's cache and snapshots together; empty for one-off requests."""
    sampling: Sampling = Sampling()
    max_tokens: int = 0
    """0: until the model stops or the context is full."""
    stop: tuple[str, ...] = ()
    priority: Priority = Priority.INTERACTIVE
    continue_answer: bool = False
    """The last message is an assistant's, to be continued."""
    context_policy: ContextPolicy = ContextPolicy.STOP
    reuse_cache: bool = True
    speculative: Speculative | None = None
    """None: as the model was loaded."""
    loras: tuple[LoraAdapter, ...] = ()
    template_options: dict[str, bool | int | str] = {}
    """Extra template variables, such as enable_thinking."""
    accepted: float = 0.0
    """When the host got the request, by the monotonic clock that all processes of a computer share; filled in by it."""
    load_time: float = 0.0
    """Seconds of model loading that the request waited for."""
    weight_bytes: int = 0
    """Bytes of weights that one step reads, filled in by the host; of experts only those that are used."""
    bandwidth: float = 0.0
    """Bytes per second that the model's device can read, filled in by the host; 0 where it was not measured."""
    prefill_limit: float = 0.0
    """Tokens per second at which the device can read a prompt at best, filled in by the host; 0 where unknown."""


class Prewarm(Command, frozen=True, kw_only=True):
    """Prefill the next prompt as it stands, at the lowest priority. Ends with PrewarmFinished.

    A newer Prewarm or Generate of the same chat replaces it, and so does a Generate of the same text: a new chat has no
    id before.
    """

    model_id: str = ""
    messages: tuple[ChatMessage, ...] = ()
    """System prompt and history."""
    draft: str = ""
    """The user's unsent text."""
    chat_id: str = ""
    template_options: dict[str, bool | int | str] = {}


class CountTokens(Command, frozen=True, kw_only=True):
    """Ends with TokensCounted."""

    model_id: str = ""
    messages: tuple[ChatMessage, ...] = ()
    draft: str = ""
    prompt: str | None = None
    """Raw text instead: tokens of just this."""


class RenderPrompt(Command, frozen=True, kw_only=True):
    """What the model sees, exactly. Ends with PromptRendered."""

    model_id: str = ""
    messages: tuple[ChatMessage, ...] = ()
    template_options: dict[str, bool | int | str] = {}


class Embed(Command, frozen=True, kw_only=True):
    """Ends with Embedded."""

    model_id: str = ""
    texts: tuple[str, ...] = ()


class CompareKvTypes(Command, frozen=True, kw_only=True):
    """How far predictions over a text move with other KV types. Ends with KvTypesCompared.

    Refused while the model answers, whose next tokens would wait for it.
    """

    model_id: str = ""
    text: str
    kv_types: tuple[KvType, ...]
    """The first is what the others are held against."""


class Cancel(Command, frozen=True, kw_only=True):
    """Cancel request `target_id`. Idempotent; has no event of its own: the target ends with its terminal event."""

    target_id: str


class DropCache(Command, frozen=True, kw_only=True):
    """Forget the KV cache and the snapshots of a chat, or of all chats when chat_id is empty. Ends with Done."""

    chat_id: str = ""
    model_id: str = ""


class Shutdown(Command, frozen=True, kw_only=True):
    """End the process: open requests end first. Closing stdin does the same."""


# To the host only.


class ListModels(Command, frozen=True, kw_only=True):
    """Ends with ModelsListed."""

    refresh: bool = False


class ListCatalog(Command, frozen=True, kw_only=True):
    """Models worth starting with, known without a connection. Ends with CatalogListed."""


class ListDevices(Command, frozen=True, kw_only=True):
    """Ends with DevicesListed."""


class SearchHub(Command, frozen=True, kw_only=True):
    """Ends with HubResults."""

    query: str
    cursor: str = ""
    limit: int = 30
    sort: str = "downloads"
    """downloads, likes, lastModified or trendingScore."""
    n_params: str = ""
    """A range in the hub's words: min:3B,max:9B; empty for any size."""
    licence: str = ""
    """The licence's key on the hub; empty for any."""


class InspectRepo(Command, frozen=True, kw_only=True):
    """Details and quantizations of a repository. Ends with RepoInspected."""

    repo: str
    revision: str = "main"


class ReadHeader(Command, frozen=True, kw_only=True):
    """Shape of a local or remote GGUF, by path or by repo and file. Ends with HeaderRead."""

    path: str = ""
    repo: str = ""
    file: str = ""
    revision: str = "main"


class Estimate(Command, frozen=True, kw_only=True):
    """What a model needs with these settings, and what fits. Ends with Estimated."""

    path: str = ""
    repo: str = ""
    file: str = ""
    n_ctx: int = 0
    type_k: KvType = KvType.F16
    type_v: KvType = KvType.F16
    n_parallel: int = 4


class PlanLoad(Command, frozen=True, kw_only=True):
    """What loading a model of this computer with these settings comes to, without loading it. Ends with LoadPlanned."""

    model_id: str
    settings: ModelSettings


class PullModel(Command, frozen=True, kw_only=True):
    """Queue a download, or join the one of the same files. Events: PullProgress. Ends with PullFinished.

    The download is no part of the request: it goes on after a Cancel and after a restart, until CancelPull ends it.
    """

    repo: str
    files: tuple[str, ...]
    revision: str = "main"


class PausePull(Command, frozen=True, kw_only=True):
    """Ends with Done."""

    pull_id: str


class ResumePull(Command, frozen=True, kw_only=True):
    """Ends with Done."""

    pull_id: str


class CancelPull(Command, frozen=True, kw_only=True):
    """Ends with Done; with remove_parts the leftover parts are deleted."""

    pull_id: str
    remove_parts: bool = True


class ListPulls(Command, frozen=True, kw_only=True):
    """Ends with PullsListed."""


class RemoveModel(Command, frozen=True, kw_only=True):
    """Delete a model that Firstlight downloaded. Ends with Done."""

    model_id: str


class VerifyModel(Command, frozen=True, kw_only=True):
    """Compare a model that was downloaded with the hub's hash. Events: VerifyProgress. Ends with Done."""

    model_id: str


class CleanUp(Command, frozen=True, kw_only=True):
    """Delete what serves nobody. Ends with Done."""

    what: str
    """parts: of downloads that were given up; trash: models that were removed."""


class RestoreModel(Command, frozen=True, kw_only=True):
    """Take a RemoveModel back. Ends with Done."""

    model_id: str


class SaveToken(Command, frozen=True, kw_only=True):
    """Keep the hub token in the system's keyring; an empty one is deleted. Ends with Done."""

    token: str


class QuantizeModel(Command, frozen=True, kw_only=True):
    """Make another quantization of a local model. Events: QuantizeProgress. Ends with QuantizeFinished."""

    path: str
    """A path or a library name."""
    quantization: str
    """A name of protocol/quantization_types.py."""
    allow_requantize: bool = False
    """Also from a source that has lost quality already, and also when the result is not smaller."""
    is_dry_run: bool = False
    """Only tell how large the result would be."""


class ReadMetrics(Command, frozen=True, kw_only=True):
    """Percentiles over the metrics log. Ends with MetricsRead."""

    scope: str = "all"
    """chat, session, day or all."""
    chat_id: str = ""
    model: str = ""
    quantization: str = ""
    settings: str = ""
    """As LoggedRequest.settings; empty for all."""
    limit: int = 0
    """How many single answers to send along."""


class ExportMetrics(Command, frozen=True, kw_only=True):
    """Write the metrics log to a file, as CSV where its name ends so, else as JSON. Ends with MetricsExported."""

    path: str
    scope: str = "all"
    chat_id: str = ""


class Watch(Command, frozen=True, kw_only=True):
    """Send HardwareSample every `interval` seconds; 0 stops. Ends with Done at once."""

    interval: float = 0.5


class MeasureRoofline(Command, frozen=True, kw_only=True):
    """Measure memory bandwidth and prefill rate of the devices. Ends with RooflineMeasured."""

    force: bool = False


class ChangeSettings(Command, frozen=True, kw_only=True):
    """Go by these settings from now on; whoever sends them keeps their file. Ends with Done."""

    settings: Settings


class ReadApi(Command, frozen=True, kw_only=True):
    """Where the local API is served, or why it is not. Ends with ApiRead."""
