"""Latency in the whole app: why slow, the action and its outcome, alerts, hardware only as often as somebody looks."""

from __future__ import annotations

import msgspec
import pytest
from app_scene import Run, ask, shown, until, window, write
from fake_host import EFFECTIVE, METRICS

from app.application import Application
from app.latency.latency_controller import LatencyController
from app.latency.trial import alternation, trial_variants
from app.transcript.footer_figures import figures
from app.ui.quantities import format_seconds
from engine.latency.advice import Action
from engine.latency.diagnosis import Cause
from engine.metrics import RequestMetrics
from engine.protocol import (
    EffectiveSettings,
    GenerationFinished,
    HardwareSample,
    KvType,
    MetricsRead,
    ModelLoaded,
    ModelSettings,
    PercentileRow,
    Speculative,
)
from engine.settings import Models, Settings, Thresholds
from engine.store.chat_values import StoredMessage

SLOW_THRESHOLDS = Thresholds(ttft_notice=0.03, itl_notice=0.005)
"""Under these the scripted answers (TTFT 62 ms, ITL 6.7 ms, 78 % of the bandwidth) are slow."""


async def desk_of(app: Application) -> LatencyController:
    await until(lambda: app.latency is not None and app.transcript is not None)
    assert app.latency is not None
    return app.latency


def slow() -> Settings:
    return Settings(thresholds=SLOW_THRESHOLDS)


def test_a_slow_answer_is_explained_and_the_advice_is_taken(run: Run) -> None:
    async def scene() -> None:
        async with window(settings=slow()) as app:
            desk = await desk_of(app)
            answer = await ask(app, "hello")
            assert desk.panel is None
            app.transcript.why_slow_requested.emit(answer.id)  # type: ignore[union-attr]
            assert desk.panel is not None
            assert not app.window.panel.isHidden()
            assert "78 % of its memory bandwidth" in desk.panel.why.sentence
            found = desk.why_slow.last
            assert found is not None
            assert found.diagnosis is not None
            assert (found.diagnosis.cause, found.diagnosis.action) == (Cause.BANDWIDTH, Action.SPECULATIVE)
            loaded = []
            app.models.status_changed.connect(lambda status: loaded.append(status.state.value))
            desk.panel.action_requested.emit()
            assert app.settings_store.settings.models.per_model["starter"].speculative is Speculative.LOOKUP
            assert "Draft tokens from the prompt" in app.window.notices.texts[-1]
            await until(lambda: "warm" in loaded)
            confirmed: list[str] = []
            desk.why_slow.confirmed.connect(confirmed.append)
            await ask(app, "again")
            assert confirmed == ["Draft tokens from the prompt: ITL P50 6.7 ms → 6.7 ms, no real difference."]

    run(scene())


def test_advice_about_another_models_answer_leaves_the_chosen_one_alone(run: Run) -> None:
    async def scene() -> None:
        async with window(settings=slow()) as app:
            desk = await desk_of(app)
            answer = await ask(app, "hello")
            other = msgspec.structs.replace(answer, effective=msgspec.structs.replace(EFFECTIVE, model_name="Other 4B"))
            app.chats.answer_finished.emit(app.chats.chat, other)
            desk.why_slow.act()
            assert app.window.notices.texts == [
                "Other 4B wrote this answer. Choose it as the model first: this changes how it is loaded."
            ]
            assert app.settings_store.settings.models.per_model == {}

    run(scene())


def test_a_fast_answer_has_no_diagnosis(run: Run) -> None:
    patient = Settings(thresholds=Thresholds(ttft_notice=3600))  # However late a busy machine paints it.

    async def scene() -> None:
        async with window(settings=patient) as app:
            desk = await desk_of(app)
            app.window.toggle_panel()
            await ask(app, "hello")
            assert desk.why_slow.last is not None
            assert desk.why_slow.last.diagnosis is None
            assert desk.panel is not None
            assert desk.panel.why.isHidden()

    run(scene())


@pytest.mark.parametrize(
    ("metrics", "check"),
    [
        (
            RequestMetrics(ttft=2.0, load_time=1.8),
            lambda app: "starter" in app.settings_store.settings.models.keep_warm,
        ),
        (
            RequestMetrics(ttft=2.0, prefill_time=1.9, n_prompt_tokens=900, cache_miss_reason="the history was edited"),
            lambda app: "begins exactly as before" in app.window.notices.texts[-1],
        ),
    ],
)
def test_the_apps_own_actions(run: Run, metrics: RequestMetrics, check) -> None:  # type: ignore[no-untyped-def]
    async def scene() -> None:
        async with window() as app:
            desk = await desk_of(app)
            answer = await ask(app, "hello")
            chat = app.chats.chat
            assert chat is not None
            changed: StoredMessage = msgspec.structs.replace(answer, metrics=metrics)
            app.chats.answer_finished.emit(chat, changed)
            desk.why_slow.act()
            assert check(app)

    run(scene())


def test_alerts_are_a_quiet_mark_and_are_listed(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            desk = await desk_of(app)
            assert app.strip.alerts.text == ""
            full = HardwareSample(vram_used_bytes=95, vram_total_bytes=100)
            app.client.deliver(full)
            assert app.strip.alerts.text == "1 alert"
            app.window.toggle_panel()
            assert desk.panel is not None
            assert not desk.panel.alerts.isHidden()
            app.client.deliver(HardwareSample(vram_used_bytes=20, vram_total_bytes=100))
            assert app.strip.alerts.text == ""
            assert desk.panel.alerts.isHidden()

    run(scene())


def test_thresholds_are_live(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            desk = await desk_of(app)
            app.client.deliver(HardwareSample(vram_used_bytes=80, vram_total_bytes=100))
            assert desk.alerts.alerts == []
            app.settings_store.change("thresholds", vram_notice=0.5)
            app.client.deliver(HardwareSample(vram_used_bytes=80, vram_total_bytes=100))
            assert [alert.limit for alert in desk.alerts.alerts] == [0.5]

    run(scene())


def test_the_machine_is_read_more_often_only_while_the_panel_is_shown(run: Run) -> None:
    async def scene() -> None:
        sent: list[float] = []
        async with window() as app:
            await desk_of(app)
            send = app.client.send
            app.client.send = lambda command: (  # type: ignore[method-assign]
                sent.append(getattr(command, "interval", -1.0)),
                send(command),
            )[1]
            app.window.toggle_panel()
            app.window.toggle_panel()
            assert [interval for interval in sent if interval >= 0] == [0.5, 1.0]

    run(scene())


def test_a_panel_that_is_opened_during_an_answer_shows_it_from_its_start(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            desk = await desk_of(app)
            write(app, "hang")
            await until(lambda: shown(app)[-1:] == ["You said: hang"])
            assert desk.panel is None
            app.window.toggle_panel()
            assert desk.panel is not None
            assert desk.panel.gaps.timeline.values == (0.0067,) * 3
            app.chats.stop()
            await until(lambda: app.chats.state.value == "idle")

    run(scene())


def test_two_settings_are_tried_in_alternation(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            desk = await desk_of(app)
            desk.comparison.open()
            dialog = desk.comparison.dialog
            assert dialog is not None
            loads: list[object] = []
            for kind in (GenerationFinished, ModelLoaded):
                app.client.subscribe(kind, lambda event: loads.append(type(event).__name__))
            dialog.trial.button.click()
            await until(lambda: bool(dialog.rows))
            assert {row.n_a for row in dialog.rows} == {row.n_b for row in dialog.rows} == {5}
            assert loads.count("GenerationFinished") == 10
            # A, BB, AA, BB, AA, B, and the model's own settings at the end.
            await until(lambda: loads.count("ModelLoaded") == 7)
            dialog.close()

    run(scene())


def test_a_trial_can_be_cancelled(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            desk = await desk_of(app)
            desk.comparison.open()
            dialog = desk.comparison.dialog
            assert dialog is not None
            dialog.trial.prompt.setText("hang")
            dialog.trial.button.click()
            await until(lambda: bool(desk.comparison.trial._answering))
            dialog.trial.button.click()
            await until(lambda: dialog.trial._note.text() == "Cancelled.")
            assert dialog.rows == []
            dialog.close()

    run(scene())


def test_the_sides_take_turns() -> None:
    assert alternation(5) == [0, 1, 1, 0, 0, 1, 1, 0, 0, 1]
    assert sum(alternation(7)) == 7


def test_variants_differ_in_one_thing() -> None:
    effective = EffectiveSettings(n_ctx=8192, n_ubatch=512, n_batch=2048, n_threads=2, flash_attn=True)
    (name, own), *others = trial_variants(ModelSettings(), effective)
    assert (name, own) == ("as it is loaded now", ModelSettings())
    assert all(settings.n_ctx == 8192 for _, settings in others)
    assert len({settings for _, settings in others}) == len(others)
    assert KvType.F16 not in {settings.type_k for text, settings in others if "KV" in text}


def test_percentiles_raise_alerts_after_enough_answers(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            desk = await desk_of(app)

            async def answered(_command: object) -> MetricsRead:
                row = PercentileRow(name="ttft", count=20, p50=0.1, p90=0.2, p95=0.3, p99=2.0)
                return MetricsRead(rows=(row,), n_requests=20)

            app.client.request = answered  # type: ignore[method-assign,assignment]
            desk.alerts._timer.setInterval(0)
            app.client.deliver(
                GenerationFinished(request_id="x", finish_reason="stop", metrics=METRICS)  # type: ignore[arg-type]
            )
            await until(lambda: bool(desk.alerts.alerts))
            assert app.strip.alerts.text == "1 alert"

    run(scene())


def test_the_kept_model_is_listed_once(run: Run) -> None:
    async def scene() -> None:
        async with window(settings=Settings(models=Models(keep_warm=("starter",)))) as app:
            desk = await desk_of(app)
            desk.why_slow._act_in_app(Action.KEEP_WARM, "starter")
            assert app.settings_store.settings.models.keep_warm == ("starter",)

    run(scene())


def test_an_answer_and_the_strip_say_the_same_wait(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            await desk_of(app)
            await ask(app, "hello")
            await until(lambda: app.conversation.item(1).perceived_ttft is not None)
            item = msgspec.structs.replace(app.conversation.item(1), metrics=METRICS)
            wait = next(each for each in figures(item) if each.before == "TTFT").value
            assert wait == format_seconds(item.perceived_ttft or 0.0)
            await until(lambda: app.strip.ttft.text == f"TTFT {wait}")

    run(scene())
