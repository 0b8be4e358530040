"""Events: what a worker tells the host, and the host tells the app.

Every request_id gets exactly one terminal event (a subclass of Terminal); after it nothing more is sent for that id.
"""

from __future__ import annotations

import msgspec

from engine.errors import Failure
from engine.metrics import CacheSource, FinishReason, RequestMetrics
from engine.protocol.records import (
    CatalogEntry,
    FitRow,
    HubModel,
    KvQuality,
    LoggedRequest,
    LogGroup,
    ModelEntry,
    PercentileRow,
    Pull,
    RepoQuantization,
    Shape,
)
from engine.protocol.values import Device, EffectiveSettings, LoadTimes, MemoryUse, ModelSettings, Notice, Section
from engine.translatable import Translatable


class Event(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True, tag_field="type"):
    """Base of all events; request_id is empty for those that belong to no request."""

    request_id: str = ""


class Terminal(Event, frozen=True, kw_only=True, omit_defaults=True):
    """The last event of its request."""


class Ready(Event, frozen=True, kw_only=True):
    """The process is up and speaks this version; answers Hello, and is sent unasked at the start."""

    protocol_version: int
    process: str
    """host or worker."""
    pid: int
    versions: dict[str, str] = {}


# Models.


class LoadProgress(Event, frozen=True, kw_only=True):
    """How far loading is; fraction is 0 to 1 over all steps."""

    model_id: str
    fraction: float
    step: str = ""
    """open, weights, context or warmup."""


class ModelLoaded(Terminal, frozen=True, kw_only=True):
    model_id: str
    effective: EffectiveSettings
    load_time: float = 0.0
    times: LoadTimes = LoadTimes()
    requested: ModelSettings = ModelSettings()


class ModelUnloaded(Terminal, frozen=True, kw_only=True):
    """Its memory is free; without a request_id when the pool or a crash decided it."""

    model_id: str
    reason: Translatable = ""


class WorkerCrashed(Event, frozen=True, kw_only=True):
    """A worker died; its open requests get RequestFailed of their own."""

    model_id: str
    failure: Failure
    is_restarting: bool = False


# Generation.


class Queued(Event, frozen=True, kw_only=True):
    """Waiting for the model or for a free sequence."""

    n_ahead: int = 0
    reason: str = ""
    """loading, memory (another model has to leave first) or busy."""


class GenerationStarted(Event, frozen=True, kw_only=True):
    """What the model sees: exactly these messages of those sent, and this many tokens."""

    n_prompt_tokens: int
    n_cached_tokens: int = 0
    cache_source: CacheSource = CacheSource.NONE
    cache_miss_reason: Translatable = ""
    n_dropped_messages: int = 0
    """Oldest messages, the system prompt not counted, that the context policy left out."""
    summary: str = ""
    """What stands for them under the policy `summarise`."""
    seed: int = 0
    opens_reasoning: bool = False
    """The template opened a think tag: the stream begins inside REASONING."""
    notices: tuple[Notice, ...] = ()


class PrefillProgress(Event, frozen=True, kw_only=True):
    """n_done counts tokens beyond the cached ones; rate is tokens per second, 0 while unknown."""

    n_done: int
    n_total: int
    n_cached: int = 0
    rate: float = 0.0
    seconds_left: float | None = None


class TokenDelta(Event, frozen=True, kw_only=True):
    """Newly certain text of one section; may carry no text while a character or a stop string is open."""

    text: str = ""
    section: Section = Section.ANSWER
    n_tokens: int = 1
    gap: float = 0.0
    """Seconds since the sequence's previous token; 0 for the first."""
    batch_size: int = 1
    """Sequences in the step that made it."""
    is_interfered: bool = False
    """The step also carried another sequence's prefill."""


class MetricsUpdate(Event, frozen=True, kw_only=True):
    """Metrics of a running answer, a few times a second."""

    metrics: RequestMetrics


class GenerationFinished(Terminal, frozen=True, kw_only=True):
    finish_reason: FinishReason
    metrics: RequestMetrics
    effective: EffectiveSettings | None = None
    stop_text: str = ""
    """The stop string that ended it, when one did."""
    is_context_full: bool = False
    """finish_reason is length because the context, not max_tokens, ran out."""
    has_open_reasoning: bool = False
    """The think tag was never closed: what was said stays readable."""
    seed: int = 0
    notices: tuple[Notice, ...] = ()


class PrewarmFinished(Terminal, frozen=True, kw_only=True):
    n_prepared: int = 0
    """Tokens of the next prompt that are in the cache now."""
    n_prompt_tokens: int = 0
    is_complete: bool = False
    """False when something else had to go first, or the text changed."""


class TokensCounted(Terminal, frozen=True, kw_only=True):
    n_tokens: int
    n_ctx: int = 0


class PromptRendered(Terminal, frozen=True, kw_only=True):
    text: str
    n_tokens: int = 0
    notices: tuple[Notice, ...] = ()


class Embedded(Terminal, frozen=True, kw_only=True):
    vectors: tuple[tuple[float, ...], ...]
    n_tokens: int = 0


class KvTypesCompared(Terminal, frozen=True, kw_only=True):
    """In the order in which they were asked for; the first is the reference itself."""

    qualities: tuple[KvQuality, ...]
    n_tokens: int = 0
    """Positions that were compared."""


class RequestFailed(Terminal, frozen=True, kw_only=True):
    """The request could not be carried out; what was streamed before stays valid."""

    failure: Failure
    metrics: RequestMetrics | None = None


class Done(Terminal, frozen=True, kw_only=True):
    """A request without a result of its own has been carried out."""


# The library and the hub.


class ModelsListed(Terminal, frozen=True, kw_only=True):
    models: tuple[ModelEntry, ...]
    disk_free_bytes: int = 0
    disk_used_bytes: int = 0
    trash_bytes: int = 0
    """Of removed models that can still be taken back."""
    watched: tuple[str, ...] = ()
    """Folders and files whose change means that the list is stale."""


class CatalogListed(Terminal, frozen=True, kw_only=True):
    """From small to large."""

    entries: tuple[CatalogEntry, ...]
    fitting: tuple[str, ...] = ()
    """Repositories of those that this computer can hold."""
    recommended: str = ""
    """The repository to begin with here."""
    reason: Translatable = ""
    notice: Translatable = ""


class DevicesListed(Terminal, frozen=True, kw_only=True):
    devices: tuple[Device, ...]
    backend: str = "cpu"
    backend_reason: str = ""


class HubResults(Terminal, frozen=True, kw_only=True):
    models: tuple[HubModel, ...]
    cursor: str = ""
    """Pass it back for the next page; empty at the end."""


class RepoInspected(Terminal, frozen=True, kw_only=True):
    model: HubModel
    commit: str = ""
    quantizations: tuple[RepoQuantization, ...] = ()
    card: str = ""


class HeaderRead(Terminal, frozen=True, kw_only=True):
    shape: Shape


class Estimated(Terminal, frozen=True, kw_only=True):
    rows: tuple[FitRow, ...]
    device: str = ""
    device_total_bytes: int = 0
    device_free_bytes: int = 0
    memory: tuple[MemoryUse, ...] = ()
    n_ctx: int = 0
    n_ctx_max: int = 0
    """The longest context that fits whole."""


class LoadPlanned(Terminal, frozen=True, kw_only=True):
    """A load as it would be done now."""

    model_id: str
    settings: ModelSettings
    """With every choice made."""
    memory: tuple[MemoryUse, ...]
    """The host first, as CPU, then each device that is used; `estimated_bytes` is the whole."""
    layers: dict[str, int] = {}
    """Layers that run on each of them, the output counted as one."""
    n_layers: int
    free_bytes: dict[str, int] = {}
    """What a model may take on each of them."""
    has_experts: bool = False
    does_fit: bool = True
    decode_tps: float | None = None
    """Expected; None where the machine's limits are not known."""
    ttft_1000: float | None = None
    notices: tuple[Notice, ...] = ()
    """What is done differently from what was asked for."""


class PullProgress(Event, frozen=True, kw_only=True):
    """At most 10 a second for each pull."""

    pull: Pull


class PullFinished(Terminal, frozen=True, kw_only=True):
    pull: Pull


class PullsListed(Terminal, frozen=True, kw_only=True):
    pulls: tuple[Pull, ...]
    leftover_bytes: int = 0
    """Of parts that belong to no download."""


class VerifyProgress(Event, frozen=True, kw_only=True):
    """How much of a model has been compared with its hash."""

    fraction: float


class QuantizeProgress(Event, frozen=True, kw_only=True):
    fraction: float


class QuantizeFinished(Terminal, frozen=True, kw_only=True):
    path: str
    size_bytes: int = 0
    tensor_mix: dict[str, int] = {}


class ApiRead(Terminal, frozen=True, kw_only=True):
    """The local API as it is now; both empty when it is off."""

    address: str = ""
    """Such as http://127.0.0.1:11436."""
    failure: Failure | None = None


# Figures.


class HardwareSample(Event, frozen=True, kw_only=True):
    """What the machine does right now; absent readings are None."""

    gpu_name: str = ""
    gpu_utilisation: float | None = None
    """0 to 1."""
    vram_used_bytes: int | None = None
    vram_total_bytes: int | None = None
    power_watts: float | None = None
    temperature_celsius: float | None = None
    clock_mhz: float | None = None
    cpu_utilisation: float | None = None
    ram_used_bytes: int | None = None
    ram_total_bytes: int | None = None
    process_rss_bytes: dict[str, int] = {}
    """host and each worker by model_id."""
    n_running: int = 0
    n_waiting: int = 0


class MetricsRead(Terminal, frozen=True, kw_only=True):
    rows: tuple[PercentileRow, ...]
    answers: tuple[LoggedRequest, ...] = ()
    """The latest ones first, as many as ReadMetrics.limit."""
    groups: tuple[LogGroup, ...] = ()
    """All that the scope holds, of whatever model and settings; the latest ones first."""
    n_requests: int = 0
    n_errors: int = 0
    tokens_per_hour: float = 0.0


class MetricsExported(Terminal, frozen=True, kw_only=True):
    n_requests: int


class RooflineMeasured(Terminal, frozen=True, kw_only=True):
    device: str
    bandwidth: float
    """Bytes per second that reading weights can reach."""
    prefill_flops: float | None = None
    duration: float = 0.0
