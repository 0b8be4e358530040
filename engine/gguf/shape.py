"""A model's shape for the table of quantizations, and what it means for speed in one line."""

from __future__ import annotations

from engine import protocol
from engine.gguf.header import Header
from engine.gguf.layers import HYBRID, RECURRENT, Layer, layers, swa_window

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


def traits(header: Header) -> str:
    """What the architecture means for speed, in one line, such as `grouped-query attention 9/3 heads, ...`."""
    made = layers(header)
    words = [_attention(header, made)]
    if window := swa_window(header):
        n_swa = sum(layer.is_swa for layer in made)
        words.append(f"sliding window of {window:,} tokens on {n_swa} of {len(made)} layers")
    if n_expert := header.of_architecture("expert_count"):
        words.append(f"{header.of_architecture('expert_used_count')} of {n_expert} experts active")
    if header.architecture in HYBRID:
        words.append(f"hybrid, {sum(layer.has_kv for layer in made)} of {len(made)} layers with attention")
    growing = [layer for layer in made if layer.has_kv and not layer.is_swa]
    if growing:
        per_token = sum(layer.key_width + layer.value_width for layer in growing) * _F16_BYTES
        words.append(f"{per_token * 1000 / 1e6:,.1f} MB of KV per 1,000 tokens")
    elif header.architecture in RECURRENT:
        words.append("memory does not grow with the context")
    return ", ".join(words)


def _attention(header: Header, made: tuple[Layer, ...]) -> str:
    if header.architecture in RECURRENT:
        return "recurrent, no attention"
    heads = max((layer.n_head for layer in made), default=0)
    kv_heads = max((layer.n_head_kv for layer in made), default=0)
    if header.of_architecture("attention.key_length_mla"):
        return f"latent attention {heads} heads"
    if kv_heads == heads:
        return f"multi-head attention {heads} heads"
    name = "multi-query attention" if kv_heads == 1 else "grouped-query attention"
    return f"{name} {heads}/{kv_heads} heads"
