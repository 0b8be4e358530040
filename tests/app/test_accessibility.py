"""What a screen reader finds in the whole window, through the interfaces that Qt gives it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from app_scene import Run, ask, until, window
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QWidget

from app.core.conversation_model import ConversationModel, MessageItem
from app.transcript.transcript_view import Transcript
from app.ui.theme import Theme
from engine.protocol import Role

Find = QAccessible.Role
CONTROLS = {
    Find.Button, Find.ButtonMenu, Find.CheckBox, Find.RadioButton, Find.ComboBox, Find.EditableText, Find.List,
    Find.Slider, Find.SpinBox, Find.PageTab,
}  # fmt: skip


def tree(widget: QWidget) -> Iterator[QAccessibleInterface]:
    """Everything under `widget`, as an assistive technology walks it."""
    waiting = [QAccessible.queryAccessibleInterface(widget)]
    while waiting:
        interface = waiting.pop()
        yield interface
        children = [interface.child(number) for number in range(interface.childCount())]
        waiting += [child for child in reversed(children) if child is not None and not child.state().invisible]


def name(interface: QAccessibleInterface) -> str:
    return interface.text(QAccessible.Text.Name)


def texts(widget: QWidget) -> list[str]:
    """The messages, in the order in which they are read."""
    return [name(interface) for interface in tree(widget) if interface.role() is Find.ListItem]


@pytest.mark.parametrize("has_panel", [False, True])
def test_every_control_has_a_name_and_every_message_a_text(run: Run, has_panel: bool) -> None:
    async def work() -> None:
        async with window() as app:
            await until(lambda: app.transcript is not None and app.latency is not None)
            if has_panel:
                app.window.toggle_panel()
            answer = await ask(app, "Hello there")
            assert app.transcript is not None
            app.transcript.finish_drawing()
            assert texts(app.transcript) == ["You: Hello there", f"Assistant: {answer.content.strip()}"]
            found = list(tree(app.window))
            nameless = [each.object() for each in found if each.role() in CONTROLS and not name(each)]
            assert nameless == []
            names = {name(each) for each in found if each.role() in CONTROLS}
            assert {"Message", "Send"} <= names
            # Beside the panel a window of this width has no room for the chats.
            assert ({"New chat", "Search all chats", "Chats", "Models", "Settings"} <= names) is not has_panel
            figures = {name(each) for each in found if each.role() is Find.StaticText}
            assert any("tok/s" in figure for figure in figures)

    run(work())


def test_messages_are_read_in_their_order_after_scrolling_up(qtbot: object) -> None:
    model = ConversationModel()
    transcript = Transcript(model, Theme("light"))
    transcript.resize(760, 500)
    transcript.show()
    model.set_items([MessageItem(id=f"m{n}", role=Role.USER, content=f"Message {n}") for n in range(200)])
    transcript.finish_drawing()
    for message_id in ("m150", "m40", "m44"):
        transcript.scroll_to_message(message_id)
        transcript.finish_drawing()
        assert texts(transcript) == [f"You: Message {n}" for n in range(200)]
        (listed,) = (each for each in tree(transcript) if each.role() is Find.List)
        assert listed.childCount() == 200
        shown = [each for each in tree(transcript) if each.role() is Find.ListItem and each.textInterface() is not None]
        assert 2 < len(shown) < 50
        assert all(listed.indexOfChild(each) == int(name(each).split()[-1]) for each in shown)
    transcript.close()


def test_a_screen_reader_may_ask_a_message_for_anything(qtbot: object) -> None:
    model = ConversationModel()
    transcript = Transcript(model, Theme("light"))
    transcript.resize(760, 500)
    transcript.show()
    model.set_items([MessageItem(id="m", role=Role.ASSISTANT, content="One **bold** word")])
    transcript.finish_drawing()
    (card,) = transcript.area.visible_cards()
    interface = QAccessible.queryAccessibleInterface(card)
    assert interface.valueInterface() is None
    assert interface.actionInterface() is not None
    assert interface.textInterface().text(4, 8) == "bold"
    holder = interface.parent()
    assert (holder.role(), name(holder)) == (Find.List, "Conversation")
    assert holder.indexOfChild(interface) == 0
    assert holder.child(7) is None
    transcript.close()
