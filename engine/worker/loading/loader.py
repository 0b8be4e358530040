"""Loads a model: weights, context that fits, warm-up, and what was really set."""

from __future__ import annotations

import contextlib
import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import psutil

from engine.errors import Code, EngineError, ModelError
from engine.protocol.load_policy import (
    CPU_ONLY,
    DEFAULT_N_BATCH,
    DEFAULT_N_CTX,
    DEFAULT_N_UBATCH,
    N_OUTPUTS_MAX,
    concessions,
    less_on_devices,
    n_sequences,
)
from engine.protocol.values import EffectiveSettings, KvType, LoadTimes, ModelSettings, Notice, Speculative, Switch
from engine.translatable import sentence
from engine.worker.llama import (
    Batch,
    Context,
    ContextOptions,
    LoadCancelled,
    LoraShelf,
    Model,
    backend,
    kv_types,
    readings,
)
from engine.worker.loading import context_fit
from engine.worker.prompt.chat_template import ChatTemplate
from engine.worker.prompt.section_parser import marker_texts

WARMUP_TOKENS = 16

Progress = Callable[[float, str], bool]
"""Called with a fraction (0 to 1) and a step name; returns False to stop loading."""


@dataclass(eq=False)
class Loaded:
    """A model that is ready for requests."""

    model: Model
    context: Context
    template: ChatTemplate
    loras: LoraShelf
    effective: EffectiveSettings
    times: LoadTimes
    settings: ModelSettings
    kv_bytes_per_token: float = 0.0
    decode_times: tuple[float, ...] = ()
    """Seconds of the warm-up's decode steps."""
    prefill_time: float = 0.0
    """Seconds per token of the warm-up's prefill."""

    def close(self) -> None:
        self.context.close()
        self.model.close()


def load(path: Path, settings: ModelSettings, progress: Progress) -> Loaded:
    """Load a model file. Raises LoadCancelled, and ModelError with a sentence for everything that can be wrong."""
    if not path.is_file():
        raise ModelError(Code.MODEL_NOT_FOUND, "The file {name} is not there.", "Choose another model.", name=path.name)
    backend.start()
    _tell(progress, 0.0, "open")
    settings, notices = check_settings(settings)
    tried, said = settings, tuple[Notice, ...]()
    while True:
        backend.log.forget()
        with backend.log.capture(backend.LogLevel.DEBUG) as lines:
            try:
                return _attempt(path, tried, progress, [*notices, *said], lines)
            except ModelError as error:
                smaller = None if backend.flavour() == "cpu" else after_refusal(error, tried, lines)
                if smaller is None:
                    raise
                n_layers = readings.n_layers(lines) + 1
                said = concessions(settings, smaller, n_layers=n_layers, why=error.failure.message)
        tried = smaller


def after_refusal(error: ModelError, settings: ModelSettings, lines: Sequence[str]) -> ModelSettings | None:
    """Settings that take less of the devices than those that failed; None where memory is not the problem.

    `lines` is what llama.cpp logged meanwhile.
    """
    n_layers = readings.n_layers(lines)
    if error.code is not Code.OUT_OF_MEMORY or n_layers == 0:
        return None
    return less_on_devices(settings, n_layers + 1, has_experts=readings.n_experts(lines) > 0)


def left_behind(settings: ModelSettings, effective: EffectiveSettings) -> list[Notice]:
    """What to say when llama.cpp put fewer layers on devices than were asked of it, as where a device has gone."""
    n_asked = min(settings.n_gpu_layers, effective.n_layers)
    if settings.devices == CPU_ONLY or effective.n_gpu_layers >= n_asked:
        return []
    message = sentence(
        "One of {of} layers runs on the GPU instead of {asked}; the others run on the CPU, which is slower."
        if effective.n_gpu_layers == 1
        else "{n} of {of} layers run on the GPU instead of {asked}; the others run on the CPU, which is slower.",
        n=effective.n_gpu_layers,
        of=effective.n_layers,
        asked=n_asked,
    )
    return [Notice(code="layers_left_behind", message=message, is_warning=True)]


def _attempt(
    path: Path, settings: ModelSettings, progress: Progress, notices: list[Notice], lines: list[str]
) -> Loaded:
    """Load with exactly these settings, and add to `notices`; `lines` is what llama.cpp logs meanwhile."""
    started = time.monotonic()
    fingerprint = fingerprint_of(path)
    opened = time.monotonic()
    with contextlib.ExitStack() as cleanup:
        model = Model(path, settings, lambda fraction: progress(0.02 + 0.83 * fraction, "weights"))
        cleanup.callback(model.close)
        weighed = time.monotonic()
        _check_usable(model, path, settings)
        kv_types.check(settings, model)
        _tell(progress, 0.85, "context")
        weights = readings.weights_bytes(lines)
        context, context_lines = _make_context(model, settings, notices, weights)
        cleanup.callback(context.close)
        contexted = time.monotonic()
        _tell(progress, 0.9, "warmup")
        _show_markers(model)
        decode_times, prefill_time = ((), 0.0) if settings.embeddings else _first_steps(context, path)
        loras = LoraShelf(model)
        for lora in settings.loras:
            loras.load(lora.path)
        template = _template(model)
        warm = time.monotonic()
        weight_lines = [line for line in lines if "model buffer" in line or "offloaded" in line]
        read = _effective(model, context, template, settings, [*weight_lines, *context_lines])
        effective = msgspec.structs.replace(
            read,
            model_path=str(path),
            model_name=model.name or path.stem,
            fingerprint=fingerprint,
            n_cpu_moe=readings.expert_layers_on_cpu(lines),
            notices=(*notices, *left_behind(settings, read), *template.notices),
        )
        _tell(progress, 1.0, "warmup")
        cleanup.pop_all()
    times = LoadTimes(
        open_time=opened - started,
        weights_time=weighed - opened,
        context_time=contexted - weighed,
        warmup_time=warm - contexted,
    )
    kv_bytes = effective.kv_bytes_per_token
    return Loaded(model, context, template, loras, effective, times, settings, kv_bytes, decode_times, prefill_time)


def check_settings(settings: ModelSettings) -> tuple[ModelSettings, list[Notice]]:
    """Settings that llama.cpp takes, and what had to be changed. Raises ModelError for what has no meaning."""
    notices: list[Notice] = []
    for name in ("n_ctx", "n_parallel", "n_batch", "n_ubatch", "n_threads", "n_threads_batch", "n_draft_max"):
        if getattr(settings, name) < 0:
            raise ModelError(
                Code.BAD_SETTINGS,
                "{name} is {value}; it cannot be negative.",
                "Use 0 for automatic.",
                name=name,
                value=getattr(settings, name),
            )
    if settings.type_v.is_quantized and settings.flash_attn is Switch.OFF:
        notices.append(
            Notice(
                code="kv_v_needs_flash_attn",
                message=sentence(
                    "A V cache of type {type_v} needs flash attention, which is off; f16 is used.",
                    type_v=settings.type_v,
                ),
                is_warning=True,
            )
        )
        settings = msgspec.structs.replace(settings, type_v=KvType.F16)
    cores = psutil.cpu_count(logical=False) or psutil.cpu_count() or 1
    # One core stays with the window: with all cores taken, one busy program costs three quarters of the speed.
    n_threads = settings.n_threads or max(1, cores - 1)
    return (
        msgspec.structs.replace(
            settings,
            n_parallel=max(1, settings.n_parallel),
            n_threads=n_threads,
            n_threads_batch=settings.n_threads_batch or n_threads,
        ),
        notices,
    )


def fingerprint_of(path: Path) -> str:
    """Identifies a file's content by its size, its first 4 MiB and its last one, for caches."""
    digest = hashlib.sha256()
    size = path.stat().st_size
    digest.update(str(size).encode())
    with path.open("rb") as file:
        digest.update(file.read(4 << 20))
        file.seek(max(0, size - (1 << 20)))
        digest.update(file.read())
    return digest.hexdigest()[:32]


def warm_up(context: Context) -> tuple[tuple[float, ...], float]:
    """Touch all weights once; returns the times of a few decode steps and the seconds per token of a short prefill."""
    model = context.model
    n_tokens = min(WARMUP_TOKENS, context.n_batch)
    batch = Batch(n_tokens)
    token = model.bos if model.bos >= 0 else max(0, model.eos)
    context.set_warmup(True)
    batch.add(token, 0, 0, output=True)
    context.decode(batch)
    context.synchronize()
    context.set_warmup(False)
    context.clear_memory()
    batch.clear()
    batch.extend([token] * n_tokens, 0, 0, output_last=True)
    started = time.monotonic()
    context.decode(batch)
    context.synchronize()
    prefill_time = (time.monotonic() - started) / n_tokens
    times = []
    for position in range(n_tokens, n_tokens + 3):
        batch.clear()
        batch.add(token, position, 0, output=True)
        started = time.monotonic()
        context.decode(batch)
        context.synchronize()
        times.append(time.monotonic() - started)
    context.clear_memory()
    return tuple(times), prefill_time


def _first_steps(context: Context, path: Path) -> tuple[tuple[float, ...], float]:
    """The warm-up, where memory that runs out speaks of the load and not of an answer."""
    try:
        return warm_up(context)
    except EngineError as error:
        if error.code is not Code.OUT_OF_MEMORY:
            raise
        raise ModelError(
            Code.OUT_OF_MEMORY,
            "{name} does not fit into memory.",
            "Choose a smaller quantization, fewer GPU layers or a shorter context.",
            name=path.name,
        ) from error


def _tell(progress: Progress, fraction: float, step: str) -> None:
    if not progress(fraction, step):
        raise LoadCancelled


def _check_usable(model: Model, path: Path, settings: ModelSettings) -> None:
    if not model.has_vocab or model.n_layers == 0:
        raise ModelError(
            Code.MODEL_NOT_CHAT,
            "{name} holds no model that can answer.",
            "Choose a chat model instead.",
            name=path.name,
        )
    if not settings.embeddings and (not model.has_decoder or model.has_encoder):
        raise ModelError(
            Code.MODEL_NOT_CHAT,
            "{name} is a model of the kind {architecture}, which does not answer chats.",
            "Choose a chat model; embedding models serve the embed command.",
            name=path.name,
            architecture=model.architecture,
        )


def _with_sizes(model: Model, settings: ModelSettings, notices: list[Notice]) -> ModelSettings:
    """What was asked for, with every size of the context set."""
    n_ctx = settings.n_ctx or min(DEFAULT_N_CTX, model.n_ctx_train or DEFAULT_N_CTX)
    if model.n_ctx_train and n_ctx > model.n_ctx_train:
        message = sentence(
            "The model was trained for {trained:,} tokens of context; {asked:,} were asked for.",
            trained=model.n_ctx_train,
            asked=n_ctx,
        )
        notices.append(Notice(code="n_ctx_trained", message=message, is_warning=True))
        n_ctx = model.n_ctx_train
    n_ubatch = min(settings.n_ubatch or DEFAULT_N_UBATCH, n_ctx)
    n_batch = max(settings.n_batch or DEFAULT_N_BATCH, n_ubatch)
    return msgspec.structs.replace(settings, n_ctx=n_ctx, n_batch=n_batch, n_ubatch=n_ubatch)


def _make_context(
    model: Model, settings: ModelSettings, notices: list[Notice], weights_bytes: dict[str, int]
) -> tuple[Context, list[str]]:
    """The largest context that fits into memory and that llama.cpp can make, and its log lines."""
    n_slots = n_sequences(settings, is_recurrent=model.is_recurrent or model.is_hybrid)

    def make(step: ModelSettings) -> Context:
        options = ContextOptions(
            n_ctx=step.n_ctx,
            n_batch=step.n_batch,
            n_ubatch=step.n_ubatch,
            n_sequences=n_slots,
            n_outputs_max=0 if step.embeddings else max(n_slots, min(N_OUTPUTS_MAX, step.n_ubatch)),
            n_threads=step.n_threads,
            n_threads_batch=step.n_threads_batch,
            type_k=step.type_k,
            type_v=step.type_v,
            flash_attn=step.flash_attn,
            offload_kqv=step.offload_kqv,
            swa_full=step.swa_full,
            embeddings=step.embeddings,
        )
        return Context(model, options)

    asked = _with_sizes(model, settings, notices)
    context, lines, given_up = context_fit.make_largest(asked, make, weights_bytes=weights_bytes)
    notices.extend(given_up)
    return context, lines


def _show_markers(model: Model) -> None:
    """Let the control tokens through that mark reasoning and tool calls: the section parser reads them."""
    for text in marker_texts():
        tokens = model.tokenize(text, parse_special=True)
        if len(tokens) == 1:
            model.show(tokens[0])


def _template(model: Model) -> ChatTemplate:
    bos, eos = model.token_text(model.bos), model.token_text(model.eos)
    return ChatTemplate(model.chat_template() or None, bos, eos, adds_bos=model.adds_bos)


def _effective(
    model: Model, context: Context, template: ChatTemplate, settings: ModelSettings, lines: list[str]
) -> EffectiveSettings:
    """What llama.cpp says it runs with."""
    n_offloaded, n_layers = readings.offloaded_layers(lines)
    memory = readings.memory(lines)
    kv_bytes = sum(use.kv_bytes for use in memory)
    is_fixed = model.is_recurrent
    return EffectiveSettings(
        architecture=model.architecture,
        quantization=model.quantization,
        n_params=model.n_params,
        model_bytes=model.size_bytes,
        n_ctx=context.n_ctx,
        n_ctx_train=model.n_ctx_train,
        n_parallel=settings.n_parallel,
        n_batch=context.n_batch,
        n_ubatch=context.n_ubatch,
        n_threads=context.n_threads,
        n_threads_batch=context.n_threads_batch,
        n_layers=n_layers or model.n_layers + 1,
        n_gpu_layers=n_offloaded,
        type_k=context.options.type_k,
        type_v=context.options.type_v,
        flash_attn=readings.has_flash_attn(lines),
        swa_full=context.options.swa_full,
        n_vocab=model.n_vocab,
        can_cut_cache=not (model.is_recurrent or model.is_hybrid or (model.n_swa and not context.options.swa_full)),
        speculative=settings.speculative if not settings.embeddings else Speculative.OFF,
        devices=backend.devices(),
        memory=memory,
        kv_bytes_per_token=0.0 if is_fixed else kv_bytes / context.n_ctx,
        backend=backend.flavour(),
        versions=backend.versions(),
        has_template=template.has_template,
        supports_reasoning=template.supports_reasoning,
    )
