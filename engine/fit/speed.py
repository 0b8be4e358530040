"""How fast a model should run: bytes to read for each token over bandwidth, arithmetic over its measured rate."""

from __future__ import annotations

from collections.abc import Mapping

from engine.fit.estimate import Estimator, Fit
from engine.fit.placement import INPUT_TENSORS, is_expert
from engine.gguf import Header
from engine.protocol import ModelSettings, RooflineMeasured

BANDWIDTH_SHARE = 0.8
"""Part of the measured bandwidth that decoding reaches: norms, attention and launches take the rest."""
TOKEN_OVERHEAD = 0.0003
"""Seconds a token beside reading memory: sampling, the step's bookkeeping."""
KV_TOKENS = 1000
"""Length of the chat for which the speed is expected."""


def active_bytes(header: Header, *, n_tokens: int = 1) -> int:
    """Bytes of weights that a step over `n_tokens` reads: of the experts only those that are used."""
    used = header.of_architecture("expert_used_count")
    n_expert = header.of_architecture("expert_count")
    share = min(1.0, used * n_tokens / n_expert) if n_expert else 1.0
    has_output = any(t.name == "output.weight" for t in header.tensors)
    total = 0.0
    for tensor in header.tensors:
        if is_expert(tensor):
            total += tensor.size_bytes * share
        elif tensor.name.split(".", maxsplit=1)[0] not in INPUT_TENSORS or (
            tensor.name == "token_embd.weight" and not has_output
        ):
            total += tensor.size_bytes
    return round(total)


def active_params(header: Header) -> int:
    """Parameters that take part in one token."""
    share = header.of_architecture("expert_used_count") / max(1, header.of_architecture("expert_count"))
    return round(sum(t.n_elements * (share if is_expert(t) else 1) for t in header.tensors if t.layer is not None))


def expected_decode_tps(
    estimator: Estimator, fit: Fit, settings: ModelSettings, rooflines: Mapping[str, RooflineMeasured]
) -> float | None:
    """Tokens per second from the bytes that each device has to read for one; None without a measured bandwidth.

    The cache is that of a chat of 1,000 tokens. Expect ±30 % until the model has run once.
    """
    kv = estimator.kv_bytes_per_token(settings.type_k, settings.type_v) * min(KV_TOKENS, fit.n_ctx)
    read = active_bytes(estimator.header) * estimator.weights_scale + kv
    seconds = TOKEN_OVERHEAD
    for use in fit.memory:
        share = _layer_share(fit, use.device) if fit.devices else 1.0
        if share == 0:
            continue
        roofline = rooflines.get(use.device)
        if roofline is None or roofline.bandwidth <= 0:
            return None
        seconds += share * read / (roofline.bandwidth * BANDWIDTH_SHARE)
    return 1 / seconds


def expected_ttft(
    header: Header, fit: Fit, rooflines: Mapping[str, RooflineMeasured], n_tokens: int = 1000
) -> float | None:
    """Seconds to read a prompt of `n_tokens`, from the measured rate of arithmetic; None where it was not measured."""
    seconds = 0.0
    for use in fit.memory:
        share = _layer_share(fit, use.device) if fit.devices else 1.0
        if share == 0:
            continue
        roofline = rooflines.get(use.device)
        if roofline is None or not roofline.prefill_flops:
            return None
        seconds += share * 2 * active_params(header) * n_tokens / roofline.prefill_flops
    return seconds


def _layer_share(fit: Fit, device: str) -> float:
    """Part of the layers that run on a device, by the cache and weights that it holds."""
    on_devices = fit.n_gpu_layers / fit.n_layers if fit.n_layers else 0.0
    if device == fit.host.device:
        return 1 - on_devices
    total = sum(use.weights_bytes for use in fit.devices)
    own = next((use.weights_bytes for use in fit.devices if use.device == device), 0)
    return on_devices * own / total if total else 0.0
