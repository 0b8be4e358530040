"""An answer in the terminal: streamed text, the line of figures after it, and the JSON object."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterable

import msgspec

from engine.commands.host_session import ended
from engine.protocol.events import (
    Event,
    GenerationFinished,
    GenerationStarted,
    LoadProgress,
    PrefillProgress,
    Terminal,
    TokenDelta,
)
from engine.protocol.values import Notice, Section

_DIM, _PLAIN, _CLEAR_LINE = "\x1b[2m", "\x1b[0m", "\r\x1b[K"


@dataclasses.dataclass(frozen=True, slots=True)
class PrintedAnswer:
    text: str
    reasoning: str
    finished: GenerationFinished
    notices: tuple[Notice, ...]


class AnswerPrinter:
    """Shows one answer as it comes. What is no answer (progress, notices) goes to stderr."""

    def __init__(self, *, is_quiet: bool) -> None:
        self._is_quiet = is_quiet
        self._shows_progress = not is_quiet and sys.stderr.isatty()
        self._is_styled = not is_quiet and sys.stdout.isatty()
        self._has_progress = False
        self._has_text = False
        self._told: set[str] = set()
        self._section = Section.ANSWER

    def show(self, events: Iterable[Event]) -> PrintedAnswer:
        """Raises EngineError when the request fails; what has come by then has been shown."""
        parts: dict[Section, list[str]] = {section: [] for section in Section}
        notices: list[Notice] = []
        for event in events:
            match event:
                case TokenDelta():
                    parts[event.section].append(event.text)
                    self._write(event)
                case LoadProgress():
                    self._progress(f"loading {event.fraction:.0%}")
                case PrefillProgress():
                    left = f", {event.seconds_left:.0f} s left" if event.seconds_left else ""
                    self._progress(f"reading {event.n_done:,} of {event.n_total:,} tokens{left}")
                case GenerationStarted():
                    notices += event.notices
                case GenerationFinished():
                    self._end()
                    notices += event.notices
                    notices += event.effective.notices if event.effective is not None else ()
                    self._tell(notices)
                    text = "".join(parts[Section.ANSWER] + parts[Section.TOOL_CALL])
                    return PrintedAnswer(text, "".join(parts[Section.REASONING]), event, tuple(notices))
                case Terminal():
                    self._end()
                    ended(event, GenerationFinished)
        raise AssertionError("an answer ended without its terminal event")

    def _write(self, event: TokenDelta) -> None:
        if self._is_quiet or not event.text:
            return
        self._progress("")
        if event.section is Section.REASONING and not self._is_styled:
            # Piped on, the answer alone is what is wanted.
            return
        if self._is_styled and event.section is not self._section:
            sys.stdout.write(_DIM if event.section is Section.REASONING else f"{_PLAIN}\n")
        self._section = event.section
        self._has_text = True
        sys.stdout.write(event.text)
        sys.stdout.flush()

    def _end(self) -> None:
        self._progress("")
        if self._has_text:
            print(_PLAIN if self._is_styled else "", flush=True)
            self._has_text = False

    def _progress(self, text: str) -> None:
        if self._shows_progress and (text or self._has_progress):
            print(_CLEAR_LINE + text, end="", file=sys.stderr, flush=True)
            self._has_progress = bool(text)

    def _tell(self, notices: Iterable[Notice]) -> None:
        if not self._is_quiet:
            # What was said under one answer need not be said again under the next.
            for notice in notices:
                if (message := str(notice.message)) not in self._told:
                    self._told.add(message)
                    print(message, file=sys.stderr)


def metrics_line(finished: GenerationFinished) -> str:
    """The figures of an answer in one line."""
    metrics = finished.metrics
    parts = []
    if metrics.decode_tps is not None:
        parts.append(f"{metrics.decode_tps:.1f} tok/s")
    if metrics.ttft is not None:
        parts.append(f"TTFT {_duration(metrics.ttft)}")
    if metrics.itl is not None:
        parts.append(f"ITL P50 {_duration(metrics.itl.p50)}, P99 {_duration(metrics.itl.p99)}")
    parts.append(f"{metrics.n_decoded:,} tokens")
    cached = f" ({metrics.n_cached_tokens:,} cached)" if metrics.n_cached_tokens else ""
    parts.append(f"prompt {metrics.n_prompt_tokens:,}{cached}")
    if metrics.load_time:
        parts.append(f"loaded in {_duration(metrics.load_time)}")
    parts.append(str(finished.finish_reason))
    return f"[{' · '.join(parts)}]"


def answer_json(answer: PrintedAnswer) -> str:
    """One object with every figure by its own name; absent readings are null."""
    finished = answer.finished
    content = {
        "text": answer.text,
        "reasoning": answer.reasoning,
        "finish_reason": finished.finish_reason,
        "is_context_full": finished.is_context_full,
        "seed": finished.seed,
        "metrics": _whole(finished.metrics),
        "effective": _whole(finished.effective) if finished.effective is not None else None,
        "notices": [_whole(notice) for notice in answer.notices],
    }
    return msgspec.json.format(msgspec.json.encode(content), indent=2).decode()


def _whole(value: msgspec.Struct) -> dict[str, object]:
    """A struct with the fields that have their default, which the protocol leaves out."""
    return {
        name: _whole(field) if isinstance(field := getattr(value, name), msgspec.Struct) else field
        for name in value.__struct_fields__
    }


def _duration(seconds: float) -> str:
    return (
        f"{seconds:.2f} s"
        if seconds >= 1
        else f"{seconds * 1000:.0f} ms"
        if seconds >= 0.01
        else f"{seconds * 1000:.1f} ms"
    )
