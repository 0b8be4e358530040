"""Chooses context, layers on devices and step size so that a model fits, and says in words what had to give way."""

from __future__ import annotations

import bisect
import dataclasses
from collections.abc import Callable, Iterator

import msgspec

from engine.errors import Code, ModelError
from engine.fit.kv_memory import CELL_PADDING, can_hold, padded
from engine.fit.memory_estimate import Estimator, Fit
from engine.fit.target_machine import Machine, is_within
from engine.gguf import Header
from engine.protocol import KvType, ModelSettings, Notice, Switch
from engine.protocol.devices import gpus
from engine.protocol.load_policy import (
    DEFAULT_N_BATCH,
    DEFAULT_N_CTX,
    DEFAULT_N_UBATCH,
    concessions,
    on_cpu_alone,
    shorter_contexts,
    smaller_contexts,
)
from engine.translatable import sentence

AUTO_N_CTX_MAX = 32_768
"""Longest context that is chosen unasked: beyond it most chats only pay for memory."""
N_CTX_MIN = 2048
"""A shorter context is not worth a step down."""
MODEST_N_CTX = 8192
"""Context that is chosen unasked where not all layers fit: the layers count for more."""
COPY_SHARE = 0.25
"""Of the free memory: a model that takes no more of it is copied into huge pages instead of being mapped."""


@dataclasses.dataclass(frozen=True)
class FittedSettings:
    """Settings with every open choice made, what they take, and what was done differently from what was asked."""

    settings: ModelSettings
    fit: Fit
    notices: tuple[Notice, ...] = ()
    does_fit: bool = True
    """False: even so it needs more memory than there is."""


def choose(
    header: Header, settings: ModelSettings, machine: Machine, *, estimator: Estimator | None = None
) -> FittedSettings:
    """Fill in n_ctx, n_gpu_layers, n_batch and n_ubatch so that the model fits the machine.

    What does not fit steps down as the load policy says; where no smaller context helps, experts and layers leave the
    devices with everything else as it was wished. Of several devices those with the least room are left out where more
    is gained than lost. Raises ModelError for settings that cannot be.
    """
    estimator = estimator or Estimator(header, repacked=machine.repacked)
    best = _chosen(header, settings, machine, estimator)
    used = gpus(machine.devices, settings)
    is_fixed = settings.devices or any(settings.tensor_split) or settings.n_gpu_layers == 0
    if is_fixed or not any(map(_is_loss, best.notices)):
        return best
    # The buffers of a step take as much on a small card as on a large one, and may leave no room for layers there.
    by_room = sorted(used, key=lambda device: machine.room(settings)[device.name], reverse=True)
    for n_used in range(len(used) - 1, 0, -1):
        names = tuple(device.name for device in used if device in by_room[:n_used])
        fewer = msgspec.structs.replace(settings, devices=names)
        other = _chosen(header, fewer, machine, estimator)
        if _merit(other) > _merit(best):
            left_out = ", ".join(device.name for device in used if device.name not in names)
            notice = Notice(
                code="device_left_out", message=sentence("{device} has too little memory to help.", device=left_out)
            )
            best = dataclasses.replace(other, notices=(*other.notices, notice))
    return best


def _is_loss(notice: Notice) -> bool:
    return notice.code != "context_over_training"


def _merit(choice: FittedSettings) -> tuple[int, int, int, int]:
    """The more, the better: layers on devices, experts there, little given up, context."""
    lost = sum(map(_is_loss, choice.notices))
    return choice.settings.n_gpu_layers, -choice.settings.n_cpu_moe, -lost, choice.settings.n_ctx


def _chosen(header: Header, settings: ModelSettings, machine: Machine, estimator: Estimator) -> FittedSettings:
    """The choice for the devices of these settings."""
    wished, notices = _checked(header, settings, estimator)
    if wished.spares_display and not wished.devices:
        spared = tuple(device.name for device in gpus(machine.devices, wished))
        main = max(0, min(wished.main_gpu, len(spared) - 1))
        wished = msgspec.structs.replace(wished, devices=spared, main_gpu=main)
    room = machine.room(wished)
    if not room or wished.n_gpu_layers == 0:
        return _on_host(estimator, wished, machine, notices)
    top = header.n_layers + 1
    layers = min(wished.n_gpu_layers, top) if wished.n_gpu_layers >= 0 else top
    for candidate, said in _steps(estimator, wished):
        fit = estimator.estimate(candidate, devices=machine.devices, n_gpu_layers=layers)
        if is_within(fit, room):
            return _finished(candidate, fit, (*notices, *said), machine)
    modest = msgspec.structs.replace(wished, n_ctx=wished.n_ctx or min(_contexts(header, wished)[0], MODEST_N_CTX))
    smaller = modest
    if estimator.has_experts and wished.n_cpu_moe < 0 and layers == top:
        smaller, fit = fewest_experts_on_host(estimator, modest, machine, room)
    if smaller is modest or not is_within(fit, room):
        fit = most_layers(estimator, smaller, machine, room, upper=layers)
    if not is_within(fit, room):
        alone = on_cpu_alone(modest)
        return _on_host(estimator, alone, machine, (*notices, *concessions(modest, alone)))
    made = msgspec.structs.replace(smaller, n_gpu_layers=fit.n_gpu_layers)
    said = concessions(modest, made, n_layers=fit.n_layers, device=next(iter(room)))
    return _finished(made, fit, (*notices, *said), machine)


def max_context(
    header: Header, settings: ModelSettings, machine: Machine, *, estimator: Estimator | None = None
) -> int:
    """The longest context that fits whole, up to the model's own; 0 where not even the shortest does."""
    estimator = estimator or Estimator(header, repacked=machine.repacked)
    room = machine.room(settings) or {"CPU": machine.host_bytes(settings)}
    top = padded(header.n_ctx_train or DEFAULT_N_CTX)

    def fits(n_steps: int) -> bool:
        candidate = msgspec.structs.replace(settings, n_ctx=n_steps * CELL_PADDING)
        return is_within(estimator.estimate(candidate, devices=machine.devices, n_gpu_layers=-1), room)

    return CELL_PADDING * _last(fits, top // CELL_PADDING)


def fewest_experts_on_host(
    estimator: Estimator, settings: ModelSettings, machine: Machine, room: dict[str, int]
) -> tuple[ModelSettings, Fit]:
    """All layers on devices, and the experts of as few as possible on the host: of all where even that is too much."""

    def kept(n_layers: int) -> tuple[ModelSettings, Fit]:
        candidate = msgspec.structs.replace(settings, n_cpu_moe=n_layers)
        return candidate, estimator.estimate(candidate, devices=machine.devices, n_gpu_layers=-1)

    return kept(1 + _last(lambda n_layers: not is_within(kept(n_layers)[1], room), estimator.header.n_layers - 1))


def most_layers(
    estimator: Estimator, settings: ModelSettings, machine: Machine, room: dict[str, int], *, upper: int
) -> Fit:
    """The fit with the most layers on devices, up to `upper`; none where not even the output fits."""

    def placed(n_layers: int) -> Fit:
        return estimator.estimate(settings, devices=machine.devices, n_gpu_layers=n_layers)

    return placed(_last(lambda n_layers: is_within(placed(n_layers), room), upper))


def _last(holds: Callable[[int], bool], upper: int) -> int:
    """The last number from 1 to `upper` for which it holds as for all before, found by halving; 0 for none."""
    return bisect.bisect_left(range(1, upper + 1), True, key=lambda number: not holds(number))


def _checked(header: Header, settings: ModelSettings, estimator: Estimator) -> tuple[ModelSettings, tuple[Notice, ...]]:
    """Settings without contradictions, with batch sizes filled in."""
    if settings.n_parallel < 1:
        raise ModelError(Code.BAD_SETTINGS, "n_parallel has to be 1 or more.", "Set it to 1 or more.")
    if settings.type_v.is_quantized and settings.flash_attn is Switch.OFF:
        raise ModelError(
            Code.CACHE_TYPE_REFUSED,
            "KV type {type_v} needs flash attention, which is off.",
            "Turn flash attention on, or choose f16.",
            type_v=settings.type_v,
        )
    for kind in (settings.type_k, settings.type_v):
        if not can_hold(estimator.model.layers, kind):
            raise ModelError(
                Code.CACHE_TYPE_REFUSED,
                "KV type {kind} does not suit this model: its heads are no multiple of the type's block.",
                "Choose f16.",
                kind=kind,
            )
    notices: tuple[Notice, ...] = ()
    n_ctx = settings.n_ctx
    if header.n_ctx_train and n_ctx > header.n_ctx_train:
        notices = (
            Notice(
                code="context_over_training",
                message=sentence(
                    "The model was made for {n_ctx_train:,} tokens; beyond them it loses its thread.",
                    n_ctx_train=header.n_ctx_train,
                ),
                is_warning=True,
            ),
        )
    n_batch = settings.n_batch or DEFAULT_N_BATCH
    n_ubatch = min(settings.n_ubatch or DEFAULT_N_UBATCH, n_batch)
    return msgspec.structs.replace(settings, n_batch=n_batch, n_ubatch=n_ubatch), notices


def _contexts(header: Header, settings: ModelSettings) -> list[int]:
    """Contexts to try, the wished one first."""
    first = padded(settings.n_ctx or min(header.n_ctx_train or DEFAULT_N_CTX, AUTO_N_CTX_MAX))
    return [first, *shorter_contexts(first, N_CTX_MIN)]


def _steps(estimator: Estimator, settings: ModelSettings) -> Iterator[tuple[ModelSettings, tuple[Notice, ...]]]:
    """The ladder. A context that was not asked for gives way first: it costs nothing that anybody wished."""
    contexts = _contexts(estimator.header, settings)
    wished = contexts[:1] if settings.n_ctx else [n for n in contexts if n >= MODEST_N_CTX] or contexts[:1]
    for n_ctx in wished:
        yield msgspec.structs.replace(settings, n_ctx=n_ctx), ()
    base = msgspec.structs.replace(settings, n_ctx=wished[-1])
    can_quantize = can_hold(estimator.model.layers, KvType.Q8_0)
    for smaller in smaller_contexts(base, n_ctx_min=N_CTX_MIN, can_quantize=can_quantize):
        yield smaller, concessions(base, smaller)


def _on_host(
    estimator: Estimator, settings: ModelSettings, machine: Machine, notices: tuple[Notice, ...]
) -> FittedSettings:
    """Everything on the CPU. Mapped weights may be paged in and out; cache and buffers may not."""
    limit = machine.host_bytes(settings)
    if settings.use_mmap is None and machine.has_huge_pages:
        candidate, said = next(_steps(estimator, msgspec.structs.replace(settings, use_mmap=False)))
        fit = estimator.estimate(candidate, devices=machine.devices, n_gpu_layers=0)
        if fit.total_bytes <= limit * COPY_SHARE:
            return _finished(candidate, fit, (*notices, *said), machine)
    for candidate, said in _steps(estimator, settings):
        fit = estimator.estimate(candidate, devices=machine.devices, n_gpu_layers=0)
        if fit.total_bytes <= limit:
            return _finished(candidate, fit, (*notices, *said), machine)
    return _finished(candidate, fit, (*notices, *said), machine)


def _finished(settings: ModelSettings, fit: Fit, notices: tuple[Notice, ...], machine: Machine) -> FittedSettings:
    n_cpu_moe = min(max(0, settings.n_cpu_moe), fit.n_layers)
    done = msgspec.structs.replace(settings, n_ctx=fit.n_ctx, n_gpu_layers=fit.n_gpu_layers, n_cpu_moe=n_cpu_moe)
    needed, free = machine.host_need(fit), machine.ram_bytes if fit.devices else machine.host_bytes(settings)
    if needed > free:
        message = sentence(
            "{needed:.1f} GB of memory are needed and {free:.1f} GB are free: "
            "the model will be read from the disk again and again.",
            needed=needed / 1e9,
            free=free / 1e9,
        )
        notices = (*notices, Notice(code="too_large", message=message, is_warning=True))
    return FittedSettings(done, fit, notices, does_fit=needed <= free)
