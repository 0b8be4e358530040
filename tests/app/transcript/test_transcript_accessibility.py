"""What assistive technologies do with a message: its text by offsets, its caret, and answers that are read aloud."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu

from app.core.conversation_model import ConversationModel, MessageItem
from app.transcript import read_aloud
from app.transcript.content_menu import content_actions
from app.transcript.message_card import MessageCard
from app.transcript.transcript_view import Transcript
from engine.protocol.events import PrefillProgress
from engine.protocol.values import Role, Section
from engine.store.chat_values import Attachment

Settle = Callable[[], None]
RICH = (
    "One **bold** word and $x^2$ after it.\n\n- item `code`\n- [site](https://real.example/x)\n\n"
    "| a | b |\n|---|---|\n| cell | $y$ |\n\n```python\nx = 1\n  y = 2\n```\n\n$$z = 3$$\n\nLast."
)


@pytest.fixture
def card(transcript: Transcript, model: ConversationModel, settle: Settle) -> MessageCard:
    model.set_items([MessageItem(id="a", role=Role.ASSISTANT, content=RICH, note="Stopped by you.")])
    settle()
    return transcript.area.visible_cards()[0]


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """What is said while somebody listens."""
    said: list[str] = []
    monkeypatch.setattr(read_aloud, "announce", lambda _widget, text: said.append(text))
    QAccessible.setActive(True)
    yield said
    QAccessible.setActive(False)


def test_every_offset_stands_for_a_place_and_back(card: MessageCard) -> None:
    spoken = card.spoken()
    assert spoken.text == card.sections.body.document.text() + "\n\nStopped by you."
    for word in ("One", "word", "after", "code", "site", "cell", "x = 1", "y = 2", "Last", "Stopped"):
        start = spoken.text.index(word)
        for offset in range(start, start + len(word)):
            found = spoken.position(offset)
            assert found is not None
            assert spoken.offset(*found) == offset, word
    formula = spoken.text.index("$x^2$")
    assert spoken.position(formula) == spoken.position(formula + 3)


def test_a_reader_moves_the_caret_and_selects(card: MessageCard) -> None:
    text = QAccessible.queryAccessibleInterface(card).textInterface()
    start = text.text(0, text.characterCount()).index("y = 2")
    text.setCursorPosition(start)
    assert text.cursorPosition() == start
    assert text.selectionCount() == 0
    text.setSelection(0, start, start + 5)
    assert text.selection(0) == (start, start + 5)
    assert card.interaction.selected_text == "y = 2"
    text.removeSelection(0)
    assert text.selectionCount() == 0


def test_each_character_has_its_place_on_the_screen(card: MessageCard) -> None:
    text = QAccessible.queryAccessibleInterface(card).textInterface()
    first, second = text.characterRect(0), text.characterRect(1)
    assert 2 < first.width() < 30
    assert abs(first.right() + 1 - second.left()) <= 1
    assert first.top() == second.top()
    below = text.characterRect(text.text(0, text.characterCount()).index("Last"))
    assert below.top() > first.bottom() + 50
    assert text.offsetAtPoint(second.center() - QPoint(1, 0)) in (1, 2)


def test_arrows_move_a_caret_without_a_mouse(card: MessageCard, heard: list[str]) -> None:
    card.setFocus()
    moved: list[None] = []
    card.interaction.moved.connect(lambda: moved.append(None))
    text = QAccessible.queryAccessibleInterface(card).textInterface()
    QTest.keyClick(card, Qt.Key.Key_Right)
    QTest.keyClick(card, Qt.Key.Key_Right, Qt.KeyboardModifier.ControlModifier)
    assert text.cursorPosition() == 3
    QTest.keyClick(card, Qt.Key.Key_Down)
    assert text.cursorPosition() > 30
    QTest.keyClick(card, Qt.Key.Key_End, Qt.KeyboardModifier.ShiftModifier)
    assert text.selectionCount() == 1
    assert len(moved) == 4


def test_links_and_code_are_in_the_menu(card: MessageCard, transcript: Transcript) -> None:
    opened: list[tuple[str, str]] = []
    transcript.link_requested.connect(lambda url, text: opened.append((url, text)))
    menu = QMenu()
    entries = {action.text(): action for action in content_actions(card.sections, menu, card.link_activated)}
    assert list(entries) == ["Open link", "Copy code", "Copy as plain text"]
    (link,), (code,) = (each.actions() for each in menu.findChildren(QMenu))
    assert (link.text(), code.text()) == ("site (https://real.example/x)", "python: x = 1")
    link.trigger()
    code.trigger()
    assert opened == [("https://real.example/x", "site")]
    assert QGuiApplication.clipboard().text() == "x = 1\n  y = 2"


def test_what_stands_around_a_message_is_told(card: MessageCard, model: ConversationModel, settle: Settle) -> None:
    files = (Attachment(name="a.txt", n_tokens=1200, part=(0, 1)),)
    model.replace_item(
        0, MessageItem(id="a", role=Role.USER, content="Read it", attachments=files, version_index=1, version_count=3)
    )
    settle()
    interface = QAccessible.queryAccessibleInterface(card)
    assert interface.text(QAccessible.Text.Name) == "You: Read it"
    assert interface.text(QAccessible.Text.Description) == "a.txt · a part · 1,200 tokens, version 2 of 3"


def test_an_answer_is_read_in_paragraphs(
    transcript: Transcript, model: ConversationModel, settle: Settle, heard: list[str]
) -> None:
    model.set_items([MessageItem(id="q", role=Role.USER, content="Say")])
    transcript.window().activateWindow()
    settle()
    row = model.append_item(MessageItem(id="a", role=Role.ASSISTANT, is_streaming=True))
    item = model.item(row)
    for done in (10, 20):
        prefill = PrefillProgress(n_done=done, n_total=4000, seconds_left=9.0)
        model.replace_item(row, msgspec.structs.replace(item, prefill=prefill))
    assert heard == ["reading 10 of 4,000 tokens, 9 s left"]
    for piece in ("First ", "**part", "**.\n", "\nSecond", " part\n\n", "Third\n"):
        model.append_text(row, piece, Section.ANSWER)
        settle()
    assert heard[1:] == ["Assistant: First part.", "Second part"]
    done_item = msgspec.structs.replace(model.item(row), is_streaming=False, note="Stopped by you.")
    model.replace_item(row, done_item)
    assert heard[3:] == ["Third", "Stopped by you."]


def test_nothing_is_read_where_nobody_listens(
    transcript: Transcript, model: ConversationModel, settle: Settle, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr(read_aloud, "announce", lambda _widget, text: said.append(text))
    row = model.append_item(MessageItem(id="a", role=Role.ASSISTANT, is_streaming=True))
    model.append_text(row, "One.\n\nTwo.\n\n", Section.ANSWER)
    settle()
    assert said == []


def test_reading_along_never_asks_for_the_whole_answer_again(
    transcript: Transcript, model: ConversationModel, settle: Settle, heard: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    row = model.append_item(MessageItem(id="a", role=Role.ASSISTANT, is_streaming=True))
    settle()
    model.append_text(row, "First ")
    asked: list[int] = []
    item = ConversationModel.item
    monkeypatch.setattr(ConversationModel, "item", lambda held, at: asked.append(at) or item(held, at))
    for number in range(20):
        model.append_text(row, f"words {number}.\n\n")
    assert heard[-1].endswith("words 18.")
    assert asked == []
