"""What the window says about a load: its step, a way to give it up, what stepped down, and a way on after a crash."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import pytest
from app_scene import Run, emitted, shown, until, window, write
from fake_host import EFFECTIVE

from app.application import Application
from app.core.answer_state import AnswerState
from app.models.model_status import ModelState
from engine.errors import Code, Failure
from engine.protocol import Generate, LoadProgress, ModelLoaded, ModelUnloaded, UnloadModel, WorkerCrashed
from engine.protocol.values import Notice

FEWER = Notice(code="fewer_layers", message="Only 28 layers run on the GPU.", is_warning=True)
STEPS = Notice(code="smaller_ubatch", message="Smaller steps.")


async def loaded(app: Application, *notices: Notice) -> None:
    await until(lambda: not app.models.is_running("load"))
    effective = msgspec.structs.replace(EFFECTIVE, notices=notices)
    app.client.deliver(ModelLoaded(model_id="starter", effective=effective))


def test_what_stepped_down_is_told_until_the_next_load(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            await loaded(app, STEPS)
            assert app.window.notices.texts == []
            await loaded(app, STEPS, FEWER)
            assert app.window.notices.texts == ["Only 28 layers run on the GPU."]
            app.client.deliver(LoadProgress(model_id="starter", fraction=0.1, step="weights"))
            assert app.window.notices.texts == []

    run(scene())


def test_a_load_says_its_step_and_can_be_given_up(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            bar = app.top_bar
            assert bar.stop.isHidden()
            await until(lambda: not app.models.is_running("load"))
            app.client.deliver(LoadProgress(model_id="starter", fraction=0.43, step="weights"))
            assert bar.chip.text() == "SmolLM2 135M reading weights 43 %"
            assert not bar.stop.isHidden()
            bar.stop.click()
            assert app.models.status.state is ModelState.COLD
            assert bar.chip.text() == "SmolLM2 135M not loaded"
            assert bar.stop.isHidden()

    run(scene())


def test_stopping_a_load_that_an_answer_began_ends_both(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene() -> None:
        async with window() as app:
            await until(lambda: not app.models.is_running("load"))
            sent: list[Any] = []
            write_ = app.client._write
            monkeypatch.setattr(app.client, "_write", lambda command: sent.append(command) or write_(command))
            write(app, "wait")
            await until(lambda: any(isinstance(each, Generate) for each in sent))
            app.client.deliver(LoadProgress(model_id="starter", fraction=0.2, step="weights"))
            finished = asyncio.ensure_future(emitted(app.chats.answer_finished))
            await asyncio.sleep(0)
            app.top_bar.stop.click()
            _, answer = await finished
            assert [each.model_id for each in sent if isinstance(each, UnloadModel)] == ["starter"]
            assert answer.note == "Stopped by you."
            assert app.chats.state is AnswerState.IDLE
            assert app.models.status.state is ModelState.COLD
            assert shown(app) == ["wait", ""]

    run(scene())


def test_an_unload_that_comes_late_says_nothing_about_the_next_load(run: Run) -> None:
    async def scene() -> None:
        async with window("--more-models") as app:
            app.models.load("stuck")
            await until(lambda: app.models.status.fraction == 0.5)
            app.client.deliver(ModelUnloaded(model_id="stuck"))
            assert app.models.status.state is ModelState.LOADING

    run(scene())


def test_a_load_that_is_given_up_stays_so(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            app.models.load("another.gguf")
            app.models.cancel_load()
            app.models.load("starter")
            await until(lambda: app.models.status.state is ModelState.WARM)
            assert app.models.model_id == "starter"

    run(scene())


def test_what_was_told_of_a_failed_load_goes_with_the_next(run: Run) -> None:
    async def scene() -> None:
        async with window("--more-models") as app:
            app.models.load("broken")
            await until(lambda: "model_not_found" in app.window.notices.buttons)
            app.models.load("starter")
            assert app.window.notices.texts == []

    run(scene())


def test_after_a_crash_the_model_can_be_loaded_again(run: Run) -> None:
    async def scene() -> None:
        failure = Failure(code=Code.ENGINE_CRASHED, message="The engine ended.")
        async with window() as app:
            app.client.deliver(WorkerCrashed(model_id="starter", failure=failure))
            assert app.top_bar.chip.text() == "SmolLM2 135M stopped by a fault"
            await until(lambda: "engine_crashed" in app.window.notices.buttons)
            app.window.notices.buttons["engine_crashed"].click()
            await until(lambda: app.models.status.state is ModelState.WARM)
            assert app.window.notices.texts == []

    run(scene())


def test_that_the_engine_is_being_started_again_is_told_until_it_is(run: Run) -> None:
    async def scene() -> None:
        failure = Failure(code=Code.ENGINE_CRASHED, message="The engine ended. It is being started again.")
        async with window() as app:
            app.client.deliver(WorkerCrashed(model_id="starter", failure=failure, is_restarting=True))
            assert app.window.notices.texts == ["The engine ended. It is being started again."]
            await loaded(app)
            assert app.models.status.state is ModelState.WARM
            assert app.window.notices.texts == []

    run(scene())
