"""The window's thread waits for nothing: not for the disk, not for the chats, and not for an engine that is deaf."""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from app_scene import Run, ask, emitted, shown, until, window, write
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.application import Application
from app.chat_list.export_format import ExportFormat
from app.core.answer_state import AnswerState
from engine.folders import folders
from engine.protocol import Role
from engine.store.chats import ChatStore, open_store

_FILES = {"open", "os.listdir", "os.scandir", "os.remove", "os.rename", "os.mkdir", "sqlite3.connect", "os.truncate"}
_watchers: list[list[tuple[str, str]]] = []


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    """Audit hooks stay for good; this one looks only while a test wants it to."""
    if not _watchers or event not in _FILES or threading.current_thread() is not threading.main_thread():
        return
    home = os.environ["FIRSTLIGHT_HOME"]
    if arguments and isinstance(arguments[0], str | bytes | os.PathLike) and home in os.fsdecode(arguments[0]):
        _watchers[-1].append((event, os.fsdecode(arguments[0]).removeprefix(home)))


sys.addaudithook(_hook)


@pytest.fixture
def touched() -> Iterator[list[tuple[str, str]]]:
    """The user's files that the window's thread touches itself."""
    _watchers.append([])
    yield _watchers[-1]
    _watchers.pop()


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is called of the chat store in the window's thread."""
    names: list[str] = []

    def watched(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **fields: Any) -> Any:
            if threading.current_thread() is threading.main_thread():
                names.append(name)
            return method(*arguments, **fields)

        return call

    for name, method in inspect.getmembers(ChatStore, inspect.isfunction):
        if not name.startswith("_") or name == "__init__":
            monkeypatch.setattr(ChatStore, name, watched(name, method))
    return names


async def do_everything(app: Application, folder: Path) -> None:
    """What a user does with chats, files and settings, by the window's own ways."""
    answer = await ask(app, "hello")
    chat_list_controller, import_export = app.chat_list_controller, app.import_export
    app.chats.regenerate(answer.id)
    await emitted(app.chats.answer_finished)
    app.versions.delete(app.conversation.item(1).id)
    await emitted(app.chats.undo_offered)
    chat_list_controller.rename(answer.chat_id, "Lisbon", lambda _fault: None)
    chat_list_controller.pin(answer.chat_id, True)
    chat_list_controller.duplicate(answer.chat_id)
    await emitted(chat_list_controller.chat_added)
    chat_list_controller.search("hello")
    await until(lambda: app.chat_list.is_searching)
    chat_list_controller.search("")
    chat_list_controller.delete((answer.chat_id,))
    _, undo = await emitted(chat_list_controller.undo_offered)
    undo()
    await emitted(chat_list_controller.chat_added)
    await until(lambda: app.chats.choices.id == answer.chat_id)  # A file would go to the chat that is left.
    app.settings_store.change("general", font_size=17)
    await emitted(app.settings_store.saved)
    file = folder / "notes.txt"
    app.composer.files_offered.emit([file])
    await until(lambda: len(app.composer.attachments) == 1)
    import_export.export_to([answer.chat_id], folder / "chat.json", ExportFormat.JSON)
    await emitted(import_export.exported)
    import_export.import_from([folder / "old.json"])
    await emitted(import_export.imported)
    write(app, "not sent yet", enter=False)
    app.chats.new_chat()


def test_files_and_chats_are_reached_by_other_threads_only(
    run: Run, home: Path, touched: list[tuple[str, str]], called: list[str]
) -> None:
    home.mkdir(parents=True)
    (home / "notes.txt").write_text("Some words.")
    (home / "old.json").write_text(json.dumps([{"messages": [{"role": "user", "content": "Rain?"}]}]))
    touched.clear()

    async def scene() -> None:
        async with window() as app:
            await until(lambda: app.transcript is not None and app.latency is not None)
            await do_everything(app, home)

    run(scene())
    assert called == []
    assert touched == []


def test_chats_are_listed_without_reading_their_messages(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    store, _ = open_store(folders().chats_file)
    for number in range(300):
        chat = store.create_chat(title=f"Chat {number}")
        store.add_message(chat.id, Role.USER, "Words. " * 100)
    store.close()
    read: list[str] = []
    for name in ("path", "messages", "message", "siblings", "versions"):
        monkeypatch.setattr(ChatStore, name, lambda *_arguments, name=name, **_fields: read.append(name))

    async def scene() -> None:
        async with window() as app:
            await until(lambda: len(app.chat_list.chats) == 300)
            app.sidebar.grab()

    run(scene())
    assert read == []


def test_a_deaf_engine_holds_up_nothing_but_its_answer(run: Run) -> None:
    """It takes no word any more: the user stops, goes on elsewhere, and closes the window all the same."""

    async def scene() -> int:
        async with window() as app:
            await ask(app, "hello")
            app.client.stop = lambda stop=app.client.stop: stop(patience=0.1)  # type: ignore[method-assign]
            write(app, "deaf")
            await until(lambda: shown(app)[-1:] == ["You said: deaf"])
            QTest.mouseClick(app.composer.send, Qt.MouseButton.LeftButton)
            assert app.chats.state is AnswerState.STOPPING
            app.chats.new_chat()
            assert app.chats.state is AnswerState.IDLE
            write(app, "and so on", enter=False)
            await until(lambda: len(app.chat_list.chats) == 1)
            app.chats.open_chat(app.chat_list.chats[0].id)
            await until(lambda: shown(app)[-1:] == ["You said: deaf"])
            app.models.unload()
            app.window.close()
            await asyncio.sleep(0)
            return app.client.process_id

    assert not psutil.pid_exists(run(scene()))
