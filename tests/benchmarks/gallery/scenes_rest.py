"""Everything but the chat: latency, models, settings, faults as they are told."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace

import figures
import library
import msgspec
from PySide6.QtCore import QSize
from stage import Stage, opened

from app.application import Application
from app.core.engine_texts import failure_text
from app.latency import diagnosis_texts
from app.latency.latency_panel import LatencyPanel
from app.latency.strip_readings import Phase, StripReadings
from app.models.model_card_dialog import ModelCardDialog
from app.models.model_manager import DOWNLOADS, FIND, LOCAL, ModelManager
from app.models.quantize_dialog import QuantizeDialog
from app.settings.settings_dialog import SettingsDialog
from app.ui.command_palette import CommandPalette
from engine.latency.advice import Action, Outcome
from engine.latency.alerts import AlertLevel
from engine.protocol import (
    Command,
    DevicesListed,
    Estimate,
    InspectRepo,
    ListCatalog,
    ListDevices,
    ListModels,
    ListPulls,
    LoadProgress,
    MeasureRoofline,
    ModelLoaded,
    ModelsListed,
    PullsListed,
    ReadHeader,
    ReadMetrics,
    RequestFailed,
    RooflineMeasured,
    SearchHub,
    Terminal,
    WorkerCrashed,
)
from engine.protocol.commands import QuantizeModel, ReadApi
from engine.protocol.events import ApiRead, HubResults, MetricsRead, PrefillProgress, QuantizeFinished
from engine.protocol.values import Notice
from engine.settings import Models, Preset, PromptTemplate, Settings
from engine.translatable import joined, phrase, sentence

TALL = QSize(1180, 1440)
PREFILL = PrefillProgress(n_done=3120, n_total=8000, n_cached=1024, rate=1200, seconds_left=4.1)
ANSWERS: Mapping[type[Command], Terminal] = {
    ListModels: library.LIBRARY, ListPulls: library.PULLS, ListCatalog: library.catalog(), SearchHub: library.HUB,
    InspectRepo: library.REPO, ReadHeader: library.HEADER, Estimate: library.FIT,
    MeasureRoofline: RooflineMeasured(device="CUDA0", bandwidth=1.008e12), ReadMetrics: figures.percentiles(),
    ListDevices: DevicesListed(
        devices=figures.GPU.devices, backend="cuda", backend_reason="found NVIDIA GeForce RTX 4090 with NVIDIA's driver"
    ),
    QuantizeModel: QuantizeFinished(path="", size_bytes=105_000_000), ReadApi: ApiRead(),
}  # fmt: skip


def script(app: Application, **changes: Terminal | None) -> None:
    """Let the host seem to answer as ANSWERS says; `changes` by a command's name, None for no answer at all."""
    said = {kind.__name__: event for kind, event in ANSWERS.items()} | changes
    ask = app.client.request

    async def request(command: Command) -> Terminal:
        name = type(command).__name__
        if name not in said:
            return await ask(command)
        if (event := said[name]) is None:
            await asyncio.get_running_loop().create_future()
        assert event is not None
        return msgspec.structs.replace(event, request_id=command.request_id)

    app.client.request = request  # type: ignore[method-assign]


def failed(name: str) -> RequestFailed:
    return RequestFailed(failure=library.FAILURES[name])


def load_on_gpu(app: Application, **changes: object) -> None:
    """The window's model runs on a GPU."""
    effective = msgspec.structs.replace(figures.GPU, **changes)
    app.client.deliver(ModelLoaded(model_id=app.models.model_id, effective=effective))


async def strip(stage: Stage) -> None:
    """The line below the chat, in every phase and at every level."""
    async with stage.app(size=QSize(1180, 460)) as app:
        line = app.strip
        ready = StripReadings(metrics=figures.FAST, n_context=6204, n_ctx=16384, kv_type="q8_0")
        gpu, cpu = figures.GPU_SAMPLE, figures.CPU_SAMPLE
        full = msgspec.structs.replace(gpu, vram_used_bytes=23_100_000_000)
        slow = ready._replace(metrics=figures.SLOW, hardware=full, n_context=15800)
        shots = {
            "idle": StripReadings(), "reading": ready._replace(phase=Phase.PREFILL, prefill=PREFILL, hardware=gpu),
            "waiting": ready._replace(phase=Phase.QUEUED, hardware=gpu),
            "loading": ready._replace(phase=Phase.LOADING, hardware=gpu),
            "fast": ready._replace(phase=Phase.DECODE, hardware=gpu), "processor": ready._replace(hardware=cpu),
            "slow": slow, "halting": slow._replace(metrics=figures.HALTING, n_context=16384),
        }  # fmt: skip
        for name, shown in shots.items():
            line.set_figures(shown)
            await stage.shot(line, f"strip-{name}")
        line.set_figures(shots["fast"])
        notices = [alert for alert in figures.alerts() if alert.level is AlertLevel.NOTICE]
        for name, alerts in (("notice", notices[:1]), ("alerts", figures.alerts())):
            line.set_alerts(alerts)
            await stage.shot(line, f"strip-{name}")
        app.window.resize(680, 460)
        await stage.shot(app.window, "strip-narrow")


def _fill(panel: LatencyPanel, *, is_gpu: bool) -> None:
    """A machine, an answer on it, and what the log holds."""
    sample = figures.GPU_SAMPLE if is_gpu else figures.CPU_SAMPLE
    panel.set_effective(figures.GPU if is_gpu else figures.CPU)
    panel.begin_answer()
    for gap, is_interfered in figures.gaps(typical=0.0083 if is_gpu else 0.064, n_interfered=14):
        panel.add_gap(gap, is_interfered=is_interfered)
    metrics = figures.FAST if is_gpu else figures.SLOW
    panel.show_metrics(metrics, 0.041 if is_gpu else 1.91)
    for number in range(90):
        busy = 0.91 - 0.5 * (number % 30 > 24)
        name = "gpu_utilisation" if is_gpu else "cpu_utilisation"
        panel.set_hardware(
            msgspec.structs.replace(sample, **{name: busy}), (metrics.decode_tps or 0) * (number % 30 < 25), 1.0
        )
    panel.set_bandwidth(1.008e12 if is_gpu else 2.1e10)
    panel.show_read(figures.percentiles() if is_gpu else figures.percentiles(1))


async def panel(stage: Stage) -> None:
    """The latency panel: empty, full with a GPU and with none, and everything that speaks up in it."""
    async with stage.app(size=TALL) as app:
        script(app, ReadMetrics=MetricsRead(rows=()))
        app.window.toggle_panel()
        assert app.latency is not None
        shown = app.latency.panel
        assert shown is not None
        await stage.shot(shown, "panel-empty")
        script(app)
        _fill(shown, is_gpu=True)
        await stage.shot(shown, "panel-gpu")
        await stage.shot(app.window, "panel-window")
        shown.alerts.set_alerts(figures.alerts())
        await stage.shot(shown.alerts, "panel-alerts")
        shown.alerts.set_alerts(())
        _fill(shown, is_gpu=False)
        await stage.shot(shown, "panel-processor")
        app.settings_store.change("general", font_size=20)
        _fill(shown, is_gpu=True)
        await stage.shot(shown, "panel-large")
        app.settings_store.change("general", font_size=14)
        for name, found in figures.diagnoses().items():
            shown.why.show_diagnosis(
                "14:02", diagnosis_texts.sentence(found), diagnosis_texts.button(found.action)
            )  # fmt: skip
            await stage.shot(shown.why, f"why-{name}")
        for name, after in (("confirmed", 0.017), ("refuted", 0.0214), ("worse", 0.027)):
            brought = diagnosis_texts.brought(Action.KV_Q8_0, Outcome("ITL P50", 0.021, after))
            shown.why.show_outcome(brought)
            await stage.shot(shown.why, f"why-{name}")
        shown.why.show_fast("14:05")
        await stage.shot(shown.why, "why-fast")


async def comparison(stage: Stage) -> None:
    """Two settings side by side, and a trial of them."""
    async with stage.app() as app:
        script(app)
        load_on_gpu(app)
        await stage.rest()
        assert app.latency is not None
        app.latency.comparison.open()
        await stage.rest()
        dialog = app.latency.comparison.dialog
        assert dialog is not None
        await stage.shot(dialog, "compare-nothing")
        dialog.set_answers(figures.logged())
        await stage.shot(dialog, "compare-settings")
        dialog._b.setCurrentIndex(3)
        await stage.shot(dialog, "compare-single")
        dialog.trial.set_progress(3, 10)
        await stage.shot(dialog, "trial-running")
        runs = [answer.metrics for answer in figures.logged()]
        dialog.show_trial((dialog.trial.a.itemText(0), dialog.trial.a.itemText(1)), (runs[::2], runs[1::2]))
        dialog.trial.set_ended(
            app.latency.comparison.tr("Done: the figures are above. The model has its own settings again.")
        )
        await stage.shot(dialog, "trial-done")
        dialog.trial.set_ended(failure_text(library.FAILURES["out_of_memory"]), is_warning=True)
        await stage.shot(dialog, "trial-failed")


async def ablation(stage: Stage) -> None:
    """What each technique brings."""
    async with stage.app() as app:
        assert app.latency is not None
        app.latency.ablation.open(app.models.model_id, app.models.status.name)
        dialog = app.latency.ablation.dialog
        assert dialog is not None
        await stage.shot(dialog, "ablation-start")
        dialog.set_progress(4, 8, "prefill while typing")
        await stage.shot(dialog, "ablation-running")
        dialog.set_ended(failure_text(library.FAILURES["out_of_memory"]), is_warning=True)
        await stage.shot(dialog, "ablation-failed")
        dialog.set_figures(figures.ablation())
        await stage.shot(dialog, "ablation-figures")


async def local_models(stage: Stage) -> None:
    """The models on this computer, each in its state."""
    async with stage.app(settings=Settings(models=Models(keep_warm=(library.MODELS[0].model_id,)))) as app:
        load_on_gpu(app)
        script(app, ListModels=ModelsListed(models=()), ListPulls=PullsListed(pulls=()))
        app.library.open()
        manager = opened(ModelManager)
        await stage.shot(manager, "local-none")
        script(app)
        app.library.open(LOCAL)
        await stage.rest()
        page = manager.local
        for number, model in enumerate(library.MODELS):
            page.list.select(model.model_id)
            page.list.selected.emit(model.model_id)
            await stage.shot(manager, f"local-{number}-{model.state}-{model.kind}")
        first = library.MODELS[3].model_id
        page.list.select(first)
        page.list.selected.emit(first)
        page.set_check(first, 0.43)
        await stage.shot(manager, "local-checking")
        page.end_check(first, failure_text(library.FAILURES["damaged"]), is_warning=True)
        await stage.shot(manager, "local-check-failed")


async def quantize(stage: Stage) -> None:
    """Making another quantization."""
    async with stage.app() as app:
        script(app)
        app.library.open()
        manager = opened(ModelManager)
        await stage.rest()
        for number, name in ((3, "fine"), (0, "twice")):
            manager.local.quantize_requested.emit(library.MODELS[number].model_id)
            dialog = opened(QuantizeDialog)
            await stage.shot(dialog, f"quantize-{name}")
            dialog.set_progress(0.43)
            await stage.shot(dialog, f"quantize-{name}-running")
            dialog.set_finished(105_000_000, {"Q4_K": 70, "Q6_K": 28, "F32": 2})
            await stage.shot(dialog, f"quantize-{name}-done")
            dialog.set_failure(failure_text(library.FAILURES["out_of_memory"]) if number else "")
            await stage.shot(dialog, f"quantize-{name}-failed")
            dialog.close()


async def find_models(stage: Stage) -> None:
    """The catalogue, a search and its faults, a repository and its quantizations."""
    async with stage.app() as app:
        load_on_gpu(app)
        script(app)
        app.library.open(FIND)
        manager = opened(ModelManager)
        page = manager.search
        await stage.shot(manager, "find-catalogue")
        page.field.setText("qwen3")
        page.search_requested.emit("qwen3")
        await stage.shot(manager, "find-results")
        page.results.selectionModel().setCurrentIndex(
            page.results.model().index(0, 0), page.results.selectionModel().SelectionFlag.ClearAndSelect
        )  # fmt: skip
        await stage.shot(manager, "find-repo")
        page.set_items([replace(item, memory_bytes=0) for item in page.table.rows.items][:1], 0)
        await stage.shot(manager, "find-repo-one")
        page._show_card()
        await stage.shot(opened(ModelCardDialog), "find-card")
        opened(ModelCardDialog).close()
        for name in ("gated", "unreachable"):
            script(app, InspectRepo=failed(name))
            page.repo_selected.emit("google/gemma-3-12b-it-gguf")
            await stage.shot(manager, f"find-repo-{name}")
        for name in ("unreachable", "offline", "slow_down", "refused"):
            script(app, SearchHub=failed(name))
            page.search_requested.emit("qwen3")
            await stage.shot(manager, f"find-{name}")
        script(app, SearchHub=None)
        page.search_requested.emit("qwen3")
        await stage.shot(manager, "find-searching")
        script(app, SearchHub=HubResults(models=()))
        page.search_requested.emit("qwen3")
        await stage.shot(manager, "find-nothing")


async def downloads(stage: Stage) -> None:
    """Downloads, each in its state."""
    async with stage.app() as app:
        load_on_gpu(app)
        script(app, ListPulls=PullsListed(pulls=()))
        app.library.open(DOWNLOADS)
        manager = opened(ModelManager)
        await stage.shot(manager, "downloads-none")
        script(app)
        app.library.open(DOWNLOADS)
        await stage.rest()
        manager.downloads.set_answering({pull.path for pull in library.PULLS.pulls if pull.state == "finished"})
        for pull in library.PULLS.pulls:
            manager.downloads.list.select(pull.pull_id)
            manager.downloads.list.selected.emit(pull.pull_id)
            await stage.shot(manager, f"downloads-{pull.state}-{pull.repo.partition('/')[2][:8]}")


async def loading(stage: Stage) -> None:
    """The model in the title bar: loading, ready, split, failed; and the list to choose from."""
    async with stage.app(size=QSize(1180, 560)) as app:
        script(app)
        for fraction, step in ((0.0, "open"), (0.43, "weights"), (0.8, "context"), (0.97, "warmup")):
            app.client.deliver(LoadProgress(model_id=app.models.model_id, fraction=fraction, step=step))
            await stage.shot(app.window, f"load-{step}")
        load_on_gpu(app)
        await stage.shot(app.window, "load-gpu")
        load_on_gpu(app, n_gpu_layers=28, n_cpu_moe=12)
        await stage.shot(app.window, "load-split")
        lack = sentence("{name} does not fit into memory.", name="Qwen3-8B-Q4_K_M.gguf")
        kept = sentence(
            "{device} has room for {n} of {of} layers; the others run on the CPU, which is slower.",
            device=phrase("The GPU"),
            n=28,
            of=37,
        )
        fewer = Notice(code="fewer_layers", message=joined(kept, lack), is_warning=True)
        load_on_gpu(app, n_gpu_layers=28, notices=(fewer,))
        await stage.shot(app.window, "load-stepped-down")
        app.models.refresh()
        await stage.rest()
        await stage.shot(app.window, "chooser")
        opened(CommandPalette).close()
        model_id = app.models.model_id
        crash = WorkerCrashed(model_id=model_id, failure=library.FAILURES["crashed"])
        app.client.deliver(msgspec.structs.replace(crash, is_restarting=True))
        await stage.shot(app.window, "worker-restarts")
        app.client.deliver(msgspec.structs.replace(crash, failure=library.FAILURES["crashed_again"]))
        await stage.shot(app.window, "worker-dead")


async def faults(stage: Stage) -> None:
    """Each fault as the window tells it."""
    async with stage.app(size=QSize(1180, 420)) as app:
        for name, failure in library.FAILURES.items():
            app.show_failure(failure)
            await stage.shot(app.window.notices, f"fault-{name}")
            app.window.notices.dismiss(str(failure.code))
        for failure in list(library.FAILURES.values())[-3:]:
            app.show_failure(failure)
        app.window.notices.offer_undo("Qwen3-8B", lambda: None)
        await stage.shot(app.window, "faults-together")


async def settings(stage: Stage) -> None:
    """Each page of the settings in its whole length."""
    chosen = Settings(
        models=Models(folders=("/mnt/models", "/home/ada/a folder/with a long name/that goes/on and on/models")),
        presets=(Preset(name="Default", system_prompt="Answer in one sentence."), Preset(name="Coding")),
        prompts=(PromptTemplate(name="Translate", text="Translate into {{language}}:\n\n{{text}}"),),
    )
    async with stage.app(settings=chosen) as app:
        script(app)
        load_on_gpu(app)
        app.settings.open()
        dialog = opened(SettingsDialog)
        await stage.shot(dialog, "settings-first")
        for page in dialog.pages:
            dialog.show_page(page)
            await stage.rest()
            dialog.resize(860, max(420, page.widget().sizeHint().height() + 60))
            name = type(page).__name__.removesuffix("Page").lower()
            await stage.shot(dialog, f"settings-{name}")
        dialog.resize(720, 420)
        dialog.show_page(dialog.shortcuts)
        dialog.shortcuts._set("new_chat", "Ctrl+F")
        await stage.shot(dialog, "settings-key-taken")
        dialog.show_page(dialog.api)
        dialog.api.set_state("http://127.0.0.1:11436", "")
        await stage.shot(dialog, "settings-api-on")
        dialog.show_page(dialog.models)
        dialog.models.show_token_result(failure_text(library.FAILURES["refused"]), is_warning=True)
        await stage.shot(dialog, "settings-token")


SCENES = (
    strip, panel, comparison, ablation, local_models, quantize, find_models, downloads, loading, faults, settings,
)  # fmt: skip
