"""What goes wrong in chat apps: stopping while a model loads, lost thoughts, forgotten messages, titles in the way."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from itertools import count
from types import SimpleNamespace
from typing import Any

import pytest
from app_scene import Run, ask, emitted, shown, until, window, write
from PySide6.QtCore import QObject, Qt
from PySide6.QtTest import QTest

from app.chat import answer as answer_module
from app.chat.answer import Answer
from app.core.answer_state import AnswerState
from app.core.engine_texts import failure_text
from app.core.host_client import HostState
from engine.metrics import FinishReason, RequestMetrics
from engine.protocol import Generate, GenerationFinished, Queued, Role, TokenDelta
from engine.store.chat_values import MessageState, StoredMessage
from engine.store.chats import ChatStore


def test_stop_ends_what_waits_for_a_model_to_load(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            write(app, "wait")
            await until(lambda: app.chats.state is AnswerState.BUSY and len(shown(app)) == 2)
            finished = asyncio.ensure_future(emitted(app.chats.answer_finished))
            await asyncio.sleep(0)
            QTest.mouseClick(app.composer.send, Qt.MouseButton.LeftButton)
            _, answer = await finished
            assert (answer.content, answer.note) == ("", "Stopped by you.")
            assert app.composer.send.text() == "Send"
            assert (await ask(app, "go on")).content == "You said: go on "

    run(scene())


def test_an_engine_that_is_given_up_is_not_said_to_be_starting(run: Run) -> None:
    async def scene() -> None:
        async with window("--exit-code", "3") as app:
            await until(lambda: app.client.state is HostState.FAILED)
            assert app.models.status.failure == app.client.failure
            assert "3 times in a row" in failure_text(app.client.failure)
            assert [text for text in app.window.notices.texts if "is being started again" in text] == []

    run(scene())


def test_an_answer_that_never_left_its_reasoning_is_kept(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            answer = await ask(app, "think")
        async with window() as app:
            app.chats.open_chat(answer.chat_id)
            await until(lambda: len(shown(app)) == 2)
            item = app.conversation.item(1)
            assert (item.reasoning, item.content) == ("Let me see", "")
            assert item.note == "The model ended inside its reasoning."
            kept = await app.database.call(ChatStore.message, answer.id)
            assert kept.state is MessageState.COMPLETE

    run(scene())


def test_the_model_gets_the_whole_chat_in_every_way_of_asking(run: Run) -> None:
    """After a restart, with a system prompt, regenerated, edited: no message is forgotten and none comes twice."""

    async def again(app: Any, act: Any) -> str:
        finished = asyncio.ensure_future(emitted(app.chats.answer_finished))
        await asyncio.sleep(0)
        act()
        _, answer = await finished
        return str(answer.content).strip()

    async def scene() -> None:
        whole = "one/You said: one/repeat"
        async with window() as app:
            await ask(app, "one")
            answer = await ask(app, "repeat")
            assert answer.content.strip() == whole
            assert await again(app, lambda: app.chats.regenerate(answer.id)) == whole
            question = app.conversation.item(2).id
            assert await again(app, lambda: app.versions.edit(question, "repeat")) == whole
        async with window() as app:
            app.chats.open_chat(answer.chat_id)
            await until(lambda: len(shown(app)) == 4)
            app.chats.change_chat(system_prompt="Be brief.")
            await emitted(app.chats.chat_opened)
            last = app.conversation.item(3).id
            assert await again(app, lambda: app.chats.regenerate(last)) == f"Be brief./{whole}"
            assert (await ask(app, "repeat")).content.strip() == f"Be brief./{whole}/Be brief./{whole}/repeat"

    run(scene())


def test_a_title_gives_way_to_the_next_message(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            queued: list[Queued] = []
            app.client.subscribe(Queued, queued.append)
            await ask(app, "long title")
            await until(lambda: bool(queued))
            assert (await ask(app, "next")).content == "You said: next "
            assert app.chats.chat is not None
            chat = await app.database.call(ChatStore.chat, app.chats.chat.id)
            assert chat.title == "long title"

    run(scene())


def test_the_engine_does_not_go_on_for_a_chat_that_was_deleted(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            write(app, "hang")
            await until(lambda: shown(app)[-1:] == ["You said: hang"])
            assert app.chats.chat is not None
            finished = asyncio.ensure_future(emitted(app.chats.answer_finished))
            await asyncio.sleep(0)
            app.chat_list_controller.delete((app.chats.chat.id,))
            _, undo = await emitted(app.chat_list_controller.undo_offered)
            _, answer = await finished
            assert (answer.finish_reason, app.chats.chat) == (FinishReason.CANCELLED, None)
            undo()
            await until(lambda: shown(app) == ["hang", "You said: hang"])
            assert app.conversation.item(1).note == "Stopped by you."
            write(app, "hang")
            await until(lambda: len(shown(app)) == 4)
            app.chat_list_controller.archive((answer.chat_id,), True)
            await emitted(app.chat_list_controller.undo_offered)
            assert app.chats.answering_models  # Put away, but wanted.

    run(scene())


def test_a_streaming_answer_is_saved_at_most_once_a_second(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = count(0, 0.001)
    monkeypatch.setattr(answer_module, "time", SimpleNamespace(monotonic=lambda: next(seconds)))
    saved: list[dict[str, Any]] = []

    class Client:
        async def stream(self, _command: Generate) -> AsyncIterator[Any]:
            for _ in range(5000):
                yield TokenDelta(request_id="r", text="word ")
                await asyncio.sleep(0)
            yield GenerationFinished(request_id="r", finish_reason=FinishReason.STOP, metrics=RequestMetrics())

    class Archive:
        async def call(self, _method: Any, _message_id: str, **changes: Any) -> None:
            saved.append(changes)

    async def scene() -> None:
        message = StoredMessage(id="m", chat_id="c", role=Role.ASSISTANT, created_at=0.0)
        parent = QObject()
        client: Any = Client()
        archive: Any = Archive()
        await Answer(client, archive, message, Generate(), asked_at=0.0, parent=parent).run()

    run(scene())
    assert 3 <= len(saved) - 1 <= 6
    assert saved[-1]["content"] == "word " * 5000
