"""Write a GGUF with random weights in any Llama shape: for tests and measurements where no real model is at hand.

The blocks are valid and their values deviate by 0.02, so that nothing overflows. Text is cut into bytes.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import gguf
import numpy as np
import numpy.typing as npt
from gguf import GGMLQuantizationType as Type

SIGMA = 0.02
_QK = 256
_TEMPLATE = (
    "{% for m in messages %}{{ '<|' + m['role'] + '|>' + m['content'] + '\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}"
)


class Mix(enum.StrEnum):
    """Which quantization each tensor gets."""

    F16 = "f16"
    Q8_0 = "q8_0"
    Q4_K_M = "q4_k_m"


@dataclass(frozen=True)
class ModelShape:
    """A Llama-like model; sizes in elements. n_embd and n_ff are multiples of 256 for Q4_K_M, of 32 for Q8_0."""

    n_layers: int
    n_embd: int
    n_heads: int
    n_kv_heads: int
    n_ff: int
    n_vocab: int
    n_ctx: int = 8192
    n_experts: int = 0
    """0 is a dense model; two experts of `n_ff` each take part in a token."""

    @property
    def head_size(self) -> int:
        return self.n_embd // self.n_heads


TINY = ModelShape(n_layers=4, n_embd=512, n_heads=8, n_kv_heads=2, n_ff=1024, n_vocab=512, n_ctx=2048)
"""As narrow as Mesa's software Vulkan driver bears: with 256 elements a fused kernel of llama.cpp crashes there."""
TINY_EXPERTS = replace(TINY, n_experts=8)
EIGHT_B = ModelShape(n_layers=32, n_embd=4096, n_heads=32, n_kv_heads=8, n_ff=14336, n_vocab=128256, n_ctx=131072)


def write_model(path: Path, shape: ModelShape, mix: Mix, *, seed: int = 1) -> None:
    """Write the whole model, one tensor in memory at a time."""
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name(f"random-{mix}")
    writer.add_context_length(shape.n_ctx)
    writer.add_embedding_length(shape.n_embd)
    writer.add_block_count(shape.n_layers)
    writer.add_feed_forward_length(shape.n_ff)
    writer.add_head_count(shape.n_heads)
    writer.add_head_count_kv(shape.n_kv_heads)
    writer.add_rope_dimension_count(shape.head_size)
    writer.add_rope_freq_base(500000.0)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(shape.n_vocab)
    if shape.n_experts:
        writer.add_expert_count(shape.n_experts)
        writer.add_expert_used_count(2)
    writer.add_file_type({Mix.F16: 1, Mix.Q8_0: 7, Mix.Q4_K_M: 15}[mix])
    _add_vocabulary(writer, shape.n_vocab)
    layout = list(_tensors(shape, mix))
    for name, dimensions, kind in layout:
        stored = _stored_shape(dimensions, kind)
        element = {Type.F32: np.float32, Type.F16: np.float16}.get(kind, np.uint8)
        n_bytes = int(np.prod(stored)) * np.dtype(element).itemsize
        writer.add_tensor_info(name, stored, np.dtype(element), n_bytes, raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_ti_data_to_file()
    random = np.random.default_rng(seed)
    for _, dimensions, kind in layout:
        writer.write_tensor_data(_weights(random, dimensions, kind))
    writer.close()


def _tensors(shape: ModelShape, mix: Mix) -> Iterator[tuple[str, tuple[int, ...], Type]]:
    """Name, size and type of each tensor; sizes are in numpy's order: experts, rows, columns."""
    low = {Mix.F16: Type.F16, Mix.Q8_0: Type.Q8_0, Mix.Q4_K_M: Type.Q4_K}[mix]
    high = Type.Q6_K if mix is Mix.Q4_K_M else low
    kv = shape.n_kv_heads * shape.head_size
    experts, suffix = ((shape.n_experts,), "_exps") if shape.n_experts else ((), "")
    yield "token_embd.weight", (shape.n_vocab, shape.n_embd), low
    yield "output_norm.weight", (shape.n_embd,), Type.F32
    yield "output.weight", (shape.n_vocab, shape.n_embd), high
    for layer in range(shape.n_layers):
        # The layers that llama.cpp's Q4_K_M gives more bits: the first and last eighth, and every third between.
        eighth = shape.n_layers // 8
        is_rich = layer < eighth or layer >= 7 * eighth or (layer - eighth) % 3 == 2
        better = high if is_rich else low
        block = f"blk.{layer}"
        yield f"{block}.attn_norm.weight", (shape.n_embd,), Type.F32
        yield f"{block}.attn_q.weight", (shape.n_embd, shape.n_embd), low
        yield f"{block}.attn_k.weight", (kv, shape.n_embd), low
        yield f"{block}.attn_v.weight", (kv, shape.n_embd), better
        yield f"{block}.attn_output.weight", (shape.n_embd, shape.n_embd), low
        yield f"{block}.ffn_norm.weight", (shape.n_embd,), Type.F32
        if experts:
            yield f"{block}.ffn_gate_inp.weight", (shape.n_experts, shape.n_embd), Type.F32
        yield f"{block}.ffn_gate{suffix}.weight", (*experts, shape.n_ff, shape.n_embd), low
        yield f"{block}.ffn_up{suffix}.weight", (*experts, shape.n_ff, shape.n_embd), low
        yield f"{block}.ffn_down{suffix}.weight", (*experts, shape.n_embd, shape.n_ff), better


def _stored_shape(dimensions: tuple[int, ...], kind: Type) -> tuple[int, ...]:
    """Quantized tensors are described in bytes."""
    if kind in (Type.F32, Type.F16):
        return dimensions
    return gguf.quants.quant_shape_to_byte_shape(dimensions, kind)


def _weights(random: np.random.Generator, dimensions: tuple[int, ...], kind: Type) -> npt.NDArray[np.generic]:
    match kind:
        case Type.F32 if len(dimensions) == 1:
            return np.ones(dimensions, dtype=np.float32)
        case Type.F32:
            return random.standard_normal(dimensions, dtype=np.float32) * SIGMA
        case Type.F16:
            return (random.standard_normal(dimensions, dtype=np.float32) * SIGMA).astype(np.float16)
        case Type.Q8_0:
            # d, then 32 signed bytes: uniform bytes have a deviation of 73.9.
            return _blocks(random, dimensions, 32, [_half(SIGMA / 73.9), 32])
        case Type.Q4_K:
            # d and dmin, then scales that all say 32, then nibbles: uniform ones deviate by 4.61 around 7.5.
            d = SIGMA / (32 * 4.61)
            scales = bytes([160] * 8 + [0] * 4)
            return _blocks(random, dimensions, _QK, [_half(d), _half(7.5 * d), scales, 128])
        case Type.Q6_K:
            # Low and high bits, scales of 16, d: uniform sixes deviate by 18.5 around 32.
            return _blocks(random, dimensions, _QK, [192, bytes([16] * 16), _half(SIGMA / (16 * 18.5))])
        case _:
            raise ValueError(f"no random blocks for {kind.name}")


def _blocks(
    random: np.random.Generator, dimensions: tuple[int, ...], block: int, parts: list[bytes | int]
) -> npt.NDArray[np.uint8]:
    """Blocks made of fixed bytes and of counts of random ones, with rows of bytes instead of columns."""
    n_blocks = math.prod(dimensions) // block
    widths = [part if isinstance(part, int) else len(part) for part in parts]
    out = np.empty((n_blocks, sum(widths)), dtype=np.uint8)
    start = 0
    for part, width in zip(parts, widths, strict=True):
        if isinstance(part, int):
            out[:, start : start + width] = np.frombuffer(random.bytes(n_blocks * width), np.uint8).reshape(-1, width)
        else:
            out[:, start : start + width] = np.frombuffer(part, np.uint8)
        start += width
    return out.reshape(*dimensions[:-1], -1)


def _half(value: float) -> bytes:
    return np.float16(value).tobytes()


def _add_vocabulary(writer: gguf.GGUFWriter, n_vocab: int) -> None:
    """A SentencePiece vocabulary: three special tokens, all bytes, and words that no text contains."""
    tokens = [b"<unk>", b"<s>", b"</s>", *(f"<0x{byte:02X}>".encode() for byte in range(256))]
    kinds = [gguf.TokenType.UNKNOWN, gguf.TokenType.CONTROL, gguf.TokenType.CONTROL, *[gguf.TokenType.BYTE] * 256]
    n_words = n_vocab - len(tokens)
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens + [f"\u2581w{index}\u2581".encode() for index in range(n_words)])
    writer.add_token_scores([0.0] * len(tokens) + [-1000.0] * n_words)
    writer.add_token_types([*kinds, *[gguf.TokenType.NORMAL] * n_words])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_add_bos_token(True)
    writer.add_chat_template(_TEMPLATE)
