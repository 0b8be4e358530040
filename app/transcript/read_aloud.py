"""Reads a streamed answer aloud where a screen reader listens: whole paragraphs, once they are finished."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QObject
from PySide6.QtGui import QAccessible

from app.core.conversation_model import ConversationModel, MessageItem
from app.markdown.blocks import block_text, lead
from app.markdown.markdown_source import MarkdownSource
from app.transcript.footer_figures import prefill_text
from app.transcript.message_area import MessageArea
from app.transcript.message_description import author
from app.ui.announcement import announce
from engine.protocol.values import Role, Section

_LONG_PREFILL = 3.0
"""Seconds of reading that are worth saying."""


class AnswerReader(QObject):
    """Follows the model's newest row while its answer is written, and says each part of it once."""

    def __init__(self, model: ConversationModel, area: MessageArea) -> None:
        super().__init__(area)
        self._model, self._area = model, area
        self._message_id = ""
        self._source = MarkdownSource()
        self._n_said = 0
        self._is_begun = self._is_waiting_told = False
        model.text_appended.connect(self._on_text)
        model.dataChanged.connect(self._on_changed)

    def _on_text(self, row: int, text: str, section: Section) -> None:
        if section is Section.ANSWER and self._is_heard():
            if self._model.row_of(self._message_id) != row:  # Making the item costs what the answer is long.
                self._follow(self._model.item(row), text)
            self._source.append(text)
            self._say_parts(len(self._source.parts) - 1)

    def _on_changed(self, start: QModelIndex, end: QModelIndex) -> None:
        row = start.row()
        if row != self._model.rowCount() - 1 or not self._is_heard():
            return
        item = self._model.item(row)
        if item.is_streaming:
            self._follow(item)
            prefill = item.prefill
            if prefill is not None and (prefill.seconds_left or 0) > _LONG_PREFILL and not self._is_waiting_told:
                self._is_waiting_told = True
                announce(self._area, prefill_text(prefill))
        elif item.id == self._message_id:
            self._message_id = ""
            self._source.finish()
            self._say_parts(len(self._source.parts))
            if item.note:
                announce(self._area, item.note)

    def _follow(self, item: MessageItem, text: str = "") -> None:
        """Turn to `item`, of which `text` is the newest; what a new message had before it is not said."""
        if item.id != self._message_id:
            self._message_id, self._source = item.id, MarkdownSource()
            self._source.append(item.content.removesuffix(text))
            self._n_said = max(0, len(self._source.parts) - 1)
            self._is_begun = self._is_waiting_told = False

    def _say_parts(self, end: int) -> None:
        """Say the parts before `end` that have not been said: they do not change any more."""
        blocks = [block for part in range(self._n_said, end) for block in self._source.parse(part)]
        words = "\n".join(lead(block) + block_text(block) for block in blocks).strip()
        self._n_said = max(self._n_said, end)
        if words:
            announce(self._area, words if self._is_begun else f"{author(Role.ASSISTANT)}: {words}")
            self._is_begun = True

    def _is_heard(self) -> bool:
        return QAccessible.isActive() and self._area.isVisible() and self._area.window().isActiveWindow()
