"""The composer by keyboard, input method and paste."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from PySide6.QtCore import QCoreApplication, QMimeData, Qt, QUrl
from PySide6.QtGui import QImage, QInputMethodEvent
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.composer.composer import Composer
from app.composer.composer_edit import PASTE_LIMIT
from app.composer.documents.reader_messages import PagesRead
from app.composer.prompt_size import PromptSize
from app.core.answer_state import AnswerState
from app.ui.plain_text import ElidedLabel
from app.ui.theme import Theme
from engine.store.chat_values import Attachment


@pytest.fixture
def composer(qtbot: QtBot) -> Composer:
    widget = Composer(Theme("light"))
    qtbot.addWidget(widget)
    widget.resize(900, 200)
    widget.show()
    return widget


@pytest.fixture
def sent(composer: Composer) -> list[str]:
    texts: list[str] = []
    composer.submitted.connect(lambda text, _attachments: texts.append(text))
    return texts


def preedit(composer: Composer, text: str) -> None:
    QCoreApplication.sendEvent(composer.edit, QInputMethodEvent(text, []))


def commit(composer: Composer, text: str) -> None:
    event = QInputMethodEvent("", [])
    event.setCommitString(text)
    QCoreApplication.sendEvent(composer.edit, event)


def test_enter_sends_and_shift_enter_breaks_the_line(composer: Composer, sent: list[str]) -> None:
    QTest.keyClicks(composer.edit, "one")
    QTest.keyClick(composer.edit, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClicks(composer.edit, "two")
    QTest.keyClick(composer.edit, Qt.Key.Key_Return)
    assert sent == ["one\ntwo"]


def test_enter_and_shift_enter_can_be_swapped(composer: Composer, sent: list[str]) -> None:
    composer.set_enter_sends(False)
    QTest.keyClicks(composer.edit, "one")
    QTest.keyClick(composer.edit, Qt.Key.Key_Return)
    assert sent == []
    QTest.keyClick(composer.edit, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert sent == ["one\n"]


def test_enter_never_sends_while_an_input_method_composes(composer: Composer, sent: list[str]) -> None:
    QTest.keyClicks(composer.edit, "a")
    preedit(composer, "nihao")
    assert composer.edit.is_composing
    QTest.keyClick(composer.edit, Qt.Key.Key_Return)
    assert sent == []
    commit(composer, "你好")
    # The Enter that commits the candidate, passed on in the same turn of the loop.
    QTest.keyClick(composer.edit, Qt.Key.Key_Return)
    assert sent == []
    assert composer.text == "a你好"
    QCoreApplication.processEvents()
    QTest.keyClick(composer.edit, Qt.Key.Key_Return)
    assert sent == ["a你好"]


def test_a_cancelled_composition_does_not_block_enter(composer: Composer, sent: list[str]) -> None:
    QTest.keyClicks(composer.edit, "a")
    preedit(composer, "ni")
    preedit(composer, "")
    QTest.keyClick(composer.edit, Qt.Key.Key_Return)
    assert sent == ["a"]


def test_enter_does_nothing_while_empty_or_busy(composer: Composer, sent: list[str]) -> None:
    QTest.keyClick(composer.edit, Qt.Key.Key_Return)
    QTest.keyClicks(composer.edit, "text")
    composer.set_state(AnswerState.BUSY)
    QTest.keyClick(composer.edit, Qt.Key.Key_Return)
    assert sent == []
    assert composer.text == "text"


def test_send_turns_into_stop_and_back(composer: Composer, qtbot: QtBot) -> None:
    assert not composer.send.isEnabled()
    QTest.keyClicks(composer.edit, "text")
    assert composer.send.isEnabled()
    composer.set_state(AnswerState.BUSY)
    assert composer.send.accessibleName() == "Stop"
    with qtbot.waitSignal(composer.stop_requested):
        composer.send.click()
    composer.set_state(AnswerState.STOPPING)
    assert not composer.send.isEnabled()
    composer.set_state(AnswerState.IDLE)
    assert (composer.send.accessibleName(), composer.send.isEnabled()) == ("Send", True)


def test_up_in_the_empty_field_brings_earlier_messages(composer: Composer) -> None:
    composer.edit.set_history(["first", "second"])
    for expected in ("second", "first", "first"):
        QTest.keyClick(composer.edit, Qt.Key.Key_Up)
        assert composer.text == expected
    QTest.keyClick(composer.edit, Qt.Key.Key_Down)
    assert composer.text == "second"
    QTest.keyClick(composer.edit, Qt.Key.Key_Down)
    assert composer.text == ""


def test_up_moves_the_cursor_in_a_written_text(composer: Composer) -> None:
    composer.edit.set_history(["earlier"])
    QTest.keyClicks(composer.edit, "mine")
    QTest.keyClick(composer.edit, Qt.Key.Key_Up)
    assert composer.text == "mine"


def test_a_slash_in_the_empty_field_opens_the_prompts(composer: Composer, qtbot: QtBot) -> None:
    with qtbot.waitSignal(composer.prompts_requested):
        QTest.keyClicks(composer.edit, "/")
    with qtbot.assertNotEmitted(composer.prompts_requested):
        QTest.keyClicks(composer.edit, "and/or")
        QCoreApplication.processEvents()


def test_a_long_paste_is_offered_as_an_attachment(composer: Composer, qtbot: QtBot) -> None:
    data = QMimeData()
    data.setText("x" * PASTE_LIMIT)
    composer.edit.insertFromMimeData(data)
    assert len(composer.text) == PASTE_LIMIT
    data.setText("line\n" * 20_000)
    with qtbot.waitSignal(composer.paste_offered) as offered:
        composer.edit.insertFromMimeData(data)
    assert offered.args == ["line\n" * 20_000]
    assert len(composer.text) == PASTE_LIMIT


def test_pasted_files_are_offered(composer: Composer, qtbot: QtBot, tmp_path: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(tmp_path / "a.txt"))])
    with qtbot.waitSignal(composer.files_offered) as offered:
        composer.edit.insertFromMimeData(data)
    assert offered.args == [[tmp_path / "a.txt"]]


def test_a_picture_on_the_clipboard_is_offered_where_there_is_no_text(composer: Composer, qtbot: QtBot) -> None:
    data = QMimeData()
    data.setImageData(QImage(4, 3, QImage.Format.Format_RGB32))
    assert composer.edit.canInsertFromMimeData(data)
    with qtbot.waitSignal(composer.picture_offered) as offered:
        composer.edit.insertFromMimeData(data)
    assert offered.args[0].width() == 4
    data.setText("a cell")
    composer.edit.insertFromMimeData(data)
    assert composer.text == "a cell"


def test_token_counts_that_find_no_room_end_with_a_whole_figure(qtbot: QtBot) -> None:
    composer = Composer(Theme("light", 24))
    qtbot.addWidget(composer)
    composer.set_counts(1_180, 8_192, 900)
    composer.show()
    counts = composer.findChildren(ElidedLabel)[-1]
    shown: list[str] = []
    for width in range(1000, 300, -10):
        composer.resize(width, 200)
        shown.append(counts.shown)
        assert counts.geometry().right() < composer.send.x()
    assert list(dict.fromkeys(shown)) == ["1,180 of 8,192 · prepared 900", "1,180 of 8,192", ""]


def test_attachments_show_their_tokens_go_along_and_can_be_taken_out(composer: Composer) -> None:
    taken: list[tuple[Attachment, ...]] = []
    composer.submitted.connect(lambda _text, attachments: taken.append(attachments))
    first, second = Attachment(name="a.txt", text="A", n_bytes=1), Attachment(name="b.txt", text="B", n_bytes=1)
    composer.files.add(first)
    composer.files.add(second)
    composer.set_attachment_tokens(first, 4310)
    names = {chip.accessibleName() for chip in composer.files.chips}
    assert names == {"a.txt, 4,310 tokens", "b.txt, 1 B"}
    composer.files.chips[1].remove.click()
    QTest.keyClick(composer.edit, Qt.Key.Key_Return)
    assert taken == [(msgspec.structs.replace(first, n_tokens=4310),)]


def test_a_page_of_html_is_previewed_as_its_source(composer: Composer) -> None:
    composer.files.add(Attachment(name="a.html", text='<p><img src="//host/a.png"></p>', n_bytes=31))
    assert "&lt;img" in composer.files.chips[0].toolTip()
    composer.files.add(Attachment(name="a.c", text="if (a < b) return;", n_bytes=18))
    assert composer.files.chips[1].toolTip() == "if (a < b) return;"


def test_a_picture_says_that_it_is_not_seen_and_does_not_go_alone(composer: Composer, sent: list[str]) -> None:
    composer.files.add(Attachment(name="cat.png", mime="image/png", n_bytes=9))
    assert composer.files.chips[0].accessibleName() == "cat.png, this model cannot see it"
    assert not composer.send.isEnabled()
    QTest.keyClick(composer.edit, Qt.Key.Key_Return)
    assert sent == []
    QTest.keyClicks(composer.edit, "hello")
    QTest.keyClick(composer.edit, Qt.Key.Key_Return)
    assert sent == ["hello"]


def test_nothing_is_sent_while_a_file_is_being_read(composer: Composer, sent: list[str], qtbot: QtBot) -> None:
    QTest.keyClicks(composer.edit, "text")
    chip = composer.files.begin_reading("paper.pdf")
    chip.set_progress(PagesRead(3, 12))
    assert chip.accessibleName() == "paper.pdf, page 3 of 12"
    QTest.keyClick(composer.edit, Qt.Key.Key_Return)
    assert (sent, composer.send.isEnabled()) == ([], False)
    with qtbot.waitSignal(chip.cancelled):
        chip.remove.click()
    composer.files.end_reading(chip)
    QTest.keyClick(composer.edit, Qt.Key.Key_Return)
    assert sent == ["text"]


def test_enter_on_a_message_that_is_too_long_opens_the_longest_file(composer: Composer, qtbot: QtBot) -> None:
    short, long = Attachment(name="a", text="A", n_bytes=1), Attachment(name="b", text="B" * 90, n_bytes=90)
    for attachment, n_tokens in ((short, 100), (long, 9000)):
        composer.files.add(attachment)
        composer.set_attachment_tokens(attachment, n_tokens)
    composer.set_size(PromptSize(n_tokens=9200, n_own=9200, room=7000))
    assert composer.overflow.isVisible()
    assert composer.overflow.accessibleName() == "b does not fit: the message is 2,200 tokens too long."
    with qtbot.assertNotEmitted(composer.submitted), qtbot.waitSignal(composer.part_requested) as asked:
        QTest.keyClick(composer.edit, Qt.Key.Key_Return)
    assert asked.args == [long]
    part = msgspec.structs.replace(long, part=(0, 40))
    composer.files.replace(long, part)
    composer.set_attachment_tokens(part, 4000)
    assert not composer.overflow.isVisible()
    assert composer.files.chips[1].accessibleName() == "b, 4,000 of 9,000 tokens"
    with qtbot.waitSignal(composer.submitted):
        QTest.keyClick(composer.edit, Qt.Key.Key_Return)


def test_a_text_that_is_too_long_is_sent_again_once_it_is_shorter(composer: Composer, qtbot: QtBot) -> None:
    QTest.keyClicks(composer.edit, "words")
    composer.set_size(PromptSize(n_tokens=9, n_own=9, room=7))
    with qtbot.assertNotEmitted(composer.submitted), qtbot.waitSignal(composer.text_part_requested):
        QTest.keyClick(composer.edit, Qt.Key.Key_Return)
    QTest.keyClick(composer.edit, Qt.Key.Key_Backspace)
    with qtbot.waitSignal(composer.submitted):
        QTest.keyClick(composer.edit, Qt.Key.Key_Return)


def test_files_are_opened_and_removed_by_key(composer: Composer, qtbot: QtBot) -> None:
    attachment = Attachment(name="a.txt", text="A", n_bytes=1)
    composer.files.add(attachment)
    with qtbot.waitSignal(composer.part_requested):
        QTest.keyClick(composer.files.chips[0], Qt.Key.Key_Return)
    composer.edit.setFocus()
    QTest.keyClick(composer.edit, Qt.Key.Key_Tab)
    assert composer.files.chips[0].hasFocus()
    QTest.keyClick(composer.files.chips[0], Qt.Key.Key_Delete)
    assert composer.attachments == ()


def test_a_part_from_a_kept_draft_says_that_it_is_one(composer: Composer) -> None:
    attachment = Attachment(name="a.txt", text="ABCD", n_bytes=4, part=(0, 2))
    composer.files.add(attachment)
    composer.set_attachment_tokens(attachment, 2)
    assert composer.files.chips[0].accessibleName() == "a.txt, a part, 2 tokens"


def test_many_files_stand_in_lines_within_the_card(composer: Composer, qtbot: QtBot) -> None:
    for number in range(12):
        composer.files.add(Attachment(name=f"file number {number}.txt", text="A", n_bytes=1))
    qtbot.waitUntil(lambda: composer.files.height() > 3 * composer.files.chips[0].height())
    right = max(chip.geometry().right() for chip in composer.files.chips)
    assert right <= composer.files.width()


def test_counts_say_used_room_and_prepared(composer: Composer) -> None:
    composer.set_counts(1204, 8192, 1180)
    assert composer._counts.text() == "1,204 of 8,192 · prepared 1,180"
    composer.set_size(PromptSize(n_tokens=9000, n_own=900, room=7000))
    composer.set_counts(9000, 8192)
    assert composer._counts.text() == "9,000 of 8,192 · earlier turns make room"
    composer.set_size(PromptSize(n_tokens=9000, n_own=8000, room=7000))
    composer.set_counts(9000, 8192)
    assert composer._counts.text() == "9,000 of 8,192 · too long · 1,192 kept for the answer"


def test_the_field_grows_to_a_third_of_the_window(composer: Composer) -> None:
    composer.set_window_height(600)
    low = composer.edit.height()
    composer.set_text("line\n" * 5)
    middle = composer.edit.height()
    composer.set_text("line\n" * 200)
    assert low < middle < composer.edit.height() == 200
    composer.clear()
    assert composer.edit.height() == low


def test_lines_higher_than_the_fonts_own_need_no_scroll_bar(composer: Composer, qtbot: QtBot) -> None:
    composer.set_window_height(600)
    composer.set_text("你好\n世界\nand more")
    qtbot.waitUntil(lambda: composer.edit.height() >= 3 * composer.edit.fontMetrics().lineSpacing())
    assert composer.edit.verticalScrollBar().maximum() == 0


def test_an_empty_message_is_never_called_too_long(composer: Composer) -> None:
    full_chat = PromptSize(263, 263, 255)
    composer.set_size(full_chat)
    assert not composer.overflow.isVisible()
    composer.set_text("and now?")
    composer.set_size(full_chat)
    assert composer.overflow.isVisible()


def test_what_does_not_fit_is_not_sent_and_send_says_so(composer: Composer, qtbot: QtBot) -> None:
    composer.set_text("hello")
    assert composer.send.isEnabled()
    composer.set_size(PromptSize(n_tokens=300, n_own=300, room=255))
    assert not composer.send.isEnabled()
    assert composer.send.toolTip() == "The message is 45 tokens too long for the model's context."
    with qtbot.waitSignal(composer.text_part_requested):
        QTest.keyClick(composer.edit, Qt.Key.Key_Return)
    composer.set_text("hell")
    assert composer.send.isEnabled()


def test_a_full_chat_is_not_called_a_long_message(composer: Composer, qtbot: QtBot) -> None:
    composer.set_text("and now?")
    composer.set_size(PromptSize(n_tokens=263, n_own=5, room=255, is_strict=True))
    composer.set_counts(263, 256)
    said = "This chat is full: with the message it has 263 tokens, and there is room for 255."
    assert composer.overflow.accessibleName() == said
    assert composer._counts.text() == "263 of 256 · the chat is full · 1 kept for the answer"
    assert not composer.send.isEnabled()
    for ask in (composer.overflow.button.click, lambda: QTest.keyClick(composer.edit, Qt.Key.Key_Return)):
        with qtbot.waitSignal(composer.ways_requested):
            ask()
    composer.set_size(PromptSize(n_tokens=263, n_own=5, room=255))
    assert (composer.overflow.isVisible(), composer.send.isEnabled()) == (False, True)
