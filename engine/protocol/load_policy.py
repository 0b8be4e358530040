"""What a load decides for itself: sizes that its settings leave open, and what gives way when memory is short.

One order for both who need it: `engine/fit` goes down it by estimates before a load, the worker by trial when memory
ran out all the same. First what leaves the whole model where it is: smaller micro-batches, a KV cache in q8_0, a
shorter context. Then what moves parts to the CPU: experts, layers, at last everything.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from engine.protocol.values import KvType, ModelSettings, Notice, Switch
from engine.translatable import Translatable, joined, phrase, sentence

DEFAULT_N_CTX = 8192
"""Where nobody chose a context: a load through the host chooses what fits."""
DEFAULT_N_BATCH = 2048
DEFAULT_N_UBATCH = 512
N_OUTPUTS_MAX = 64
"""Logit rows of one step. llama.cpp reserves n_ubatch × n_vocab floats without this bound: 512 MiB for a vocabulary of
262k, where 64 MiB do."""
N_SPARE_SEQUENCES = 4
"""Sequences beyond n_parallel that keep the caches of idle chats."""
N_UBATCH_MIN = 64
CPU_ONLY = ("CPU",)
_THE_GPU = phrase("The GPU")


def n_sequences(settings: ModelSettings, *, is_recurrent: bool) -> int:
    """Sequences of a context: those that run, and spare ones, of a recurrent state, which is large, only one."""
    return 1 if settings.embeddings else settings.n_parallel + (1 if is_recurrent else N_SPARE_SEQUENCES)


def smaller_contexts(settings: ModelSettings, *, n_ctx_min: int, can_quantize: bool = True) -> Iterator[ModelSettings]:
    """Ever smaller settings of a context, whose sizes `settings` have all; each keeps what the one before gave up."""
    while settings.n_ubatch > N_UBATCH_MIN:
        settings = msgspec.structs.replace(settings, n_ubatch=max(N_UBATCH_MIN, settings.n_ubatch // 2))
        yield settings
    is_whole = not (settings.type_k.is_quantized and settings.type_v.is_quantized)
    if can_quantize and is_whole and settings.flash_attn is not Switch.OFF:
        settings = msgspec.structs.replace(settings, type_k=KvType.Q8_0, type_v=KvType.Q8_0)
        yield settings
    for n_ctx in shorter_contexts(settings.n_ctx, n_ctx_min):
        yield msgspec.structs.replace(settings, n_ctx=n_ctx)


def shorter_contexts(n_ctx: int, n_ctx_min: int) -> list[int]:
    """The powers of two below `n_ctx`, the longest first."""
    return [1 << bits for bits in reversed(range((n_ctx - 1).bit_length())) if 1 << bits >= n_ctx_min]


def less_on_devices(settings: ModelSettings, n_layers: int, *, has_experts: bool) -> ModelSettings | None:
    """The next smaller share of the devices: a quarter at a time; None where the CPU has all already.

    Experts go first: they cost the least speed for their bytes. `n_layers` counts the output as one.
    """
    if settings.devices == CPU_ONLY:
        return None
    n_on_devices = n_layers if settings.n_gpu_layers < 0 else min(settings.n_gpu_layers, n_layers)
    n_with_experts, n_kept = n_layers - 1, max(0, settings.n_cpu_moe)
    if n_on_devices and has_experts and n_kept < n_with_experts:
        n_kept = min(n_with_experts, n_kept + max(1, n_with_experts // 4))
        return msgspec.structs.replace(settings, n_cpu_moe=n_kept)
    if n_on_devices:
        return msgspec.structs.replace(settings, n_gpu_layers=n_on_devices * 3 // 4)
    return on_cpu_alone(settings)


def on_cpu_alone(settings: ModelSettings) -> ModelSettings:
    """No device at all, not even for buffers; a simulated limit was the device's."""
    return msgspec.structs.replace(settings, devices=CPU_ONLY, n_cpu_moe=0, memory_limit_bytes=0)


def concessions(
    asked: ModelSettings,
    made: ModelSettings,
    *,
    n_layers: int = 0,
    device: Translatable = _THE_GPU,
    why: Translatable = "",
) -> tuple[Notice, ...]:
    """What `made` gave up of `asked`, in the order of the policy; `why` follows the last one.

    `n_layers` counts the output as one; it and `device` are for layers that stay on the CPU.
    """
    notices = [*_of_context(asked, made), *_of_devices(asked, made, n_layers, device)]
    if notices:
        notices[-1] = msgspec.structs.replace(notices[-1], message=joined(notices[-1].message, why))
    return tuple(notices)


def _of_context(asked: ModelSettings, made: ModelSettings) -> Iterator[Notice]:
    if made.n_ubatch < asked.n_ubatch:
        message = sentence(
            "The prompt is read in steps of {n_ubatch:,} tokens, so that the model fits; that takes longer.",
            n_ubatch=made.n_ubatch,
        )
        yield Notice(code="smaller_ubatch", message=message)
    if (made.type_k, made.type_v) != (asked.type_k, asked.type_v):
        types = asked.type_k if asked.type_k is asked.type_v else f"{asked.type_k}/{asked.type_v}"
        message = sentence(
            "The KV cache is kept in {made} instead of {asked}, so that the model fits.", made=made.type_k, asked=types
        )
        yield Notice(code="kv_type_changed", message=message, is_warning=True)
    if made.n_ctx < asked.n_ctx:
        message = sentence(
            "The context is {made:,} tokens instead of {asked:,}, so that the model fits.",
            made=made.n_ctx,
            asked=asked.n_ctx,
        )
        yield Notice(code="shorter_context", message=message, is_warning=True)


def _of_devices(asked: ModelSettings, made: ModelSettings, n_layers: int, device: Translatable) -> Iterator[Notice]:
    if made.devices == CPU_ONLY and asked.devices != CPU_ONLY:
        nothing = phrase("The GPU has no room for any of this model, which runs on the CPU.")
        yield Notice(code="gpu_left_out", message=nothing, is_warning=True)
        return
    if made.n_cpu_moe > max(0, asked.n_cpu_moe):
        message = sentence(
            "The experts of one layer stay on the CPU: more do not fit on the GPU."
            if made.n_cpu_moe == 1
            else "The experts of {n} layers stay on the CPU: more do not fit on the GPU.",
            n=made.n_cpu_moe,
        )
        yield Notice(code="experts_on_cpu", message=message, is_warning=True)
    n_asked = n_layers if asked.n_gpu_layers < 0 else min(asked.n_gpu_layers, n_layers)
    if 0 <= made.n_gpu_layers < n_asked:
        message = sentence(
            "{device} has room for {n} of {of} layers; the others run on the CPU, which is slower.",
            device=device,
            n=made.n_gpu_layers,
            of=n_layers,
        )
        yield Notice(code="fewer_layers", message=message, is_warning=True)
