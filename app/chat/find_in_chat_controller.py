"""Finds a text in the open chat: all its places, the one that is shown, and the way from one to the next."""

from __future__ import annotations

import re
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

from app.chat.find_bar import FindBar
from app.core.conversation_model import ConversationModel

Match = tuple[str, int]
"""A message's id, and which of its matches, from 0."""
_CHANGE_MS = 300


class FindInChatController(QObject):
    """Between the bar and the transcript, which is reached through `show(message_id, text, number)` and `clear()`."""

    def __init__(
        self,
        bar: FindBar,
        conversation: ConversationModel,
        *,
        show: Callable[[str, str, int], None],
        clear: Callable[[], None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._bar, self._conversation, self._show, self._clear = bar, conversation, show, clear
        self._text = ""
        self._matches: list[Match] = []
        self._current = -1
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(_CHANGE_MS)
        self._later.timeout.connect(self._look_again)
        bar.text_changed.connect(self.find)
        bar.next_requested.connect(lambda: self.step(1))
        bar.previous_requested.connect(lambda: self.step(-1))
        bar.closed.connect(self._end)
        for signal in (conversation.modelReset, conversation.rowsInserted, conversation.rowsRemoved):
            signal.connect(self._on_changed)

    @property
    def matches(self) -> list[Match]:
        return self._matches

    @property
    def current(self) -> Match | None:
        return self._matches[self._current] if 0 <= self._current < len(self._matches) else None

    def find(self, text: str) -> None:
        """Look for a text, and show the newest place where it is."""
        self._text = text
        self._matches = self._found()
        self._current = len(self._matches) - 1
        self._show_current()

    def step(self, direction: int) -> None:
        """Go to the next place, or the one before; after the last comes the first."""
        if self._matches:
            self._current = (self._current + direction) % len(self._matches)
            self._show_current()

    def _found(self) -> list[Match]:
        if not self._text.strip():
            return []
        wanted = re.compile(re.escape(self._text), re.IGNORECASE)
        return [
            (item.id, number)
            for item in self._conversation.items()
            for number, _ in enumerate(wanted.finditer(item.content))
        ]

    def _show_current(self) -> None:
        self._bar.set_count(self._current + 1, len(self._matches))
        if (match := self.current) is not None:
            self._show(match[0], self._text, match[1])
        else:
            self._clear()

    def _on_changed(self) -> None:
        if self._bar.isVisible():
            self._later.start()

    def _look_again(self) -> None:
        """The chat is another one, or has other messages: count anew, and stay where the reader is."""
        before = self.current
        self._matches = self._found()
        self._current = self._matches.index(before) if before in self._matches else len(self._matches) - 1
        self._bar.set_count(self._current + 1, len(self._matches))

    def _end(self) -> None:
        self._later.stop()
        self._matches, self._current = [], -1
        self._clear()
