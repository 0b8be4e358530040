"""Import with a report and undo, and export, in the whole window."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from app_scene import Run, emitted, until, window
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QLabel

from app.application import Application
from app.chat_list.export_dialog import ExportDialog
from app.chat_list.export_format import ExportFormat, suggested_name
from app.chat_list.import_report_dialog import ImportReportDialog
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
            done = asyncio.ensure_future(emitted(application.import_export.imported))
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
            assert len(await application.database.call(ChatStore.chats)) == 0
            await until(lambda: application.chats.chat is None)  # What is gone is not left open.
            application.import_export.ask_export()
            await until(lambda: "There are no chats to export yet." in application.window.notices.texts)

    run(scene())


def test_characters_become_presets_and_what_cannot_be_read_is_told(run: Run, tmp_path: Path) -> None:
    card, junk = tmp_path / "ada.json", tmp_path / "junk.json"
    card.write_text(json.dumps(CARD))
    junk.write_text("{}")

    async def scene() -> None:
        async with window() as application:
            done = asyncio.ensure_future(emitted(application.import_export.imported))
            await asyncio.sleep(0)
            application.import_export.import_from([card])
            await done
            dialog = report_of(application)
            assert [each.name for each in dialog.chosen] == ["Ada"]
            assert dialog.summary.text() == "1 character was found."
            dialog.accept()
            made = application.settings_store.settings.presets[-1]
            assert made.name == "Ada"
            assert "Ada counts." in made.system_prompt
            done = asyncio.ensure_future(emitted(application.import_export.imported))
            await asyncio.sleep(0)
            application.import_export.import_from([junk])
            (report,) = await done
            assert "none of the formats" in str(report.problems[0])
            dialog = report_of(application)
            assert "Nothing was imported." in [label.text() for label in dialog.findChildren(QLabel)]
            dialog.reject()
            failed = asyncio.ensure_future(emitted(application.import_export.failed))
            await asyncio.sleep(0)
            application.import_export.import_from([tmp_path / "nowhere.json"])
            (failure,) = await failed
            assert str(failure.message) in application.window.notices.texts[-1]

    run(scene())


def test_chats_are_exported_as_every_format(run: Run, chats_file: Path, tmp_path: Path) -> None:
    async def scene() -> None:
        async with window() as application:
            import_export = application.import_export
            done = asyncio.ensure_future(emitted(import_export.imported))
            await asyncio.sleep(0)
            import_export.import_from([chats_file])
            await done
            report_of(application).accept()
            import_export.ask_export()
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
                written = asyncio.ensure_future(emitted(import_export.exported))
                await asyncio.sleep(0)
                import_export.export_to(ids, target, form)
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
            chat = await application.database.call(ChatStore.create_chat, title="One")
            from app.chat_list.export_format import export

            store = await application.database.store()
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
