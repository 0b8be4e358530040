"""The ablation figures as an SVG on a ground of its own, so that it reads the same on light and dark pages."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from engine.commands.ablation import change_text, quality_lines
from engine.latency.significance import changes
from engine.protocol.records import AblationFigures, AblationStep

WIDTH = 1120
MARGIN = 24
LABEL_WIDTH = 150
CHANGE_WIDTH = 150
GAP = 26
VALUE_WIDTH = 50
ROW = 28
BAR = 14
TOP = 112
_GROUND, _INK, _DIM, _LINE = "#ffffff", "#1d1f21", "#62676c", "#e4e4e1"
_BAR, _TAIL, _LOSS, _GAIN = "#2f6f64", "#b4cdc8", "#b3402e", "#2f7d5b"


class ChartColumn(NamedTuple):
    """One small bar chart: its title, and the median and P95 of a step."""

    title: str
    read: Callable[[AblationStep], tuple[float, float]]


COLUMNS = (
    ChartColumn("TTFT, ms", lambda step: (step.ttft_p50 * 1000, step.ttft_p95 * 1000)),
    ChartColumn("TTFT reopened, ms", lambda step: (step.reopened_ttft * 1000,) * 2),
    ChartColumn("TPOT, ms", lambda step: (step.tpot_p50 * 1000, step.tpot_p95 * 1000)),
    ChartColumn("memory, MB", lambda step: (step.memory_bytes / 1e6,) * 2),
    ChartColumn("whole chat, s", lambda step: (step.total, step.total)),
)


def svg(figures: AblationFigures) -> str:
    """The columns side by side over the same steps, with each step's gain or loss at the right."""
    bottom = TOP + ROW * len(figures.steps)
    notes = quality_lines(figures)
    height = bottom + 22 + 20 * len(notes)
    machine = ", ".join(
        part
        for part in (
            figures.device,
            f"{figures.n_threads} threads" if figures.n_threads else "",
            f"{figures.n_runs} runs of each step",
        )
        if part
    )
    legend = "dark: median, light: up to P95; less is better; reopened: after a restart"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
        'font-family="system-ui, -apple-system, Segoe UI, sans-serif" font-size="13">',
        f'<rect x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1}" rx="10" fill="{_GROUND}" stroke="{_LINE}"/>',
        _text(MARGIN, 34, f"{figures.model}: one chat, one technique more at each step", size=16, weight=600),
        _text(MARGIN, 56, f"{machine}; {legend}", color=_DIM),
        *_rows(figures, bottom),
        *_columns(figures),
        *_changes(figures),
        *(_text(MARGIN, bottom + 20 * number + 12, note, color=_DIM) for number, note in enumerate(notes)),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _rows(figures: AblationFigures, bottom: float) -> Iterator[str]:
    for row, step in enumerate(figures.steps):
        name = step.name if row == 0 else f"+ {step.name}"
        yield _text(MARGIN, TOP + row * ROW + 12, name)
        if row:
            y = TOP + row * ROW - (ROW - BAR) / 2
            yield f'<path d="M{MARGIN} {y:.1f}H{WIDTH - MARGIN}" stroke="{_LINE}" stroke-width="0.7"/>'
    yield f'<path d="M{MARGIN} {bottom - 6}H{WIDTH - MARGIN}" stroke="{_LINE}"/>'


def _columns(figures: AblationFigures) -> Iterator[str]:
    room = WIDTH - 2 * MARGIN - LABEL_WIDTH - CHANGE_WIDTH
    width = room / len(COLUMNS)
    for index, column in enumerate(COLUMNS):
        left = MARGIN + LABEL_WIDTH + index * width
        yield _text(left, TOP - 16, column.title, color=_DIM)
        yield from _bars(left, width - GAP - VALUE_WIDTH, [column.read(step) for step in figures.steps])


def _bars(left: float, width: float, values: Sequence[tuple[float, float]]) -> Iterator[str]:
    scale = width / (max(high for _, high in values) or 1.0)
    for row, (middle, high) in enumerate(values):
        top = TOP + row * ROW
        for value, color in ((high, _TAIL), (middle, _BAR)):
            # Never thinner than can be seen.
            length = max(value * scale, 1.5)
            yield f'<rect x="{left:.1f}" y="{top}" width="{length:.1f}" height="{BAR}" fill="{color}"/>'
        yield _text(left + high * scale + 6, top + 12, f"{middle:,.0f}" if middle >= 99.5 else f"{middle:.1f}")


def _changes(figures: AblationFigures) -> Iterator[str]:
    left = WIDTH - MARGIN - CHANGE_WIDTH
    yield _text(left, TOP - 16, "against the step before", color=_DIM)
    for row, change in enumerate(changes([each.runs for each in figures.steps])):
        if change is not None:
            color = _DIM if change.is_noise else _LOSS if change.is_loss else _GAIN
            mark = "▲ " if change.is_loss else ""
            yield _text(left, TOP + row * ROW + 12, mark + change_text(change), color=color, weight=600)


def _text(x: float, y: float, text: str, *, size: int = 13, weight: int = 400, color: str = _INK) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.0f}" font-size="{size}" font-weight="{weight}" fill="{color}">'
        f"{html.escape(text)}</text>"
    )
