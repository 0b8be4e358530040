"""A model's shape for the table of quantizations, and what it means for speed in one line."""

from __future__ import annotations

from engine import protocol
from engine.gguf.header import Header
from engine.gguf.layers import HYBRID, RECURRENT, Layer, layers, swa_window
from engine.translatable import Translatable, listed, phrase, sentence

_F16_BYTES = 2


def shape(header: Header) -> protocol.Shape:
    """The shape of a model from its header alone."""
    made = layers(header)
    return protocol.Shape(
        architecture=header.architecture,
        name=header.name,
        n_params=header.n_params,
        n_layers=len(made),
        n_ctx_train=header.n_ctx_train,
        n_embd=header.of_architecture("embedding_length"),
        n_vocab=header.n_vocab,
        n_head=max((layer.n_head for layer in made), default=0),
        n_head_kv=tuple(layer.n_head_kv for layer in made),
        n_expert=header.of_architecture("expert_count"),
        n_expert_used=header.of_architecture("expert_used_count"),
        swa_window=swa_window(header),
        quantization=header.quantization,
        bits_per_weight=round(header.bits_per_weight, 2),
        tensor_mix=header.tensor_mix,
        traits=traits(header),
        n_requests=header.n_requests,
        n_fetched_bytes=header.n_fetched_bytes,
    )


def traits(header: Header) -> Translatable:
    """What the architecture means for speed, in one line, such as `grouped-query attention 9/3 heads, ...`."""
    made = layers(header)
    parts = [_attention(header, made)]
    if window := swa_window(header):
        n_swa = sum(layer.is_swa for layer in made)
        parts.append(
            sentence(
                "sliding window of {window:,} tokens on {layers} of {of} layers",
                window=window,
                layers=n_swa,
                of=len(made),
            )
        )
    if n_expert := header.of_architecture("expert_count"):
        parts.append(sentence("{n} of {of} experts active", n=header.of_architecture("expert_used_count"), of=n_expert))
    if header.architecture in HYBRID:
        n_attending = sum(layer.has_kv for layer in made)
        parts.append(sentence("hybrid, {n} of {of} layers with attention", n=n_attending, of=len(made)))
    growing = [layer for layer in made if layer.has_kv and not layer.is_swa]
    if growing:
        per_token = sum(layer.key_width + layer.value_width for layer in growing) * _F16_BYTES
        parts.append(sentence("{mb:,.1f} MB of KV per 1,000 tokens", mb=per_token * 1000 / 1e6))
    elif header.architecture in RECURRENT:
        parts.append(phrase("memory does not grow with the context"))
    return listed(parts)


def _attention(header: Header, made: tuple[Layer, ...]) -> Translatable:
    if header.architecture in RECURRENT:
        return phrase("recurrent, no attention")
    heads = max((layer.n_head for layer in made), default=0)
    kv_heads = max((layer.n_head_kv for layer in made), default=0)
    if header.of_architecture("attention.key_length_mla"):
        return sentence("latent attention {heads} heads", heads=heads)
    if kv_heads == heads:
        return sentence("multi-head attention {heads} heads", heads=heads)
    if kv_heads == 1:
        return sentence("multi-query attention {heads}/1 heads", heads=heads)
    return sentence("grouped-query attention {heads}/{kv} heads", heads=heads, kv=kv_heads)
