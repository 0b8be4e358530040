"""What a token costs the window: bounded however long the answer, the chat and its messages are, and always painted."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from types import FrameType

import msgspec
import pytest
from PySide6.QtCore import QTimer
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.core.conversation_model import ConversationModel, MessageItem
from app.markdown.block_layouts import BlockLayout
from app.markdown.laid_out_document import Document
from app.markdown.markdown_parser import Parser
from app.markdown.segments import HARD_LIMIT
from app.transcript.message_area import PAINT_INTERVAL_MS
from app.transcript.message_card import MessageCard
from app.transcript.transcript_view import Transcript
from engine.protocol.values import Role

Settle = Callable[[], None]
RICH = (
    "## Reading the cache\n\nA **KV cache** keeps keys, see [the notes](https://example.com/n) for $x^2$ of them.\n\n"
    "1. Measure the time.\n2. Keep the prefix stable:\n   - system prompt first\n   - then the oldest turns\n\n"
    "```python\ndef prefill(tokens: list[int]) -> int:\n    return len(tokens)  # fresh ones\n```\n\n"
    "| metric | P50 |\n|:--|--:|\n| TTFT | 38 ms |\n| ITL of a longer row | 8.3 ms |\n\n"
    "$$\n\\frac{a}{b}\n$$\n\n> Quoted: the wait is visible,\n> explained and short.\n\n"
)
LIVELY = "A paragraph of some words, of which **two** are bold.\n\n"
FRAME = 24
"""Characters that come in a frame at some 200 tokens a second."""


def answer(content: str = "") -> MessageItem:
    return MessageItem(id="answer", role=Role.ASSISTANT, content=content, is_streaming=True)


def chat(n_messages: int) -> Iterator[MessageItem]:
    for number in range(n_messages):
        role = Role.ASSISTANT if number % 2 else Role.USER
        yield MessageItem(id=f"m{number}", role=role, content=f"Words of message {number}. " * 9)


def calls_of(work: Callable[[], None], kinds: tuple[str, ...] = ("call", "c_call")) -> int:
    """What `work` costs, in calls of functions: of those in Python, and of Python's and Qt's own."""
    n_calls = 0

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal n_calls
        n_calls += event in kinds

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return n_calls


@pytest.fixture
def laid_out(monkeypatch: pytest.MonkeyPatch) -> list[BlockLayout]:
    """Every block that was given its lines."""
    made: list[BlockLayout] = []
    arrange = BlockLayout.arrange

    def count(layout: BlockLayout, width: float) -> float:
        made.append(layout)
        return arrange(layout, width)

    monkeypatch.setattr(BlockLayout, "arrange", count)
    return made


def test_what_comes_between_two_frames_is_laid_out_at_once(
    transcript: Transcript, model: ConversationModel, settle: Settle, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert 25 <= 1000 / PAINT_INTERVAL_MS <= 31
    model.set_items([answer()])
    settle()
    model.append_text(0, "First")
    added: list[str] = []
    append = Document.append
    monkeypatch.setattr(Document, "append", lambda document, text: (added.append(text), append(document, text)))
    flush = transcript.area._flush
    flush._interval_ms = 3_600_000  # The next frame is far away, however slow this machine is.
    flush.flush()
    for _ in range(2_000):
        model.append_text(0, " word")
    flush.flush()
    assert len(added) <= 2
    assert "".join(added) == " word" * 2_000


def test_an_answer_is_painted_however_fast_its_tokens_come(
    transcript: Transcript, model: ConversationModel, settle: Settle, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    seen: set[float] = set()
    paint = MessageCard.paintEvent

    def watch(card: MessageCard, event: QPaintEvent) -> None:
        paint(card, event)
        if card.item.id == "answer":
            seen.add(card.sections.body.document.height)

    monkeypatch.setattr(MessageCard, "paintEvent", watch)
    model.set_items([*chat(4), answer()])
    settle()
    flood = QTimer(interval=0)
    sent: list[None] = []
    flood.timeout.connect(lambda: (sent.append(None), model.append_text(4, "word\n\n")))
    flood.start()
    qtbot.waitUntil(lambda: len(seen) > 8 or len(sent) > 200_000, timeout=300_000)
    flood.stop()
    assert len(seen) > 8


def test_a_token_costs_no_more_at_the_end_of_a_long_answer(
    transcript: Transcript, model: ConversationModel, settle: Settle
) -> None:
    """20,000 tokens with code, tables, lists and formulas in a chat of 10,000 messages, in calls of functions."""
    model.set_items([*chat(10_000), answer()])
    model.append_text(10_000, RICH * 4)  # Fills the view.
    settle()

    def stream(text: str) -> None:
        for at in range(0, len(text), FRAME):
            model.append_text(10_000, text[at : at + FRAME])
            transcript.area._take_pending()
            QApplication.sendPostedEvents()

    head = calls_of(lambda: stream(RICH * 8))
    for _ in range(40):
        model.append_text(10_000, RICH * 4)
        transcript.area._take_pending()
    tail = calls_of(lambda: stream(RICH * 8))
    assert len(model.item(10_000).content) > 20_000 * 3.5
    assert tail < 1.25 * head


def test_scrolling_costs_no_more_in_a_long_answer(
    transcript: Transcript, model: ConversationModel, settle: Settle
) -> None:
    """Through 20,000 tokens, read the first time and again, as through 2,000."""

    def scroll() -> None:
        bar = transcript.area.verticalScrollBar()
        for step in (-40, -40, -300, 40, -300, -300, 600, -40):
            bar.setValue(bar.value() + step)
            transcript.finish_drawing()
            transcript.repaint()

    costs = []
    for n_pieces in (20, 200):
        model.set_items([*chat(4), MessageItem(id="long", role=Role.ASSISTANT, content=RICH * n_pieces), *chat(4)])
        settle()
        bar = transcript.area.verticalScrollBar()
        bar.setValue(bar.maximum() // 2)
        settle()
        costs.append([calls_of(scroll, ("call",)) for _ in range(2)])
    assert all(long < 1.5 * short for short, long in zip(*costs, strict=True))


ITEM = "1. Look at this:\n"
LONG_ITEMS = {
    "line": "- " + "a sentence of some words. " * 2_000,
    "lines": ITEM + "   a line of some more words\n" * 1_800,
    "paragraphs": ITEM + "\n   a paragraph of some words\n" * 1_800,
    "items": ITEM + "   - an item of some words\n" * 1_800,
    "quote": "> " + "a sentence of some words. " * 2_000,
    "paragraph": "a sentence of some words. " * 2_000,
}


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How long each text was that was parsed."""
    lengths: list[int] = []
    blocks = Parser.blocks
    monkeypatch.setattr(
        Parser, "blocks", lambda parser, text, *rest: (lengths.append(len(text)), blocks(parser, text, *rest))[1]
    )
    return lengths


@pytest.mark.parametrize("text", LONG_ITEMS.values(), ids=LONG_ITEMS)
def test_what_is_parsed_at_a_paint_is_bounded_however_long_an_item_is(
    transcript: Transcript, model: ConversationModel, settle: Settle, parsed: list[int], text: str
) -> None:
    model.set_items([answer()])
    settle()
    for at in range(0, len(text), 10 * FRAME):
        before = len(parsed)
        model.append_text(0, text[at : at + 10 * FRAME])
        transcript.area._take_pending()
        assert sum(parsed[before:]) < 5 * HARD_LIMIT
    parsed.clear()
    for _ in range(3):
        transcript.repaint()
    assert parsed == []


@pytest.mark.parametrize("text", LONG_ITEMS.values(), ids=LONG_ITEMS)
def test_a_long_item_is_opened_at_the_cost_of_what_is_seen(
    transcript: Transcript, model: ConversationModel, settle: Settle, parsed: list[int], text: str
) -> None:
    model.set_items([MessageItem(id="a", role=Role.ASSISTANT, content=text + "\n\nafter it\n")])
    settle()
    assert 0 < sum(parsed) < len(text) / 3


@pytest.mark.parametrize("is_open", [True, False])
def test_a_long_answer_is_opened_at_the_cost_of_what_is_seen(
    transcript: Transcript, model: ConversationModel, settle: Settle, laid_out: list[BlockLayout], is_open: bool
) -> None:
    long = LIVELY * 1_500
    model.set_items([*chat(400), answer(long) if is_open else MessageItem(id="a", role=Role.ASSISTANT, content=long)])
    settle()
    assert transcript.area.visible_cards()[-1].item.content == long
    assert 5 < len(laid_out) < 150
    laid_out.clear()
    transcript.scroll_to_message("answer" if is_open else "a")
    settle()
    assert 5 < len(laid_out) < 150


def test_what_an_opened_chat_shows_is_complete_in_the_end(
    transcript: Transcript, model: ConversationModel, settle: Settle, qtbot: QtBot
) -> None:
    items = [MessageItem(id=f"m{n}", role=Role.ASSISTANT, content=LIVELY * 200) for n in range(60)]
    model.set_items(items)
    qtbot.waitUntil(lambda: not transcript.area._rest.isActive(), timeout=300_000)
    QApplication.processEvents()
    shown = transcript.grab().toImage()
    settle()
    assert shown == transcript.grab().toImage()


@pytest.mark.parametrize("before", ["", "1. Do this:\n\n   ", "- ", "> "])
@pytest.mark.parametrize("end", ["```\n\nThat was it.", ""])
def test_code_asks_for_its_colours_once_it_is_complete(
    transcript: Transcript, model: ConversationModel, monkeypatch: pytest.MonkeyPatch, before: str, end: str
) -> None:
    """Alone, in an item or quoted; where it has no end, with the answer's."""
    asked: list[tuple[str, str]] = []
    monkeypatch.setattr(transcript._highlights, "letters", lambda language, text: asked.append((language, text)) or "")
    lead = before.rpartition("\n")[2].replace("-", " ")
    model.set_items([answer()])
    model.append_text(0, f"{before}```go\n")
    for number in range(300):
        model.append_text(0, f"{lead}x = {number}\n")
        transcript.area._take_pending()
        transcript.repaint()
    assert asked == []
    if end:
        model.append_text(0, lead + end)
        transcript.area._take_pending()
    else:
        model.replace_item(0, msgspec.structs.replace(model.item(0), is_streaming=False))
    transcript.finish_drawing()
    transcript.repaint()
    assert set(asked) == {("go", "".join(f"x = {number}\n" for number in range(300)).rstrip("\n"))}
