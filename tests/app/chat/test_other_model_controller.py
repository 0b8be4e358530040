"""Answers by other models: a version by another model or preset, offered, loaded, cancelled, refused and told; and the
rest of a cut answer by the model that began it, never by another without a word.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

import pytest
from app_scene import Run, ask, emitted, shown, until, window, write
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.application import Application
from app.chat.other_model_controller import own_model
from app.core.answer_state import AnswerState
from app.transcript.footer_figures import figures
from app.ui.command_palette import CommandPalette
from engine.protocol import CountTokens, EffectiveSettings, Generate, ModelEntry, Prewarm, Role, Sampling
from engine.settings import Preset, Settings
from engine.store.chat_values import StoredMessage
from engine.store.chats import ChatStore

MORE = "--more-models"
KEYS = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


async def offered(app: Application) -> CommandPalette:
    await until(lambda: any(each.isVisible() for each in app.window.findChildren(CommandPalette)))
    return next(each for each in app.window.findChildren(CommandPalette) if each.isVisible())


async def choose(app: Application, text: str) -> None:
    """By keyboard only: the key of the command, what is looked for, Enter."""
    QTest.keyClick(app.window, Qt.Key.Key_R, KEYS)
    palette = await offered(app)
    QTest.keyClicks(palette.field, text)
    QTest.keyClick(palette.field, Qt.Key.Key_Return)


async def chosen(app: Application, text: str) -> StoredMessage:
    finished = asyncio.ensure_future(emitted(app.chats.answer_finished))
    await asyncio.sleep(0)
    await choose(app, text)
    _, answer = await finished
    return answer


def notice_button(app: Application, text: str) -> None:
    notices = app.window.notices._notices.values()
    next(each.button for each in notices if each.button and each.button.text() == text).click()


def test_another_model_writes_the_next_version_and_the_chosen_one_stays(run: Run) -> None:
    async def scene() -> None:
        async with window(MORE) as app:
            first = await ask(app, "hello")
            other = await chosen(app, "other")
            assert (other.model_name, first.model_name) == ("Other 4B", "SmolLM2 135M")
            item = app.conversation.item(1)
            assert (item.version_index, item.version_count, shown(app)[1]) == (1, 2, "You said: hello")
            assert figures(item)[0].text == "Other 4B"
            assert app.models.model_id == "starter"
            assert app.models.status.name == "SmolLM2 135M"
            said = "Other 4B writes this version. The chat goes on with SmolLM2 135M."
            assert said in app.window.notices.texts
            assert app.settings_store.settings.models.last_model == "starter"
            assert (await ask(app, "and now")).model_name == "SmolLM2 135M"
            notice_button(app, "Go on with Other 4B")
            await until(lambda: app.models.model_id == "other" and app.models.status.effective is not None)
            assert (await ask(app, "then")).model_name == "Other 4B"

    run(scene())


def test_whose_turn_it_is_is_told_in_its_own_chat_only(run: Run) -> None:
    async def scene() -> None:
        async with window(MORE) as app:
            await ask(app, "hello")
            await chosen(app, "other")
            said = app.window.notices.texts[-1]
            assert said.startswith("Other 4B writes this version.")
            opened = asyncio.ensure_future(emitted(app.chats.chat_opened))
            await asyncio.sleep(0)
            app.versions.branch(app.conversation.item(1).id)
            await opened
            assert said not in app.window.notices.texts

    run(scene())


def test_what_is_typed_next_is_counted_by_the_chosen_model(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene() -> None:
        async with window(MORE) as app:
            await ask(app, "hello")
            await chosen(app, "other")
            sent: list[Any] = []
            write = app.client._write
            monkeypatch.setattr(app.client, "_write", lambda command: sent.append(command) or write(command))
            QTest.keyClicks(app.composer.edit, "more")
            await until(lambda: any(isinstance(each, Prewarm) for each in sent))
            assert {each.model_id for each in sent if isinstance(each, CountTokens | Prewarm)} == {"starter"}

    run(scene())


def test_only_what_is_ready_is_offered_with_what_is_in_use_marked(run: Run) -> None:
    async def scene() -> None:
        presets = (Preset(name="Default"), Preset(name="Exact"))
        async with window(MORE, settings=Settings(presets=presets)) as app:
            await ask(app, "hello")
            app.actions["regenerate_with"].trigger()
            palette = await offered(app)
            entries = {entry.text: entry for entry in palette._entries}
            assert list(entries) == ["SmolLM2 135M", "Broken 1B", "Other 4B", "Stuck 70B", "Default", "Exact"]
            assert [text for text, entry in entries.items() if entry.is_current] == ["SmolLM2 135M", "Default"]
            assert entries["Other 4B"].detail == "Q4_K_M · 2.5 GB"
            palette.close()

    run(scene())


def test_another_preset_samples_this_version_only(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene() -> None:
        exact = Preset(name="Exact", sampling=Sampling(temperature=0.25), system_prompt="Be exact.")
        async with window(settings=Settings(presets=(Preset(name="Default"), exact))) as app:
            await ask(app, "repeat")
            sent: list[Any] = []
            write = app.client._write
            monkeypatch.setattr(app.client, "_write", lambda command: sent.append(command) or write(command))
            answer = await chosen(app, "exact")
            assert answer.content.strip() == "Be exact./repeat"
            asked = next(each for each in sent if isinstance(each, Generate) and each.chat_id)
            assert (asked.sampling.temperature, asked.model_id) == (0.25, "starter")
            assert app.chats.preset_name == ""
            assert app.chats.chat is not None
            assert (await app.database.call(ChatStore.chat, app.chats.chat.id)).preset == ""

    run(scene())


def test_a_load_shows_how_far_it_is_and_can_be_cancelled_in_two_ways(run: Run) -> None:
    async def scene() -> None:
        async with window(MORE) as app:
            await ask(app, "hello")
            said = "Loading Stuck 70B for another version of the answer: 50 %"
            for cancel in (partial(notice_button, app, "Cancel"), app.composer.send.click):
                await choose(app, "stuck")
                await until(lambda: said in app.window.notices.texts)
                assert app.chats.state is AnswerState.BUSY
                cancel()
                await until(lambda: app.chats.state is AnswerState.IDLE)
                assert app.window.notices.texts == []
                assert app.conversation.item(1).version_count == 1
            assert shown(app) == ["hello", "You said: hello"]
            assert app.models.status.model_id == "starter"

    run(scene())


def test_the_version_goes_into_its_chat_whichever_is_open_by_then(run: Run) -> None:
    async def scene() -> None:
        async with window(MORE) as app:
            first = await ask(app, "hello")
            finished = asyncio.ensure_future(emitted(app.chats.answer_finished))
            await choose(app, "other")
            app.chats.new_chat()
            assert app.chats.state is AnswerState.IDLE
            _, second = await finished
            assert (second.model_name, second.content.strip()) == ("Other 4B", "You said: hello")
            assert (second.chat_id, second.parent_id) == (first.chat_id, first.parent_id)
            assert (shown(app), app.window.notices.texts) == ([], [])
            app.chats.open_chat(first.chat_id)
            await until(lambda: len(shown(app)) == 2)
            item = app.conversation.item(1)
            assert (item.id, item.version_count) == (second.id, 2)

    run(scene())


def test_a_load_holds_up_its_own_chat_only(run: Run) -> None:
    async def scene() -> None:
        async with window(MORE) as app:
            first = await ask(app, "hello")
            await choose(app, "stuck")
            app.chats.new_chat()
            write(app, "hang")
            await until(lambda: shown(app) == ["hang", "You said: hang"])
            app.chats.stop()
            await until(lambda: app.chats.state is AnswerState.IDLE)
            app.chats.open_chat(first.chat_id)
            await until(lambda: shown(app)[0] == "hello")
            assert app.chats.state is AnswerState.BUSY
            app.chats.stop()
            await until(lambda: app.chats.state is AnswerState.IDLE)
            assert app.conversation.item(1).version_count == 1

    run(scene())


def test_a_model_that_cannot_be_loaded_leaves_the_old_version_and_says_why(run: Run) -> None:
    async def scene() -> None:
        async with window(MORE) as app:
            await ask(app, "hello")
            await choose(app, "broken")
            await until(lambda: "There is no model here. Choose another model." in app.window.notices.texts)
            await until(lambda: app.chats.state is AnswerState.IDLE)
            assert (shown(app), app.conversation.item(1).version_count) == (["hello", "You said: hello"], 1)
            assert app.models.status.failure is None

    run(scene())


def test_the_message_s_menu_offers_it(run: Run) -> None:
    async def scene() -> None:
        async with window(MORE) as app:
            await ask(app, "hello")
            await until(lambda: app.transcript is not None)
            assert app.transcript is not None
            app.transcript.finish_drawing()
            card = app.transcript.area.visible_cards()[1]
            entries = card._footer.menu().actions()
            next(entry for entry in entries if entry.text() == "Regenerate with…").trigger()
            (await offered(app)).close()

    run(scene())


def entry(name: str, *, path: str = "", state: str = "ready", quantization: str = "Q4_K_M") -> ModelEntry:
    return ModelEntry(model_id=name, name=name, path=path, state=state, quantization=quantization)


def message(name: str, path: str = "") -> StoredMessage:
    effective = EffectiveSettings(model_path=path, model_name=name, quantization="Q4_K_M")
    return StoredMessage(
        id="m", chat_id="c", role=Role.ASSISTANT, created_at=0.0, effective=effective, model_name=name
    )  # fmt: skip


async def signed(app: Application, name: str) -> str:
    """An answer that another model has written, as if in a session before; its id."""
    await ask(app, "hello")
    answer = app.chats.path[-1]
    effective = EffectiveSettings(model_name=name, quantization="Q4_K_M")
    await app.database.call(ChatStore.update_message, answer.id, model_name=name, effective=effective)
    await app.chats.show(answer.chat_id)
    return answer.id


async def continued(app: Application, message_id: str, monkeypatch: pytest.MonkeyPatch) -> Generate:
    """What the engine is asked."""
    sent: list[Any] = []
    write = app.client._write
    monkeypatch.setattr(app.client, "_write", lambda command: sent.append(command) or write(command))
    await until(lambda: app.transcript is not None)
    finished = asyncio.ensure_future(emitted(app.chats.answer_finished))
    await asyncio.sleep(0)
    assert app.transcript is not None
    app.transcript.continue_requested.emit(message_id)
    await finished
    return next(each for each in sent if isinstance(each, Generate) and each.continue_answer)


def test_the_model_that_began_an_answer_goes_on_with_it(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene() -> None:
        async with window("--more-models") as app:
            asked = await continued(app, await signed(app, "Other 4B"), monkeypatch)
            assert asked.model_id == "other"
            assert app.models.model_id == "starter"
            said = "Other 4B goes on with the answer that it began. The chat goes on with SmolLM2 135M."
            assert app.window.notices.texts == [said]

    run(scene())


def test_where_it_is_gone_the_chosen_one_says_that_it_goes_on(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene() -> None:
        async with window("--more-models") as app:
            asked = await continued(app, await signed(app, "Gone 8B"), monkeypatch)
            assert asked.model_id == "starter"
            said = "Gone 8B, which began this answer, is not on this computer. SmolLM2 135M goes on with it."
            assert app.window.notices.texts == [said]

    run(scene())


def test_its_own_answer_is_continued_without_a_word(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene() -> None:
        async with window("--more-models") as app:
            await ask(app, "hello")
            asked = await continued(app, app.chats.path[-1].id, monkeypatch)
            assert asked.model_id == "starter"
            assert app.window.notices.texts == []

    run(scene())


def test_a_load_for_it_can_be_stopped(run: Run) -> None:
    async def scene() -> None:
        async with window("--more-models") as app:
            message_id = await signed(app, "Stuck 70B")
            before = app.chats.path[-1]
            await until(lambda: app.transcript is not None)
            assert app.transcript is not None
            app.transcript.continue_requested.emit(message_id)
            await until(lambda: "beside" in app.window.notices.buttons)
            app.chats.stop()
            await until(lambda: app.chats.state.value == "idle")
            assert app.chats.path[-1] == before
            assert app.window.notices.texts == []

    run(scene())


def test_a_model_is_known_by_its_file_then_by_its_name_and_quantization() -> None:
    models = [entry("a", path="/x/a.gguf"), entry("b", path="/x/b.gguf", quantization="Q8_0"), entry("b", path="/y")]
    assert own_model(message("other", "/x/a.gguf"), models) is models[0]
    assert own_model(message("b", "/gone"), models) is models[2]
    assert own_model(message("c"), models) is None
    assert own_model(message("a"), [entry("a", state="missing")]) is None
