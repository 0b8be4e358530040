"""The end of the app, and starts after a bad end or with things missing."""

from __future__ import annotations

import asyncio

import psutil
import pytest
from app_scene import FAKE_HOST, Run, ask, emitted, shown, until, window, write

from app.application import Application
from app.core.answer_state import AnswerState
from app.core.host_client import HostState
from app.models.model_status import ModelState
from engine.metrics import RequestMetrics
from engine.protocol import Role
from engine.protocol.values import EffectiveSettings
from engine.settings import folders
from engine.store.chat_values import MessageState
from engine.store.chats import ChatStore, open_store


def test_closing_while_an_answer_runs_keeps_its_text_and_leaves_no_process(run: Run) -> None:
    async def scene() -> int:
        async with window() as app:
            write(app, "hang")
            await until(lambda: shown(app)[-1:] == ["You said: hang"])
            return app.client.process_id

    process_id = run(scene())
    assert not psutil.pid_exists(process_id)
    store = ChatStore(folders().chats_file)
    answer = store.path(store.chats()[0].id)[-1]
    store.close()
    assert answer.content == "You said: hang "
    assert answer.state is MessageState.PARTIAL
    assert answer.note == "Firstlight ended before this answer was complete."


def test_closing_the_window_ends_the_app(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            app.window.close()
            await emitted(app.client.state_changed, lambda state: state is HostState.STOPPED)
            await until(lambda: not app.window.isVisible())

    run(scene())


def test_settings_that_are_open_at_the_end_are_hidden_and_ask_nothing_after_it(run: Run) -> None:
    kept: list[Application] = []

    async def scene() -> None:
        async with window() as app:
            app.settings.open_model("m", "M")
            kept.append(app)
            assert app.settings.dialog is not None and app.settings.dialog.loading.isVisible()

    run(scene())
    dialog = kept[0].settings.dialog
    assert dialog is not None and not dialog.isVisible()
    dialog.show()  # As if a timer fired while Qt takes it apart: without the loop, asking raises.
    dialog.loading._ask_plan()
    dialog.hide()


def test_an_answer_that_was_streaming_when_the_app_died_is_kept_as_partial(run: Run) -> None:
    store, _ = open_store(folders().chats_file)
    chat = store.create_chat(title="Before")
    store.add_message(chat.id, Role.USER, "question")
    store.add_message(chat.id, Role.ASSISTANT, "half an ans", state=MessageState.STREAMING)
    store.close()

    async def scene() -> None:
        async with window() as app:
            await until(lambda: bool(app.chat_list.chats))
            app.chats.open_chat(chat.id)
            await until(lambda: shown(app) == ["question", "half an ans"])
            item = app.conversation.item(1)
            assert not item.is_streaming
            assert item.note

    run(scene())


def test_a_damaged_database_is_kept_aside_and_the_app_starts(run: Run) -> None:
    damaged = b"this is not a database" * 100
    folders().data.mkdir(parents=True)
    folders().chats_file.write_bytes(damaged)

    async def scene() -> None:
        async with window() as app:
            await until(lambda: bool(app.window.notices.texts))
            assert "damaged" in app.window.notices.texts[0]
            assert (await ask(app, "hello")).state is MessageState.COMPLETE
        async with window() as app:
            await until(lambda: [chat.title for chat in app.chat_list.chats] == ["hello"])
            assert app.window.notices.texts == []

    run(scene())
    aside = [path for path in folders().data.iterdir() if path.is_file() and path.read_bytes() == damaged]
    assert len(aside) == 1


@pytest.mark.parametrize("text", ["null", '{"n_decoded": null}', "{broken", "[]", "7", ""])
def test_a_chat_whose_readings_cannot_be_read_opens_and_goes_on(run: Run, text: str) -> None:
    store, _ = open_store(folders().chats_file)
    chat = store.create_chat(title="Trip")
    store.add_message(chat.id, Role.USER, "Rain?")
    store.add_message(chat.id, Role.ASSISTANT, "Rarely.", metrics=RequestMetrics(), effective=EffectiveSettings())
    for column in ("metrics", "effective", "attachments", "note", "finish_reason"):
        store._db.write(f"UPDATE messages SET {column} = ?", text)
    store.close()

    async def scene() -> None:
        async with window() as app:
            await until(lambda: bool(app.chat_list.chats) and app.transcript is not None)
            app.chats.open_chat(chat.id)
            await until(lambda: shown(app) == ["Rain?", "Rarely."])
            assert app.transcript is not None
            app.transcript.finish_drawing()
            assert [card.item.content for card in app.transcript.area.visible_cards()] == ["Rain?", "Rarely."]
            assert (await ask(app, "And snow?")).content == "You said: And snow? "

    run(scene())


def test_a_draft_survives_switching_chats_and_closing(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            await ask(app, "hello")
            first = app.chats.chat
            assert first is not None
            write(app, "not yet sent", enter=False)
            app.chats.new_chat()
            assert app.composer.text == ""
            write(app, "another", enter=False)
            app.chats.open_chat(first.id)
            await until(lambda: app.composer.text == "not yet sent")
        async with window() as app:
            await until(lambda: app.composer.text == "another")

    run(scene())


def test_a_host_that_cannot_run_is_one_notice_with_a_way_out(run: Run) -> None:
    async def scene() -> None:
        async with window("--exit-code", "3") as app:
            await emitted(app.client.state_changed, lambda state: state is HostState.FAILED)
            assert "3 times in a row" in app.window.notices.texts[-1]
            answer = await ask(app, "hello")
            assert answer.state is MessageState.FAILED
            assert app.chats.state is AnswerState.IDLE
            app.client._command = FAKE_HOST
            warm = asyncio.ensure_future(
                emitted(app.models.status_changed, lambda status: status.state is ModelState.WARM)
            )
            await asyncio.sleep(0)
            app.window.notices.findChild(type(app.composer.send), "plain").click()
            await warm
            assert (await ask(app, "now")).state is MessageState.COMPLETE

    run(scene())


def test_a_model_that_cannot_be_loaded_is_one_sentence(run: Run) -> None:
    async def scene() -> None:
        async with window("--refuse-model") as app:
            assert app.models.status.state is ModelState.FAILED
            assert app.window.notices.texts == ["There is no model here. Choose another model."]
            assert "could not be loaded" in app.top_bar.chip.accessibleName()

    run(scene())
