"""Files dropped onto the window: what is said over it, and what becomes of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from app_scene import Run, until, window
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QWidget

from app.application import Application

COPY, BUTTON, NO_KEY = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


def mime(*paths: Path) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    return data


def drag(target: QWidget, data: QMimeData) -> bool:
    """Bring files over a widget; whether they may be dropped there."""
    event = QDragEnterEvent(target.rect().center(), COPY, data, BUTTON, NO_KEY)
    QApplication.sendEvent(target, event)
    return event.isAccepted()


def drop(target: QWidget, data: QMimeData) -> None:
    QApplication.sendEvent(target, QDropEvent(QPointF(5, 5), COPY, data, BUTTON, NO_KEY))


def targets(application: Application) -> tuple[QWidget, ...]:
    return application.window, application.composer.edit.viewport()


@pytest.mark.parametrize("place", [0, 1])
def test_files_dropped_anywhere_are_attached_and_the_window_says_so(run: Run, tmp_path: Path, place: int) -> None:
    note = tmp_path / "note.txt"
    note.write_text("It rains.")

    async def scene() -> None:
        async with window() as application:
            hint = application.file_drops.over_window
            assert drag(targets(application)[place], mime(note))
            assert hint.isVisible()
            assert hint.text == "Drop to attach to the message"
            assert hint.x() == application.sidebar.width()
            QApplication.sendEvent(hint, QDragLeaveEvent())
            assert not hint.isVisible()
            drag(targets(application)[place], mime(note))
            drop(hint, mime(note))
            assert not hint.isVisible()
            await until(lambda: [each.name for each in application.composer.attachments] == ["note.txt"])
            assert application.composer.edit.hasFocus()

    run(scene())


def test_a_dropped_model_is_offered_and_loaded_from_where_it_is(run: Run, tmp_path: Path) -> None:
    model = tmp_path / "Tiny-Q4_0.gguf"
    model.write_bytes(b"GGUF")

    async def scene() -> None:
        async with window() as application:
            hint = application.file_drops.over_window
            drag(application.window, mime(model))
            assert hint.text == "Drop to use this model"
            drop(hint, mime(model))
            (notice,) = application.window.notices.texts
            assert notice.startswith("Tiny-Q4_0.gguf is a model.")
            assert not application.composer.attachments
            application.window.notices.buttons[notice].click()
            assert application.models.model_id == str(model)
            assert application.settings_store.settings.models.folders == (str(tmp_path),)
            await until(lambda: application.models.status.state.value != "loading")

    run(scene())


def test_what_is_no_file_is_left_to_the_widgets(run: Run) -> None:
    async def scene() -> None:
        async with window() as application:
            data = QMimeData()
            data.setText("some words")
            assert not drag(application.window, data)
            assert not application.file_drops.over_window.isVisible()
            assert drag(application.sidebar.list.viewport(), mime(Path("chats.json")))
            assert application.file_drops.over_chats.text == "Drop to import chats"

    run(scene())
