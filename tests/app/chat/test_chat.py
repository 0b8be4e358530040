"""A chat in the real window: send, stop, faults, edits, versions, deletes, and other chats meanwhile."""

from __future__ import annotations

import asyncio

from app_scene import Run, ask, emitted, shown, until, window, write
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest

from app.core.answer_state import AnswerState
from app.core.engine_texts import translated
from engine.metrics import FinishReason
from engine.protocol import Role
from engine.store.chat_values import MessageState
from engine.store.chats import ChatStore


def test_enter_sends_streams_and_keeps_text_with_metrics(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            answer = await ask(app, "hello")
            assert shown(app) == ["hello", "You said: hello"]
            assert app.composer.text == ""
            stored = await app.database.call(ChatStore.path, answer.chat_id)
            assert [message.role for message in stored] == [Role.USER, Role.ASSISTANT]
            assert stored[1].state is MessageState.COMPLETE
            assert stored[1].metrics is not None
            assert stored[1].metrics.decode_tps == 148.0
            assert stored[1].effective is not None
            assert app.chats.state is AnswerState.IDLE

    run(scene())


def test_the_enter_that_commits_a_candidate_sends_nothing(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            edit = app.composer.edit
            QCoreApplication.sendEvent(edit, QInputMethodEvent("nihao", []))
            QTest.keyClick(edit, Qt.Key.Key_Return)
            committed = QInputMethodEvent("", [])
            committed.setCommitString("你好")
            QCoreApplication.sendEvent(edit, committed)
            QTest.keyClick(edit, Qt.Key.Key_Return)  # The very same Enter, passed on.
            assert (app.composer.text, app.chats.state, shown(app)) == ("你好", AnswerState.IDLE, [])
            answer = await ask(app, "!")
            assert answer.content == "You said: 你好! "

    run(scene())


def test_perceived_ttft_is_measured_from_enter_to_the_first_glyph(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            answer = await ask(app, "hello")
            await until(lambda: app.conversation.item(1).perceived_ttft is not None)
            perceived = app.conversation.item(1).perceived_ttft
            assert perceived is not None
            assert 0 < perceived < 5
            kept = await app.database.call(ChatStore.message, answer.id)
            assert kept.perceived_ttft == perceived

    run(scene())


def test_stop_is_stopping_until_the_engine_has_ended(run: Run) -> None:
    async def scene() -> None:
        states: list[AnswerState] = []
        async with window() as app:
            app.chats.state_changed.connect(states.append)
            write(app, "hang")
            await until(lambda: shown(app)[-1:] == ["You said: hang"])
            assert app.composer.send.text() == "Stop"
            finished = asyncio.ensure_future(emitted(app.chats.answer_finished))
            await asyncio.sleep(0)
            QTest.mouseClick(app.composer.send, Qt.MouseButton.LeftButton)
            assert app.chats.state is AnswerState.STOPPING
            assert not app.composer.send.isEnabled()
            _, answer = await finished
            assert answer.finish_reason == FinishReason.CANCELLED
            assert answer.note == "Stopped by you."
            assert answer.state is MessageState.PARTIAL
            assert app.composer.send.text() == "Send"
            assert states[-1] is AnswerState.IDLE

    run(scene())


def test_a_crash_keeps_the_text_and_the_next_answer_works(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            restarted = asyncio.ensure_future(emitted(app.client.restarted))
            answer = await ask(app, "crash")
            assert answer.content == "You said: crash "
            assert answer.state is MessageState.PARTIAL
            assert "text so far is kept" in translated(answer.note)
            await restarted
            answer = await ask(app, "again")
            assert answer.content == "You said: again "

    run(scene())


def test_a_refused_request_is_a_note_and_the_composer_goes_on(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            answer = await ask(app, "fail")
            assert answer.state is MessageState.FAILED
            assert translated(answer.note) == "The chat is full. Start a new chat."
            assert app.conversation.item(1).note_is_warning
            assert (await ask(app, "go on")).state is MessageState.COMPLETE

    run(scene())


def test_a_second_enter_at_once_sends_nothing_more(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            finished = asyncio.ensure_future(emitted(app.chats.answer_finished))
            await asyncio.sleep(0)
            app.chats.send("one")
            app.chats.send("two")
            await finished
            assert shown(app) == ["one", "You said: one"]

    run(scene())


def test_an_empty_prompt_is_not_sent(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            write(app, "   ")
            app.chats.send("\n ")
            assert app.chats.state is AnswerState.IDLE
            assert shown(app) == []
            assert not app.chat_list.chats

    run(scene())


def test_editing_makes_a_version_that_is_answered_and_versions_switch(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            await ask(app, "first")
            finished = asyncio.ensure_future(emitted(app.chats.answer_finished))
            await asyncio.sleep(0)
            app.versions.edit(app.conversation.item(0).id, "second")
            await finished
            assert shown(app) == ["second", "You said: second"]
            question = app.conversation.item(0)
            assert (question.version_index, question.version_count) == (1, 2)
            app.versions.show_version(question.id, 0)
            await until(lambda: shown(app) == ["first", "You said: first"])

    run(scene())


def test_regenerating_adds_a_version_of_the_answer(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            answer = await ask(app, "hello")
            finished = asyncio.ensure_future(emitted(app.chats.answer_finished))
            await asyncio.sleep(0)
            app.chats.regenerate(answer.id)
            _, other = await finished
            assert other.id != answer.id
            item = app.conversation.item(1)
            assert (item.id, item.version_index, item.version_count) == (other.id, 1, 2)
            assert len(shown(app)) == 2

    run(scene())


def test_continuing_appends_to_the_same_answer(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            answer = await ask(app, "hello")
            finished = asyncio.ensure_future(emitted(app.chats.answer_finished))
            await asyncio.sleep(0)
            app.chats.continue_answer(answer.id)
            _, longer = await finished
            assert longer.id == answer.id
            assert longer.content.startswith("You said: hello You said:")
            assert app.conversation.item(1).content == longer.content

    run(scene())


def test_deleting_a_message_can_be_undone(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            answer = await ask(app, "hello")
            app.versions.delete(answer.id)
            await until(lambda: shown(app) == ["hello"])
            await until(lambda: bool(app.window.notices.texts))
            notice = app.window.notices.texts
            assert notice == ["The message was deleted."]
            app.window.notices.findChild(type(app.composer.send), "plain").click()
            await until(lambda: shown(app) == ["hello", "You said: hello"])

    run(scene())


def test_an_answer_runs_on_while_another_chat_is_open(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            write(app, "hang")
            await until(lambda: shown(app)[-1:] == ["You said: hang"])
            busy = app.chats.chat
            assert busy is not None
            app.chats.new_chat()
            assert app.chats.state is AnswerState.IDLE
            assert app.composer.send.text() == "Send"
            await ask(app, "meanwhile")
            assert shown(app) == ["meanwhile", "You said: meanwhile"]
            app.chats.open_chat(busy.id)
            await until(lambda: shown(app) == ["hang", "You said: hang"])
            assert app.conversation.item(1).is_streaming
            assert app.chats.state is AnswerState.BUSY
            app.chats.stop()
            await until(lambda: app.chats.state is AnswerState.IDLE)

    run(scene())


def test_what_is_asked_belongs_to_its_chat_whichever_is_opened_at_once(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            chat_id = (await ask(app, "hello")).chat_id
            question = app.conversation.item(0).id
            for act in (
                lambda: write(app, "more"),
                lambda: app.chats.regenerate(app.conversation.item(3).id),
                lambda: app.versions.edit(question, "hello again"),
                lambda: app.chats.continue_answer(app.conversation.item(1).id),
            ):
                finished = asyncio.ensure_future(emitted(app.chats.answer_finished))
                await asyncio.sleep(0)
                act()
                app.chats.new_chat()
                _, answer = await finished
                assert (answer.chat_id, shown(app), app.chats.chat) == (chat_id, [], None)
                app.chats.open_chat(chat_id)
                await until(lambda: app.chats.chat is not None)
            assert shown(app)[0] == "hello again"
            assert shown(app)[1].startswith("You said: hello again You said:")
            assert len(await app.database.call(ChatStore.chats)) == 1

    run(scene())


def test_a_first_message_makes_its_chat_though_another_is_opened_at_once(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            first = await ask(app, "hello")
            app.chats.new_chat()
            finished = asyncio.ensure_future(emitted(app.chats.answer_finished))
            await asyncio.sleep(0)
            write(app, "another")
            app.chats.open_chat(first.chat_id)
            _, second = await finished
            await until(lambda: shown(app) == ["hello", "You said: hello"])
            made = await app.database.call(ChatStore.path, second.chat_id)
            assert [each.content.strip() for each in made] == ["another", "You said: another"]
            assert app.composer.text == ""

    run(scene())


def test_only_the_chat_that_was_chosen_last_is_opened(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            first = (await ask(app, "hello")).chat_id
            app.chats.new_chat()
            second = (await ask(app, "again")).chat_id
            app.chats.new_chat()
            opened: list[str] = []
            app.chats.chat_opened.connect(lambda chat: opened.append(chat.id if chat is not None else ""))
            app.chats.open_chat(first)
            app.chats.open_chat(second)
            await until(lambda: second in opened)
            app.chats.open_chat(first)
            app.chats.new_chat()
            for _ in range(6):
                await app.database.call(ChatStore.chats)
            assert first not in opened
            assert app.chats.chat is None

    run(scene())


def test_the_first_answer_gives_the_chat_its_title(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            titled = asyncio.ensure_future(emitted(app.titles.titled))
            await ask(app, "hello")
            (chat_id,) = await titled
            chat = await app.database.call(ChatStore.chat, chat_id)
            assert chat.title.startswith("You said: hello")

    run(scene())


def test_thoughts_have_their_duration_as_soon_as_the_answer_begins(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            write(app, "ponder")
            await until(lambda: app.conversation.rowCount() == 2 and bool(app.conversation.item(1).content))
            assert app.conversation.item(1).is_streaming
            assert app.conversation.item(1).reasoning_seconds is not None
            app.chats.stop()
            await emitted(app.chats.answer_finished)

    run(scene())


def test_prefill_progress_shows_in_the_transcript_and_the_strip(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            seen: list[object] = []
            app.conversation.dataChanged.connect(lambda *_: seen.append(app.conversation.item(1).prefill))
            write(app, "slow")
            await until(lambda: any(prefill is not None for prefill in seen))
            app.chats.stop()
            await until(lambda: app.chats.state is AnswerState.IDLE)
            await until(lambda: app.strip.rate.text == "148 tok/s")

    run(scene())
