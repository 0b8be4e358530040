"""Which tensors lie where, and how many bytes that is: llama.cpp's way of splitting a model over host and devices."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence

from engine.fit.graph_allocator import HOST
from engine.gguf import Header, TensorInfo, trunk_layers

INPUT_TENSORS = ("token_embd", "per_layer_token_embd", "position_embd", "token_types", "token_embd_norm")
"""Read row by row: llama.cpp always keeps these on the host."""

X86_REPACKED = frozenset({"Q4_0", "Q4_K", "IQ4_NL", "MXFP4"})
"""Types that ggml lays out anew for AVX2 when no device is in use; the copy takes as much as the original."""
AVX512_REPACKED = X86_REPACKED | {"Q2_K"}
ARM_REPACKED = frozenset({"Q4_0", "Q4_K", "Q5_K", "Q6_K", "IQ4_NL", "Q8_0"})
AMX_REPACKED = AVX512_REPACKED | {"Q4_1", "Q8_0", "Q5_K", "Q6_K", "IQ4_XS"}
"""With AMX matrices are cut into tiles; experts, and what does not make whole tiles, are laid out as for AVX-512."""
_REPACK_ROWS = 8
_TILE_ROWS = 32
_TILES = {
    "Q4_0": 1.0,
    "Q4_1": 1.0,
    "Q8_0": 38 / 34,
    "Q4_K": 148 / 144,
    "Q5_K": 180 / 176,
    "Q6_K": 1.0,
    "IQ4_XS": 138 / 136,
}
"""Bytes of tiles for each byte of the original: sums that the kernels need are kept beside some types."""
_EXPERTS = re.compile(r"\.ffn_(up|down|gate|gate_up)_(ch|)exps")


@dataclasses.dataclass(frozen=True)
class Placement:
    """Where the layers and the output run: a number of a device, or HOST."""

    layers: tuple[int, ...]
    output: int
    n_cpu_moe: int = 0
    """The first layers whose experts stay on the host although the layer runs on a device."""
    largest: int = 1 << 62
    """Bytes of the largest tensor that a device can work with; larger ones stay on the host."""

    def of(self, tensor: TensorInfo) -> int | None:
        """Where a tensor lies; None for one that llama.cpp does not load (layers that predict further tokens)."""
        layer = tensor.layer
        if layer is None:
            return HOST if is_input(tensor) else self.output_of(tensor)
        if layer >= len(self.layers):
            return None
        if (is_expert(tensor) and layer < self.n_cpu_moe) or tensor.size_bytes > self.largest:
            return HOST
        return self.layers[layer]

    def output_of(self, tensor: TensorInfo) -> int:
        """Where a tensor lies that the output uses; the embeddings may be one, in a copy of their own."""
        return HOST if tensor.size_bytes > self.largest else self.output


def place(header: Header, n_gpu_layers: int, shares: Sequence[float], *, n_cpu_moe: int = 0) -> Placement:
    """Split as llama.cpp does: the output first, then layers from the last one back; devices by their shares.

    n_gpu_layers counts the output as one: n_layers + 1 or more is everything. Without devices all is on the host.
    """
    n_all = header.n_layers
    n_trunk = trunk_layers(header)
    wanted = min(n_gpu_layers if n_gpu_layers >= 0 else n_all + 1, n_all + 1) if shares else 0
    if wanted == 0:
        return Placement((HOST,) * n_trunk, HOST)
    start = n_all + 1 - wanted
    borders = [sum(shares[: number + 1]) / sum(shares) for number in range(len(shares))]

    def device(index: int) -> int:
        if index < start:
            return HOST
        position = (index - start) / wanted
        return next((number for number, border in enumerate(borders) if position < border), len(borders) - 1)

    return Placement(tuple(device(index) for index in range(n_trunk)), device(n_all), n_cpu_moe)


def weight_bytes(
    header: Header, placement: Placement, *, repacked: frozenset[str] = frozenset(), uses_mmap: bool = True
) -> dict[int, int]:
    """Bytes of weights in each place.

    A mapped file counts from the first to the last tensor that is used from it, as llama.cpp reports it; repacked
    tensors and those on devices are copies.
    """
    held: dict[int, int] = {HOST: 0}
    mapped: list[TensorInfo] = []
    has_output = any(tensor.name == "output.weight" for tensor in header.tensors)
    for tensor in header.tensors:
        where = placement.of(tensor)
        if where is None:
            continue
        if where != HOST:
            held[where] = held.get(where, 0) + tensor.size_bytes
        elif not is_input(tensor) and (copied := repacked_bytes(tensor, repacked)):
            held[HOST] += copied
        else:
            mapped.append(tensor)
        if tensor.name == "token_embd.weight" and not has_output:
            if (copy := placement.output_of(tensor)) != HOST:
                held[copy] = held.get(copy, 0) + tensor.size_bytes
            else:
                held[HOST] += repacked_bytes(tensor, repacked)
    held[HOST] += _span(mapped) if uses_mmap else sum(tensor.size_bytes for tensor in mapped)
    return held


def output_tensor(header: Header) -> TensorInfo | None:
    """The matrix that makes logits; often it is that of the embeddings."""
    found = {tensor.name: tensor for tensor in header.tensors}
    return found.get("output.weight", found.get("token_embd.weight"))


def is_expert(tensor: TensorInfo) -> bool:
    """Whether it holds the routed experts of a layer."""
    return _EXPERTS.search(tensor.name) is not None


def is_input(tensor: TensorInfo) -> bool:
    """Whether it is read row by row, and not multiplied with."""
    return tensor.name.split(".", maxsplit=1)[0] in INPUT_TENSORS


def repacked_bytes(tensor: TensorInfo, repacked: frozenset[str]) -> int:
    """Bytes of the copy that the host makes of a matrix in another layout; 0 where it needs none."""
    kind = tensor.type.name
    is_matrix = len(tensor.shape) == (3 if is_expert(tensor) else 2)
    if kind not in repacked or not is_matrix:
        return 0
    if repacked == AMX_REPACKED:
        if kind in _TILES and not is_expert(tensor) and tensor.shape[1] % _TILE_ROWS == 0:
            return round(tensor.size_bytes * _TILES[kind])
        if kind not in AVX512_REPACKED:
            return 0
    return tensor.size_bytes if tensor.shape[1] % _REPACK_ROWS == 0 else 0


def _span(tensors: Sequence[TensorInfo]) -> int:
    """Bytes from the first to the last of these tensors in each file."""
    total = 0
    for part in {tensor.part for tensor in tensors}:
        own = [tensor for tensor in tensors if tensor.part == part]
        total += max(t.offset + t.size_bytes for t in own) - min(t.offset for t in own)
    return total
