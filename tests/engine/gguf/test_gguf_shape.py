"""What headers say about layers, attention, windows, recurrent state and quantization."""

from __future__ import annotations

from pathlib import Path

import pytest
from gguf_files import CHAT_METADATA, gguf_bytes

from engine.gguf import Header, layers, read_header, shape, swa_window, traits, trunk_layers

TENSORS = [("token_embd.weight", (256, 8), "Q4_K"), ("blk.0.ffn_down.weight", (256, 8), "Q6_K")]


def header(architecture: str, n_layers: int, heads: object = 8, kv_heads: object = None, **keys: object) -> Header:
    """A model of that architecture; keys are under its prefix, with `__` for a dot."""
    own = {
        "block_count": n_layers,
        "embedding_length": 1024,
        "context_length": 4096,
        "attention.head_count": heads,
        "attention.head_count_kv": heads if kv_heads is None else kv_heads,
        **{name.replace("__", "."): value for name, value in keys.items()},
    }
    metadata = {"general.architecture": architecture, "general.file_type": 15}
    return read_header(gguf_bytes({**metadata, **{f"{architecture}.{k}": v for k, v in own.items()}}, TENSORS))


def test_the_starter_model(starter: Path) -> None:
    made = shape(read_header(starter))
    assert made.n_head_kv == (3,) * 30
    assert (made.n_head, made.n_embd, made.n_vocab, made.n_ctx_train) == (9, 576, 49152, 8192)
    assert made.quantization == "Q8_0"
    assert made.bits_per_weight == 8.51
    assert list(made.tensor_mix) == ["Q8_0", "F32"]
    assert str(made.traits) == "grouped-query attention 9/3 heads, 23.0 MB of KV per 1,000 tokens"


def test_widths_of_plain_attention() -> None:
    made = layers(header("llama", 2, 8, 2))
    assert [(x.key_width, x.value_width, x.is_swa, x.is_recurrent) for x in made] == [(256, 256, False, False)] * 2
    made = layers(header("qwen3", 2, 8, 2, attention__key_length=64, attention__value_length=96))
    assert (made[0].key_width, made[0].value_width) == (128, 192)


def test_heads_of_each_layer() -> None:
    made = layers(header("openelm", 3, [8, 8, 4], [2, 1, 0]))
    assert [x.n_head for x in made] == [8, 8, 4]
    assert [x.key_width for x in made] == [256, 128, 0]
    assert layers(header("llama", 1, 8))[0].n_head_kv == 8


@pytest.mark.parametrize(
    ("architecture", "keys", "n_layers", "window", "dense"),
    [
        ("gemma2", {}, 4, 4096, [1, 3]),
        ("gemma2", {"attention__sliding_window": 512}, 4, 512, [1, 3]),
        ("gemma3", {"attention__sliding_window": 512}, 12, 512, [5, 11]),
        ("gemma3", {}, 12, 0, list(range(12))),
        ("cohere2", {"attention__sliding_window": 4096}, 8, 4096, [3, 7]),
        ("gpt-oss", {"attention__sliding_window": 128}, 4, 128, [1, 3]),
        ("llama4", {}, 8, 8192, [3, 7]),
        ("llama4", {"attention__sliding_window": 0}, 8, 0, list(range(8))),
        ("smallthinker", {"attention__sliding_window": 1}, 8, 4096, [0, 4]),
        ("exaone4", {"attention__sliding_window": 4096}, 30, 0, list(range(30))),
        ("exaone4", {"attention__sliding_window": 4096}, 64, 4096, list(range(3, 64, 4))),
        ("phi3", {"attention__sliding_window": 2047}, 4, 0, list(range(4))),
        ("llama", {"attention__sliding_window": 4096}, 4, 0, list(range(4))),
        ("mimo2", {"attention__sliding_window": 128, "attention__sliding_window_pattern": [False, True]}, 2, 128, [0]),
        ("gemma3", {"attention__sliding_window": 512, "attention__sliding_window_pattern": 2}, 4, 512, [1, 3]),
    ],
)
def test_sliding_windows(
    architecture: str, keys: dict[str, object], n_layers: int, window: int, dense: list[int]
) -> None:
    made = header(architecture, n_layers, 8, 2, **keys)
    assert swa_window(made) == window
    assert [n for n, layer in enumerate(layers(made)) if not layer.is_swa] == dense
    assert ("sliding window" in str(traits(made))) == (window > 0)


def test_shared_kv_layers() -> None:
    made = layers(header("gemma3n", 30, 8, 2, attention__sliding_window=512))
    assert [x.has_kv for x in made] == [True] * 20 + [False] * 10
    pattern = [True, False] * 3
    made = layers(
        header(
            "gemma4",
            6,
            8,
            2,
            attention__sliding_window=512,
            attention__sliding_window_pattern=pattern,
            attention__shared_kv_layers=2,
            attention__key_length=64,
            attention__key_length_swa=32,
        )
    )
    assert [x.key_width for x in made] == [64, 128, 64, 128, 0, 0]


def test_latent_attention_keeps_one_vector() -> None:
    made = header(
        "deepseek2",
        2,
        16,
        1,
        attention__key_length=576,
        attention__value_length=512,
        attention__key_length_mla=192,
        attention__value_length_mla=128,
    )
    assert [(x.key_width, x.value_width) for x in layers(made)] == [(576, 0)] * 2
    assert str(traits(made)).startswith("latent attention 16 heads")


def test_recurrent_models_have_no_kv() -> None:
    made = header("mamba", 2, 0, 0, ssm__conv_kernel=4, ssm__inner_size=2048, ssm__state_size=16)
    assert [(x.has_kv, x.conv_width, x.state_width) for x in layers(made)] == [(False, 3 * 2048, 16 * 2048)] * 2
    assert str(traits(made)) == "recurrent, no attention, memory does not grow with the context"
    made = header("rwkv7", 1, 0, 0, wkv__head_size=64)
    assert [(x.conv_width, x.state_width) for x in layers(made)] == [(2048, 1024 * 64)]


def test_hybrid_models() -> None:
    ssm = {"ssm__conv_kernel": 4, "ssm__inner_size": 2048, "ssm__state_size": 128, "ssm__group_count": 8}
    made = layers(header("granitehybrid", 4, 8, [0, 0, 2, 0], **ssm))
    assert [x.has_kv for x in made] == [False, False, True, False]
    assert [x.is_recurrent for x in made] == [True, True, False, True]
    assert made[0].conv_width == 3 * (2048 + 2 * 8 * 128)
    made = layers(header("falcon-h1", 2, 8, 2, **ssm))
    assert all(x.has_kv and x.is_recurrent for x in made)
    made = layers(header("qwen3next", 8, 8, 2, **ssm))
    assert [x.has_kv for x in made] == [False, False, False, True] * 2
    made = layers(header("lfm2", 3, 8, [0, 2, 0], shortconv__l_cache=3))
    assert [(x.has_kv, x.conv_width) for x in made] == [(False, 2048), (True, 0), (False, 2048)]
    made = layers(header("nemotron_h", 3, 8, [0, 2, 0], feed_forward_length=[0, 0, 4096], **ssm))
    assert [(x.has_kv, x.is_recurrent) for x in made] == [(False, True), (True, False), (False, False)]
    assert "hybrid, 2 of 8 layers with attention" in str(traits(header("qwen3next", 8, 8, 2, **ssm)))


def test_layers_for_further_tokens_are_not_counted() -> None:
    made = header("glm4moe", 5, 8, 2, nextn_predict_layers=1, expert_count=128, expert_used_count=8)
    assert trunk_layers(made) == len(layers(made)) == 4
    assert "8 of 128 experts active" in str(traits(made))


@pytest.mark.parametrize(
    ("heads", "kv_heads", "words"),
    [
        (8, 8, "multi-head attention 8 heads"),
        (8, 2, "grouped-query attention 8/2"),
        (8, 1, "multi-query attention 8/1"),
    ],
)
def test_attention_in_words(heads: int, kv_heads: int, words: str) -> None:
    assert str(traits(header("llama", 2, heads, kv_heads))).startswith(words)


@pytest.mark.parametrize(
    ("file_type", "types", "name"),
    [
        (15, ("Q4_K", "Q6_K"), "Q4_K_M"),
        (1024 + 17, ("Q5_K", "Q6_K"), "Q5_K_M"),
        (15, ("F16", "F16"), "F16"),
        (None, ("Q8_0", "Q8_0"), "Q8_0"),
        (999, ("IQ4_XS", "IQ4_XS"), "IQ4_XS"),
        (22, ("IQ3_XXS", "IQ3_S"), "IQ3_XS"),
    ],
)
def test_quantization_is_what_the_tensors_are(file_type: int | None, types: tuple[str, str], name: str) -> None:
    metadata = dict(CHAT_METADATA) | ({"general.file_type": file_type} if file_type is not None else {})
    tensors = [(f"t{number}", (256, 4), kind) for number, kind in enumerate(types)]
    made = read_header(gguf_bytes(metadata, tensors))
    assert made.quantization == name
    assert made.bits_per_weight == made.weights_bytes * 8 / made.n_params
