"""What is opened over the chat, in the whole window: settings, import with a report and undo, export, find in chat."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from app_scene import Run, ask, emitted, until, window
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMessageBox, QSpinBox

from app.application import Application
from app.chat_list.export_dialog import ExportDialog
from app.chat_list.export_format import ExportFormat, suggested_name
from app.chat_list.import_report_dialog import ImportReportDialog
from app.window.prompt_form import PromptForm
from engine.settings import General, PromptTemplate, Settings, load_settings
from engine.store.chats import ChatStore

CARD = {"spec": "chara_card_v2", "data": {"name": "Ada", "description": "{{char}} counts.", "first_mes": "Hello."}}


@pytest.fixture
def chats_file(tmp_path: Path) -> Path:
    path = tmp_path / "chats.json"
    chats = [
        {
            "title": f"Trip {number}",
            "messages": [
                {"role": "user", "content": f"Does it rain in Lisbon on day {number}?"},
                {"role": "assistant", "content": "Rain? Rarely."},
            ],
        }
        for number in range(3)
    ]
    path.write_text(json.dumps(chats))
    return path


def report_of(application: Application) -> ImportReportDialog:
    """The report that is shown."""
    return application.window.findChildren(ImportReportDialog)[-1]


def test_a_setting_is_saved_and_the_window_follows(run: Run) -> None:
    async def scene() -> None:
        async with window() as application:
            application.actions["settings"].trigger()
            dialog = application.tools.settings.dialog
            assert dialog is not None
            assert dialog.isVisible()
            size = dialog.general.editor("general", "font_size")
            assert isinstance(size, QSpinBox)
            saved = asyncio.ensure_future(emitted(application.preferences.saved))
            await asyncio.sleep(0)
            size.setValue(18)
            await saved
            assert application.theme.font_size == 18
            assert dialog.loading.in_force("type_k") == "in force: q8_0"
            application.preferences.change("general", shortcuts={"new_chat": "Ctrl+Alt+N"})
            assert application.actions["new_chat"].shortcut() == QKeySequence("Ctrl+Alt+N")
            dialog.close()

    run(scene())
    from engine.folders import folders

    settings, _ = load_settings(folders().settings_file)
    assert settings.general.font_size == 18


def test_files_dropped_on_the_chats_are_imported_reported_and_undone(run: Run, chats_file: Path) -> None:
    async def scene() -> None:
        async with window() as application:
            target = application.sidebar.list.viewport()
            mime = QMimeData()
            mime.setUrls([QUrl.fromLocalFile(str(chats_file))])
            copy, button, no_key = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
            enter = QDragEnterEvent(target.rect().center(), copy, mime, button, no_key)
            QApplication.sendEvent(target, enter)
            assert enter.isAccepted()
            done = asyncio.ensure_future(emitted(application.tools.exchange.imported))
            await asyncio.sleep(0)
            QApplication.sendEvent(target, QDropEvent(QPointF(5, 5), copy, mime, button, no_key))
            (report,) = await done
            assert report.n_chats == 3
            await until(lambda: len(application.chat_list.chats) == 3)
            dialog = report_of(application)
            assert dialog.summary.text() == "3 chats with 6 messages were imported."
            opened = asyncio.ensure_future(emitted(application.chats.chat_opened))
            await asyncio.sleep(0)
            application.chats.open_chat(report.chat_ids[0])
            await opened
            dialog.undo_button.click()
            await until(lambda: not application.chat_list.chats)
            assert len(await application.archive.call(ChatStore.chats)) == 0
            await until(lambda: application.chats.chat is None)  # What is gone is not left open.
            application.tools.exchange.ask_export()
            await until(lambda: "There are no chats to export yet." in application.window.notices.texts)

    run(scene())


def test_characters_become_presets_and_what_cannot_be_read_is_told(run: Run, tmp_path: Path) -> None:
    card, junk = tmp_path / "ada.json", tmp_path / "junk.json"
    card.write_text(json.dumps(CARD))
    junk.write_text("{}")

    async def scene() -> None:
        async with window() as application:
            done = asyncio.ensure_future(emitted(application.tools.exchange.imported))
            await asyncio.sleep(0)
            application.tools.exchange.import_from([card])
            await done
            dialog = report_of(application)
            assert [each.name for each in dialog.chosen] == ["Ada"]
            assert dialog.summary.text() == "1 character was found."
            dialog.accept()
            made = application.preferences.settings.presets[-1]
            assert made.name == "Ada"
            assert "Ada counts." in made.system_prompt
            done = asyncio.ensure_future(emitted(application.tools.exchange.imported))
            await asyncio.sleep(0)
            application.tools.exchange.import_from([junk])
            (report,) = await done
            assert "none of the formats" in str(report.problems[0])
            dialog = report_of(application)
            assert "Nothing was imported." in [label.text() for label in dialog.findChildren(QLabel)]
            dialog.reject()
            failed = asyncio.ensure_future(emitted(application.tools.failed))
            await asyncio.sleep(0)
            application.tools.exchange.import_from([tmp_path / "nowhere.json"])
            (failure,) = await failed
            assert str(failure.message) in application.window.notices.texts[-1]

    run(scene())


def test_chats_are_exported_as_every_format(run: Run, chats_file: Path, tmp_path: Path) -> None:
    async def scene() -> None:
        async with window() as application:
            exchange = application.tools.exchange
            done = asyncio.ensure_future(emitted(exchange.imported))
            await asyncio.sleep(0)
            exchange.import_from([chats_file])
            await done
            report_of(application).accept()
            exchange.ask_export()
            await until(lambda: bool(application.window.findChildren(ExportDialog)))
            dialog = application.window.findChildren(ExportDialog)[-1]
            ids = dialog.chosen
            assert len(ids) == 3
            dialog.chats.item(0).setCheckState(Qt.CheckState.Unchecked)
            assert len(dialog.chosen) == 2
            dialog.reject()
            for form in ExportFormat:
                target = tmp_path / form.value
                if form.is_one_file:
                    target /= suggested_name("", form)
                written = asyncio.ensure_future(emitted(exchange.exported))
                await asyncio.sleep(0)
                exchange.export_to(ids, target, form)
                (files,) = await written
                assert len(files) == (1 if form.is_one_file else 3)
                assert all(file.stat().st_size > 60 and file.suffix == f".{form.value}" for file in files)
            assert (tmp_path / "pdf" / "Trip 0.pdf").read_bytes().startswith(b"%PDF")
            assert "Rarely" in (tmp_path / "md" / "Trip 2.md").read_text()
            assert application.window.notices.texts[-1].startswith("Exported to")

    run(scene())


def test_an_export_that_is_stopped_leaves_no_half_file(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "all.json"

    async def scene() -> None:
        async with window() as application:
            chat = await application.archive.call(ChatStore.create_chat, title="One")
            from app.chat_list.export_format import export

            store = await application.archive.store()
            files = export(
                store, [chat.id], target, ExportFormat.JSON, on_exported=lambda *_: None, is_cancelled=lambda: True
            )
            assert files == []
            files = export(
                store, [chat.id], tmp_path, ExportFormat.PDF, on_exported=lambda *_: None, is_cancelled=lambda: True
            )
            assert files == []

    run(scene())
    assert not target.exists()
    assert list(tmp_path.glob("*.pdf")) == []


def test_find_in_chat_counts_goes_round_and_marks_the_place(run: Run) -> None:
    async def scene() -> None:
        async with window() as application:
            await ask(application, "Lisbon and lisbon")
            await until(lambda: application.transcript is not None)
            transcript = application.transcript
            assert transcript is not None
            application.actions["find"].trigger()
            bar, finder = application.tools.find_bar, application.tools.finder
            assert bar.field.hasFocus()
            QTest.keyClicks(bar.field, "LISBON")
            QTest.keyClick(bar.field, Qt.Key.Key_Return)
            assert bar.count_text == "4 of 4"
            QTest.keyClick(bar.field, Qt.Key.Key_Return)
            assert bar.count_text == "1 of 4"
            QTest.keyClick(bar.field, Qt.Key.Key_Return)
            assert finder.current == (application.conversation.item(0).id, 1)
            marked = [card.interaction.selected_text for card in transcript.area.visible_cards()]
            assert [text for text in marked if text] == ["lisbon"]
            QTest.keyClick(bar.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
            assert bar.count_text == "1 of 4"
            assert bar.field.hasFocus()
            bar.field.setText("nowhere")
            QTest.keyClick(bar.field, Qt.Key.Key_Return)
            assert bar.count_text == "nothing found"
            QTest.keyClick(bar.field, Qt.Key.Key_Escape)
            assert not bar.isVisible()
            assert application.composer.edit.hasFocus()

    run(scene())


def test_the_question_before_a_link_shows_its_address_in_line_with_the_edge(run: Run) -> None:
    async def scene() -> None:
        async with window() as application:
            accepted: list[str] = []
            application.pickers.link_accepted.connect(accepted.append)
            application.pickers.offer_link("https://example.org/a?b=c", "a link")
            question = application.window.findChildren(QMessageBox)[-1]
            await until(question.isVisible)
            words = [each for each in question.findChildren(QLabel) if each.isVisible()]
            assert [each.text() for each in words] == ["Open this address in the browser?", "https://example.org/a?b=c"]
            layout = question.layout()
            assert layout is not None
            assert {each.x() for each in words} == {layout.contentsMargins().left()}
            question.reject()
            assert accepted == []

    run(scene())


def test_a_prompt_with_blanks_asks_for_them(run: Run) -> None:
    settings = Settings(
        general=General(),
        prompts=(PromptTemplate(name="Translate", text="Into {{language}}: {{text}} ({{language}})"),),
    )

    async def scene() -> None:
        async with window(settings=settings) as application:
            application.pickers.prompt_chosen.emit(settings.prompts[0].text)
            form = application.window.findChildren(PromptForm)[-1]
            assert list(form.fields) == ["language", "text"]
            form.fields["language"].setPlainText("Latin")
            form.fields["text"].setPlainText("rain")
            form.accept()
            assert application.composer.text == "Into Latin: rain (Latin)"
            application.pickers.prompt_chosen.emit("No blanks {here}.")
            assert application.composer.text == "No blanks {here}."

    run(scene())


def test_enter_goes_from_blank_to_blank_and_inserts_after_the_last(run: Run) -> None:
    async def scene() -> None:
        async with window() as application:
            application.pickers.prompt_chosen.emit("Into {{language}}: {{text}}")
            form = application.window.findChildren(PromptForm)[-1]
            language, text = form.fields.values()
            QTest.keyClicks(language, "Latin")
            QTest.keyClick(language, Qt.Key.Key_Return)
            QTest.keyClicks(text, "rain")
            QTest.keyClick(text, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
            QTest.keyClicks(text, "sun")
            QTest.keyClick(text, Qt.Key.Key_Return)
            assert application.composer.text == "Into Latin: rain\nsun"

    run(scene())
