"""Going on with a cut answer: by the model that began it, and never by another without a word."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from app_scene import Run, ask, emitted, until, window

from app.application import Application
from app.chat.other_model_controller import own_model
from engine.protocol import EffectiveSettings, Generate, ModelEntry, Role
from engine.store.chat_values import StoredMessage
from engine.store.chats import ChatStore


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
    await app.archive.call(ChatStore.update_message, answer.id, model_name=name, effective=effective)
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
