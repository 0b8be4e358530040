"""What a context keeps: KV cache of each layer by its kind, and recurrent state of each sequence."""

from __future__ import annotations

from collections.abc import Sequence

from engine.fit.compute_buffers import Cells
from engine.gguf import TENSOR_TYPES_BY_NAME, Layer
from engine.protocol import KvType

CELL_PADDING = 256
"""llama.cpp rounds cells up to this."""
STATE_BYTES = 4
"""Recurrent state is always float32."""


def padded(cells: int) -> int:
    """Cells that llama.cpp really makes for a wish."""
    return -(-cells // CELL_PADDING) * CELL_PADDING


def cells(n_ctx: int, window: int, *, n_sequences: int, n_ubatch: int, swa_full: bool = False) -> Cells:
    """Cells of both kinds of cache, with one unified cache for all sequences."""
    full = padded(n_ctx)
    if not window or swa_full:
        return Cells(full=full, swa=full)
    return Cells(full=full, swa=padded(min(full, window * n_sequences + n_ubatch)))


def bytes_per_element(kind: KvType) -> float:
    """Bytes of one element: a block's bytes over its elements."""
    return TENSOR_TYPES_BY_NAME[kind.value.upper()].bytes_per_element


def layer_bytes(
    layers: Sequence[Layer],
    made: Cells,
    type_k: KvType,
    type_v: KvType,
    *,
    n_sequences: int,
    has_flash_attn: bool,
) -> list[int]:
    """Bytes that each layer keeps; without flash attention V is padded to the widest layer."""
    widest = max((layer.value_width for layer in layers), default=0)
    sizes = []
    for layer in layers:
        n_cells = made.swa if layer.is_swa else made.full
        value_width = widest if layer.value_width and not has_flash_attn else layer.value_width
        kept = layer.key_width * bytes_per_element(type_k) + value_width * bytes_per_element(type_v)
        state = (layer.conv_width + layer.state_width) * STATE_BYTES * n_sequences
        sizes.append(round(kept * n_cells) + state)
    return sizes


def bytes_per_token(layers: Sequence[Layer], type_k: KvType, type_v: KvType) -> float:
    """Bytes by which the cache grows with each token, windows and recurrent state not counted."""
    return sum(
        layer.key_width * bytes_per_element(type_k) + layer.value_width * bytes_per_element(type_v)
        for layer in layers
        if not layer.is_swa
    )


def rotates(layers: Sequence[Layer], kind: KvType) -> bool:
    """Whether llama.cpp rotates K or V before it stores them: quantized, and heads of one length in whole 64s."""
    lengths = {layer.key_length for layer in layers if layer.has_kv}
    return kind.is_quantized and len(lengths) == 1 and lengths.pop() % 64 == 0


def can_hold(layers: Sequence[Layer], kind: KvType) -> bool:
    """Whether every head is made of whole blocks of that type; llama.cpp refuses others."""
    block = TENSOR_TYPES_BY_NAME[kind.value.upper()].block_elements
    return all(layer.key_length % block == 0 for layer in layers if layer.has_kv)
