"""A push button with a line icon that follows the theme."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtWidgets import QPushButton, QWidget

from app.ui.style_sheet import icon
from app.ui.theme import Theme


class IconButton(QPushButton):
    """`kind` is its look in the style sheet: quiet, plain, primary, link, sideButton."""

    def __init__(
        self,
        theme: Theme,
        icon_name: str,
        text: str = "",
        *,
        kind: str = "quiet",
        color: str = "dim",
        name: str = "",
        size_delta: float = 0,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(text, parent)
        self._theme, self._icon_name, self._color, self._size_delta = theme, icon_name, color, size_delta
        self.setObjectName(kind)
        self.setAccessibleName(name or text)
        if name and not text:
            self.setToolTip(name)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._on_theme_changed()
        theme.changed.connect(self._on_theme_changed)

    def set_icon(self, icon_name: str) -> None:
        if icon_name != self._icon_name:
            self._icon_name = icon_name
            self._on_theme_changed()

    def _on_theme_changed(self) -> None:
        self.setFont(self._theme.font(self._size_delta))
        if self._icon_name:
            side = 9 + round(self._theme.font_size / 2)  # 16 beside the usual letters, and growing slower than these.
            self.setIconSize(QSize(side, side))  # As large as it is drawn: scaled, it would be blurred.
            self._show_icon()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.EnabledChange:
            self._show_icon()

    def _show_icon(self) -> None:
        """Only the one that is seen: drawing costs the first frame."""
        if self._icon_name:
            color = self._color if self.isEnabled() else "faint"
            self.setIcon(icon(self._theme, self._icon_name, color, self.iconSize().width(), disabled=color))
