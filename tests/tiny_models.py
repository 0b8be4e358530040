"""Tiny models with random weights and a real tokenizer, written as GGUF files: every architecture in milliseconds."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from pathlib import Path

import gguf
import numpy as np

CHATML = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
N_EMBD = 64
HEAD_SIZE = 32
N_FF = 96
N_CTX_TRAIN = 4096
SWA_WINDOW = 64

_MERGES = ("t h", "th e", "a n", "an d", "i n", "in g", "Ġ the", "Ġ a", "o u", "l l", "e r", "Ġ w", "h e", "r e", "o r")
_SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<think>", "</think>")


class Kind(enum.StrEnum):
    """What a tiny model is like."""

    DENSE = "dense"
    GQA = "gqa"
    SWA = "swa"
    """Sliding window of SWA_WINDOW tokens in five layers of six, as gemma3."""
    RECURRENT = "recurrent"
    HYBRID = "hybrid"
    MOE = "moe"
    POOLED = "pooled"
    """A decoder that pools its embeddings."""


@dataclass(frozen=True)
class _Shape:
    architecture: str
    n_layers: int
    n_head: int
    n_head_kv: int | list[int]
    n_expert: int = 0


_SHAPES = {
    Kind.DENSE: _Shape("llama", 2, 2, 2),
    Kind.GQA: _Shape("llama", 2, 2, 1),
    Kind.SWA: _Shape("gemma3", 6, 2, 1),
    Kind.RECURRENT: _Shape("mamba", 2, 0, 0),
    Kind.HYBRID: _Shape("jamba", 2, 2, [0, 1]),
    Kind.MOE: _Shape("llama", 2, 2, 1, n_expert=4),
    Kind.POOLED: _Shape("llama", 2, 2, 1),
}


def write_tiny_model(
    path: Path,
    kind: Kind = Kind.GQA,
    *,
    seed: int = 1,
    vocabulary: str = "bpe",
    template: str | None = CHATML,
    special: tuple[str, ...] = (),
) -> Path:
    """Write a model of this kind; the same arguments give the same bytes.

    `vocabulary` is bpe or spm; `special` are control tokens that it has besides, the last of all its tokens.
    """
    shape = _SHAPES[kind]
    words = _vocabulary(vocabulary, special)
    writer = gguf.GGUFWriter(path, shape.architecture)
    writer.add_name(f"Tiny {kind}")
    writer.add_context_length(N_CTX_TRAIN)
    writer.add_embedding_length(N_EMBD)
    writer.add_block_count(shape.n_layers)
    writer.add_feed_forward_length(N_FF)
    writer.add_head_count(shape.n_head)
    writer.add_head_count_kv(shape.n_head_kv)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(len(words[0]))
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    if shape.architecture in ("llama", "gemma3", "jamba"):
        writer.add_key_length(HEAD_SIZE)
        writer.add_value_length(HEAD_SIZE)
    if shape.architecture in ("llama", "gemma3"):
        writer.add_rope_dimension_count(HEAD_SIZE)
    if kind is Kind.SWA:
        writer.add_sliding_window(SWA_WINDOW)
    if kind is Kind.POOLED:
        writer.add_pooling_type(gguf.PoolingType.MEAN)
    if shape.n_expert:
        writer.add_expert_count(shape.n_expert)
        writer.add_expert_used_count(2)
    if kind in (Kind.RECURRENT, Kind.HYBRID):
        writer.add_ssm_conv_kernel(4)
        writer.add_ssm_inner_size(2 * N_EMBD)
        writer.add_ssm_state_size(16)
        writer.add_ssm_time_step_rank(8)
    _add_vocabulary(writer, vocabulary, words, template)
    _add_tensors(writer, kind, shape, len(words[0]), np.random.default_rng(seed))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _vocabulary(name: str, special: tuple[str, ...]) -> tuple[list[str], list[int]]:
    """Token texts and types."""
    texts, types = _plain_vocabulary(name)
    return [*texts, *special], [*types, *[gguf.TokenType.CONTROL] * len(special)]


def _plain_vocabulary(name: str) -> tuple[list[str], list[int]]:
    normal, control, byte = gguf.TokenType.NORMAL, gguf.TokenType.CONTROL, gguf.TokenType.BYTE
    if name == "bpe":
        letters = list(_byte_letters())
        merged = ["".join(pair.split(" ")) for pair in _MERGES]
        texts = [*_SPECIAL, *letters, *merged]
        return texts, [control] * 3 + [gguf.TokenType.USER_DEFINED] * 2 + [normal] * (len(letters) + len(merged))
    head = ["<unk>", "<s>", "</s>", "<|im_start|>", "<|im_end|>"]
    types = [gguf.TokenType.UNKNOWN, control, control, control, control]
    letters = ["▁", *"abcdefghijklmnopqrstuvwxyz", "▁the", "the", "an", "and", "▁a", "in", "ing"]
    texts = [*head, *(f"<0x{value:02X}>" for value in range(256)), *letters]
    return texts, [*types, *[byte] * 256, *[normal] * len(letters)]


def _byte_letters() -> str:
    """GPT-2's printable letter for each byte, in order of the byte."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = iter(range(256, 512))
    return "".join(chr(value) if value in plain else chr(next(others)) for value in range(256))


def _add_vocabulary(
    writer: gguf.GGUFWriter, name: str, words: tuple[list[str], list[int]], template: str | None
) -> None:
    texts, types = words
    writer.add_tokenizer_model("gpt2" if name == "bpe" else "llama")
    if name == "bpe":
        writer.add_tokenizer_pre("smollm")
        writer.add_token_merges(list(_MERGES))
    else:
        writer.add_token_scores([-float(index) for index in range(len(texts))])
    writer.add_token_list(texts)
    writer.add_token_types([int(kind) for kind in types])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(texts.index("<|im_end|>"))
    writer.add_add_bos_token(False)
    writer.add_add_space_prefix(name == "spm")
    if template is not None:
        writer.add_chat_template(template)


def _add_tensors(writer: gguf.GGUFWriter, kind: Kind, shape: _Shape, n_vocab: int, random: np.random.Generator) -> None:
    def weight(name: str, *size: int, scale: float = 1.0) -> None:
        """A random matrix; `size` is in numpy's order (rows first)."""
        values = random.standard_normal(size) * scale / np.sqrt(size[-1])
        writer.add_tensor(name, values.astype(np.float32))

    def ones(name: str, size: int) -> None:
        writer.add_tensor(name, (1 + 0.1 * random.standard_normal(size)).astype(np.float32))

    # Large embeddings make the next token depend strongly on the text: mistakes in the cache cannot hide.
    weight("token_embd.weight", n_vocab, N_EMBD, scale=8.0)
    ones("output_norm.weight", N_EMBD)
    weight("output.weight", n_vocab, N_EMBD, scale=4.0)
    for layer in range(shape.n_layers):
        block = f"blk.{layer}."
        n_kv = shape.n_head_kv[layer] if isinstance(shape.n_head_kv, list) else shape.n_head_kv
        ones(block + "attn_norm.weight", N_EMBD)
        if n_kv:
            weight(block + "attn_q.weight", shape.n_head * HEAD_SIZE, N_EMBD)
            weight(block + "attn_k.weight", n_kv * HEAD_SIZE, N_EMBD)
            weight(block + "attn_v.weight", n_kv * HEAD_SIZE, N_EMBD)
            weight(block + "attn_output.weight", N_EMBD, shape.n_head * HEAD_SIZE)
        else:
            _add_mamba(writer, block, random, has_norms=kind is Kind.HYBRID)
        if kind is Kind.RECURRENT:
            continue
        ones(block + "ffn_norm.weight", N_EMBD)
        if kind is Kind.SWA:
            for name, size in (("attn_q_norm", HEAD_SIZE), ("attn_k_norm", HEAD_SIZE)):
                ones(f"{block}{name}.weight", size)
            ones(block + "post_attention_norm.weight", N_EMBD)
            ones(block + "post_ffw_norm.weight", N_EMBD)
        experts = (shape.n_expert,) if shape.n_expert else ()
        suffix = "_exps" if experts else ""
        if experts:
            weight(block + "ffn_gate_inp.weight", shape.n_expert, N_EMBD)
        weight(f"{block}ffn_gate{suffix}.weight", *experts, N_FF, N_EMBD)
        weight(f"{block}ffn_up{suffix}.weight", *experts, N_FF, N_EMBD)
        weight(f"{block}ffn_down{suffix}.weight", *experts, N_EMBD, N_FF)


def _add_mamba(writer: gguf.GGUFWriter, block: str, random: np.random.Generator, *, has_norms: bool) -> None:
    d_inner, d_state, dt_rank = 2 * N_EMBD, 16, 8

    def add(name: str, values: np.ndarray) -> None:
        writer.add_tensor(block + name, values.astype(np.float32))

    add("ssm_in.weight", random.standard_normal((2 * d_inner, N_EMBD)) / np.sqrt(N_EMBD))
    add("ssm_conv1d.weight", random.standard_normal((d_inner, 4)) / 2)
    add("ssm_conv1d.bias", random.standard_normal(d_inner) / 10)
    add("ssm_x.weight", random.standard_normal((dt_rank + 2 * d_state, d_inner)) / np.sqrt(d_inner))
    add("ssm_dt.weight", random.standard_normal((d_inner, dt_rank)) / np.sqrt(dt_rank))
    add("ssm_dt.bias", random.standard_normal(d_inner) / 10)
    add("ssm_a", -np.tile(np.arange(1, d_state + 1, dtype=np.float32), (d_inner, 1)))
    add("ssm_d", np.ones(d_inner))
    add("ssm_out.weight", random.standard_normal((N_EMBD, d_inner)) / np.sqrt(d_inner))
    if has_norms:
        add("ssm_dt_norm.weight", np.ones(dt_rank))
        add("ssm_b_norm.weight", np.ones(d_state))
        add("ssm_c_norm.weight", np.ones(d_state))


def write_tiny_lora(path: Path, *, seed: int = 9, architecture: str = "llama", rank: int = 4) -> Path:
    """Write a LoRA adapter for the GQA model: low-rank changes of its queries and of its output projections."""
    random = np.random.default_rng(seed)
    writer = gguf.GGUFWriter(path, architecture)
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", float(rank))
    for layer in range(2):
        for name in ("attn_q", "attn_output"):
            for part, size in (("lora_a", (rank, N_EMBD)), ("lora_b", (N_EMBD, rank))):
                values = random.standard_normal(size).astype(np.float32)
                writer.add_tensor(f"blk.{layer}.{name}.weight.{part}", values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
