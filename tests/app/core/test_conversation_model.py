"""The conversation model: streamed text, versions, context."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from app.core.conversation_model import ConversationModel, ItemRole, MessageItem
from engine.protocol.events import PrefillProgress
from engine.protocol.values import Role, Section


def message(name: str, content: str = "", **fields: object) -> MessageItem:
    return MessageItem(id=name, role=Role.ASSISTANT, content=content, **fields)  # type: ignore[arg-type]


@pytest.fixture
def model(qtbot: QtBot) -> ConversationModel:
    return ConversationModel()


def test_streamed_text_is_in_the_item_of_its_section(model: ConversationModel) -> None:
    row = model.append_item(message("a", is_streaming=True))
    for text, section in (("Let", Section.REASONING), (" me", Section.REASONING), ("Yes", Section.ANSWER)):
        model.append_text(row, text, section)
    model.append_text(row, "<call>", Section.TOOL_CALL)
    item = model.item(row)
    assert (item.reasoning, item.content, item.tool_call) == ("Let me", "Yes", "<call>")
    assert model.data(model.index(row), ItemRole) is item


def test_each_piece_is_announced_once_and_without_data_changed(model: ConversationModel, qtbot: QtBot) -> None:
    row = model.append_item(message("a", is_streaming=True))
    changes: list[int] = []
    pieces: list[str] = []
    model.dataChanged.connect(lambda start, _end: changes.append(start.row()))
    model.text_appended.connect(lambda _row, text, _section: pieces.append(text))
    for text in ("a", "", "b"):
        model.append_text(row, text)
    assert pieces == ["a", "b"]
    assert changes == []


def test_the_first_text_ends_the_prefill_line_and_switches_the_section(model: ConversationModel) -> None:
    row = model.append_item(message("a", is_streaming=True, prefill=PrefillProgress(n_done=1, n_total=2)))
    model.append_text(row, "hm", Section.REASONING)
    assert model.item(row).prefill is None
    assert model.item(row).is_in_reasoning
    assert model.item(row).reasoning_seconds is None
    model.append_text(row, "so", Section.ANSWER, reasoning_seconds=1.8)
    assert not model.item(row).is_in_reasoning
    model.append_text(row, " it is", Section.ANSWER, reasoning_seconds=1.8)
    assert model.item(row).reasoning_seconds == 1.8


def test_replacing_wins_over_what_was_streamed(model: ConversationModel) -> None:
    row = model.append_item(message("a", is_streaming=True))
    model.append_text(row, "draft")
    model.replace_item(row, message("b", "final"))
    assert model.item(row).content == "final"
    assert (model.row_of("a"), model.row_of("b")) == (None, row)


def test_a_version_switch_keeps_the_rows_before_it(model: ConversationModel, qtbot: QtBot) -> None:
    model.set_items([message("q"), message("v1"), message("later")])
    resets: list[int] = []
    model.modelReset.connect(lambda: resets.append(1))
    with qtbot.waitSignals([model.rowsRemoved, model.rowsInserted]):
        model.set_items([message("q"), message("v2")])
    assert [item.id for item in model.items()] == ["q", "v2"]
    assert model.row_of("later") is None
    assert not resets


def test_another_chat_is_a_reset(model: ConversationModel, qtbot: QtBot) -> None:
    model.set_items([message("a"), message("b")])
    with qtbot.waitSignal(model.modelReset):
        model.set_items([message("c")])
    assert (model.row_of("a"), model.row_of("c")) == (None, 0)


def test_removing_a_message_moves_those_after_it(model: ConversationModel) -> None:
    model.set_items([message("a"), message("b"), message("c")])
    model.append_text(2, "late")
    model.set_items([message("a"), model.item(2)])
    assert [(item.id, item.content) for item in model.items()] == [("a", ""), ("c", "late")]
    assert model.row_of("c") == 1


def test_where_the_context_begins_is_told_once(model: ConversationModel, qtbot: QtBot) -> None:
    model.set_items([message("a"), message("b"), message("c")])
    assert model.context_start_row == 0
    with qtbot.waitSignal(model.context_changed):
        model.set_context_start(1, "summarised")
    with qtbot.assertNotEmitted(model.context_changed):
        model.set_context_start(1, "summarised")
    assert (model.context_start_row, model.context_note) == (1, "summarised")
