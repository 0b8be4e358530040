"""The transcript on screen: virtualised, following, stable, and honest about the first glyph."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import msgspec
import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QFocusEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.core.conversation_model import ConversationModel, MessageItem
from app.markdown.block_layouts import BlockLayout
from app.transcript.message_area import MAX_CARDS
from app.transcript.message_card import MessageCard
from app.transcript.transcript_view import Transcript
from app.ui.theme import DARK, LIGHT, Theme
from engine.protocol.events import PrefillProgress
from engine.protocol.values import Role, Section

Settle = Callable[[], None]


def chat(n_messages: int) -> list[MessageItem]:
    roles = (Role.USER, Role.ASSISTANT)
    return [
        MessageItem(id=f"m{n}", role=roles[n % 2], content=f"Words of message {n}. " * (5 + n % 30))
        for n in range(n_messages)
    ]


def answer(**fields: object) -> MessageItem:
    return MessageItem(id="answer", role=Role.ASSISTANT, is_streaming=True, **fields)  # type: ignore[arg-type]


def card_of(transcript: Transcript, message_id: str) -> MessageCard:
    return next(card for card in transcript.area.visible_cards() if card.item.id == message_id)


def test_only_cards_near_the_screen_exist(transcript: Transcript, model: ConversationModel, settle: Settle) -> None:
    model.set_items(chat(3_000))
    settle()
    assert transcript.area.visible_cards()[-1].item.id == "m2999"
    bar = transcript.area.verticalScrollBar()
    for step in range(40):
        bar.setValue(round(bar.maximum() * step / 40))
        settle()
    assert len(transcript.findChildren(MessageCard)) <= MAX_CARDS + 1


def test_scrolling_up_never_moves_what_is_being_read(
    transcript: Transcript, model: ConversationModel, settle: Settle
) -> None:
    model.set_items(chat(400))
    settle()
    bar = transcript.area.verticalScrollBar()
    bar.setValue(bar.maximum() // 2)
    settle()
    for _ in range(60):
        before = {card.item.id: card.geometry().bottom() for card in transcript.area.visible_cards()}
        bar.setValue(bar.value() - 40)
        settle()
        after = {card.item.id: card.geometry().bottom() for card in transcript.area.visible_cards()}
        moves = {after[name] - before[name] for name in after.keys() & before.keys()}
        assert moves
        assert all(abs(move - 40) <= 1 for move in moves)


def test_cards_follow_each_other_without_gaps_or_overlap(
    transcript: Transcript, model: ConversationModel, settle: Settle
) -> None:
    model.set_items(chat(100))
    settle()
    transcript.area.verticalScrollBar().setValue(700)
    settle()
    cards = transcript.area.visible_cards()
    assert len(cards) > 2
    for above, below in pairwise(cards):
        assert abs(above.y() + above.height() - below.y()) <= 1


def test_both_ends_can_be_reached(transcript: Transcript, model: ConversationModel, settle: Settle) -> None:
    model.set_items(chat(200))
    settle()
    QTest.keyClick(transcript.area, Qt.Key.Key_Home)
    settle()
    first = transcript.area.visible_cards()[0]
    assert (first.item.id, first.y()) == ("m0", 26)
    QTest.keyClick(transcript.area, Qt.Key.Key_End)
    settle()
    last = transcript.area.visible_cards()[-1]
    assert last.item.id == "m199"
    assert last.y() + last.height() <= transcript.area.viewport().height() + 1


def test_it_follows_the_stream_only_at_the_end(
    transcript: Transcript, model: ConversationModel, settle: Settle
) -> None:
    model.set_items([*chat(40), answer()])
    settle()
    for _ in range(30):
        model.append_text(40, "another line of the answer\n\n")
    settle()
    assert transcript.area.is_following
    card = card_of(transcript, "answer")
    assert card.y() + card.height() <= transcript.area.viewport().height() + 1
    bar = transcript.area.verticalScrollBar()
    bar.setValue(bar.value() - 300)
    settle()
    place = {card.item.id: card.y() for card in transcript.area.visible_cards()}
    for _ in range(30):
        model.append_text(40, "and another\n\n")
    settle()
    assert not transcript.area.is_following
    assert all(card.y() == place.get(card.item.id, card.y()) for card in transcript.area.visible_cards())


def test_the_end_of_an_answer_does_not_move_the_page(
    transcript: Transcript, model: ConversationModel, settle: Settle
) -> None:
    model.set_items([*chat(40), answer()])
    model.append_text(40, "text\n\n" * 200)
    settle()
    bar = transcript.area.verticalScrollBar()
    bar.setValue(bar.value() - 1_500)
    settle()
    places = {card.item.id: card.y() for card in transcript.area.visible_cards()}
    model.replace_item(40, msgspec.structs.replace(model.item(40), is_streaming=False))
    settle()
    assert {card.item.id: card.y() for card in transcript.area.visible_cards()} == places


def test_the_jump_button_shows_away_from_the_end_and_leads_back(
    transcript: Transcript, model: ConversationModel, settle: Settle
) -> None:
    model.set_items(chat(60))
    settle()
    jump = next(child for child in transcript.children() if type(child).__name__ == "JumpButton")
    assert not jump.isVisible()  # type: ignore[attr-defined]
    transcript.area.verticalScrollBar().setValue(0)
    settle()
    assert jump.isVisible()  # type: ignore[attr-defined]
    jump.click()  # type: ignore[attr-defined]
    settle()
    assert transcript.area.is_following
    assert not jump.isVisible()  # type: ignore[attr-defined]


def test_nothing_leads_back_where_all_of_the_chat_is_in_view(
    transcript: Transcript, model: ConversationModel, settle: Settle
) -> None:
    model.set_items(chat(2))
    settle()
    transcript.scroll_to_message(model.item(0).id)
    settle()
    assert transcript.area.is_following
    model.set_items(chat(60))
    settle()
    transcript.scroll_to_message(model.item(0).id)
    settle()
    assert not transcript.area.is_following


def test_the_first_glyph_is_painted_at_once_and_reported_once(
    transcript: Transcript, model: ConversationModel, settle: Settle, qtbot: QtBot
) -> None:
    model.set_items([*chat(4), answer(prefill=PrefillProgress(n_done=10, n_total=100))])
    settle()
    painted: list[str] = []
    transcript.first_token_painted.connect(painted.append)
    model.append_text(4, "\n")
    settle()
    assert painted == []
    model.append_text(4, "Hello")
    assert painted == ["answer"]
    model.append_text(4, " world")
    settle()
    assert painted == ["answer"]


def test_reasoning_counts_as_the_first_glyph(transcript: Transcript, model: ConversationModel, settle: Settle) -> None:
    model.set_items([answer()])
    settle()
    painted: list[str] = []
    transcript.first_token_painted.connect(painted.append)
    model.append_text(0, "Hmm", Section.REASONING)
    assert painted == ["answer"]


def test_streaming_lays_out_only_the_tail(transcript: Transcript, model: ConversationModel, settle: Settle) -> None:
    model.set_items([answer()])
    model.append_text(0, "A paragraph that is done.\n\n" * 50 + "The tail grows")
    settle()
    document = card_of(transcript, "answer").sections.body.document
    stable = [document.layout_at((index, 0, 0)) for index in range(49)]
    for _ in range(20):
        model.append_text(0, " and grows")
    settle()
    assert [document.layout_at((index, 0, 0)) for index in range(49)] == stable


def test_the_theme_and_the_font_change_live(
    transcript: Transcript, model: ConversationModel, theme: Theme, settle: Settle
) -> None:
    model.set_items(chat(20))
    settle()
    transcript.setPalette(theme.palette())
    light = transcript.grab().toImage().pixelColor(2, 2)
    height = transcript.area.visible_cards()[-1].height()
    theme.set_choice("dark")
    theme.set_font(22)
    settle()
    transcript.setPalette(theme.palette())
    settle()
    assert transcript.area.visible_cards()[-1].height() > height
    assert transcript.area.visible_cards()[-1].item.id == "m19"
    dark = transcript.grab().toImage().pixelColor(2, 2)
    assert (light.name(), dark.name()) == (LIGHT.bg, DARK.bg)


def test_the_keyboard_walks_from_message_to_message(
    transcript: Transcript, model: ConversationModel, settle: Settle
) -> None:
    model.set_items(chat(50))
    settle()
    transcript.area.setFocus()
    visited = []
    for _ in range(8):
        QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Up, Qt.KeyboardModifier.ControlModifier)
        settle()
        focused = QApplication.focusWidget()
        assert isinstance(focused, MessageCard)
        visited.append(int(focused.item.id.removeprefix("m")))
        assert focused.geometry().intersects(transcript.area.viewport().rect())
    assert visited == list(range(visited[0], visited[0] - 8, -1))


def test_a_search_hit_is_brought_into_view(transcript: Transcript, model: ConversationModel, settle: Settle) -> None:
    model.set_items(chat(500))
    settle()
    transcript.scroll_to_message("m123")
    settle()
    assert card_of(transcript, "m123").y() < 100


def test_deleting_and_switching_keep_the_transcript_alive(
    transcript: Transcript, model: ConversationModel, settle: Settle
) -> None:
    model.set_items(chat(30))
    settle()
    model.set_items([each for each in chat(30) if each.id != "m15"])
    settle()
    model.set_items(chat(30)[:10])
    settle()
    model.set_items([])
    settle()
    assert transcript.area.visible_cards() == []
    model.set_items(chat(3))
    settle()
    assert [card.item.id for card in transcript.area.visible_cards()] == ["m0", "m1", "m2"]


def test_twenty_thousand_pasted_lines_are_laid_out_as_they_are_seen(
    transcript: Transcript, model: ConversationModel, settle: Settle, monkeypatch: pytest.MonkeyPatch
) -> None:
    laid_out: list[BlockLayout] = []
    arrange = BlockLayout.arrange
    monkeypatch.setattr(BlockLayout, "arrange", lambda each, width: laid_out.append(each) or arrange(each, width))
    text = "\n".join(f"line {number} of a long paste" for number in range(20_000))
    model.set_items([MessageItem(id="paste", role=Role.USER, content=text)])
    settle()
    card = card_of(transcript, "paste")
    assert card.sections.body.document.text() == text
    assert card.height() > 20_000 * 15
    assert sum(each.height for each in laid_out) < 20_000


def test_the_context_marker_stands_above_the_first_message_that_is_seen(
    transcript: Transcript, model: ConversationModel, settle: Settle
) -> None:
    model.set_items(chat(4))
    settle()
    before = card_of(transcript, "m2").height()
    model.set_context_start(2, "earlier turns summarised")
    settle()
    assert card_of(transcript, "m2").height() > before
    assert card_of(transcript, "m1").geometry().bottom() < card_of(transcript, "m2").y() + 1


def test_a_click_beside_text_is_harmless(transcript: Transcript, model: ConversationModel, settle: Settle) -> None:
    model.set_items([*chat(3), answer()])
    settle()
    for card in transcript.area.visible_cards():
        for point in (QPoint(1, 1), QPoint(card.width() - 1, card.height() - 1), QPoint(400, 2)):
            QTest.mouseClick(card, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, point)
            QTest.mouseDClick(card, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, point)
    assert transcript.area.visible_cards()


def test_another_width_keeps_the_place(
    transcript: Transcript, model: ConversationModel, settle: Settle, qtbot: QtBot
) -> None:
    model.set_items(chat(300))
    settle()
    transcript.scroll_to_message("m150")
    settle()
    transcript.resize(500, 600)
    qtbot.waitUntil(lambda: transcript.area.column_width < 500 and not transcript.area.is_resizing)
    settle()
    assert "m150" in [card.item.id for card in transcript.area.visible_cards()]
    transcript.resize(820, 600)
    qtbot.waitUntil(lambda: not transcript.area.is_resizing)
    settle()
    assert "m150" in [card.item.id for card in transcript.area.visible_cards()]


def test_nothing_leads_back_from_a_message_at_the_end(
    transcript: Transcript, model: ConversationModel, settle: Settle
) -> None:
    model.set_items(chat(60))
    settle()
    transcript.scroll_to_message(model.item(59).id)
    settle()
    bar = transcript.area.verticalScrollBar()
    assert bar.value() == bar.maximum()
    assert transcript.area.is_following


def test_a_bar_tells_that_the_keyboard_scrolls_but_a_click_shows_none(
    transcript: Transcript, model: ConversationModel, settle: Settle
) -> None:
    model.set_items(chat(4))
    settle()
    bar = transcript.area.viewport().findChild(QWidget, "focusBar", Qt.FindChildOption.FindDirectChildrenOnly)
    assert bar is not None
    shown = []
    for reason in (Qt.FocusReason.MouseFocusReason, Qt.FocusReason.TabFocusReason):
        QApplication.sendEvent(transcript.area, QFocusEvent(QEvent.Type.FocusIn, reason))
        shown.append(bar.isVisible())
    QApplication.sendEvent(transcript.area, QFocusEvent(QEvent.Type.FocusOut))
    assert [*shown, bar.isVisible()] == [False, True, False]
