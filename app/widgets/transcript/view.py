"""The transcript: the message area, a button that jumps to the newest text, and what the reader wants as signals."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from app.conversation_model import ConversationModel
from app.theme import Theme
from app.widgets.markdown.formulas import FormulaBook
from app.widgets.markdown.highlights import HighlightBook
from app.widgets.markdown.style import TextStyle, Typesetter
from app.widgets.transcript.area import Area
from app.widgets.transcript.card import Card


class Transcript(QWidget):
    """The open conversation. It emits what the reader wants and changes nothing itself."""

    copy_requested = Signal(str)
    edit_submitted = Signal(str, str)
    regenerate_requested = Signal(str)
    continue_requested = Signal(str)
    delete_requested = Signal(str)
    version_requested = Signal(str, int)
    branch_requested = Signal(str)
    prompt_requested = Signal(str)
    why_slow_requested = Signal(str)
    first_token_painted = Signal(str)
    link_requested = Signal(str, str)

    def __init__(self, model: ConversationModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._formulas = FormulaBook(self)
        self._highlights = HighlightBook(self)
        self._typesetter = Typesetter(TextStyle.of(theme), self._formulas, self._highlights)
        self._area = Area(model, theme, self._typesetter, self)
        self._area.card_made.connect(self._connect_card)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._area.setGeometry(self.rect())

    def _connect_card(self, card: Card) -> None:
        card.first_glyph_painted.connect(self.first_token_painted)
        card.action_chosen.connect(self._act)
        card.version_chosen.connect(self.version_requested)

    def _act(self, name: str, message_id: str) -> None:
        wishes = {
            "copy": self.copy_requested,
            "copy_markdown": self.copy_requested,
            "regenerate": self.regenerate_requested,
            "continue": self.continue_requested,
            "delete": self.delete_requested,
            "branch": self.branch_requested,
            "add_prompt": self.prompt_requested,
            "why_slow": self.why_slow_requested,
        }
        if name in wishes:
            wishes[name].emit(message_id)
