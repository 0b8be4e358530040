"""Files on their way into a message: documents, faults, cancelling, and a part that fits, in the real window."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from app_scene import Run, emitted, until, window, write
from document_files import encrypted_pdf_bytes, paragraph, pdf_bytes, write_docx
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QLineEdit

from app.application import Application
from app.composer.attachment_controller import page_ranges
from app.composer.attachments import FileKind
from app.composer.document_reader import read_document
from app.composer.documents.reader_messages import PagesRead
from app.composer.part_dialog import PartChoice
from engine.errors import RequestError
from engine.store.chats import ChatStore

ROOT = Path(__file__).resolve().parents[3]


async def take(application: Application, path: Path) -> None:
    application.attachments.take([path])
    await until(lambda: bool(application.composer.attachments) and not application.composer.files.reading)


def test_a_pdf_and_a_word_file_become_text_with_tokens(run: Run, tmp_path: Path) -> None:
    paper = tmp_path / "papér.pdf"
    paper.write_bytes(pdf_bytes(["one two", "three"]))

    async def scene() -> None:
        async with window() as app:
            await take(app, paper)
            attachment = app.composer.attachments[0]
            assert (attachment.text, attachment.pages) == ("one two\n\nthree\n\n", (0, 9))
            await until(lambda: app.composer.files.chips[0].n_tokens == 3)
            app.composer.files.remove(attachment)
            await take(app, write_docx(tmp_path / "letter.docx", paragraph("Dear reader")))
            assert app.composer.attachments[0].text == "Dear reader"

    run(scene())


def test_damaged_pages_are_left_out_and_named(run: Run, tmp_path: Path) -> None:
    paper = tmp_path / "paper.pdf"
    paper.write_bytes(pdf_bytes(["one", "two", "three", "four"], broken=(2, 3)))

    async def scene() -> None:
        async with window() as app:
            await take(app, paper)
            assert app.composer.attachments[0].text == "one\n\nfour\n\n"
            assert "Pages 2–3 of paper.pdf are damaged and were left out." in app.window.notices.texts

    run(scene())


def test_page_numbers_are_told_in_runs() -> None:
    assert page_ranges((2, 5, 6, 7, 12)) == "2, 5–7, 12"
    assert page_ranges(range(1, 40, 2)) == "1, 3, 5, 7, 9, 11, 13, 15, …"


def test_each_of_several_refused_files_is_told(run: Run, tmp_path: Path) -> None:
    files = [tmp_path / f"{name}.bin" for name in ("one", "two")]
    for file in files:
        file.write_bytes(bytes(range(256)))

    async def scene() -> None:
        async with window() as app:
            app.attachments.take(files)
            await until(lambda: not app.composer.files.reading and len(app.window.notices.texts) == 2)
            assert sorted(text.split()[0] for text in app.window.notices.texts) == ["one.bin", "two.bin"]

    run(scene())


def test_a_file_that_cannot_be_read_is_one_sentence(run: Run, tmp_path: Path) -> None:
    locked = tmp_path / "locked.pdf"
    locked.write_bytes(encrypted_pdf_bytes(["secret"], "word"))

    async def scene() -> None:
        async with window() as app:
            app.attachments.take([locked])
            (failure,) = await emitted(app.attachments.failed)
            assert failure.message == "locked.pdf is protected with a password."
            await until(lambda: not app.composer.files.reading)
            assert app.composer.attachments == ()

    run(scene())


def test_reading_ends_when_the_chip_is_closed(run: Run, tmp_path: Path) -> None:
    long = tmp_path / "long.pdf"
    long.write_bytes(pdf_bytes(["page"] * 3_000))

    async def scene() -> None:
        async with window() as app:
            app.attachments.take([long])
            app.composer.files.reading[0].remove.click()
            await until(lambda: not app.composer.files.reading)
            assert app.composer.attachments == ()

    run(scene())


def test_a_document_that_takes_too_long_is_given_up(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "slow.pdf"
    file.write_bytes(pdf_bytes(["page"] * 50))
    seen: list[PagesRead] = []

    async def scene() -> None:
        with pytest.raises(RequestError, match="took too long"):
            await read_document(file, FileKind.PDF, seen.append, patience_s=0.001)

    run(scene())
    assert not seen


def test_the_process_ends_with_the_window(tmp_path: Path) -> None:
    """Its stdin is closed when the window is gone, also when the window could not end it."""
    file = tmp_path / "long.pdf"
    file.write_bytes(pdf_bytes(["page"] * 300))
    command = [sys.executable, "-m", "app.composer.documents", "pdf", str(file)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, cwd=ROOT, check=False)
    assert done.returncode == 1
    assert b"extracted" not in done.stdout


def test_a_file_that_is_too_long_is_cut_where_the_user_says(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "book.txt"
    file.write_text("four words a line\n" * 5_000)

    async def scene() -> None:
        async with window() as app:
            await take(app, file)
            await until(lambda: app.composer.size_of_draft.excess > 0)
            write(app, "Sum up")
            await until(lambda: app.parts.dialog is not None)
            dialog = app.parts.dialog
            assert dialog is not None
            assert dialog._choice is PartChoice.BEGINNING
            await until(lambda: dialog._exact is not None)
            assert 0.9 * dialog.room < dialog.n_tokens <= dialog.room
            dialog._buttons.button(PartChoice.END.value).click()
            await until(lambda: dialog._exact is not None)
            assert dialog.part[1] == len(dialog.attachment.text)
            assert dialog.n_tokens <= dialog.room
            dialog.go.click()
            await until(lambda: app.composer.size_of_draft.n_tokens > 0)
            assert not app.composer.size_of_draft.excess
            await until(lambda: (app.composer.files.chips[0].n_tokens or 0) > 0)
            finished = asyncio.ensure_future(emitted(app.chats.answer_finished))
            await asyncio.sleep(0)
            QTest.keyClick(app.composer.edit, Qt.Key.Key_Return)
            _, answer = await finished
            question = (await app.database.call(ChatStore.path, answer.chat_id))[0]
            (kept,) = question.attachments
            assert kept.part is not None
            assert kept.part[1] == len(kept.text) == len(file.read_text())
            assert 0 < kept.n_tokens < 7_679
            assert app.conversation.item(0).attachments[0].part

    run(scene())


def test_a_written_text_that_is_too_long_becomes_an_attachment_to_choose_from(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            app.composer.set_text("many words\n" * 4_000)
            await until(lambda: app.composer.size_of_draft.excess > 0)
            app.composer.overflow.button.click()
            await until(lambda: app.parts.dialog is not None)
            assert app.composer.text == ""
            assert app.composer.attachments[0].name == "Written text"
            dialog = app.parts.dialog
            assert dialog is not None
            dialog.insert_requested.emit("some of it")
            dialog.reject()
            assert (app.composer.text, app.composer.attachments) == ("some of it", ())

    run(scene())


def test_a_pasted_picture_is_kept_by_its_name(run: Run) -> None:
    async def scene() -> None:
        async with window() as application:
            application.composer.picture_offered.emit(QImage(4, 3, QImage.Format.Format_RGB32))
            (made,) = application.composer.attachments
            assert (made.name, made.is_picture, made.given) == ("Pasted picture", True, "")

    run(scene())


def test_files_stay_in_the_order_in_which_they_were_chosen(run: Run, tmp_path: Path) -> None:
    """A document takes a process to be read, a text does not."""
    letter = write_docx(tmp_path / "letter.docx", paragraph("Dear reader"))
    for name in ("first.txt", "last.txt"):
        (tmp_path / name).write_text(name)

    async def scene() -> None:
        async with window() as app:
            app.attachments.take([tmp_path / "first.txt", letter, tmp_path / "last.txt"])
            await until(lambda: len(app.composer.attachments) == 3)
            assert [each.name for each in app.composer.attachments] == ["first.txt", "letter.docx", "last.txt"]
            places = [(chip.y(), chip.x()) for chip in app.composer.files.chips]
            assert places == sorted(places)

    run(scene())


def test_a_dialog_begins_where_something_was_chosen_last(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a file")

    async def scene() -> None:
        async with window() as app:
            app.attachments.choose()
            dialog = app.window.findChildren(QFileDialog)[-1]
            dialog.findChild(QLineEdit).setText(str(tmp_path / "a.txt"))  # Typed: Qt itself forgets such a place.
            dialog.accept()
            await until(lambda: bool(app.composer.attachments))
            app.menu.export(("none",))
            assert app.window.findChildren(QFileDialog)[-1].directory().absolutePath() == str(tmp_path)

    run(scene())
