"""A bar over the chat with one sentence and a way out: faults, and things that can be undone."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.ui.announcement import announce
from app.ui.icon_button import IconButton
from app.ui.style_sheet import icon_pixmap
from app.ui.theme import Theme

_MAX_SHOWN = 3
_UNDO_MS = 10_000


class NoticeLine(QFrame):
    """One sentence with at most one action. `closed` when it goes away by itself or by the user."""

    closed = Signal()

    def __init__(
        self,
        theme: Theme,
        text: str,
        *,
        is_warning: bool = False,
        action: str = "",
        on_action: Callable[[], None] | None = None,
        lasts_ms: int = 0,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("noticeBar")
        self._theme, self._is_warning = theme, is_warning
        self._on_action = on_action
        self._mark = QLabel(self)
        self._mark.setFixedSize(QSize(16, 16))
        self._mark.setAccessibleName(self.tr("Warning") if is_warning else self.tr("Note"))
        self.label = QLabel(text, self)
        self.label.setWordWrap(True)
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self.label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        row = QHBoxLayout(self)
        row.setContentsMargins(22, 8, 14, 8)
        row.setSpacing(10)
        row.addWidget(self._mark)
        row.addWidget(self.label, 1)
        self.button: QPushButton | None = None
        if action:
            self.button = IconButton(theme, "", action, kind="plain", size_delta=-1, parent=self)
            self.button.clicked.connect(self._act)
            row.addWidget(self.button)
        self.close_button = IconButton(theme, "close", name=self.tr("Dismiss"), parent=self)
        self.close_button.clicked.connect(self.closed)
        row.addWidget(self.close_button)
        self.setAccessibleName(text)
        if lasts_ms:
            timer = QTimer(self, singleShot=True)
            timer.timeout.connect(self.closed)
            timer.start(lasts_ms)
        self._on_theme_changed()
        theme.changed.connect(self._on_theme_changed)

    def _act(self) -> None:
        if self._on_action is not None:
            self._on_action()
        self.closed.emit()

    def _on_theme_changed(self) -> None:
        self.label.setFont(self._theme.font(-1))
        name, color = ("alert", "warn") if self._is_warning else ("info", "dim")
        self._mark.setPixmap(icon_pixmap(name, self._theme.color(color), 16, self.devicePixelRatioF()))


class NoticeBar(QWidget):
    """A short stack of notices, the newest at the bottom; the same sentence is never shown twice."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._notices: dict[str, NoticeLine] = {}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self.hide()

    @property
    def texts(self) -> list[str]:
        """The sentences that are shown."""
        return [notice.label.text() for notice in self._notices.values()]

    @property
    def buttons(self) -> dict[str, QPushButton]:
        """Their actions, by their keys."""
        return {key: notice.button for key, notice in self._notices.items() if notice.button is not None}

    def show_notice(
        self,
        text: str,
        *,
        key: str = "",
        is_warning: bool = False,
        action: str = "",
        on_action: Callable[[], None] | None = None,
        lasts_ms: int = 0,
    ) -> NoticeLine:
        """Show a sentence; one with the same `key` (or text) is replaced."""
        key = key or text
        self.dismiss(key)
        notice = NoticeLine(
            self._theme, text, is_warning=is_warning, action=action, on_action=on_action, lasts_ms=lasts_ms, parent=self
        )
        notice.closed.connect(lambda: self.dismiss(key))
        self._notices[key] = notice
        self._column.addWidget(notice)
        while len(self._notices) > _MAX_SHOWN:
            self.dismiss(next(iter(self._notices)))
        self.show()
        announce(self, text)
        return notice

    def offer_undo(self, text: str, undo: Callable[[], None]) -> NoticeLine:
        """Say what was done, with a button that takes it back for ten seconds."""
        return self.show_notice(text, key="undo", action=self.tr("Undo"), on_action=undo, lasts_ms=_UNDO_MS)

    def change_text(self, key: str, text: str) -> None:
        """Say how far it is in the notice with this key, if it is still there; nobody is alerted again."""
        if (notice := self._notices.get(key)) is not None:
            notice.label.setText(text)
            notice.setAccessibleName(text)

    def dismiss(self, key: str) -> None:
        """Take the notice with this key away, if it is there."""
        if (notice := self._notices.pop(key, None)) is not None:
            self._column.removeWidget(notice)
            notice.hide()
            notice.deleteLater()
        if not self._notices:
            self.hide()
