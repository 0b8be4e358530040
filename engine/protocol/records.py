"""Records that events carry about the library, the hub, downloads and figures."""

from __future__ import annotations

from engine.errors import Failure
from engine.metrics import RequestMetrics
from engine.protocol.values import KvType, Value
from engine.translatable import Translatable


class ModelEntry(Value, frozen=True, kw_only=True):
    """One model of the library."""

    model_id: str
    name: str
    path: str
    source: str = ""
    """ours, hub_cache, lmstudio, ollama or folder."""
    state: str = "ready"
    """ready, missing, incomplete, damaged or in_use."""
    kind: str = "chat"
    """chat, embedding, mmproj, lora or vocab."""
    problem: Translatable = ""
    size_bytes: int = 0
    architecture: str = ""
    quantization: str = ""
    bits_per_weight: float | None = None
    tensor_mix: dict[str, int] = {}
    """Tensor type to bytes."""
    n_params: int = 0
    n_ctx_train: int = 0
    is_ours: bool = False
    """Downloaded by Firstlight: may be deleted from it."""
    is_loaded: bool = False
    repo: str = ""
    file: str = ""
    last_used: float | None = None
    """Unix time."""
    traits: Translatable = ""
    """What the architecture means for speed, in one line."""
    licence: str = ""
    """As the file names it; empty where it does not."""


class HubModel(Value, frozen=True, kw_only=True):
    """One search result."""

    repo: str
    downloads: int = 0
    likes: int = 0
    licence: str = ""
    is_gated: bool = False
    n_params: int | None = None
    updated: str = ""
    tags: tuple[str, ...] = ()


class CatalogEntry(Value, frozen=True, kw_only=True):
    """A model worth starting with."""

    name: str
    repo: str
    n_params: int
    size_bytes: int
    """Of the usual quantization, to two or three digits."""
    quantization: str = ""
    n_active_params: int = 0
    """Of a mixture of experts, those that one token uses; 0 for all."""
    licence: str = ""
    good_at: tuple[str, ...] = ()
    is_special: bool = False
    """Good at one thing, so never the first recommendation."""
    checked_on: str = ""
    """The day on which repository, licence and size were compared with public sources."""
    is_own: bool = False
    """From the user's own catalogue."""


class RepoQuantization(Value, frozen=True, kw_only=True):
    """One quantization in a repository: a file, or the parts of a split one."""

    name: str
    files: tuple[str, ...]
    size_bytes: int
    sha256: tuple[str, ...] = ()
    kind: str = "chat"


class Shape(Value, frozen=True, kw_only=True):
    """A model's shape, as far as memory and speed depend on it."""

    architecture: str
    name: str = ""
    n_params: int = 0
    n_layers: int = 0
    n_ctx_train: int = 0
    n_embd: int = 0
    n_vocab: int = 0
    n_head: int = 0
    n_head_kv: tuple[int, ...] = ()
    """KV heads of each layer; 0 where a layer has no attention."""
    n_expert: int = 0
    n_expert_used: int = 0
    swa_window: int = 0
    quantization: str = ""
    bits_per_weight: float = 0.0
    tensor_mix: dict[str, int] = {}
    traits: Translatable = ""
    n_requests: int = 0
    n_fetched_bytes: int = 0


class FitRow(Value, frozen=True, kw_only=True):
    """What one quantization needs at a context and KV type, and how fast it should be."""

    name: str
    file_bytes: int
    bits_per_weight: float
    quality: str
    """A key: original, as_good, hard_to_tell, close, noticeable, heavy."""
    weights_bytes: int
    kv_bytes: int
    compute_bytes: int
    verdict: str
    """fits, fits_tight, partial, cpu_only or too_large."""
    n_gpu_layers: int = 0
    n_layers: int = 0
    n_cpu_moe: int = 0
    """Of these, the layers whose experts stay on the CPU."""
    decode_tps: float | None = None
    ttft_1000: float | None = None
    is_measured: bool = False
    """decode_tps and ttft_1000 come from answers on this computer."""
    expected_tps: float | None = None
    """What was expected of a measured one."""
    is_recommended: bool = False
    reason: Translatable = ""


class KvQuality(Value, frozen=True, kw_only=True):
    """How far a KV type's predictions are from the reference's."""

    kv_type: KvType
    divergence: float
    """Mean Kullback-Leibler divergence in nats."""
    divergence_p99: float
    top1_agreement: float
    """Share of positions at which both find the same token likeliest, 0 to 1."""


class AblationStep(Value, frozen=True, kw_only=True):
    """Figures of one step of the ablation benchmark, in seconds and bytes."""

    name: str
    ttft_p50: float
    ttft_p95: float
    tpot_p50: float
    tpot_p95: float
    total: float
    """Median over the runs of all answers' time from Enter to the last token."""
    totals: tuple[float, ...] = ()
    """The same of each run."""
    reopened_ttft: float
    """Median TTFT of the first answer after a restart."""
    memory_bytes: int = 0
    n_answers: int = 0

    @property
    def runs(self) -> tuple[float, ...]:
        """Seconds of the whole chat, run by run."""
        return self.totals or (self.total,)


class AblationFigures(Value, frozen=True, kw_only=True):
    """All steps of the ablation benchmark, and what KV types cost in quality against f16."""

    model: str
    n_runs: int
    steps: tuple[AblationStep, ...]
    qualities: tuple[KvQuality, ...] = ()
    n_compared: int = 0
    """Positions over which qualities were compared."""
    versions: dict[str, str] = {}
    device: str = ""
    n_threads: int = 0


class Pull(Value, frozen=True, kw_only=True):
    """One download, split files as one item."""

    pull_id: str
    repo: str
    files: tuple[str, ...]
    state: str
    """queued, running, paused, verifying, finished, failed or cancelled."""
    done_bytes: int = 0
    total_bytes: int = 0
    rate: float = 0.0
    """Bytes per second."""
    seconds_left: float | None = None
    failure: Failure | None = None
    path: str = ""


class PercentileRow(Value, frozen=True, kw_only=True):
    """P50, P90, P95 and P99 of one metric, in seconds."""

    name: str
    count: int
    p50: float
    p90: float
    p95: float
    p99: float


class LogGroup(Value, frozen=True, kw_only=True):
    """Answers of the log that can be held against each other: one model with one kind of settings."""

    model: str = ""
    quantization: str = ""
    settings: str = ""
    """As LoggedRequest.settings."""


class LoggedRequest(Value, frozen=True, kw_only=True):
    """One request as the metrics log keeps it."""

    request_id: str
    at: float
    """When it ended, Unix time."""
    model: str = ""
    quantization: str = ""
    settings: str = ""
    """Effective settings that change speed, as one line: `n_ctx 8192 · KV q8_0 · flash attention · 31/31 layers`."""
    backend: str = ""
    device: str = ""
    chat_id: str = ""
    priority: str = "interactive"
    finish_reason: str = ""
    """stop, length or cancelled; empty when it failed."""
    error_code: str = ""
    versions: dict[str, str] = {}
    metrics: RequestMetrics = RequestMetrics()
