"""Compute buffers: the graph of a model's largest step, over host and devices, played through ggml's allocator."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator, Sequence

from engine.fit.graph_allocator import HOST, OFFLOAD_MIN_ROWS, Graph, Tensor
from engine.fit.layer_blocks import FLOAT, Blocks, CacheInputs, Parts, Site, StepShape
from engine.fit.placement import Placement, output_tensor
from engine.gguf import Header, TensorInfo, layers

MAX_SIMULATED_LAYERS = 14
"""Layers repeat: the buffers of the first ones and the last two of a kind are those of all."""


@dataclasses.dataclass(frozen=True)
class Cells:
    """Cells of the two kinds of cache."""

    full: int
    swa: int


@dataclasses.dataclass(frozen=True)
class Scheduling:
    """What of the devices and settings decides where operations run."""

    n_devices: int = 0
    offloads_cache: bool = True
    is_pipelined: bool = False
    """Several devices work on several steps at once."""


PIPELINE_COPIES = 4
"""ggml's GGML_SCHED_MAX_COPIES."""


class ComputeModel:
    """The graph of one model; give it a step and it says how large the buffers are."""

    def __init__(self, header: Header, *, weights_scale: float = 1.0) -> None:
        self.layers = layers(header)
        self._scale = weights_scale
        self._width = header.of_architecture("embedding_length")
        self._n_vocab = _vocabulary(header)
        self._output = output_tensor(header)
        self._n_expert = header.of_architecture("expert_count")
        self._n_expert_used = header.of_architecture("expert_used_count")
        self._scales_embeddings = header.architecture.startswith("gemma")
        self._widest_value = max((layer.value_width for layer in self.layers), default=0)
        self._parts: list[dict[str, TensorInfo]] = [{} for _ in self.layers]
        for tensor in header.tensors:
            if tensor.layer is not None and tensor.layer < len(self._parts):
                self._parts[tensor.layer][_short_name(tensor.name)] = tensor
        self.buffers = functools.lru_cache(maxsize=512)(self._buffers)
        """Bytes of the buffer in each place, for a placement of the weights and the largest step."""

    def output_bytes(self, batch: StepShape) -> int:
        """Bytes on the host that logits are read from: a row for each sequence."""
        return FLOAT * self._n_vocab * batch.n_sequences

    def _buffers(self, placement: Placement, cells: Cells, batch: StepShape, scheduling: Scheduling) -> dict[int, int]:
        graph = Graph(
            scheduling.n_devices,
            largest_borrowed=placement.largest,
            n_copies=PIPELINE_COPIES if scheduling.is_pipelined else 1,
        )
        tokens = graph.input(4 * batch.n_tokens)
        graph.input(FLOAT * self._width * batch.n_tokens)
        x = graph.node(FLOAT * self._width * batch.n_tokens, tokens, place=HOST)
        blocks = Blocks(
            graph,
            batch,
            self._width,
            has_windows=any(layer.is_swa for layer in self.layers),
            n_expert=self._n_expert,
            n_expert_used=self._n_expert_used,
        )
        caches, output_rows = self._inputs(blocks, range(len(self.layers)), cells)
        if self._scales_embeddings:
            x = graph.over(x)
        is_whole = HOST not in (*placement.layers, placement.output)
        pins_norms = scheduling.n_devices > 0 and (is_whole or batch.n_tokens < OFFLOAD_MIN_ROWS)
        for index in _telling(placement):
            place = placement.layers[index]
            blocks.site = Site(
                norms=place if pins_norms else None,
                cache=place if scheduling.offloads_cache else HOST,
                weight=functools.partial(self._weight, placement),
            )
            cache = caches.get(self.layers[index].is_swa)
            x = self._layer(blocks, x, index, cache, output_rows if index == len(self.layers) - 1 else None)
        graph.n_rows = batch.n_outputs
        normed = graph.over(graph.node(x.size, x, can_reuse=True), graph.weight(FLOAT * self._width, placement.output))
        normed.is_output = True
        output = self._output
        matrix = None if output is None else graph.weight(self._scaled(output), placement.output_of(output))
        graph.node(FLOAT * self._n_vocab * batch.n_outputs, matrix, normed, is_output=True)
        return graph.peaks()

    def _weight(self, placement: Placement, tensor: TensorInfo) -> Tensor:
        place = placement.of(tensor)
        return Graph.weight(self._scaled(tensor), HOST if place is None else place)

    def _scaled(self, tensor: TensorInfo) -> int:
        return round(tensor.size_bytes * self._scale)

    def _inputs(self, blocks: Blocks, indices: Sequence[int], cells: Cells) -> tuple[dict[bool, CacheInputs], Tensor]:
        caches: dict[bool, CacheInputs] = {}
        for index in indices:
            layer = self.layers[index]
            if layer.n_head_kv and layer.is_swa not in caches:
                n_cells = cells.swa if layer.is_swa else cells.full
                caches[layer.is_swa] = blocks.cache_inputs(layer, n_cells, self._widest_value)
        return caches, blocks.graph.input(4 * blocks.batch.n_outputs)

    def _layer(
        self, blocks: Blocks, x: Tensor, index: int, cache: CacheInputs | None, output_rows: Tensor | None
    ) -> Tensor:
        """One layer; with `output_rows` it is the last, and drops the rows that nobody asks for after its attention."""
        graph, parts = blocks.graph, self._parts[index]
        normed = blocks.norm(x, "attn_norm", parts) if "attn_norm" in parts else x
        mixed = self._mixed(blocks, normed, index, cache)
        is_parallel = _has_feed_forward(parts) and not _has_own_norm(parts)
        n_rows = blocks.batch.n_tokens
        if output_rows is not None:
            n_rows = blocks.batch.n_outputs
            mixed = blocks.rows(mixed, output_rows) if mixed else None
            x = blocks.rows(x, output_rows)
            normed = blocks.rows(normed, output_rows) if is_parallel else normed
        if mixed and not is_parallel:
            has_post_norm = "post_attention_norm" in parts and ("ffn_norm" in parts or "attn_norm" not in parts)
            x = graph.over(blocks.norm_over(mixed, "post_attention_norm", parts) if has_post_norm else mixed, x)
        if not _has_feed_forward(parts):
            return x
        has_pre_norm = "ffn_norm" in parts or "attn_norm" in parts
        name = "ffn_norm" if "ffn_norm" in parts else "post_attention_norm"
        source = normed if is_parallel else blocks.norm(x, name, parts) if has_pre_norm else x
        made = self._fed_forward(blocks, source, n_rows, parts)
        if "post_ffw_norm" in parts:
            made = blocks.norm_over(made, "post_ffw_norm", parts)
        if is_parallel:
            made = graph.over(made, mixed)
        return graph.over(made, x)

    def _mixed(self, blocks: Blocks, normed: Tensor, index: int, cache: CacheInputs | None) -> Tensor | None:
        """What mixes tokens: attention, a recurrent block, or both; None for a layer that is feed-forward alone."""
        layer, parts = self.layers[index], self._parts[index]
        made = blocks.recurrent(normed, layer, parts) if layer.is_recurrent else None
        if layer.n_head_kv and cache:
            attended = blocks.attention(normed, cache, layer, parts)
            made = attended if made is None else blocks.graph.over(attended, made)
        return made

    @staticmethod
    def _fed_forward(blocks: Blocks, source: Tensor, n_rows: int, parts: Parts) -> Tensor:
        if "ffn_down_exps" in parts:
            return blocks.experts(source, n_rows, parts)
        return blocks.feed_forward(source, n_rows, parts)


def _telling(placement: Placement) -> Iterator[int]:
    """The layers that are simulated: of those that follow each other in one place, the first ones and the last two."""
    runs: list[list[int]] = []
    before: tuple[int, bool] | None = None
    for index, place in enumerate(placement.layers):
        kind = (place, index < placement.n_cpu_moe)
        if kind != before:
            runs.append([])
        runs[-1].append(index)
        before = kind
    for run in runs:
        yield from run if len(run) <= MAX_SIMULATED_LAYERS else (*run[: MAX_SIMULATED_LAYERS - 2], *run[-2:])


def _short_name(name: str) -> str:
    """`blk.3.attn_q.weight` → `attn_q`, `blk.3.attn_q.bias` → `attn_q.bias`."""
    return name.split(".", 2)[2].removesuffix(".weight") if name.count(".") >= 2 else name


def _has_own_norm(parts: Parts) -> bool:
    """Whether the feed-forward part follows attention with a norm of its own; without one both read the same input."""
    return any(name in parts for name in ("ffn_norm", "post_attention_norm", "post_ffw_norm"))


def _has_feed_forward(parts: Parts) -> bool:
    return "ffn_down" in parts or "ffn_down_exps" in parts


def _vocabulary(header: Header) -> int:
    for tensor in header.tensors:
        if tensor.name in ("output.weight", "token_embd.weight"):
            return tensor.shape[-1]
    return header.n_vocab
