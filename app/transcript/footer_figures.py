"""What a footer says about an answer in figures, as text with its definitions."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from app.core.conversation_model import MessageItem
from app.ui.quantities import format_seconds
from engine.protocol.events import PrefillProgress

_MAX_NAME = 24


@dataclass(frozen=True, slots=True)
class Figure:
    """One reading: words before, the value itself, words after, and what it means."""

    before: str
    value: str
    after: str
    definition: str

    @property
    def text(self) -> str:
        return " ".join(piece for piece in (self.before, self.value, self.after) if piece)


def seconds_text(seconds: float) -> str:
    """A duration with as many digits as it is worth: 38 ms, 1.8 s, 2 min 5 s."""
    if seconds < 1:
        return QCoreApplication.translate("Figures", "{n} ms").format(n=max(1, round(seconds * 1000)))
    if seconds < 60:
        return QCoreApplication.translate("Figures", "{n} s").format(
            n=f"{seconds:.1f}" if seconds < 10 and seconds != int(seconds) else round(seconds)
        )
    return QCoreApplication.translate("Figures", "{m} min {s} s").format(m=int(seconds // 60), s=int(seconds % 60))


def figures(item: MessageItem) -> list[Figure]:
    """The readings of an answer that exist; absent ones are left out, never 0."""
    metrics = item.metrics
    if metrics is None:
        return []
    shown = []
    if item.version_count > 1 and item.model_name:
        meaning = QCoreApplication.translate("Figures", "This version was written by {name}.")
        shown.append(Figure("", _short(item.model_name), "", meaning.format(name=item.model_name)))
    if metrics.decode_tps is not None:
        rate = f"{metrics.decode_tps:.0f}" if metrics.decode_tps >= 10 else f"{metrics.decode_tps:.1f}"
        value = QCoreApplication.translate("Figures", "{rate} tok/s").format(rate=rate)
        meaning = QCoreApplication.translate(
            "Figures", "Decode rate: tokens after the first, divided by the time from the first to the last."
        )
        shown.append(Figure("", value, "", meaning))
    if metrics.ttft is not None:
        ttft = item.perceived_ttft if item.perceived_ttft is not None else metrics.ttft
        meaning = QCoreApplication.translate(
            "Figures", "Time to first token: from Enter to the first painted glyph, where it was measured here."
        )
        own = QCoreApplication.translate("Figures", "The engine's own part is {time}.")
        meaning = f"{meaning}\n{own.format(time=format_seconds(metrics.ttft))}"
        shown.append(Figure(QCoreApplication.translate("Figures", "TTFT"), format_seconds(ttft), "", meaning))
    if metrics.n_decoded:
        count = QCoreApplication.translate("Figures", "{n} tokens", None, metrics.n_decoded)
        count = count.format(n=f"{metrics.n_decoded:,}")
        shown.append(Figure("", "", count, QCoreApplication.translate("Figures", "Tokens that the model wrote.")))
    if metrics.n_prepared_tokens:
        count = QCoreApplication.translate("Figures", "{n} prepared while you typed")
        meaning = QCoreApplication.translate("Figures", "Tokens of the prompt that were read before you pressed Enter.")
        shown.append(Figure("", "", count.format(n=f"{metrics.n_prepared_tokens:,}"), meaning))
    return shown


def _short(name: str) -> str:
    """A model's name that leaves room for the figures after it; the tooltip has all of it."""
    return name if len(name) <= _MAX_NAME else f"{name[: _MAX_NAME - 1].rstrip(' -_.')}…"


def prefill_text(state: PrefillProgress) -> str:
    """How far the prompt has been read, in words."""
    text = QCoreApplication.translate("Figures", "reading {done} of {total} tokens", None, state.n_total)
    left = ""
    if state.seconds_left is not None:
        text = QCoreApplication.translate(
            "Figures", "reading {done} of {total} tokens, {time} left", None, state.n_total
        )
        left = seconds_text(max(1, round(state.seconds_left)))
    text = text.format(done=f"{state.n_done:,}", total=f"{state.n_total:,}", time=left)
    if state.n_cached:
        cached = QCoreApplication.translate("Figures", "{n} cached").format(n=f"{state.n_cached:,}")
        text = f"{text} · {cached}"
    return text


def reasoning_text(item: MessageItem) -> str:
    """The heading of a folded reasoning section."""
    if item.is_streaming and item.is_in_reasoning:
        return QCoreApplication.translate("Figures", "Thinking")
    if item.reasoning_seconds is not None:
        text = QCoreApplication.translate("Figures", "Thought for {time}")
        return text.format(time=seconds_text(item.reasoning_seconds))
    return QCoreApplication.translate("Figures", "Thoughts")
