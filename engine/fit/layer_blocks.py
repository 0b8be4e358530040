"""The parts of a model's compute graph, in the order in which llama.cpp runs them (src/llama-graph.cpp).

Which parts a layer has is read from its tensors' names, not from a list of architectures. Sizes are bytes; activations
are float32. A view is never written over, so an operation on a reshaped source takes new memory.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping

from engine.fit.graph_allocator import HOST, Graph, Tensor
from engine.gguf import Layer, TensorInfo

FLOAT = 4
_ROTATION_MIN = 64

Parts = Mapping[str, TensorInfo]
"""A layer's tensors by their short names, such as `attn_q` and `attn_q.bias`."""


@dataclasses.dataclass(frozen=True)
class StepShape:
    """The largest step that memory is reserved for."""

    n_tokens: int
    n_outputs: int
    """Rows of logits."""
    n_sequences: int
    has_flash_attn: bool
    rotates_k: bool = False
    """A quantized K is rotated before it is stored, to keep outliers down."""
    rotates_v: bool = False
    k_bytes: float = 2.0
    """Bytes of one element of K in the cache."""
    v_bytes: float = 2.0
    groups_products: bool = False
    """The backend moves the products Q, K and V together before it allocates, as Vulkan does."""


@dataclasses.dataclass(frozen=True)
class CacheInputs:
    """What attention reads beside its activations, one set for each kind of cache."""

    n_cells: int
    k_index: Tensor
    v_index: Tensor
    mask: Tensor
    k_rotation: Tensor | None
    v_rotation: Tensor | None


@dataclasses.dataclass(frozen=True)
class Site:
    """Where a layer runs: the place of its operations without weights, of its cache, and of each weight."""

    norms: int | None
    """llama.cpp pins norms where all layers are on devices, or a step is short."""
    cache: int
    weight: Callable[[TensorInfo], Tensor]


class Blocks:
    """Adds the blocks of one model to a graph; `site` is that of the layer which is added next.

    `has_windows`: some layers attend to a sliding window, and then llama.cpp makes keys before values.
    """

    site: Site

    def __init__(
        self,
        graph: Graph,
        batch: StepShape,
        width: int,
        *,
        has_windows: bool = False,
        n_expert: int = 0,
        n_expert_used: int = 0,
    ) -> None:
        self.graph = graph
        self.batch = batch
        self.width = width
        self._has_windows = has_windows
        self._n_expert = n_expert
        self._n_expert_used = n_expert_used
        self._row = FLOAT * batch.n_tokens
        graph.n_rows = batch.n_tokens
        self.positions = graph.input(4 * batch.n_tokens)

    def _weight(self, name: str, parts: Parts) -> Tensor | None:
        return self.site.weight(parts[name]) if name in parts else None

    def cache_inputs(self, layer: Layer, n_cells: int, max_value_width: int) -> CacheInputs:
        """The inputs of one cache; without flash attention V lies transposed and is addressed by element."""
        graph, batch = self.graph, self.batch
        length = _ROTATION_MIN
        while layer.key_length and layer.key_length % (length * 2) == 0:
            length *= 2
        k_rotation = graph.input(FLOAT * length * length) if batch.rotates_k else None
        v_rotation = graph.input(FLOAT * _ROTATION_MIN * _ROTATION_MIN) if batch.rotates_v else None
        index = 8 * batch.n_tokens
        return CacheInputs(
            n_cells=n_cells,
            k_index=graph.input(index),
            v_index=graph.input(index if batch.has_flash_attn else index * max_value_width),
            mask=graph.input((2 if batch.has_flash_attn else FLOAT) * n_cells * batch.n_tokens),
            k_rotation=k_rotation,
            v_rotation=v_rotation,
        )

    def norm(self, x: Tensor, name: str, parts: Parts) -> Tensor:
        """A norm and its weight, of something that is read again."""
        normed = self.graph.node(x.size, x, place=self.site.norms)
        return self.graph.over(normed, self._weight(name, parts))

    def norm_over(self, x: Tensor, name: str, parts: Parts) -> Tensor:
        """A norm and its weight, of something that nothing else reads."""
        normed = self.graph.node(x.size, x, can_reuse=True, place=self.site.norms)
        return self.graph.over(normed, self._weight(name, parts))

    def rows(self, x: Tensor, chosen: Tensor) -> Tensor:
        """Only the rows whose logits are wanted; what follows has no others."""
        self.graph.n_rows = self.batch.n_outputs
        return self.graph.node(FLOAT * self.width * self.batch.n_outputs, x, chosen)

    def attention(self, source: Tensor, cache: CacheInputs, layer: Layer, parts: Parts) -> Tensor:
        """Q, K and V of `source`, attention over the cache, and the projection of the heads."""
        graph = self.graph
        if "attn_qkv" in parts:
            fused = self._projected(self._row * parts["attn_qkv"].shape[1], source, "attn_qkv", parts)
            q = graph.node(self._row * layer.n_head * layer.key_length, fused, self.positions)
            self._store(cache, k=graph.node(self._row * layer.key_width, fused, self.positions), v=fused)
        else:
            q = self._separate(source, cache, layer, parts)
        heads = self._attend(q, cache, layer, parts)
        return self._projected(self._row * self.width, heads, "attn_output", parts)

    def _separate(self, source: Tensor, cache: CacheInputs, layer: Layer, parts: Parts) -> Tensor:
        """Q, K and V by products of their own; K and V go to the cache where the layer has one. Returns Q."""
        graph = self.graph
        q_size = self._row * (parts["attn_q"].shape[1] if "attn_q" in parts else layer.n_head * layer.key_length)
        k_size = self._row * layer.key_width
        v_size = self._row * (layer.value_width or layer.key_width)
        q_weight = self._weight("attn_q", parts)
        q = graph.node(q_size, q_weight, source)
        is_at_home = q_weight is not None and q_weight.place != HOST
        early = self.batch.groups_products and layer.has_kv and is_at_home
        k = graph.node(k_size, self._weight("attn_k", parts), source) if early else None
        v = graph.node(v_size, self._weight("attn_v", parts), source) if early else None
        q = self._head(q, "attn_q", parts)
        q = graph.node(q.size, cache.k_rotation, q) if cache.k_rotation else q
        if layer.has_kv:
            if self._has_windows:
                k = self._keys(k or graph.node(k_size, self._weight("attn_k", parts), source), cache, parts)
                v = self._values(v or graph.node(v_size, self._weight("attn_v", parts), source), cache, parts)
            else:
                v = self._values(v or graph.node(v_size, self._weight("attn_v", parts), source), cache, parts)
                k = self._keys(k or graph.node(k_size, self._weight("attn_k", parts), source), cache, parts)
            self._store(cache, k=k, v=v)
        return q

    def _keys(self, k: Tensor, cache: CacheInputs, parts: Parts) -> Tensor:
        k = self._head(k, "attn_k", parts)
        return self.graph.node(k.size, cache.k_rotation, k) if cache.k_rotation else k

    def _values(self, v: Tensor, cache: CacheInputs, parts: Parts) -> Tensor:
        v = self.graph.over(v, self._weight("attn_v.bias", parts)) if "attn_v.bias" in parts else v
        return self.graph.node(v.size, cache.v_rotation, v) if cache.v_rotation else v

    def _store(self, cache: CacheInputs, *, k: Tensor, v: Tensor) -> None:
        self.graph.node(0, k, cache.k_index, place=self.site.cache)
        self.graph.node(0, v, cache.v_index, place=self.site.cache)

    def _attend(self, q: Tensor, cache: CacheInputs, layer: Layer, parts: Parts) -> Tensor:
        graph = self.graph
        out = self._row * (parts["attn_output"].shape[0] if "attn_output" in parts else layer.n_head * layer.key_length)
        k = graph.cache(round(cache.n_cells * layer.key_width * self.batch.k_bytes), self.site.cache)
        v = graph.cache(round(cache.n_cells * layer.value_width * self.batch.v_bytes), self.site.cache)
        if self.batch.has_flash_attn:
            heads = graph.node(out, q, k, v, cache.mask)
        else:
            scores = graph.node(self._row * cache.n_cells * layer.n_head, k, q)
            heads = graph.node(out, graph.node(out, v, graph.over(scores, cache.mask)))
        return graph.node(out, cache.v_rotation, heads) if cache.v_rotation else heads

    def _head(self, made: Tensor, name: str, parts: Parts) -> Tensor:
        """Bias, norm and rotary position of Q or K; the first step after the reshape takes new memory."""
        graph = self.graph
        if f"{name}.bias" in parts:
            made = graph.over(made, self._weight(f"{name}.bias", parts))
        if f"{name}_norm" in parts:
            return graph.over(self.norm(made, f"{name}_norm", parts), self.positions)
        return graph.node(made.size, made, self.positions)

    def feed_forward(self, source: Tensor, n_rows: int, parts: Parts) -> Tensor:
        """A dense feed-forward network over `n_rows` rows."""
        row = FLOAT * n_rows
        hidden = row * parts["ffn_down"].shape[0]
        if "ffn_gate" in parts:
            gate = self._projected(hidden, source, "ffn_gate", parts)
            up = self._projected(hidden, source, "ffn_up", parts)
            active = self.graph.node(hidden, gate, up)
        else:
            up = self._projected(row * parts["ffn_up"].shape[1], source, "ffn_up", parts)
            active = self.graph.node(hidden, up, can_reuse=True)
        return self._projected(row * self.width, active, "ffn_down", parts)

    def experts(self, source: Tensor, n_rows: int, parts: Parts) -> Tensor:
        """A mixture of experts over `n_rows` rows, with a shared one where the layer has it."""
        graph, row, n_used = self.graph, FLOAT * n_rows, self._n_expert_used
        hidden = row * n_used * parts["ffn_down_exps"].shape[0]
        probabilities = graph.over(graph.node(row * self._n_expert, self._weight("ffn_gate_inp", parts), source))
        ranking = graph.node(row * self._n_expert, probabilities)
        weights = graph.node(row * n_used, probabilities, ranking)
        weights = graph.node(row * n_used, weights, graph.over(graph.node(row, weights)))
        if "ffn_gate_up_exps" in parts:
            active = graph.node(hidden, self._expert(2 * hidden, source, ranking, "ffn_gate_up_exps", parts))
        elif "ffn_gate_exps" in parts:
            gate = self._expert(hidden, source, ranking, "ffn_gate_exps", parts)
            up = self._expert(hidden, source, ranking, "ffn_up_exps", parts)
            active = graph.node(hidden, gate, up)
        else:
            active = graph.over(self._expert(hidden, source, ranking, "ffn_up_exps", parts))
        each = self._expert(row * n_used * self.width, active, ranking, "ffn_down_exps", parts)
        each = graph.over(each, weights)
        mixed = graph.node(row * self.width, each)
        for _ in range(n_used - 2):
            mixed = graph.over(mixed, each)
        if "ffn_down_shexp" in parts:
            shared = {name.replace("_shexp", ""): tensor for name, tensor in parts.items() if "_shexp" in name}
            mixed = graph.over(mixed, self.feed_forward(source, n_rows, shared))
        return mixed

    def _expert(self, size: int, source: Tensor, ranking: Tensor, name: str, parts: Parts) -> Tensor:
        made = self.graph.node(size, self._weight(name, parts), source, ranking)
        return self.graph.over(made, self._weight(f"{name}.bias", parts), ranking) if f"{name}.bias" in parts else made

    def recurrent(self, source: Tensor, layer: Layer, parts: Parts) -> Tensor:
        """A state-space, short-convolution or linear-attention block, by the widths of its projections."""
        graph, row, n_sequences = self.graph, self._row, self.batch.n_sequences
        projections = [
            self._projected(row * parts[name].shape[1], source, name, parts)
            for name in ("ssm_in", "shortconv.in_proj", "attn_qkv", "attn_gate", "ssm_ba", "ssm_beta_alpha")
            if name in parts
        ] or [graph.node(row * self.width, source)]
        convolved = row * max(
            (parts[name].shape[1] for name in ("ssm_conv1d", "shortconv.conv") if name in parts), default=0
        )
        kept = graph.cache(FLOAT * layer.state_width * n_sequences, self.site.cache)
        state = graph.node(kept.size, kept)
        window = graph.node(convolved + FLOAT * layer.conv_width * n_sequences, projections[0])
        mixed = graph.over(graph.node(convolved, window))
        inner = row * (parts["ssm_out"].shape[0] if "ssm_out" in parts else self.width)
        scanned = graph.node(inner + state.size, mixed, state, *projections)
        gated = graph.node(inner, scanned, *projections)
        return graph.node(row * self.width, self._weight("ssm_out", parts), gated)

    def _projected(self, size: int, source: Tensor, name: str, parts: Parts) -> Tensor:
        made = self.graph.node(size, self._weight(name, parts), source)
        return self.graph.over(made, self._weight(f"{name}.bias", parts)) if f"{name}.bias" in parts else made
