"""Compute buffers: the graph of a model's largest step, on host and devices, played through ggml's allocator."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from engine.fit.arena import Graph, Tensor
from engine.fit.blocks import FLOAT, Batch, Blocks, CacheInputs, Parts
from engine.fit.placement import output_bytes
from engine.gguf import Header, TensorInfo, layers

MAX_SIMULATED_LAYERS = 16
"""Layers repeat: the buffer of the first ones and the last two is that of all."""


@dataclasses.dataclass(frozen=True)
class Cells:
    """Cells of the two kinds of cache."""

    full: int
    swa: int


class ComputeModel:
    """The graph of one model; give it a step and it says how large the buffers are."""

    def __init__(self, header: Header) -> None:
        self.layers = layers(header)
        self._width = header.of_architecture("embedding_length")
        self._n_vocab = _vocabulary(header)
        self._output_bytes = output_bytes(header)
        self._n_expert = header.of_architecture("expert_count")
        self._n_expert_used = header.of_architecture("expert_used_count")
        self._scales_embeddings = header.architecture.startswith("gemma")
        self._widest_value = max((layer.value_width for layer in self.layers), default=0)
        self._parts: list[dict[str, TensorInfo]] = [{} for _ in self.layers]
        for tensor in header.tensors:
            if tensor.layer is not None and tensor.layer < len(self._parts):
                self._parts[tensor.layer][_short_name(tensor.name)] = tensor

    def single(self, cells: Cells, batch: Batch) -> int:
        """Bytes of the one buffer when everything runs in one place."""
        graph = Graph()
        tokens = graph.input(4 * batch.n_tokens)
        graph.input(FLOAT * self._width * batch.n_tokens)
        start = graph.node(FLOAT * self._width * batch.n_tokens, tokens)
        self._run(self._blocks(graph, batch), start, range(len(self.layers)), cells, has_output=True)
        return graph.peak()

    def host_inputs(self, cells: Cells, batch: Batch, *, has_output: bool) -> int:
        """Bytes on the host when the layers run on devices: inputs and embedded tokens, or the logits if made here."""
        graph = Graph()
        tokens = graph.input(4 * batch.n_tokens)
        graph.input(FLOAT * self._width * batch.n_tokens)
        graph.node(FLOAT * self._width * batch.n_tokens, tokens, is_output=True)
        self._inputs(self._blocks(graph, batch), range(len(self.layers)), cells)
        logits = FLOAT * (self._width * batch.n_tokens + self._n_vocab * batch.n_outputs) if has_output else 0
        return max(graph.peak(), logits)

    def part(
        self,
        indices: range,
        cells: Cells,
        batch: Batch,
        *,
        has_output: bool,
        borrowed: range = range(0),
        lends_output: bool = False,
    ) -> int:
        """Bytes on one device that runs these layers: copies of the inputs, and what the layers need.

        The `borrowed` ones among them lie on the host, and with `lends_output` so does the output.
        """
        if not indices and not has_output:
            return 0
        graph = Graph()
        start = graph.input(FLOAT * self._width * batch.n_tokens)
        self._run(
            self._blocks(graph, batch),
            start,
            indices,
            cells,
            has_output=has_output,
            borrowed=borrowed,
            lends_output=lends_output,
        )
        return graph.peak()

    def _blocks(self, graph: Graph, batch: Batch) -> Blocks:
        return Blocks(graph, batch, self._width, self._n_expert, self._n_expert_used)

    def _run(
        self,
        blocks: Blocks,
        x: Tensor,
        indices: range,
        cells: Cells,
        *,
        has_output: bool,
        borrowed: range = range(0),
        lends_output: bool = False,
    ) -> None:
        graph = blocks.graph
        caches, output_rows = self._inputs(blocks, indices, cells)
        if self._scales_embeddings:
            x = graph.over(x)
        chosen = list(indices)
        if len(chosen) > MAX_SIMULATED_LAYERS:
            chosen = [*chosen[: MAX_SIMULATED_LAYERS - 2], *chosen[-2:]]
        for index in chosen:
            is_last = has_output and index == len(self.layers) - 1
            blocks.is_borrowing = index in borrowed
            cache = caches.get(self.layers[index].is_swa)
            x = self._layer(blocks, x, index, cache, output_rows if is_last else None)
        normed = graph.node(x.size, x, can_reuse=True, is_output=True)
        if has_output:
            weight = graph.node(self._output_bytes) if lends_output else None
            graph.node(FLOAT * self._n_vocab * blocks.batch.n_outputs, normed, weight, is_output=True)

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
        normed = blocks.norm(x) if "attn_norm" in parts else x
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
            x = graph.over(blocks.norm_over(mixed) if has_post_norm else mixed, x)
        if not _has_feed_forward(parts):
            return x
        has_pre_norm = "ffn_norm" in parts or "attn_norm" in parts
        source = normed if is_parallel else blocks.norm(x) if has_pre_norm else x
        made = self._fed_forward(blocks, source, n_rows, parts)
        if "post_ffw_norm" in parts:
            made = blocks.norm_over(made)
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
