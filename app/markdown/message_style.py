"""Fonts, colours and distances of message text, taken from the theme once and shared by every layout."""

from __future__ import annotations

from dataclasses import dataclass, field

from PySide6.QtGui import QColor, QFont, QFontMetricsF

from app.markdown.formula_cache import FormulaCache
from app.markdown.highlight_cache import HighlightCache
from app.markdown.picture_loader import PictureLoader
from app.ui.theme import Theme

LINE_HEIGHT = 1.55
"""Line distance as a multiple of the font's size."""


@dataclass(frozen=True, slots=True, eq=False)
class TextStyle:
    """Everything a block layout needs to know about looks. A new one is made when the theme or the font changes."""

    font: QFont
    mono: QFont
    code_font: QFont
    ink: QColor
    dim: QColor
    faint: QColor
    line: QColor
    accent: QColor
    code_background: QColor
    code_ground: QColor
    """Under code within a line."""
    card: QColor
    selection: QColor
    syntax: dict[str, QColor]
    """keyword, string, number and comment."""
    size: float
    """The font's size in pixels; distances are multiples of it."""
    mono_advance: float
    """Width of one character of `code_font`."""

    @property
    def line_height(self) -> float:
        return round(self.size * LINE_HEIGHT)

    @property
    def paragraph_gap(self) -> float:
        return round(self.size * 0.72)

    @property
    def code_line_height(self) -> float:
        return round(self.code_font.pixelSize() * LINE_HEIGHT)

    @classmethod
    def of(cls, theme: Theme, *, ink: str = "ink", size_delta: float = 0) -> TextStyle:
        """The style for text in the colour `ink`, `size_delta` pixels larger than the base size."""
        font = theme.font(size_delta)
        code_font = theme.mono_font(size_delta - 1.5)
        return cls(
            font=font,
            mono=theme.mono_font(size_delta - 0.5),
            code_font=code_font,
            ink=theme.color(ink),
            dim=theme.color("dim"),
            faint=theme.color("faint"),
            line=theme.color("line"),
            accent=theme.color("accent"),
            code_background=theme.color("code"),
            code_ground=theme.color("hover", 255 if theme.is_high_contrast else 120),
            card=theme.color("card"),
            selection=theme.color("accent", 70),
            syntax={name: theme.color(f"syntax_{name}") for name in ("keyword", "string", "number", "comment")},
            size=font.pixelSize(),
            mono_advance=QFontMetricsF(code_font).horizontalAdvance("0"),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Typesetter:
    """What layouts are made with: the looks, and the work that is shared between messages."""

    style: TextStyle
    formulas: FormulaCache
    highlights: HighlightCache
    pictures: PictureLoader = field(default_factory=PictureLoader)
