"""Why an answer was slow, in the user's language: the engine's diagnosis as a sentence, and its action as a button."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication

from app.core.engine_texts import translated
from app.ui.quantities import format_bytes, format_count, format_seconds, format_share
from engine.latency.advice import Action, Outcome
from engine.latency.diagnosis import Cause, Diagnosis, Why

translate = QCoreApplication.translate
_TELLING = 0.05
"""A change of a figure by less than this part of it is no answer to whether something helped."""


def sentence(diagnosis: Diagnosis) -> str:
    """One sentence with the answer's own figures."""
    figures = {name: _FORMATS[name](value) for name, value in diagnosis.figures.items()}
    n, new = (round(diagnosis.figures.get(name, 0)) for name in ("n", "new"))
    why = _whys(n)[diagnosis.why].format(**figures) if diagnosis.why is not None else ""
    return _sentences(new)[diagnosis.cause].format(why=why, reason=translated(diagnosis.reason), **figures).strip()


def button(action: Action | None) -> str:
    """What the button says; empty without an action."""
    return _buttons()[action] if action is not None else ""


def brought(action: Action | None, outcome: Outcome) -> str:
    """What a change brought, and whether that is what it was for: `... in q8_0: ITL P50 21 ms → 17 ms, faster.`"""
    if outcome.after < outcome.before * (1 - _TELLING):
        text = translate("diagnosis", "{change}: {name} {before} → {after}, faster.")
    elif outcome.after > outcome.before * (1 + _TELLING):
        text = translate("diagnosis", "{change}: {name} {before} → {after}, slower. Settings, Loading takes it back.")
    else:
        text = translate("diagnosis", "{change}: {name} {before} → {after}, no real difference.")
    return text.format(
        change=button(action), name=outcome.name,
        before=format_seconds(outcome.before), after=format_seconds(outcome.after),
    )  # fmt: skip


_FORMATS: dict[str, Callable[[float], str]] = {
    **dict.fromkeys(("ttft", "load", "queued", "perceived", "window", "itl", "p50", "p99"), format_seconds),
    **dict.fromkeys(("first", "last"), format_seconds),
    **dict.fromkeys(("share", "mbu"), format_share),
    **dict.fromkeys(("new", "n", "of", "rate", "best"), format_count),
    "kv": format_bytes,
}


def _sentences(new: int) -> dict[Cause, str]:
    painted_late = translate(
        "diagnosis", "The engine had the first token after {ttft}, it was on the screen after {perceived}: {why}."
    )
    return {
        Cause.COLD_START: translate("diagnosis", "TTFT {ttft}: {load} of it loading the model."),
        Cause.QUEUE: translate("diagnosis", "TTFT {ttft}: {queued} of it waiting for other answers."),
        Cause.CACHE_MISSED: translate(
            "diagnosis", "TTFT {ttft}: {share} of it prefill of {new} tokens. {reason}", None, new
        ),
        Cause.SLOW_PREFILL: translate(
            "diagnosis", "TTFT {ttft}: prefill at {rate} tok/s where {best} were reached here; {why}."
        ),
        Cause.LONG_PROMPT: translate("diagnosis", "TTFT {ttft}: {share} of it prefill of {new} new tokens.", None, new),
        Cause.RENDERING: painted_late,
        Cause.WINDOW_WAITED: painted_late,
        Cause.INTERFERENCE: translate("diagnosis", "ITL P99 {p99} against a P50 of {p50}: {why}."),
        Cause.LONG_CONTEXT: translate(
            "diagnosis", "ITL grew from {first} to {last} with the context: {kv} of KV cache to read."
        ),
        Cause.BANDWIDTH: translate(
            "diagnosis", "ITL {itl} is this machine's limit: {mbu} of its memory bandwidth is used."
        ),
        Cause.CPU_BOUND: translate("diagnosis", "ITL {itl} with only {mbu} of the memory bandwidth in use: {why}."),
    }


def _whys(n: int) -> dict[Why, str]:
    return {
        Why.LAYERS_ON_CPU: translate("diagnosis", "{n} of {of} layers run on the CPU", None, n),
        Why.NO_FLASH_ATTENTION: translate("diagnosis", "flash attention is off"),
        Why.BUSY_MACHINE: translate("diagnosis", "something else keeps the machine busy"),
        Why.OTHER_PROMPTS: translate("diagnosis", "{n} steps also read other chats' prompts", None, n),
        Why.OTHER_PROGRAMS: translate("diagnosis", "other programs keep the processor busy"),
        Why.SHARED_THREADS: translate("diagnosis", "its {n} threads share the processor with others", None, n),
        Why.OUR_FAULT: translate("diagnosis", "the window itself was busy for {window}, which is our fault"),
        Why.WINDOW_WAITED: translate(
            "diagnosis", "the window itself needed only {window} and had to wait for the processor"
        ),
        Why.WINDOW_LATE: translate("diagnosis", "the window was late"),
    }


def _buttons() -> dict[Action, str]:
    return {
        Action.KEEP_WARM: translate("diagnosis", "Keep this model loaded"),
        Action.MORE_SEQUENCES: translate("diagnosis", "Let more answers run at once"),
        Action.UNDO_PREFIX_CHANGE: translate("diagnosis", "What changed, and how to undo it"),
        Action.SUMMARISE_HISTORY: translate("diagnosis", "Summarise this chat's history"),
        Action.LARGER_UBATCH: translate("diagnosis", "Read prompts in larger steps"),
        Action.FLASH_ATTENTION: translate("diagnosis", "Turn flash attention on"),
        Action.KV_Q8_0: translate("diagnosis", "Keep the KV cache in q8_0"),
        Action.MORE_GPU_LAYERS: translate("diagnosis", "Halve the context for more GPU layers"),
        Action.SMALLER_QUANTIZATION: translate("diagnosis", "Choose a smaller quantization"),
        Action.SPECULATIVE: translate("diagnosis", "Draft tokens from the prompt"),
        Action.FEWER_THREADS: translate("diagnosis", "Use one thread less"),
        Action.SMALLER_UBATCH: translate("diagnosis", "Read other prompts in smaller steps"),
        Action.SHORTER_CONTEXT: translate("diagnosis", "Halve the context"),
        Action.REPORT: translate("diagnosis", "Report this"),
    }
