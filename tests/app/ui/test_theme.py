"""The colour schemes: what is read stands out from what is behind it, also under the pointer."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QGuiApplication
from pytestqt.qtbot import QtBot

from app.ui import theme as themes
from app.ui.icon_button import IconButton
from app.ui.theme import DARK, HIGH_CONTRAST, HIGH_CONTRAST_LIGHT, LIGHT, Theme, Tokens

ALL = {"light": LIGHT, "dark": DARK, "high contrast": HIGH_CONTRAST, "light high contrast": HIGH_CONTRAST_LIGHT}


def contrast(one: str, other: str) -> float:
    """The ratio of WCAG 2, from 1 to 21."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(name: str) -> float:
    color = QColor(name)
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in color.getRgbF()[:3]]  # type: ignore[index]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("tokens", ALL.values(), ids=ALL)
def test_text_can_be_read_on_every_background(tokens: Tokens) -> None:
    for background in (tokens.bg, tokens.side, tokens.card, tokens.user, tokens.code, tokens.accent_soft):
        assert contrast(tokens.ink, background) >= 7
        for text in (tokens.dim, tokens.faint, tokens.accent, tokens.good, tokens.note, tokens.warn):
            assert contrast(text, background) >= 4.5
    assert contrast(tokens.ink, tokens.hover) >= 7
    assert contrast(tokens.on_accent, tokens.accent) >= 4.5
    for text in (tokens.syntax_keyword, tokens.syntax_string, tokens.syntax_number, tokens.syntax_comment):
        assert contrast(text, tokens.code) >= 4.5


@pytest.mark.parametrize("tokens", [HIGH_CONTRAST, HIGH_CONTRAST_LIGHT], ids=["dark", "light"])
def test_high_contrast_has_nothing_faint(tokens: Tokens) -> None:
    for background in (tokens.bg, tokens.card, tokens.hover, tokens.accent_soft):
        for text in (tokens.ink, tokens.dim, tokens.faint):
            assert contrast(text, background) >= 7
        for text in (tokens.accent, tokens.good, tokens.note, tokens.warn):
            assert contrast(text, background) >= 4.5


def test_the_systems_wish_for_contrast_is_followed_live(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    following, chosen = Theme("system"), Theme("light")
    assert following.tokens in (LIGHT, DARK)
    monkeypatch.setattr(themes, "wishes_contrast", lambda: True)
    with qtbot.waitSignal(following.changed):
        QGuiApplication.styleHints().accessibility().contrastPreferenceChanged.emit(Qt.ContrastPreference.HighContrast)
    assert following.tokens in (HIGH_CONTRAST, HIGH_CONTRAST_LIGHT)
    assert chosen.tokens is LIGHT


def test_icons_are_as_large_as_the_letters_and_never_scaled(qtbot: QtBot) -> None:
    theme = Theme("light")
    button = IconButton(theme, "close", name="Close")
    qtbot.addWidget(button)
    small = button.iconSize()
    theme.set_font(20)
    for size in (small, button.iconSize()):
        assert size.width() == size.height()
    assert button.iconSize().width() > small.width()
    assert button.icon().actualSize(QSize(100, 100)) == button.iconSize()
