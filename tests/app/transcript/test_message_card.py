"""One message: selection, copying, links, folding, editing, footer, and what screen readers get."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QAccessible, QColor, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel, QMenu, QPlainTextEdit

from app.core.conversation_model import ConversationModel, MessageItem
from app.markdown.blocks import CodeBlock
from app.markdown.code_layout import CodeLayout
from app.markdown.helper_protocol import Snippet
from app.markdown.picture_loader import PictureState
from app.transcript.content_menu import content_actions
from app.transcript.footer_figures import figures
from app.transcript.message_card import MessageCard
from app.transcript.transcript_view import Transcript
from engine.metrics import RequestMetrics
from engine.protocol.values import Role, Section

Settle = Callable[[], None]
RICH = (
    "One **bold** word.\n\n- item `code`\n- [site](https://real.example/x)\n\n"
    "```python\nx = 1\n  y = 2\n```\n\nLast $x^2$."
)


@pytest.fixture
def show(transcript: Transcript, model: ConversationModel, settle: Settle) -> Callable[..., MessageCard]:
    def run(content: str = RICH, **fields: object) -> MessageCard:
        made = {"role": Role.ASSISTANT, **fields}
        model.set_items([MessageItem(id="a", content=content, **made)])  # type: ignore[arg-type]
        settle()
        return transcript.area.visible_cards()[0]

    return run


def clipboard() -> str:
    return QGuiApplication.clipboard().text()


def point_of(card: MessageCard, block: int, offset: int = 0) -> QPoint:
    """Where a character of the body is painted."""
    body = card.sections.body
    document = body.document
    place, left = (0, 0, 0), block
    while left:
        place = document.neighbour((place[0], place[1], document.layout_at(place).length), 1)
        left -= 1
    rect = document.rect_of((place[0], place[1], offset))
    return QPointF(rect.x() + body.left + 2, rect.center().y() + body.top).toPoint()


def click(card: MessageCard, point: QPoint) -> None:
    QTest.mouseClick(card, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, point)


def button(card: MessageCard, label: str) -> QAbstractButton:
    return next(b for b in card.findChildren(QAbstractButton) if label in (b.text(), b.accessibleName()))


def color_at(card: MessageCard, x: float, y: float) -> QColor:
    return card.grab().toImage().pixelColor(round(x), round(y))


def test_the_keyboard_s_mark_stands_beside_the_bubble_and_below_the_context_s_line(
    show: Callable[..., MessageCard],
) -> None:
    card = show("short", role=Role.USER)
    card.setFocus()
    ground, bubble = color_at(card, 30, 5), card._bubble
    assert color_at(card, bubble.left() - 11, bubble.center().y()) != ground
    assert color_at(card, 0, bubble.center().y()) == ground
    card = show("An answer.")
    card.set_marker("the model sees from here")
    card.setFocus()
    assert color_at(card, 0, 5) == ground
    assert color_at(card, 0, card.height() - 30) != ground


def test_a_version_that_does_not_exist_is_faded_in_the_footer(show: Callable[..., MessageCard]) -> None:
    card = show("An answer.", version_index=1, version_count=2)

    def darkest(button: QAbstractButton) -> int:
        image = button.grab().toImage()
        return min(image.pixelColor(x, y).lightness() for x in range(image.width()) for y in range(image.height()))

    previous, following = card._footer._previous, card._footer._next
    assert previous.isEnabled()
    assert not following.isEnabled()
    assert darkest(following) > darkest(previous) + 40


def test_everything_selected_is_copied_as_faithful_text(show: Callable[..., MessageCard]) -> None:
    card = show()
    QTest.keyClick(card, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(card, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert clipboard() == "One bold word.\n\n- item code\n- site\n\nx = 1\n  y = 2\n\nLast $x^2$."


def test_a_double_click_selects_a_word_and_a_third_the_paragraph(show: Callable[..., MessageCard]) -> None:
    card = show("alpha beta gamma")
    point = point_of(card, 0, 7)
    QTest.mouseDClick(card, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, point)
    assert card.interaction.selected_text == "beta"
    click(card, point)
    assert card.interaction.selected_text == "alpha beta gamma"


def test_a_drag_selects_across_blocks(show: Callable[..., MessageCard]) -> None:
    card = show("first paragraph\n\nsecond paragraph")
    QTest.mousePress(card, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, point_of(card, 0, 6))
    QTest.mouseMove(card, point_of(card, 1, 6))
    QTest.mouseRelease(card, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, point_of(card, 1, 6))
    QTest.keyClick(card, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert clipboard() == "paragraph\n\nsecond"


def test_shift_and_arrows_extend_the_selection(show: Callable[..., MessageCard]) -> None:
    card = show("alpha beta\n\ngamma")
    click(card, point_of(card, 0, 0))
    for _ in range(5):
        QTest.keyClick(card, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert card.interaction.selected_text == "alpha"
    QTest.keyClick(card, Qt.Key.Key_End, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClick(card, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClick(card, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert card.interaction.selected_text == "alpha beta\n\ng"
    QTest.keyClick(card, Qt.Key.Key_Escape)
    assert card.interaction.selected_text == ""


def test_offsets_survive_emoji_and_right_to_left_text(show: Callable[..., MessageCard]) -> None:
    card = show("\U0001f600\U0001f680 alpha مرحبا beta")
    QTest.mouseDClick(card, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, point_of(card, 0, 4))
    assert card.interaction.selected_text == "alpha"


def test_a_selection_ends_where_another_begins(
    transcript: Transcript, model: ConversationModel, settle: Settle
) -> None:
    model.set_items([MessageItem(id=name, role=Role.ASSISTANT, content=f"text {name}") for name in "ab"])
    settle()
    first, second = transcript.area.visible_cards()
    first.interaction.select_all()
    click(second, point_of(second, 0, 2))
    assert first.interaction.selected_text == ""


def test_code_that_an_answer_leaves_open_is_closed_with_it(
    show: Callable[..., MessageCard], transcript: Transcript, model: ConversationModel, settle: Settle
) -> None:
    """What comes after it in the chat is no part of it, and it gets its colours."""
    text = "So:\n\n```python\nx = 1\n"
    card = show(text, is_streaming=True)
    (code,) = (block for block in card.sections.body.document.blocks() if isinstance(block, CodeBlock))
    assert not code.is_closed
    model.replace_item(0, msgspec.structs.replace(model.item(0), is_streaming=False))
    settle()
    body = card.sections.body
    layouts = [body.document.layout_at((part, 0, 0)) for part in (0, 1)]
    assert layouts[1].block == CodeBlock(text="x = 1", language="python", is_closed=True)
    assert transcript._highlights.is_answered(Snippet("python", "x = 1"))
    model.append_item(MessageItem(id="b", role=Role.ASSISTANT, content="*Next*"))
    settle()
    assert transcript.area.visible_cards()[-1].sections.body.document.text() == "Next"


LITERAL = "a_b_c = '*x*'  # **not** _bold_ $5$ &amp; <b>\n\n\tif x:\n    return [y](z)"


@pytest.mark.parametrize("code_text", ["x = 1\n  y = 2", LITERAL])
@pytest.mark.parametrize("fence", ["```python", "- item\n\n  ```python"])
def test_the_copy_control_of_code_copies_the_source(
    show: Callable[..., MessageCard], code_text: str, fence: str
) -> None:
    indent = "  " if fence.startswith("-") else ""
    lines = "\n".join(indent + line if line else line for line in code_text.split("\n"))
    card = show(f"Some *words*.\n\n{fence}\n{lines}\n{indent}```\n\nThe end.")
    body = card.sections.body
    document = body.document
    place = document.start()
    code = document.layout_at(place)
    while not isinstance(code, CodeLayout):
        place = document.neighbour((*place[:2], document.layout_at(place).length), 1)
        code = document.layout_at(place)
    assert code.shown() == code_text
    top_left = document.rect_of((*place[:2], 0))
    left = top_left.left() - code.cursor_rect(0).left()
    corner = QPointF(body.left + left + code.width - 20, body.top + top_left.top() - 25)
    click(card, corner.toPoint())
    assert clipboard() == code_text
    assert code.is_just_copied


@pytest.mark.parametrize("role", [Role.USER, Role.ASSISTANT])
@pytest.mark.parametrize("text", ["Only $59(save $100)", "It costs $5 and then $10.", "价格$5和$10元"])
def test_money_is_shown_as_it_is_written(show: Callable[..., MessageCard], text: str, role: Role) -> None:
    card = show(text, role=role)
    assert card.sections.body.document.layout_at((0, 0, 0)).shown() == text
    assert card.sections.body.document.text() == text


def test_a_link_tells_its_target_and_opens_nothing_itself(
    show: Callable[..., MessageCard], transcript: Transcript
) -> None:
    card = show("see [paypal.com](https://evil.example/login) now")
    asked: list[tuple[str, str]] = []
    transcript.link_requested.connect(lambda url, text: asked.append((url, text)))
    point = point_of(card, 0, 8)
    QTest.mouseMove(card, point)
    click(card, point)
    assert asked == [("https://evil.example/login", "paypal.com")]


def test_a_remote_picture_is_fetched_only_after_a_click(
    show: Callable[..., MessageCard], transcript: Transcript, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetched: list[str] = []
    monkeypatch.setattr(transcript.pictures, "_fetch", fetched.append)
    card = show("![chart](https://evil.example/?q=secret)")
    assert fetched == []
    assert transcript.pictures.state("https://evil.example/?q=secret") is PictureState.OFFERED
    click(card, point_of(card, 0, 0))
    assert fetched == ["https://evil.example/?q=secret"]
    assert transcript.pictures.state("https://evil.example/?q=secret") is PictureState.LOADING


def test_an_image_amid_text_is_only_a_link(show: Callable[..., MessageCard], transcript: Transcript) -> None:
    card = show("see ![chart](https://evil.example/a.png)")
    asked: list[str] = []
    transcript.link_requested.connect(lambda url, _text: asked.append(url))
    click(card, point_of(card, 0, 6))
    assert asked == ["https://evil.example/a.png"]


def test_formulas_are_drawn_or_shown_as_they_are_written(
    show: Callable[..., MessageCard], transcript: Transcript
) -> None:
    card = show("so $x^2$ is")
    transcript.set_math_on(False)
    assert card.sections.body.document.layout_at((0, 0, 0)).shown() == "so $x^2$ is"
    transcript.set_math_on(True)
    transcript.finish_drawing()
    assert card.sections.body.document.layout_at((0, 0, 0)).shown() == "so x is"


def test_what_the_user_typed_is_literal(show: Callable[..., MessageCard]) -> None:
    text = "#### not a heading\n  **not bold** $5 <b>tag</b>\n```\nfence"
    card = show(text, role=Role.USER)
    assert card.sections.body.document.text() == text


def test_reasoning_folds_and_unfolds(show: Callable[..., MessageCard]) -> None:
    card = show("Answer.", reasoning="Long thoughts.\n\n" * 5, reasoning_seconds=1.8)
    fold = next(b for b in card.findChildren(QAbstractButton) if b.text().startswith("Thought for 1.8 s"))
    folded = card.height()
    fold.click()
    assert card.height() > folded + 50
    assert "Long thoughts." in card.spoken().text
    fold.click()
    assert card.height() == folded


def test_an_unclosed_think_tag_never_hides_the_text(show: Callable[..., MessageCard]) -> None:
    card = show("", reasoning="All that was said.", note="The reasoning was never closed.")
    assert "All that was said." in card.spoken().text
    assert "never closed" in card.spoken().text


def test_a_tool_call_is_shown_as_markup(show: Callable[..., MessageCard]) -> None:
    call = '<tool_call>\n{"name": "x"}\n```\n</tool_call>'
    card = show("Looking.", tool_call=call)
    assert call in card.spoken().text


def test_editing_in_place(show: Callable[..., MessageCard], transcript: Transcript, settle: Settle) -> None:
    card = show("Some **source**", role=Role.USER)
    sent: list[tuple[str, str]] = []
    transcript.edit_submitted.connect(lambda name, text, _ended: sent.append((name, text)))
    transcript.start_edit("a")
    settle()
    field = card.findChildren(QPlainTextEdit)[0]
    assert field.toPlainText() == "Some **source**"
    field.setPlainText("Other")
    QTest.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert sent == [("a", "Other")]
    transcript.start_edit("a")
    QTest.keyClick(card.findChildren(QPlainTextEdit)[-1], Qt.Key.Key_Escape)
    assert sent == [("a", "Other")]
    assert not card.is_pinned


def test_the_footer_says_only_what_was_measured(show: Callable[..., MessageCard]) -> None:
    metrics = RequestMetrics(decode_tps=121.3, ttft=0.038, n_decoded=286, n_prepared_tokens=1912)
    card = show("x", metrics=metrics, perceived_ttft=0.062)
    said = QAccessible.queryAccessibleInterface(card).text(QAccessible.Text.Description)
    assert said == "121 tok/s, TTFT 62 ms, 286 tokens, 1,912 prepared while you typed"
    assert card.item is not None
    assert "own part is 38 ms" in figures(card.item)[1].definition
    bare = show("y", metrics=RequestMetrics(n_decoded=1))
    assert QAccessible.queryAccessibleInterface(bare).text(QAccessible.Text.Description) == "1 token"


def test_a_cut_answer_offers_to_go_on(show: Callable[..., MessageCard], transcript: Transcript) -> None:
    wanted: list[str] = []
    transcript.continue_requested.connect(wanted.append)
    card = show("So", is_cut=True)
    button(card, "Continue").click()
    assert wanted == ["a"]
    assert not button(show("So it is."), "Continue").isVisible()


def test_every_action_is_a_signal(show: Callable[..., MessageCard], transcript: Transcript) -> None:
    card = show("x", version_index=1, version_count=3)
    got: list[object] = []
    transcript.copy_requested.connect(got.append)
    transcript.regenerate_requested.connect(got.append)
    transcript.version_requested.connect(lambda name, index: got.append((name, index)))
    for label in ("Copy", "Regenerate", "Previous version", "Next version"):
        button(card, label).click()
    assert got == ["a", "a", ("a", 0), ("a", 2)]


def test_the_footer_waits_for_the_end_of_the_answer(
    show: Callable[..., MessageCard], model: ConversationModel, settle: Settle
) -> None:
    card = show("partial", is_streaming=True)
    assert not button(card, "Regenerate").isVisible()
    model.replace_item(0, msgspec.structs.replace(model.item(0), is_streaming=False, note="Stopped by you."))
    settle()
    assert button(card, "Regenerate").isVisible()
    assert card.spoken().text == "partial\n\nStopped by you."


def test_a_screen_reader_gets_the_text(show: Callable[..., MessageCard]) -> None:
    card = show(model_name="Qwen3 8B")
    interface = QAccessible.queryAccessibleInterface(card)
    assert interface.text(QAccessible.Text.Name).startswith("Assistant: One bold word.")
    assert interface.text(QAccessible.Text.Description) == "Qwen3 8B"
    text = interface.textInterface()
    assert text.text(0, 8) == "One bold"
    assert text.characterCount() == len(card.spoken().text)
    assert "$x^2$" in text.text(0, text.characterCount())
    card.interaction.select_all()
    assert text.selectionCount() == 1


def test_every_button_has_a_name(show: Callable[..., MessageCard]) -> None:
    card = show("x", version_count=2, reasoning="y")
    buttons = [child for child in card.findChildren(QAbstractButton) if child.isVisible()]
    assert len(buttons) >= 7
    assert all(child.accessibleName() for child in buttons)


def test_a_tool_call_that_became_part_of_the_answer_leaves_nothing_behind(
    show: Callable[..., MessageCard], model: ConversationModel, settle: Settle
) -> None:
    card = show("Let me look.", is_streaming=True)
    model.append_text(0, "<tool_call>{}</tool_call>", Section.TOOL_CALL)
    settle()
    assert card.sections.tool_call is not None
    done = msgspec.structs.replace(
        model.item(0), content="Let me look.<tool_call>{}</tool_call>", tool_call="", is_streaming=False
    )
    model.replace_item(0, done)
    settle()
    assert card.sections.tool_call is None
    assert list(card.sections.shown()) == [card.sections.body]


def test_the_whole_message_is_copied_as_plain_text_from_its_menu(show: Callable[..., MessageCard]) -> None:
    card = show()
    *_, plain = content_actions(card.sections, QMenu(card), card.link_activated)
    assert plain.text() == "Copy as plain text"
    plain.trigger()
    assert clipboard().startswith("One bold word.")
    assert "x = 1\n  y = 2" in clipboard()
    assert "```" not in clipboard()


def test_escape_does_not_throw_a_changed_text_away(
    show: Callable[..., MessageCard], transcript: Transcript, settle: Settle
) -> None:
    card = show("Some source", role=Role.USER)
    transcript.start_edit("a")
    settle()
    field = card.findChildren(QPlainTextEdit)[0]
    QTest.keyClicks(field, "!")
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert card.is_pinned
    assert field.toPlainText() == "Some source!"
    button(card, "Cancel").click()
    assert not card.is_pinned


def test_the_key_that_ends_an_edit_can_be_read(show: Callable[..., MessageCard], transcript: Transcript) -> None:
    card = show("Some text", role=Role.USER)
    transcript.start_edit("a")
    assert "Ctrl+Enter: Send" in [label.text() for label in card.findChildren(QLabel) if label.isVisible()]
