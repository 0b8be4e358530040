"""The bar over the chat: where the engine says that the model runs."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.models.model_status import ModelState, ModelStatus
from app.ui.plain_text import ElidedLabel
from app.ui.theme import Theme
from app.window.top_bar import TopBar
from engine.protocol import Device, EffectiveSettings

CARD = Device(name="CUDA0", description="RTX 4090", kind="gpu")
PROCESSOR = Device(name="CPU", description="A processor", kind="cpu")


@pytest.mark.parametrize(
    ("effective", "said"),
    [
        (EffectiveSettings(n_layers=31, n_gpu_layers=31, devices=(CARD, PROCESSOR)), "31 of 31 layers on RTX 4090"),
        (
            EffectiveSettings(n_layers=49, n_gpu_layers=49, n_cpu_moe=31, devices=(CARD, PROCESSOR)),
            "49 of 49 layers on RTX 4090, experts of 31 on the CPU",
        ),
        (EffectiveSettings(n_layers=31, n_threads=1, devices=(CARD, PROCESSOR)), "on the CPU, 1 thread"),
    ],
)
def test_it_says_where_the_model_runs(qtbot: QtBot, effective: EffectiveSettings, said: str) -> None:
    bar = TopBar(Theme())
    qtbot.addWidget(bar)
    bar.set_status(ModelStatus(state=ModelState.WARM, name="Model", effective=effective))
    assert said in [label.text() for label in bar.findChildren(QLabel)]


def test_a_long_preset_leaves_room_for_the_model(qtbot: QtBot) -> None:
    bar = TopBar(Theme())
    qtbot.addWidget(bar)
    name = "A preset that goes on and on and does not fit into any bar"
    bar.set_presets({"Default": "Default", name: name}, name)
    assert bar._preset.text().endswith("…")
    assert name in bar._preset.toolTip()
    assert name in bar._preset.accessibleName()


def test_presets_are_chosen_by_name_and_shown_in_the_users_language(qtbot: QtBot) -> None:
    bar = TopBar(Theme())
    qtbot.addWidget(bar)
    bar.set_presets({"Default": "默认", "Coding": "Coding"}, "Default")
    assert (bar._preset.text(), bar._preset.accessibleName()) == ("默认", "Preset: 默认")
    assert [action.text() for action in bar._presets.actions()] == ["默认", "Coding"]
    with qtbot.waitSignal(bar.preset_chosen) as chosen:
        bar._presets.actions()[0].trigger()
    assert chosen.args == ["Default"]


def test_where_it_runs_gives_way_to_the_models_name(qtbot: QtBot) -> None:
    bar = TopBar(Theme())
    qtbot.addWidget(bar)
    effective = EffectiveSettings(n_threads=2, n_ctx=8192, quantization="Q4_1")
    bar.set_status(ModelStatus(state=ModelState.WARM, name="SmolLM2 135M", effective=effective))
    said = next(label for label in bar.findChildren(QLabel) if label.text() == "on the CPU, 2 threads")
    bar.resize(900, bar.height())
    bar.show()
    assert said.isVisible()
    bar.resize(380, bar.height())
    assert not said.isVisible()
    bar.resize(900, bar.height())
    assert said.isVisible()


def test_where_it_runs_is_cut_short_and_told_whole_rather_than_left_out(qtbot: QtBot) -> None:
    bar = TopBar(Theme())
    qtbot.addWidget(bar)
    card = Device(name="CUDA0", description="NVIDIA GeForce RTX 4090", kind="gpu")
    effective = EffectiveSettings(n_layers=37, n_gpu_layers=28, n_cpu_moe=12, devices=(card, PROCESSOR))
    bar.set_status(ModelStatus(state=ModelState.WARM, name="Qwen3 8B", effective=effective))
    said = next(label for label in bar.findChildren(ElidedLabel) if "layers" in label.text())
    assert said.text() == "28 of 37 layers on RTX 4090, experts of 12 on the CPU"
    bar.resize(1400, bar.height())
    bar.show()
    qtbot.waitUntil(lambda: said.shown == said.text())
    assert not said.toolTip()
    whole = sum(each.sizeHint().width() + 8 for each in bar.controls if not each.isHidden()) + 28
    bar.resize(whole + 200, bar.height())
    qtbot.waitUntil(lambda: said.isVisible() and said.shown.endswith("…"))
    assert "experts of 12 on the CPU" in said.toolTip()
    bar.resize(whole + 100, bar.height())
    assert not said.isVisible()
