"""The bar over the chat: where the engine says that the model runs."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.model_status import ModelState, ModelStatus
from app.theme import Theme
from app.widgets.top_bar import TopBar
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
    bar.set_presets(("Default", name), name)
    assert bar._preset.text().endswith("… ▾")
    assert name in bar._preset.toolTip()
    assert name in bar._preset.accessibleName()


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
