"""How fast a model should run: bytes to read for each token over bandwidth, arithmetic over its measured rate."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from engine.fit import kv_memory
from engine.fit.graph_allocator import HOST
from engine.fit.memory_estimate import Estimator, Fit
from engine.fit.placement import is_expert, is_input
from engine.gguf import Header, TensorInfo
from engine.protocol import ModelSettings, RooflineMeasured

BANDWIDTH_SHARE = 0.8
"""Part of the measured bandwidth that decoding reaches: norms, attention and launches take the rest."""
TOKEN_OVERHEAD = 0.0003
"""Seconds a token beside reading memory: sampling, the step's bookkeeping."""
KV_TOKENS = 1000
"""Length of the chat for which the speed is expected."""


def active_bytes(header: Header, *, n_tokens: int = 1) -> int:
    """Bytes of weights that a step over `n_tokens` reads: of the experts only those that are used."""
    return round(sum(tensor.size_bytes * part for tensor, part in _read(header, n_tokens)))


def active_params(header: Header) -> int:
    """Parameters that take part in one token."""
    return round(sum(tensor.n_elements * part for tensor, part in _read(header) if tensor.layer is not None))


def expected_decode_tps(
    estimator: Estimator, fit: Fit, settings: ModelSettings, rooflines: Mapping[str, RooflineMeasured]
) -> float | None:
    """Tokens per second from the bytes that each device has to read for one; None without a measured bandwidth.

    Experts that stay on the host are read there. The cache is that of a chat of 1,000 tokens. Expect ±30 % until the
    model has run once.
    """
    read: dict[int, float] = defaultdict(float)
    for tensor, part in _read(estimator.header):
        if (where := _place(fit, tensor)) is not None:
            read[where] += tensor.size_bytes * part * estimator.weights_scale
    n_kept = min(KV_TOKENS, fit.n_ctx)
    for where, layer in zip(fit.placement.layers, estimator.model.layers, strict=True):
        if layer.has_kv:
            kept = kv_memory.bytes_per_token([layer], settings.type_k, settings.type_v) * n_kept
            read[where if settings.offload_kqv else HOST] += kept
    seconds = TOKEN_OVERHEAD
    for where, n_bytes in read.items():
        roofline = rooflines.get(fit.places[where])
        if roofline is None or roofline.bandwidth <= 0:
            return None
        seconds += n_bytes / (roofline.bandwidth * BANDWIDTH_SHARE)
    return 1 / seconds


def expected_ttft(
    header: Header, fit: Fit, rooflines: Mapping[str, RooflineMeasured], n_tokens: int = 1000
) -> float | None:
    """Seconds to read a prompt of `n_tokens`, from the measured rate of arithmetic; None where it was not measured.

    What lies on the host is counted at the host's rate; a device that takes long prompts over from it is faster.
    """
    params: dict[int, float] = defaultdict(float)
    for tensor, part in _read(header):
        if tensor.layer is not None and (where := _place(fit, tensor)) is not None:
            params[where] += tensor.n_elements * part
    seconds = 0.0
    for where, n_params in params.items():
        roofline = rooflines.get(fit.places[where])
        if roofline is None or not roofline.prefill_flops:
            return None
        seconds += 2 * n_params * n_tokens / roofline.prefill_flops
    return seconds


def _read(header: Header, n_tokens: int = 1) -> Iterator[tuple[TensorInfo, float]]:
    """The tensors that a step over `n_tokens` multiplies with, and what part of each: of experts those in use."""
    used, n_expert = header.of_architecture("expert_used_count"), header.of_architecture("expert_count")
    share = min(1.0, used * n_tokens / n_expert) if n_expert else 1.0
    has_output = any(tensor.name == "output.weight" for tensor in header.tensors)
    for tensor in header.tensors:
        if is_expert(tensor):
            yield tensor, share
        elif not is_input(tensor) or (tensor.name == "token_embd.weight" and not has_output):
            yield tensor, 1.0


def _place(fit: Fit, tensor: TensorInfo) -> int | None:
    """Where a tensor is multiplied with; embeddings that make logits too are where the output is."""
    return fit.placement.output_of(tensor) if is_input(tensor) else fit.placement.of(tensor)
