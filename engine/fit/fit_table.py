"""The table of quantizations: what each needs, what quality it keeps, how fast it should be, and which to take."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import msgspec

from engine.fit.fit_policy import fewest_experts_on_host, most_layers
from engine.fit.memory_estimate import Estimator, Fit
from engine.fit.speed_estimate import expected_decode_tps, expected_ttft
from engine.fit.target_machine import Machine, is_within
from engine.gguf import Header
from engine.protocol import FitRow, ModelSettings
from engine.translatable import Translatable, phrase, sentence

COMFORTABLE_TPS = 20.0
"""An answer at this rate is fluid to read (50 ms between tokens)."""
TIGHT_SHARE = 0.9
"""Above this part of what is free a model fits, but tightly."""

_QUALITY = ((12.0, "original"), (7.5, "as_good"), (6.0, "hard_to_tell"), (4.4, "close"), (3.3, "noticeable"))
_RECOMMENDED_QUALITY = ("as_good", "hard_to_tell", "close")


@dataclasses.dataclass(frozen=True)
class Candidate:
    """One quantization of a model. Without a header of its own it is judged by another one's, stretched to its size."""

    name: str
    file_bytes: int
    header: Header | None = None


def quality(bits_per_weight: float) -> str:
    """What a quantization keeps, as a key for words: original, as_good, hard_to_tell, close, noticeable or heavy."""
    return next((key for least, key in _QUALITY if bits_per_weight >= least), "heavy")


def layer_bits(header: Header) -> float:
    """Bits per weight of the layers' matrices: embeddings, which small models keep finer, are left out."""
    chosen = [t for t in header.tensors if t.layer is not None and len(t.shape) > 1] or list(header.tensors)
    n_elements = sum(t.n_elements for t in chosen)
    return sum(t.size_bytes for t in chosen) * 8 / n_elements if n_elements else 0.0


def fit_rows(candidates: Sequence[Candidate], settings: ModelSettings, machine: Machine) -> list[FitRow]:
    """One row for each candidate at the context and KV type of `settings`; one of them is recommended, with its reason.

    At least one candidate needs a header. Rows keep the order of the candidates.
    """
    reference = next((c.header for c in candidates if c.header is not None), None)
    if reference is None:
        raise ValueError("no candidate has a header")
    rows = []
    for candidate in candidates:
        header = candidate.header or reference
        scale = 1.0 if candidate.header else candidate.file_bytes / max(1, reference.weights_bytes)
        rows.append(
            _row(candidate, Estimator(header, repacked=machine.repacked, weights_scale=scale), settings, machine)
        )
    return _recommended(rows, has_device=bool(machine.room(settings)))


def _row(candidate: Candidate, estimator: Estimator, settings: ModelSettings, machine: Machine) -> FitRow:
    header, scale = estimator.header, estimator.weights_scale
    fit, verdict = _verdict(estimator, settings, machine)
    can_run = verdict != "too_large"
    return FitRow(
        name=candidate.name,
        file_bytes=candidate.file_bytes,
        bits_per_weight=round(header.bits_per_weight * scale, 2),
        quality=quality(layer_bits(header) * scale),
        weights_bytes=fit.weights_bytes,
        kv_bytes=fit.kv_bytes,
        compute_bytes=fit.compute_bytes,
        verdict=verdict,
        n_gpu_layers=fit.n_gpu_layers,
        n_layers=fit.n_layers,
        n_cpu_moe=fit.placement.n_cpu_moe,
        decode_tps=expected_decode_tps(estimator, fit, settings, machine.rooflines) if can_run else None,
        ttft_1000=expected_ttft(header, fit, machine.rooflines) if can_run else None,
    )


def _verdict(estimator: Estimator, settings: ModelSettings, machine: Machine) -> tuple[Fit, str]:
    """The fit as a load would choose it, and fits, fits_tight, partial, cpu_only or too_large.

    What does not fit whole leaves experts on the host where it has some, and where that is too little layers too.
    """
    room = machine.room(settings)
    top = estimator.header.n_layers + 1 if room else 0
    best = estimator.estimate(settings, devices=machine.devices, n_gpu_layers=top)
    if not is_within(best, room) and estimator.has_experts and settings.n_cpu_moe < 0:
        settings, best = fewest_experts_on_host(estimator, settings, machine, room)
    if not is_within(best, room):
        best = most_layers(estimator, settings, machine, room, upper=top)
    if machine.host_need(best) > machine.ram_bytes:
        return best, "too_large"
    if room and (best.n_gpu_layers < best.n_layers or best.placement.n_cpu_moe):
        return best, "partial" if best.n_gpu_layers else "cpu_only"
    used = [use.total_bytes / max(1, room.get(use.device, machine.ram_bytes)) for use in best.devices or best.memory]
    return best, "fits_tight" if max(used, default=0.0) > TIGHT_SHARE else "fits"


def _recommended(rows: list[FitRow], *, has_device: bool) -> list[FitRow]:
    """Mark the finest row that fits and is comfortable to read; else the fastest that still answers well."""
    usable = [r for r in rows if r.quality in _RECOMMENDED_QUALITY and r.verdict != "too_large"]
    whole = [r for r in usable if r.verdict in ("fits", "fits_tight")]
    fluid = [r for r in whole if r.decode_tps is None or r.decode_tps >= COMFORTABLE_TPS]
    if fluid:
        best = max(fluid, key=lambda r: (r.verdict == "fits", r.bits_per_weight))
        on_device = phrase("the best quality that fits into the GPU")
        reason = _with_speed(on_device if has_device else phrase("the best quality that fits into memory"), best)
    elif usable:
        best = max(usable, key=lambda r: (r.decode_tps or 0.0, -r.bits_per_weight))
        reason = _with_speed(phrase("the fastest one that still answers well"), best)
    else:
        loadable = [r for r in rows if r.verdict != "too_large"]
        if not loadable:
            return rows
        best = max(loadable, key=lambda r: (r.verdict in ("fits", "fits_tight"), r.bits_per_weight))
        only = phrase("the only one that this computer can run")
        reason = only if len(loadable) == 1 else phrase("the best one that can be run here")
    marked = msgspec.structs.replace(best, is_recommended=True, reason=reason)
    return [marked if row is best else row for row in rows]


def _with_speed(what: str, row: FitRow) -> Translatable:
    return sentence("{what}, about {tps:.0f} tok/s", what=what, tps=row.decode_tps) if row.decode_tps else what
