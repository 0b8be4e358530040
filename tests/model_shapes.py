"""Over twenty model shapes as GGUF headers: dense, grouped-query, experts, sliding window, hybrid, recurrent.

They are written as sparse files, which llama.cpp loads without allocating: its own answer to what a model needs.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

Tensors = list[tuple[str, tuple[int, ...], str]]


@dataclasses.dataclass
class ModelShape:
    """A model in the making; `block` adds the tensors of one layer."""

    architecture: str
    n_layers: int
    width: int
    n_vocab: int = 32_000
    type: str = "Q8_0"
    is_tied: bool = False
    metadata: dict[str, object] = dataclasses.field(default_factory=dict)
    tensors: Tensors = dataclasses.field(default_factory=list)

    def __post_init__(self) -> None:
        self.set(
            block_count=self.n_layers,
            context_length=131_072,
            embedding_length=self.width,
            vocab_size=self.n_vocab,
            attention__layer_norm_rms_epsilon=1e-5,
            attention__layer_norm_epsilon=1e-5,
        )
        self.metadata |= {"general.architecture": self.architecture, "tokenizer.ggml.model": "no_vocab"}
        self.matrix("token_embd", self.width, self.n_vocab)
        self.vector("output_norm", self.width)
        if not self.is_tied:
            self.matrix("output", self.width, self.n_vocab)

    def set(self, **keys: object) -> None:
        """Metadata under the architecture's prefix, with `__` for a dot."""
        self.metadata |= {f"{self.architecture}.{name.replace('__', '.')}": value for name, value in keys.items()}

    def matrix(self, name: str, *shape: int) -> None:
        self.tensors.append((f"{name}.weight", shape, self.type))

    def vector(self, name: str, *shape: int) -> None:
        suffix = "" if name.endswith(("_a", "_d", "bias")) else ".weight"
        self.tensors.append((f"{name}{suffix}", shape, "F32"))

    def each_layer(self, *parts: Callable[[ModelShape, str, int], None]) -> ModelShape:
        for index in range(self.n_layers):
            for part in parts:
                part(self, f"blk.{index}.", index)
        return self


Part = Callable[[ModelShape, str, int], None]


def attention(
    heads: int, kv_heads: int, length: int, *, bias: bool = False, qk_norm: bool = False, fused: bool = False
) -> Part:
    def add(made: ModelShape, at: str, _index: int) -> None:
        made.set(attention__head_count=heads, attention__head_count_kv=kv_heads)
        if length * heads != made.width:
            made.set(attention__key_length=length, attention__value_length=length)
        q, kv = heads * length, kv_heads * length
        made.vector(f"{at}attn_norm", made.width)
        if fused:
            made.matrix(f"{at}attn_qkv", made.width, q + 2 * kv)
        else:
            made.matrix(f"{at}attn_q", made.width, q)
            made.matrix(f"{at}attn_k", made.width, kv)
            made.matrix(f"{at}attn_v", made.width, kv)
        made.matrix(f"{at}attn_output", q, made.width)
        if bias:
            for name, size in (("q", q), ("k", kv), ("v", kv)):
                made.vector(f"{at}attn_{name}.bias", size)
        if qk_norm:
            made.vector(f"{at}attn_q_norm", length)
            made.vector(f"{at}attn_k_norm", length)

    return add


def feed_forward(hidden: int, *, norm: str = "ffn_norm", fused: bool = False) -> Part:
    def add(made: ModelShape, at: str, _index: int) -> None:
        made.set(feed_forward_length=hidden)
        if norm:
            made.vector(f"{at}{norm}", made.width)
        if not fused:
            made.matrix(f"{at}ffn_gate", made.width, hidden)
        made.matrix(f"{at}ffn_up", made.width, 2 * hidden if fused else hidden)
        made.matrix(f"{at}ffn_down", hidden, made.width)

    return add


def experts(count: int, used: int, hidden: int, *, bias: bool = False, norm: str = "ffn_norm") -> Part:
    def add(made: ModelShape, at: str, _index: int) -> None:
        made.set(
            expert_count=count, expert_used_count=used, expert_feed_forward_length=hidden, feed_forward_length=hidden
        )
        made.vector(f"{at}{norm}", made.width)
        made.vector(f"{at}ffn_gate_inp", made.width, count)
        made.matrix(f"{at}ffn_gate_exps", made.width, hidden, count)
        made.matrix(f"{at}ffn_up_exps", made.width, hidden, count)
        made.matrix(f"{at}ffn_down_exps", hidden, made.width, count)
        if bias:
            made.vector(f"{at}ffn_gate_inp.bias", count)
            made.vector(f"{at}ffn_gate_exps.bias", hidden, count)
            made.vector(f"{at}ffn_up_exps.bias", hidden, count)
            made.vector(f"{at}ffn_down_exps.bias", made.width, count)

    return add


def post_norms(made: ModelShape, at: str, _index: int) -> None:
    made.vector(f"{at}post_attention_norm", made.width)
    made.vector(f"{at}post_ffw_norm", made.width)


def sinks(heads: int) -> Part:
    def add(made: ModelShape, at: str, _index: int) -> None:
        made.vector(f"{at}attn_sinks", heads)
        made.vector(f"{at}attn_output.bias", made.width)

    return add


def mamba(inner: int, state: int, *, norm: bool = True) -> Part:
    def add(made: ModelShape, at: str, _index: int) -> None:
        rank = made.width // 16
        made.set(ssm__conv_kernel=4, ssm__inner_size=inner, ssm__state_size=state, ssm__time_step_rank=rank)
        if norm:
            made.vector(f"{at}attn_norm", made.width)
        made.matrix(f"{at}ssm_in", made.width, 2 * inner)
        made.vector(f"{at}ssm_conv1d", 4, inner)
        made.vector(f"{at}ssm_conv1d.bias", inner)
        made.matrix(f"{at}ssm_x", inner, rank + 2 * state)
        made.vector(f"{at}ssm_dt", rank, inner)
        made.vector(f"{at}ssm_dt.bias", inner)
        made.vector(f"{at}ssm_a", state, inner)
        made.vector(f"{at}ssm_d", inner)
        made.matrix(f"{at}ssm_out", inner, made.width)

    return add


def mamba2(inner: int, state: int, heads: int, groups: int = 1, *, norm: bool = True) -> Part:
    def add(made: ModelShape, at: str, _index: int) -> None:
        made.set(
            ssm__conv_kernel=4,
            ssm__inner_size=inner,
            ssm__state_size=state,
            ssm__time_step_rank=heads,
            ssm__group_count=groups,
        )
        convolved = inner + 2 * groups * state
        if norm:
            made.vector(f"{at}attn_norm", made.width)
        made.matrix(f"{at}ssm_in", made.width, inner + convolved + heads)
        made.vector(f"{at}ssm_conv1d", 4, convolved)
        made.vector(f"{at}ssm_conv1d.bias", convolved)
        made.vector(f"{at}ssm_dt.bias", heads)
        made.vector(f"{at}ssm_a", 1, heads)
        made.vector(f"{at}ssm_d", 1, heads)
        made.vector(f"{at}ssm_norm", inner // groups, groups)
        made.matrix(f"{at}ssm_out", inner, made.width)

    return add


def short_convolution(made: ModelShape, at: str, _index: int) -> None:
    made.set(shortconv__l_cache=3)
    made.vector(f"{at}attn_norm", made.width)
    made.matrix(f"{at}shortconv.in_proj", made.width, 3 * made.width)
    made.vector(f"{at}shortconv.conv", 3, made.width)
    made.matrix(f"{at}shortconv.out_proj", made.width, made.width)


def where(is_attention: list[bool], attend: Part, other: Part) -> Part:
    def add(made: ModelShape, at: str, index: int) -> None:
        (attend if is_attention[index] else other)(made, at, index)

    return add


def _with(made: ModelShape, **keys: object) -> ModelShape:
    made.set(**keys)
    return made


def _lfm2() -> ModelShape:
    attends = [False, False, True, False, True, False]
    made = ModelShape("lfm2", 6, 1024, 65_536, is_tied=True)
    made.tensors[1] = ("token_embd_norm.weight", (1024,), "F32")
    made.each_layer(where(attends, attention(16, 8, 64, qk_norm=True), short_convolution), feed_forward(2560))
    return _with(made, attention__head_count_kv=[8 if a else 0 for a in attends])


def _granite_hybrid() -> ModelShape:
    attends = [False, False, True, False]
    made = ModelShape("granitehybrid", 4, 1536, 49_152)
    made.each_layer(where(attends, attention(12, 4, 128), mamba2(3072, 128, 48)), feed_forward(4096))
    return _with(made, attention__head_count_kv=[4 if a else 0 for a in attends])


def _jamba() -> ModelShape:
    attends = [False, True, False, False]
    made = ModelShape("jamba", 4, 1024, 65_536)

    def norms(shape: ModelShape, at: str, index: int) -> None:
        if not attends[index]:
            shape.vector(f"{at}ssm_dt_norm", shape.width // 16)
            shape.vector(f"{at}ssm_b_norm", 16)
            shape.vector(f"{at}ssm_c_norm", 16)

    made.each_layer(where(attends, attention(16, 2, 64), mamba(2048, 16)), norms, feed_forward(4096))
    return _with(made, attention__head_count_kv=[2 if a else 0 for a in attends])


def _falcon_h1() -> ModelShape:
    made = ModelShape("falcon-h1", 4, 1024, 32_768)
    made.each_layer(attention(8, 2, 128), mamba2(1536, 256, 24, norm=False), feed_forward(2048))
    made.tensors = [
        (name.replace("ffn_norm.weight", "ffn_norm"), *rest) for name, *rest in made.tensors
    ]  # as llama.cpp
    return made


def _gpt_oss() -> ModelShape:
    made = ModelShape("gpt-oss", 4, 2880, 201_088)
    made.each_layer(
        attention(64, 8, 64, bias=True), sinks(64), experts(32, 4, 2880, bias=True, norm="post_attention_norm")
    )
    return _with(made, attention__sliding_window=128)


def _llama_moe() -> ModelShape:
    return ModelShape("llama", 4, 4096).each_layer(attention(32, 8, 128), experts(8, 2, 14_336))


SHAPES: dict[str, Callable[[], ModelShape]] = {
    "tiny": lambda: ModelShape("llama", 2, 64, 256, "F32").each_layer(attention(4, 2, 16), feed_forward(128)),
    "llama 1B": lambda: ModelShape("llama", 16, 2048, 128_256, is_tied=True).each_layer(
        attention(32, 8, 64), feed_forward(8192)
    ),
    "llama 7B": lambda: ModelShape("llama", 32, 4096, type="Q4_K").each_layer(
        attention(32, 32, 128), feed_forward(11_008)
    ),
    "llama 8B": lambda: ModelShape("llama", 32, 4096, 128_256, "Q4_K").each_layer(
        attention(32, 8, 128), feed_forward(14_336)
    ),
    "llama 70B": lambda: ModelShape("llama", 80, 8192, 128_256, "Q4_K").each_layer(
        attention(64, 8, 128), feed_forward(28_672)
    ),
    "qwen2 0.5B": lambda: ModelShape("qwen2", 24, 896, 151_936, is_tied=True).each_layer(
        attention(14, 2, 64, bias=True), feed_forward(4864)
    ),
    "qwen3 4B": lambda: ModelShape("qwen3", 36, 2560, 151_936, "Q4_K", is_tied=True).each_layer(
        attention(32, 8, 128, qk_norm=True), feed_forward(9728)
    ),
    "phi3 mini": lambda: _with(
        ModelShape("phi3", 32, 3072, 32_064, "Q4_K").each_layer(
            attention(32, 32, 96, fused=True), feed_forward(8192, fused=True)
        ),
        attention__sliding_window=2047,
        rope__dimension_count=96,
    ),
    "command-r": lambda: _with(
        ModelShape("command-r", 4, 8192, 256_000, "Q4_K", is_tied=True).each_layer(
            attention(64, 8, 128), feed_forward(22_528, norm="")
        ),
        logit_scale=0.0625,
    ),
    "gemma2 2B": lambda: _with(
        ModelShape("gemma2", 26, 2304, 256_000, "Q4_K", is_tied=True).each_layer(
            attention(8, 4, 256), feed_forward(9216), post_norms
        ),
        attention__sliding_window=4096,
    ),
    "gemma3 270M": lambda: _with(
        ModelShape("gemma3", 18, 640, 262_144, is_tied=True).each_layer(
            attention(4, 1, 256, qk_norm=True), feed_forward(2048), post_norms
        ),
        attention__sliding_window=512,
    ),
    "gemma3 4B": lambda: _with(
        ModelShape("gemma3", 34, 2560, 262_144, "Q4_K", is_tied=True).each_layer(
            attention(8, 4, 256, qk_norm=True), feed_forward(10_240), post_norms
        ),
        attention__sliding_window=1024,
    ),
    "cohere2 7B": lambda: _with(
        ModelShape("cohere2", 32, 4096, 256_000, "Q4_K", is_tied=True).each_layer(
            attention(32, 8, 128), feed_forward(14_336, norm="")
        ),
        attention__sliding_window=4096,
        logit_scale=0.25,
    ),
    "qwen3moe 30B": lambda: ModelShape("qwen3moe", 48, 2048, 151_936, "Q4_K").each_layer(
        attention(32, 4, 128, qk_norm=True), experts(128, 8, 768)
    ),
    "mixtral": _llama_moe,
    "gpt-oss": _gpt_oss,
    "mamba": lambda: ModelShape("mamba", 8, 768, 50_280, is_tied=True).each_layer(mamba(1536, 16)),
    "mamba2": lambda: ModelShape("mamba2", 8, 1024, 50_288, is_tied=True).each_layer(mamba2(2048, 128, 32)),
    "jamba": _jamba,
    "falcon-h1": _falcon_h1,
    "granite hybrid": _granite_hybrid,
    "lfm2": _lfm2,
}
