"""The ladder as an SVG: a bar for P50 and a lighter one to P95 for each step, readable on light and dark pages."""

from __future__ import annotations

import html
from collections.abc import Sequence

from engine.protocol.records import LadderFigures

WIDTH = 960
LABEL_WIDTH = 150
GAP = 34
ROW = 26
BAR = 14
TOP = 74
_INK = "#7a7f87"
_BAR_COLOR = "#3f7fd1"
_LIGHT = 0.4


def svg(ladder: LadderFigures) -> str:
    """Three charts side by side over the same steps: TTFT, TPOT, total."""
    charts = (
        ("TTFT, ms", [(rung.ttft_p50 * 1000, rung.ttft_p95 * 1000) for rung in ladder.rungs]),
        ("TPOT, ms", [(rung.tpot_p50 * 1000, rung.tpot_p95 * 1000) for rung in ladder.rungs]),
        ("whole chat, s", [(rung.total, rung.total) for rung in ladder.rungs]),
    )
    width = (WIDTH - LABEL_WIDTH - GAP * len(charts)) / len(charts)
    height = TOP + ROW * len(ladder.rungs) + 16
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
        'font-family="system-ui, sans-serif" font-size="13">',
        _text(0, 18, f"{ladder.model}: one chat, one technique more at each step", size=15, weight=600),
        _text(0, 38, "dark: median, light: up to P95; lower is better", color=_INK),
    ]
    for row, rung in enumerate(ladder.rungs):
        parts.append(_text(0, TOP + row * ROW + 12, rung.name))
    for index, (title, values) in enumerate(charts):
        left = LABEL_WIDTH + index * (width + GAP)
        parts.append(_text(left, TOP - 14, title, color=_INK))
        parts += _bars(left, width - 52, values)
    parts.append("</svg>")
    return "\n".join(parts) + "\n"


def _bars(left: float, width: float, values: Sequence[tuple[float, float]]) -> list[str]:
    scale = width / max(high for _, high in values)
    parts = []
    for row, (middle, high) in enumerate(values):
        top = TOP + row * ROW
        for value, opacity in ((high, _LIGHT), (middle, 1.0)):
            place = f'x="{left:.1f}" y="{top}" width="{value * scale:.1f}" height="{BAR}"'
            parts.append(f'<rect {place} fill="{_BAR_COLOR}" fill-opacity="{opacity:g}"/>')
        text = f"{middle:.0f}" if middle >= 100 else f"{middle:.1f}"
        parts.append(_text(left + high * scale + 5, top + 12, text, color=_INK))
    return parts


def _text(x: float, y: float, text: str, *, size: int = 13, weight: int = 400, color: str = _INK) -> str:
    return (
        f'<text x="{x:.1f}" y="{y}" font-size="{size}" font-weight="{weight}" fill="{color}">{html.escape(text)}</text>'
    )
