"""Values that messages carry: chat messages, sampling, model settings, devices, memory."""

from __future__ import annotations

import enum

import msgspec

from engine.translatable import Translatable


class Value(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Base of the plain values; unknown fields are ignored when read."""


class Role(enum.StrEnum):
    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class Priority(enum.StrEnum):
    """Who goes first when sequences compete for a step, highest first."""

    INTERACTIVE = "interactive"
    API = "api"
    BATCH = "batch"

    @property
    def rank(self) -> int:
        """0 goes first."""
        return list(Priority).index(self)


PREWARM_RANK = len(Priority)
"""Behind every request that somebody waits for."""


class Section(enum.StrEnum):
    """Which part of an answer a piece of text belongs to."""

    ANSWER = "answer"
    REASONING = "reasoning"
    TOOL_CALL = "tool_call"


class KvType(enum.StrEnum):
    """Element types of the KV cache, by llama.cpp's names."""

    F32 = "f32"
    F16 = "f16"
    BF16 = "bf16"
    Q8_0 = "q8_0"
    Q5_1 = "q5_1"
    Q5_0 = "q5_0"
    Q4_1 = "q4_1"
    Q4_0 = "q4_0"
    IQ4_NL = "iq4_nl"

    @property
    def is_quantized(self) -> bool:
        return self not in (KvType.F32, KvType.F16, KvType.BF16)


class Switch(enum.StrEnum):
    """On, off, or what the engine finds best."""

    AUTO = "auto"
    ON = "on"
    OFF = "off"


class SplitMode(enum.StrEnum):
    """How a model is spread over several devices, by llama.cpp's names."""

    NONE = "none"
    LAYER = "layer"
    ROW = "row"


class Speculative(enum.StrEnum):
    """Where drafted tokens come from."""

    OFF = "off"
    LOOKUP = "lookup"
    DRAFT = "draft"


class ContextPolicy(enum.StrEnum):
    """What happens when a chat outgrows its context."""

    STOP = "stop"
    SLIDE = "slide"
    SUMMARISE = "summarise"


class ChatMessage(Value, frozen=True, kw_only=True):
    """One turn, as the template sees it."""

    role: Role
    content: str
    reasoning: str = ""
    """An assistant's thinking, for templates that want it back."""
    is_pinned: bool = False
    """Never dropped by the context policy."""


class Sampling(Value, frozen=True, kw_only=True):
    """Sampler settings; the defaults are Firstlight's. A sampler is left out of the chain at its neutral value."""

    temperature: float = 0.7
    """0 is greedy."""
    top_k: int = 40
    top_p: float = 0.95
    min_p: float = 0.05
    typical_p: float = 1.0
    xtc_probability: float = 0.0
    xtc_threshold: float = 0.1
    dry_multiplier: float = 0.0
    dry_base: float = 1.75
    dry_allowed_length: int = 2
    dry_penalty_last_n: int = -1
    repeat_penalty: float = 1.0
    frequency_penalty: float = 0.0
    presence_penalty: float = 0.0
    penalty_last_n: int = 64
    mirostat: int = 0
    mirostat_tau: float = 5.0
    mirostat_eta: float = 0.1
    logit_bias: dict[int, float] = {}
    """Token id to bias; -inf is written as -1e9."""
    seed: int | None = None
    """None draws one; the one used is in GenerationFinished."""
    grammar: str = ""
    """GBNF."""
    json_schema: str = ""
    """JSON Schema as JSON text; translated to GBNF."""


class LoraAdapter(Value, frozen=True, kw_only=True):
    path: str
    scale: float = 1.0


class ModelSettings(Value, frozen=True, kw_only=True):
    """How to load a model; 0, -1 or AUTO leaves the choice to the engine."""

    n_ctx: int = 0
    """Context in tokens for each chat; 0 chooses what fits, up to the model's own."""
    n_parallel: int = 4
    """Sequences that can run at once; they share one unified cache."""
    n_batch: int = 0
    n_ubatch: int = 0
    n_threads: int = 0
    n_threads_batch: int = 0
    n_gpu_layers: int = -1
    """-1 offloads what fits."""
    n_cpu_moe: int = -1
    """The first layers whose experts stay on the CPU although the layers are offloaded; -1 leaves as few as fit."""
    type_k: KvType = KvType.F16
    type_v: KvType = KvType.F16
    flash_attn: Switch = Switch.AUTO
    offload_kqv: bool = True
    use_mmap: bool | None = None
    """None maps the file, unless a copy of the weights in huge pages takes little of the memory: it is read faster."""
    use_mlock: bool = False
    swa_full: bool = False
    split_mode: SplitMode = SplitMode.LAYER
    tensor_split: tuple[float, ...] = ()
    main_gpu: int = 0
    devices: tuple[str, ...] = ()
    """Backend device names, such as Vulkan0; empty uses all, CPU none."""
    spares_display: bool = False
    """Leave a card with a screen on it alone where there is another; known of NVIDIA's cards."""
    loras: tuple[LoraAdapter, ...] = ()
    speculative: Speculative = Speculative.OFF
    draft_path: str = ""
    n_draft_max: int = 16
    snapshot_dir: str = ""
    """Folder of KV snapshots; empty keeps them in memory only."""
    snapshot_memory_bytes: int = 1 << 30
    snapshot_disk_bytes: int = 8 << 30
    memory_limit_bytes: int = 0
    """Simulated device memory for tests and cautious users; 0 means none."""
    embeddings: bool = False


class Notice(Value, frozen=True, kw_only=True):
    """Something the engine did that was not quite what was asked for, in one sentence."""

    code: str
    message: Translatable
    is_warning: bool = False


class MemoryUse(Value, frozen=True, kw_only=True):
    """Bytes that llama.cpp allocated for a model on one device."""

    device: str
    weights_bytes: int = 0
    kv_bytes: int = 0
    compute_bytes: int = 0
    estimated_bytes: int = 0
    """What engine/fit expected for this device before the load; 0 when it was not asked."""

    @property
    def total_bytes(self) -> int:
        return self.weights_bytes + self.kv_bytes + self.compute_bytes


class Device(Value, frozen=True, kw_only=True):
    """One device that can run layers."""

    name: str
    """The backend's own name, such as CPU, CUDA0, Vulkan0."""
    description: str
    kind: str
    """cpu, gpu, igpu or accel."""
    is_display: bool = False
    """A screen is attached to it."""
    bus_id: str = ""
    """Where it is plugged in, such as 0000:01:00.0; empty where the backend does not say."""
    total_bytes: int | None = None
    free_bytes: int | None = None


class EngineDescription(Value, frozen=True, kw_only=True):
    """What llama.cpp sees on this machine: the answer of `python -m engine.worker --describe`."""

    versions: dict[str, str] = {}
    backend: str = "cpu"
    devices: tuple[Device, ...] = ()
    kv_types_with_flash_attn: dict[str, tuple[KvType, ...]] = {}
    """By device: the types that it runs there, K and V equal."""


class EffectiveSettings(Value, frozen=True, kw_only=True):
    """What the worker really runs with, read back from llama.cpp: the only thing shown as settings."""

    model_path: str = ""
    model_name: str = ""
    architecture: str = ""
    quantization: str = ""
    n_params: int = 0
    model_bytes: int = 0
    fingerprint: str = ""
    """Identifies the model's content, for caches."""
    n_ctx: int = 0
    n_ctx_train: int = 0
    n_parallel: int = 1
    n_batch: int = 0
    n_ubatch: int = 0
    n_threads: int = 0
    n_threads_batch: int = 0
    n_layers: int = 0
    """Layers of the model, the output layer included, as llama.cpp counts offloaded layers."""
    n_gpu_layers: int = 0
    n_cpu_moe: int = 0
    """Of these, the layers whose experts are on the CPU all the same."""
    type_k: KvType = KvType.F16
    type_v: KvType = KvType.F16
    flash_attn: bool = False
    swa_full: bool = False
    n_vocab: int = 0
    can_cut_cache: bool = True
    """False for sliding-window, hybrid and recurrent models."""
    speculative: Speculative = Speculative.OFF
    devices: tuple[Device, ...] = ()
    memory: tuple[MemoryUse, ...] = ()
    kv_bytes_per_token: float = 0.0
    backend: str = "cpu"
    """The llama.cpp build: cpu, vulkan, cuda or metal."""
    versions: dict[str, str] = {}
    has_template: bool = False
    supports_reasoning: bool = False
    notices: tuple[Notice, ...] = ()


class LoadTimes(Value, frozen=True, kw_only=True):
    """Seconds of each step from cold to warm."""

    open_time: float = 0.0
    weights_time: float = 0.0
    context_time: float = 0.0
    warmup_time: float = 0.0
