"""What is painted again: no more than changed, and never less; the screen always shows what a fresh picture would."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QGuiApplication, QImage, QPaintEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.core.conversation_model import ConversationModel, MessageItem
from app.markdown.frame_budget import FrameBudget
from app.transcript.message_card import MessageCard
from app.transcript.transcript_view import Transcript
from app.ui.theme import Theme
from engine.protocol.values import Role, Section

Settle = Callable[[], None]
RICH = (
    "## Reading the cache\n\nA **KV cache** keeps keys, see [the notes](https://example.com/n) for $x^2$ of them.\n\n"
    "1. Measure the time.\n2. Keep the prefix stable:\n   - system prompt first\n   - then the oldest turns\n\n"
    "```python\ndef prefill(tokens: list[int]) -> int:\n    return len(tokens)  # fresh ones\n```\n\n"
    "| metric | P50 |\n|:--|--:|\n| TTFT | 38 ms |\n| ITL of a longer row | 8.3 ms |\n\n"
    "$$\n\\frac{a}{b}\n$$\n\n> Quoted: the wait is visible,\n> explained and short.\n\n"
)


_N_SMOOTHED = 12
"""Pixels of round corners that may come out differently where painting is clipped at them."""


class Painted:
    """Counts the rows of pixels of cards that are painted."""

    def __init__(self) -> None:
        self.n_rows = 0


@pytest.fixture
def painted(monkeypatch: pytest.MonkeyPatch) -> Painted:
    made, paint = Painted(), MessageCard.paintEvent

    def count(card: MessageCard, event: QPaintEvent) -> None:
        made.n_rows += sum(rect.height() for rect in event.region())
        paint(card, event)

    monkeypatch.setattr(MessageCard, "paintEvent", count)
    return made


def assert_up_to_date(transcript: Transcript, what: object = "") -> None:
    """What is on the screen, once the paints that were asked for are made, is what a fresh picture shows."""
    QApplication.sendPostedEvents(transcript, QEvent.Type.UpdateRequest.value)
    shown = pixels(QGuiApplication.primaryScreen().grabWindow(transcript.winId()).toImage())
    fresh = pixels(transcript.grab().toImage())
    assert shown == fresh or sum(a != b for a, b in zip(shown, fresh, strict=True)) <= 4 * _N_SMOOTHED, what


def pixels(image: QImage) -> bytes:
    return bytes(image.convertToFormat(QImage.Format.Format_RGB32).constBits())


def pieces(text: str, length: int) -> Iterator[str]:
    return (text[at : at + length] for at in range(0, len(text), length))


def answer(**fields: object) -> MessageItem:
    return MessageItem(id="answer", role=Role.ASSISTANT, is_streaming=True, **fields)  # type: ignore[arg-type]


def frame(transcript: Transcript) -> None:
    """Lay out what has come, and paint it."""
    transcript.area.place()
    transcript.area._take_pending()  # Without waiting for the next frame's time.
    QApplication.processEvents()


@pytest.mark.parametrize("section", [Section.ANSWER, Section.REASONING])
def test_the_screen_shows_a_growing_answer_as_it_is(
    transcript: Transcript, model: ConversationModel, settle: Settle, section: Section
) -> None:
    model.set_items([MessageItem(id="q", role=Role.USER, content="Question?"), answer()])
    settle()
    for number, piece in enumerate(pieces(RICH * 3, 23)):
        model.append_text(1, piece, section)
        frame(transcript)
        if number % 5 == 0:
            assert_up_to_date(transcript, number)
    settle()
    assert_up_to_date(transcript)


def test_the_screen_shows_what_was_scrolled_to(
    transcript: Transcript, model: ConversationModel, settle: Settle
) -> None:
    items = [MessageItem(id=f"m{n}", role=Role.USER if n % 2 else Role.ASSISTANT, content=RICH) for n in range(12)]
    model.set_items(items)
    settle()
    bar = transcript.area.verticalScrollBar()
    for step in (-3, -40, -700, 25, 90, -1200, -5, 2000, 10_000, -60):
        bar.setValue(bar.value() + step)
        QApplication.processEvents()
        bar.setValue(bar.value() - 11)  # While parts of the page may still be blank.
        settle()
        assert_up_to_date(transcript, step)


def test_the_screen_shows_a_changed_theme_width_and_end(
    transcript: Transcript, model: ConversationModel, theme: Theme, settle: Settle
) -> None:
    model.set_items([answer(content=RICH * 2, reasoning="First this.")])
    settle()
    model.replace_item(0, MessageItem(id="answer", role=Role.ASSISTANT, content=RICH * 2, note="It was stopped."))
    settle()
    assert_up_to_date(transcript)
    transcript.resize(520, 600)
    settle()
    assert_up_to_date(transcript)
    theme.set_choice("dark")
    settle()
    assert_up_to_date(transcript)


def test_a_new_line_moves_the_others_and_paints_only_itself(
    transcript: Transcript, model: ConversationModel, settle: Settle, painted: Painted
) -> None:
    model.set_items([answer(content=RICH * 6)])
    settle()
    start = transcript.area.verticalScrollBar().maximum()
    painted.n_rows = 0
    for number in range(10):
        model.append_text(0, f"Paragraph {number} of one line.\n\n")
        frame(transcript)
    assert transcript.area.verticalScrollBar().maximum() > start + 200
    assert painted.n_rows < 10 * transcript.area.viewport().height() / 3


def test_a_growing_code_block_paints_its_new_lines(
    transcript: Transcript, model: ConversationModel, settle: Settle, painted: Painted
) -> None:
    model.set_items([answer(content="```python\n" + "x = 1\n" * 200)])
    settle()
    painted.n_rows = 0
    for number in range(10):
        model.append_text(0, f"y = {number}\n")
        frame(transcript)
    assert painted.n_rows < 10 * transcript.area.viewport().height() / 3


def test_colours_that_come_later_paint_only_their_code(
    transcript: Transcript, model: ConversationModel, settle: Settle, painted: Painted
) -> None:
    model.set_items([answer(content="Text.\n\n" * 40 + "```python\nx = 1\n```\n\nThe end.")])
    settle()
    card = transcript.area.visible_cards()[0]
    code = card.sections.body.document.layout_at((40, 0, 0))
    assert not code.has_new_colours()
    painted.n_rows = 0
    transcript._highlights.answered.emit()
    QApplication.processEvents()
    assert painted.n_rows == 0


def test_the_whole_card_is_painted_when_it_is_marked(
    transcript: Transcript, model: ConversationModel, settle: Settle
) -> None:
    model.set_items([answer(content=RICH)])
    settle()
    card = transcript.area.visible_cards()[0]
    card.setFocus(Qt.FocusReason.TabFocusReason)
    QApplication.processEvents()
    assert_up_to_date(transcript)


def test_what_is_read_stays_where_it_is_while_the_page_is_laid_out_piece_by_piece(
    qtbot: QtBot, transcript: Transcript, model: ConversationModel, settle: Settle, monkeypatch: pytest.MonkeyPatch
) -> None:
    model.set_items(
        [MessageItem(id=f"m{n}", role=Role.ASSISTANT, content=f"# {n}\n\n" + "A line.\n\n" * 9) for n in range(60)]
    )
    settle()
    asked: set[FrameBudget] = set()

    def is_spent(budget: FrameBudget) -> bool:
        budget.was_short |= budget in asked  # One piece, and no more.
        asked.add(budget)
        return budget.was_short

    monkeypatch.setattr(FrameBudget, "is_spent", is_spent)
    bar = transcript.area.verticalScrollBar()
    for _ in range(10):
        read = next(card for card in transcript.area.visible_cards() if card.y() >= 0)
        name, y = read.item.id, read.y()
        bar.setValue(bar.value() - 40)
        qtbot.waitUntil(lambda: not transcript.area._rest.isActive())
        moved = [card.y() - y for card in transcript.area.visible_cards() if card.item.id == name]
        assert len(moved) == 1
        assert abs(moved[0] - 40) <= 1
