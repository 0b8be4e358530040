"""The style sheet and the line icons, filled with the theme's colours."""

from __future__ import annotations

import functools
import string
from pathlib import Path

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QAction, QColor, QGuiApplication, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QWidget

from app.ui.theme import Theme

RESOURCES = Path(__file__).resolve().parents[2] / "resources"


def style_sheet(theme: Theme) -> str:
    """The application's style sheet in the theme's colours."""
    hover = theme.color("accent").lighter(112) if theme.is_dark else theme.color("accent").darker(112)
    scheme = "dark" if theme.is_dark else "light"
    names = ("chevron", "check", "tick", "submenu")
    pictures = {name: (RESOURCES / "icons" / f"{name}_{scheme}.svg").as_posix() for name in names}
    return string.Template(_template()).substitute(theme.style_variables(), accent_hover=hover.name(), **pictures)


@functools.cache
def _template() -> str:
    return (RESOURCES / "style.qss").read_text(encoding="utf-8")


@functools.cache
def _drawing(name: str) -> str:
    return (RESOURCES / "icons" / f"{name}.svg").read_text(encoding="utf-8")


@functools.lru_cache(maxsize=512)
def _pixmap(name: str, color: str, size: int, ratio: float) -> QPixmap:
    renderer = QSvgRenderer(QByteArray(_drawing(name).replace("currentColor", color).encode()))
    pixmap = QPixmap(round(size * ratio), round(size * ratio))
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    renderer.render(painter, QRectF(0, 0, size * ratio, size * ratio))
    painter.end()
    pixmap.setDevicePixelRatio(ratio)
    return pixmap


def icon_pixmap(name: str, color: QColor, size: int = 16, ratio: float = 1.0) -> QPixmap:
    """The icon resources/icons/`name`.svg in one colour, `size` logical pixels wide."""
    return _pixmap(name, color.name(), size, ratio)


def icon(theme: Theme, name: str, color: str = "dim", size: int = 16, disabled: str = "faint") -> QIcon:
    """The same as a QIcon in the theme's colours, sharp on the finest of the screens."""
    ratio = app.devicePixelRatio() if isinstance(app := QGuiApplication.instance(), QGuiApplication) else 1.0
    made = QIcon(icon_pixmap(name, theme.color(color), size, ratio))
    made.addPixmap(icon_pixmap(name, theme.color(disabled), size, ratio), QIcon.Mode.Disabled)
    return made


def set_clear_icon(field: QWidget, theme: Theme) -> None:
    """Qt's own sign for clearing a line is of another style than ours, and cannot be set by the style sheet."""
    if (action := field.findChild(QAction, "_q_qlineeditclearaction")) is not None:
        action.setIcon(icon(theme, "close", "faint"))


def app_icon() -> QIcon:
    """The application's own icon."""
    return QIcon(str(RESOURCES / "firstlight.svg"))


ICON_SIZE = QSize(16, 16)
