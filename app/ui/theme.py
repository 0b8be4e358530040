"""Colours, sizes and fonts as tokens; follows the system's light or dark scheme live."""

from __future__ import annotations

import functools
import sys
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QLocale, QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QPalette

if TYPE_CHECKING:
    from PySide6.QtGui import QAccessibilityHints, QStyleHints


class Tokens(NamedTuple):
    """One colour scheme, as #rrggbb. No dataclass: that costs ten times as much of the start."""

    bg: str
    side: str
    card: str
    ink: str
    dim: str
    faint: str
    line: str
    hover: str
    accent: str
    accent_soft: str
    on_accent: str
    user: str
    good: str
    note: str
    warn: str
    code: str
    syntax_keyword: str
    syntax_string: str
    syntax_number: str
    syntax_comment: str
    p1: str
    p2: str
    p3: str
    p4: str
    p5: str
    p6: str


LIGHT = Tokens(
    bg="#fbfbfa", side="#f3f3f1", card="#ffffff", ink="#1d1f21", dim="#54595e", faint="#666b70", line="#e4e4e1",
    hover="#e4e4e1", accent="#2f6f64", accent_soft="#e3efec", on_accent="#ffffff", user="#eef1f0", good="#2a7353",
    note="#8f5d00", warn="#b3402e", code="#f4f4f2", syntax_keyword="#7a4fa3", syntax_string="#2f6f64",
    syntax_number="#9a5b00", syntax_comment="#666b70", p1="#9db7b1", p2="#c9a66b", p3="#7c8fb5", p4="#b58fa8",
    p5="#2f6f64", p6="#d0d0cb",
)  # fmt: skip
DARK = Tokens(
    bg="#17191a", side="#1c1f20", card="#1f2324", ink="#e8e8e5", dim="#adb3b6", faint="#939a9d", line="#2c3133",
    hover="#2c3133", accent="#6fb8a8", accent_soft="#22332f", on_accent="#10201c", user="#252b2b", good="#6cc39b",
    note="#d9a441", warn="#e07a66", code="#1a1d1e", syntax_keyword="#c39ae0", syntax_string="#8fcfbf",
    syntax_number="#e0b366", syntax_comment="#939a9d", p1="#4d6a64", p2="#a58447", p3="#5f72a0", p4="#8d6a82",
    p5="#6fb8a8", p6="#3a4042",
)  # fmt: skip
HIGH_CONTRAST = Tokens(
    bg="#000000", side="#000000", card="#000000", ink="#ffffff", dim="#ffffff", faint="#e0e0e0", line="#ffffff",
    hover="#262626", accent="#ffd54a", accent_soft="#333000", on_accent="#000000", user="#101010", good="#7dff9a",
    note="#ffd54a", warn="#ff8a80", code="#000000", syntax_keyword="#ffb3ff", syntax_string="#9dffea",
    syntax_number="#ffd98a", syntax_comment="#e0e0e0", p1="#9dffea", p2="#ffd54a", p3="#9db8ff", p4="#ffb3e6",
    p5="#7dff9a", p6="#6a6a6a",
)  # fmt: skip
HIGH_CONTRAST_LIGHT = Tokens(
    bg="#ffffff", side="#ffffff", card="#ffffff", ink="#000000", dim="#000000", faint="#2b2b2b", line="#000000",
    hover="#e6e6e6", accent="#003f8a", accent_soft="#dce9ff", on_accent="#ffffff", user="#f2f2f2", good="#00541a",
    note="#6b3d00", warn="#8a0000", code="#ffffff", syntax_keyword="#5b0a91", syntax_string="#00504a",
    syntax_number="#6b3d00", syntax_comment="#2b2b2b", p1="#00504a", p2="#6b3d00", p3="#003f8a", p4="#8a0057",
    p5="#00541a", p6="#8a8a8a",
)  # fmt: skip


_USUAL_SIZE = 14
_FAMILIES = ["Inter"] if sys.platform == "linux" else []
"""Preferred over the desktop's own font, which is often an old one there; missing families are passed over."""
_HAN_FAMILIES = ["PingFang SC", "Microsoft YaHei UI", "Noto Sans CJK SC", "Source Han Sans SC", "Noto Sans SC"]
"""After the interface font where it is Chinese: else the system may take Japanese forms of the same characters."""
_MONO_FAMILIES = ["JetBrains Mono", "Cascadia Mono", "SF Mono", "Menlo", "DejaVu Sans Mono"]


class Theme(QObject):
    """The scheme in force. `choice` is system, light, dark or high_contrast; the system may wish for contrast too."""

    changed = Signal()

    def __init__(self, choice: str = "system", font_size: int = _USUAL_SIZE, font_family: str = "") -> None:
        super().__init__()
        self._choice = choice
        self.font_size = font_size
        self._font_family = font_family
        style, accessibility = _hints()
        style.colorSchemeChanged.connect(self._on_scheme_changed)
        accessibility.contrastPreferenceChanged.connect(self._on_scheme_changed)

    @property
    def is_dark(self) -> bool:
        if self._choice == "system":
            return QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark
        return self._choice in ("dark", "high_contrast")

    @property
    def tokens(self) -> Tokens:
        if self._choice == "high_contrast":
            return HIGH_CONTRAST
        if self._choice == "system" and wishes_contrast():
            return HIGH_CONTRAST if self.is_dark else HIGH_CONTRAST_LIGHT
        return DARK if self.is_dark else LIGHT

    @property
    def is_high_contrast(self) -> bool:
        """Nothing is told apart by shades: edges are drawn."""
        return self.tokens in (HIGH_CONTRAST, HIGH_CONTRAST_LIGHT)

    def color(self, name: str, alpha: int = 255) -> QColor:
        """The token `name` as a colour."""
        color = QColor(getattr(self.tokens, name))
        color.setAlpha(alpha)
        return color

    def font(self, size_delta: float = 0, *, is_bold: bool = False) -> QFont:
        """The interface font, `size_delta` pixels larger than the base size."""
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)  # The application's is ours already.
        chosen = [self._font_family] if self._font_family else _installed(*_FAMILIES)
        font.setFamilies([*chosen, *font.families(), *_han_families()])
        font.setFeature(QFont.Tag("tnum"), 1)
        font.setPixelSize(max(8, round(self.font_size + size_delta)))
        if is_bold:
            font.setWeight(QFont.Weight.DemiBold)
        return font

    def mono_font(self, size_delta: float = -1) -> QFont:
        """The fixed-pitch font."""
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        font.setFamilies([*_MONO_FAMILIES, *font.families(), *_han_families()])
        font.setFeature(QFont.Tag("calt"), 0)
        font.setPixelSize(max(8, round(self.font_size + size_delta)))
        return font

    def grown(self, pixels: int) -> int:
        """A height for letters of the usual size, larger where these are."""
        return max(pixels, round(pixels * self.font_size / _USUAL_SIZE))

    def set_choice(self, choice: str) -> None:
        if choice != self._choice:
            self._choice = choice
            self.changed.emit()

    def set_font(self, size: int, family: str = "") -> None:
        if (size, family) != (self.font_size, self._font_family):
            self.font_size, self._font_family = size, family
            self.changed.emit()

    def palette(self) -> QPalette:
        """The tokens as a QPalette, for Qt's own widgets."""
        tokens, palette = self.tokens, QPalette()
        role = QPalette.ColorRole
        for target, name in (
            (role.Window, "bg"), (role.Base, "card"), (role.AlternateBase, "side"), (role.Button, "card"),
            (role.ToolTipBase, "card"), (role.WindowText, "ink"), (role.Text, "ink"), (role.ButtonText, "ink"),
            (role.ToolTipText, "ink"), (role.PlaceholderText, "faint"), (role.Highlight, "accent"),
            (role.HighlightedText, "on_accent"), (role.Link, "accent"), (role.Mid, "line"),
        ):  # fmt: skip
            palette.setColor(target, QColor(getattr(tokens, name)))
        for target in (role.WindowText, role.Text, role.ButtonText):
            palette.setColor(QPalette.ColorGroup.Disabled, target, QColor(tokens.faint))
        return palette

    def style_variables(self) -> dict[str, str]:
        """Token names to values, for filling a style sheet."""
        return self.tokens._asdict()

    def _on_scheme_changed(self) -> None:
        if self._choice == "system":
            self.changed.emit()


def wishes_contrast() -> bool:
    """The user has asked the system for high contrast."""
    return _hints()[1].contrastPreference() == Qt.ContrastPreference.HighContrast


@functools.cache
def _installed(*families: str) -> list[str]:
    """Those of them that there are: for one that is missing Qt looks for other names of all the fonts there are."""
    return [family for family in families if QFontDatabase.hasFamily(family)]


def _han_families() -> list[str]:
    return _HAN_FAMILIES if QLocale().language() is QLocale.Language.Chinese else []


@functools.cache
def _hints() -> tuple[QStyleHints, QAccessibilityHints]:
    """What the system wishes. WORKAROUND: PySide takes the second down with its hold on the first, so both are kept."""
    style = QGuiApplication.styleHints()
    return style, style.accessibility()
