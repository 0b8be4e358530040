"""What each layer of a model keeps in memory: attention with or without a window, recurrent state, shared caches.

The per-architecture facts are those of llama.cpp's model loaders (src/models/*.cpp, llama-hparams.cpp).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from engine.gguf.header import Header

RECURRENT = frozenset(["mamba", "mamba2", "rwkv6", "rwkv6qwen2", "rwkv7", "arwkv7"])
"""No attention in any layer."""
HYBRID_BY_HEADS = frozenset(
    ["jamba", "granitehybrid", "plamo2", "lfm2", "lfm2moe", "kimi-linear", "kimi-k3", "bailingmoe3", "glm5-next"]
)
"""Layers without KV heads are recurrent."""
HYBRID_BY_INTERVAL = {"qwen3next": 4, "qwen35": 4, "qwen35moe": 4, "qwen4exp": 4, "minimax-01": 8}
"""Every n-th layer has attention, the others are recurrent."""
HYBRID_BY_FEED_FORWARD = frozenset({"nemotron_h", "nemotron_h_moe"})
"""A layer is attention, recurrent or feed-forward alone."""
PARALLEL_HYBRID = frozenset({"falcon-h1"})
"""Every layer has both."""
HYBRID = HYBRID_BY_HEADS | HYBRID_BY_INTERVAL.keys() | HYBRID_BY_FEED_FORWARD | PARALLEL_HYBRID


@dataclasses.dataclass(frozen=True)
class Layer:
    """What one layer of a model keeps for its context, in elements."""

    n_head: int
    n_head_kv: int
    """KV heads; 0 where the layer has no attention."""
    key_length: int = 0
    """Elements of one head's key."""
    key_width: int = 0
    """Elements of K for one token; 0 where nothing is kept."""
    value_width: int = 0
    """Elements of V for one token; 0 also where V is read from K (latent attention)."""
    is_swa: bool = False
    """Keeps only the sliding window."""
    conv_width: int = 0
    """Elements of the recurrent layer's convolution state, for each sequence."""
    state_width: int = 0
    """Elements of the recurrent layer's state, for each sequence."""

    @property
    def has_kv(self) -> bool:
        return self.key_width > 0

    @property
    def is_recurrent(self) -> bool:
        return self.conv_width > 0 or self.state_width > 0


@dataclasses.dataclass(frozen=True)
class _Window:
    """How an architecture lays out its sliding-window layers; `pattern` layers form a group with one dense layer."""

    pattern: int
    size: int = 0
    """Where the header has none."""
    is_dense_first: bool = False
    is_size_fixed: bool = False
    """llama.cpp puts its own size over the header's."""


_WINDOWS = {
    "afmoe": _Window(4),
    "cohere2": _Window(4),
    "cohere2moe": _Window(4, is_dense_first=True),
    "exaone-moe": _Window(4, 128),
    "exaone4": _Window(4, 4096),
    "gemma-embedding": _Window(6),
    "gemma2": _Window(2, 4096),
    "gemma3": _Window(6),
    "gemma3n": _Window(5),
    "gemma4": _Window(0),
    "gpt-oss": _Window(2),
    "granite_swa": _Window(0),
    "laguna": _Window(4, is_dense_first=True),
    "lfm2": _Window(0),
    "lfm2moe": _Window(0),
    "llama4": _Window(4, 8192, is_size_fixed=True),
    "mellum": _Window(4),
    "mimo2": _Window(0),
    "muse-glimmer": _Window(4),
    "olmo2": _Window(4),
    "plamo3": _Window(8),
    "smallthinker": _Window(4, 0, is_dense_first=True, is_size_fixed=True),
    "spark2_5": _Window(0),
    "step35": _Window(0),
}
_SMALLTHINKER_WINDOW = 4096
_EXAONE4_WINDOW_LAYERS = 64
_GEMMA3N_KV_LAYERS = 20


def swa_window(header: Header) -> int:
    """Tokens of the sliding window as llama.cpp uses it; 0 where the model has none."""
    window = _WINDOWS.get(header.architecture)
    key = f"{header.architecture}.attention.sliding_window"
    size = header.number(key)
    if window is None or (key in header.metadata and size == 0):
        return 0
    if header.architecture == "exaone4" and trunk_layers(header) != _EXAONE4_WINDOW_LAYERS:
        return 0
    if header.architecture == "smallthinker":
        return _SMALLTHINKER_WINDOW if size else 0
    return window.size if window.is_size_fixed else size or window.size


def trunk_layers(header: Header) -> int:
    """Layers that every token passes; layers that only predict further tokens are not counted."""
    return max(0, header.n_layers - header.of_architecture("nextn_predict_layers"))


def layers(header: Header) -> tuple[Layer, ...]:
    """Every trunk layer, in order."""
    n = trunk_layers(header)
    heads = header.per_layer("attention.head_count", n)
    kv_heads = heads
    if f"{header.architecture}.attention.head_count_kv" in header.metadata:
        kv_heads = header.per_layer("attention.head_count_kv", n)
    has_attention, is_recurrent = _roles(header, n, kv_heads)
    is_swa = _swa_layers(header, n, is_recurrent)
    n_kv_layers = _layers_with_own_kv(header, n)
    conv, state = _recurrent_widths(header, heads[0] if heads else 0)
    default = header.of_architecture("embedding_length") // heads[0] if heads and heads[0] else 0
    lengths = {swa: _head_lengths(header, default, is_swa=swa) for swa in (False, True)}
    is_latent = bool(header.of_architecture("attention.key_length_mla"))
    made = []
    for index in range(n):
        keeps_kv = has_attention[index] and index < n_kv_layers
        key_length, value_length = lengths[is_swa[index]]
        made.append(
            Layer(
                n_head=heads[index],
                n_head_kv=kv_heads[index] if has_attention[index] else 0,
                key_length=key_length,
                key_width=key_length * kv_heads[index] if keeps_kv else 0,
                value_width=value_length * kv_heads[index] if keeps_kv and not is_latent else 0,
                is_swa=is_swa[index],
                conv_width=conv if is_recurrent[index] else 0,
                state_width=state if is_recurrent[index] else 0,
            )
        )
    return tuple(made)


def _roles(header: Header, n: int, kv_heads: Sequence[int]) -> tuple[list[bool], list[bool]]:
    """Which layers have attention, and which are recurrent."""
    architecture = header.architecture
    if architecture in RECURRENT:
        return [False] * n, [True] * n
    if architecture in PARALLEL_HYBRID:
        return [True] * n, [True] * n
    if architecture in HYBRID_BY_HEADS:
        return [kv > 0 for kv in kv_heads], [kv == 0 for kv in kv_heads]
    if architecture in HYBRID_BY_FEED_FORWARD:
        alone = [ff == 0 for ff in header.per_layer("feed_forward_length", n)]
        return (
            [kv > 0 and no_ff for kv, no_ff in zip(kv_heads, alone, strict=True)],
            [kv == 0 and no_ff for kv, no_ff in zip(kv_heads, alone, strict=True)],
        )
    if architecture in HYBRID_BY_INTERVAL:
        if isinstance(header.metadata.get(f"{architecture}.attention.recurrent_layers"), tuple):
            recurrent = [bool(v) for v in header.per_layer("attention.recurrent_layers", n)]
        else:
            interval = header.of_architecture("full_attention_interval", HYBRID_BY_INTERVAL[architecture])
            recurrent = [bool((index + 1) % max(1, interval)) for index in range(n)]
        return [not r for r in recurrent], recurrent
    return [kv > 0 for kv in kv_heads], [False] * n


def _swa_layers(header: Header, n: int, is_recurrent: Sequence[bool]) -> tuple[bool, ...]:
    window = _WINDOWS.get(header.architecture)
    if window is None or not swa_window(header):
        return (False,) * n
    if header.architecture in HYBRID:
        return tuple(not r for r in is_recurrent)
    key = "attention.sliding_window_pattern"
    if isinstance(header.metadata.get(f"{header.architecture}.{key}"), tuple):
        return tuple(bool(v) for v in header.per_layer(key, n))
    pattern = header.of_architecture(key, window.pattern)
    dense = 0 if window.is_dense_first else pattern - 1
    return tuple(pattern == 0 or index % pattern != dense for index in range(n))


def _layers_with_own_kv(header: Header, n: int) -> int:
    """Later layers of some models read the KV cache of earlier ones."""
    if header.architecture == "gemma3n":
        return min(n, _GEMMA3N_KV_LAYERS)
    if header.architecture == "gemma4":
        return n - header.of_architecture("attention.shared_kv_layers")
    return n


def _head_lengths(header: Header, default: int, *, is_swa: bool) -> tuple[int, int]:
    key = header.of_architecture("attention.key_length", default)
    value = header.of_architecture("attention.value_length", default)
    if not is_swa:
        return key, value
    return (
        header.of_architecture("attention.key_length_swa", key),
        header.of_architecture("attention.value_length_swa", value),
    )


def _recurrent_widths(header: Header, n_head: int) -> tuple[int, int]:
    """Elements of a recurrent layer's convolution and state, for each sequence."""
    n_embd = header.of_architecture("embedding_length")
    kernel = header.of_architecture("ssm.conv_kernel")
    if wkv := header.of_architecture("wkv.head_size"):
        return header.of_architecture("token_shift_count", 2) * n_embd, n_embd * wkv
    state_size = header.of_architecture("ssm.state_size")
    inner = header.of_architecture("ssm.inner_size")
    if kernel_lfm := header.of_architecture("shortconv.l_cache"):
        return n_embd * (kernel_lfm - 1), state_size * inner
    if kda := header.of_architecture("kda.head_dim"):
        return 3 * (kernel - 1 if kernel else 3) * n_head * kda, kda * kda * n_head
    if header.architecture == "minimax-01":
        length = header.of_architecture("attention.key_length", n_embd // n_head if n_head else 0)
        return 0, length * length * n_head
    groups = header.of_architecture("ssm.group_count")
    return (kernel - 1 if kernel else 0) * (inner + 2 * groups * state_size), state_size * inner
