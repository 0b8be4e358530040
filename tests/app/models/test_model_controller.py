"""Which model the window says it has: always what the engine reports."""

from __future__ import annotations

from app_scene import Run, ask, until, window, write

from app.models.model_status import ModelState, ModelStatus, display_name, written_by
from engine.errors import Code, Failure
from engine.protocol import EffectiveSettings, ModelUnloaded, WorkerCrashed


def test_the_chip_shows_what_the_engine_reports(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            assert app.top_bar.chip.text() == "SmolLM2 135M Q4_1 · 8k context · KV q8_0"
            assert app.models.status.state is ModelState.WARM

    run(scene())


def test_loading_shows_its_fraction(run: Run) -> None:
    async def scene() -> None:
        seen: list[ModelStatus] = []
        async with window() as app:
            app.models.status_changed.connect(seen.append)
            app.models.load("another.gguf")
            await until(lambda: app.models.status.state is ModelState.WARM)
            assert [status.fraction for status in seen if status.state is ModelState.LOADING] == [0.0, 0.5]
            assert app.settings_store.settings.models.last_model == "another.gguf"

    run(scene())


def test_busy_while_an_answer_runs(run: Run) -> None:
    async def scene() -> None:
        seen: list[ModelState] = []
        async with window() as app:
            app.models.status_changed.connect(lambda status: seen.append(status.state))
            await ask(app, "hello")
            assert seen == [ModelState.BUSY, ModelState.WARM]

    run(scene())


def test_a_model_is_not_busy_with_the_answer_of_another(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            write(app, "hang")
            await until(lambda: app.models.status.state is ModelState.BUSY)
            app.models.load("another.gguf")
            await until(lambda: app.models.status.effective is not None)
            assert app.models.status.state is ModelState.WARM
            app.models.load("starter")
            await until(lambda: app.models.status.effective is not None)
            assert app.models.status.state is ModelState.BUSY
            app.chats.stop()
            await until(lambda: app.models.status.state is ModelState.WARM)

    run(scene())


def test_a_crash_and_an_unload_that_nobody_asked_for_are_shown(run: Run) -> None:
    failure = Failure(code=Code.ENGINE_CRASHED, message="The model's process ended.", advice="Use a smaller context.")

    async def scene() -> None:
        async with window() as app:
            app.client.deliver(ModelUnloaded(model_id="starter", reason="memory"))
            assert app.models.status.state is ModelState.COLD
            app.client.deliver(WorkerCrashed(model_id="starter", failure=failure))
            assert app.models.status.state is ModelState.FAILED
            assert app.window.notices.texts == ["The model's process ended. Use a smaller context."]
            app.client.deliver(WorkerCrashed(model_id="other", failure=failure))
            assert app.models.status.model_id == "starter"

    run(scene())


def test_names_for_people() -> None:
    assert display_name("starter") == "SmolLM2 135M"
    assert display_name("/a b/模型/Some-Model-Q4_K_M.gguf") == "Some-Model-Q4_K_M"
    assert display_name("C:\\models\\m.gguf") == "m"


def test_an_answer_names_its_model_as_the_rest_of_the_window_does() -> None:
    training = EffectiveSettings(model_path="/models/Small-1B-Q8_0.gguf", model_name="small 1b lc100k mix1 ep2")
    assert written_by("starter", training) == display_name("starter")
    assert written_by("/models/Small-1B-Q8_0.gguf", training) == "Small-1B-Q8_0"
    assert written_by("other", EffectiveSettings(model_name="Other 4B")) == "Other 4B"
