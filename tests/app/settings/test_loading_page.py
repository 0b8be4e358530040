"""How models are loaded, in the settings: whose settings they are, and what machines with no, one or two GPUs offer."""

from __future__ import annotations

from typing import TypeVar

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox, QComboBox, QSpinBox, QWidget
from pytestqt.qtbot import QtBot
from settings_in_memory import settings_store

from app.core.settings_store import LOAD
from app.settings.device_list import percent
from app.settings.loading_page import LoadingPage
from app.ui.theme import Theme
from engine.protocol import (
    Device,
    EffectiveSettings,
    LoadPlanned,
    MemoryUse,
    ModelSettings,
    Notice,
    SplitMode,
)
from engine.settings import Models, Performance, Settings

GB = 10**9
CPU = Device(name="CPU", description="Some processor", kind="cpu", total_bytes=64 * GB)
LARGE = Device(
    name="CUDA0", description="RTX 4090", kind="gpu", is_display=True, total_bytes=24 * GB, free_bytes=18 * GB
)
SMALL = Device(name="CUDA1", description="RTX 3060", kind="gpu", total_bytes=12 * GB, free_bytes=6 * GB)
BUILT_IN = Device(name="Vulkan0", description="Radeon 780M", kind="igpu", total_bytes=8 * GB)

_E = TypeVar("_E", bound=QWidget)


@pytest.fixture
def page(qtbot: QtBot) -> LoadingPage:
    made = LoadingPage(settings_store(Settings(models=Models(last_model="starter"))), Theme("light"))
    qtbot.addWidget(made)
    return made


def load(page: LoadingPage) -> ModelSettings:
    return page.store.settings.performance.load


def editor(page: LoadingPage, kind: type[_E], name: str) -> _E:
    found = page.editor("performance", "load", name)
    assert isinstance(found, kind)
    return found


def offered(page: LoadingPage) -> set[str]:
    """The settings about devices that can be changed here."""
    names = ("devices", "spares_display", "n_gpu_layers", "n_cpu_moe", "split_mode", "tensor_split", "main_gpu")
    return {name for name in names if not page.editor("performance", "load", name).isHidden()}


def choose(box: QComboBox, data: object) -> None:
    box.setCurrentIndex(box.findData(data))
    box.activated.emit(box.currentIndex())


def plan(**changes: object) -> LoadPlanned:
    fields: dict[str, object] = {
        "model_id": "starter",
        "settings": ModelSettings(n_ctx=8192, n_gpu_layers=33),
        "memory": (
            MemoryUse(device="CPU", weights_bytes=300_000_000),
            MemoryUse(device="CUDA0", weights_bytes=4 * GB, kv_bytes=GB, compute_bytes=GB // 2),
        ),
        "layers": {"CPU": 0, "CUDA0": 33},
        "n_layers": 33,
        "free_bytes": {"CPU": 30 * GB, "CUDA0": 17 * GB},
        "decode_tps": 87.0,
    }
    return LoadPlanned(request_id="1", **{**fields, **changes})  # type: ignore[arg-type]


def test_without_a_gpu_one_sentence_says_so_and_nothing_is_offered(page: LoadingPage) -> None:
    assert page.devices.note.text() == "Asking the engine for its devices…"
    page.set_devices((CPU,), "cpu")
    assert page.devices.note.text() == "The engine, built for cpu, finds no GPU here: models run on the processor."
    assert offered(page) == set()
    page.set_devices_problem("The engine is missing.")
    assert page.devices.note.text() == "The engine is missing."


def test_only_cache_types_that_run_everywhere_are_offered_and_for_keys_and_values_alike(page: LoadingPage) -> None:
    box = editor(page, QComboBox, "type_k")
    assert [box.itemData(row) for row in range(box.count())] == ["f16", "bf16", "q8_0", "q4_0"]
    for kind in ("q8_0", "q4_0", "f16"):
        choose(box, kind)
        assert load(page).type_k == load(page).type_v == kind


def test_one_gpu_can_be_left_out_and_taken_back(page: LoadingPage) -> None:
    page.set_devices((LARGE, CPU), "cuda")
    assert page.devices.note.isHidden()
    assert offered(page) == {"devices", "n_gpu_layers"}
    assert page.devices.list.facts("CUDA0") == "CUDA0 · 18 of 24 GB free · drives the screen"
    box = page.devices.list.box("CUDA0")
    assert (box.text(), box.isChecked()) == ("RTX 4090", True)
    box.click()
    assert load(page).devices == ("CPU",)
    assert offered(page) == {"devices"}
    page.devices.list.box("CUDA0").click()
    assert load(page).devices == ()
    assert offered(page) == {"devices", "n_gpu_layers"}


def test_two_gpus_share_as_they_are_told(page: LoadingPage) -> None:
    page.set_devices((LARGE, SMALL, CPU), "cuda")
    assert offered(page) == {"devices", "spares_display", "n_gpu_layers", "split_mode", "tensor_split"}
    first, second = page.devices.shares.boxes
    assert (first.text(), second.text()) == ("Automatic", "Automatic")
    QTest.keyClick(first, Qt.Key.Key_Up)
    assert load(page).tensor_split == (75.0, 25.0)
    assert (first.text(), second.text()) == ("75 %", "25 %")
    second.setValue(40)
    assert load(page).tensor_split == (60.0, 40.0)
    first.setValue(-1)
    assert load(page).tensor_split == ()
    choose(editor(page, QComboBox, "split_mode"), SplitMode.NONE)
    assert offered(page) == {"devices", "spares_display", "n_gpu_layers", "split_mode", "main_gpu"}
    one = editor(page, QComboBox, "main_gpu")
    assert [one.itemText(row) for row in range(one.count())] == ["RTX 4090 (CUDA0)", "RTX 3060 (CUDA1)"]
    one.setCurrentIndex(1)
    one.activated.emit(1)
    assert load(page).main_gpu == 1
    page.devices.list.box("CUDA0").click()
    assert (load(page).devices, load(page).main_gpu) == (("CUDA1",), 0)
    assert offered(page) == {"devices", "n_gpu_layers"}


def test_the_screens_card_is_spared_by_a_switch_and_shown_as_unused(page: LoadingPage) -> None:
    page.set_devices((LARGE, SMALL, CPU), "cuda")
    editor(page, QCheckBox, "spares_display").click()
    assert load(page).spares_display
    assert [page.devices.list.box(name).isChecked() for name in ("CUDA0", "CUDA1")] == [False, True]
    assert load(page).devices == ()


def test_a_card_of_the_processor_is_used_alone_unless_it_is_chosen(page: LoadingPage) -> None:
    page.set_devices((BUILT_IN, CPU), "vulkan")
    assert page.devices.list.box("Vulkan0").isChecked()
    assert page.devices.list.facts("Vulkan0") == "Vulkan0 · 8 GB · part of the processor, with main memory"
    page.set_devices((SMALL, BUILT_IN, CPU), "vulkan")
    assert not page.devices.list.box("Vulkan0").isChecked()
    page.devices.list.box("Vulkan0").click()
    assert load(page).devices == ("CUDA1", "Vulkan0")


def test_a_device_that_is_gone_stays_until_it_is_taken_out(page: LoadingPage) -> None:
    page.store.replace(Settings(performance=Performance(load=ModelSettings(devices=("CUDA1", "CUDA7")))))
    page.set_devices((LARGE, SMALL, CPU), "cuda")
    assert page.devices.list.facts("CUDA7") == "This device is not there now."
    page.devices.list.box("CUDA7").click()
    assert load(page).devices == ("CUDA1",)
    with pytest.raises(KeyError):
        page.devices.list.box("CUDA7")


def test_experts_are_offered_for_models_that_have_some(page: LoadingPage) -> None:
    page.set_devices((LARGE, CPU), "cuda")
    page.set_plan(plan(has_experts=True))
    assert "n_cpu_moe" in offered(page)
    experts = editor(page, QSpinBox, "n_cpu_moe")
    assert experts.text() == "As few as fit"
    experts.setValue(12)
    page.set_plan(plan())
    assert "n_cpu_moe" in offered(page)
    experts.setValue(-1)
    assert "n_cpu_moe" not in offered(page)


def test_what_a_choice_comes_to_is_asked_for_while_the_page_is_seen(page: LoadingPage, qtbot: QtBot) -> None:
    with qtbot.waitSignal(page.plan_requested) as asked:
        page.show()
    assert asked.args == ["starter", ModelSettings()]
    with qtbot.waitSignal(page.plan_requested) as asked:
        editor(page, QSpinBox, "n_ctx").setValue(4096)
    assert asked.args == ["starter", ModelSettings(n_ctx=4096)]
    page.set_devices((LARGE, CPU), "cuda")
    page.set_plan(plan())
    assert page.plan.texts == [
        "SmolLM2 135M · 8,192 tokens of context · about 87 tok/s",
        "CPU · 0.3 of 30 GB free",
        "RTX 4090 · 33 of 33 layers · 5.5 of 17 GB free",
    ]
    said = Notice(code="fewer_layers", message="CUDA0 has room for 20 of 33 layers.", is_warning=True)
    tight = plan(layers={"CPU": 13, "CUDA0": 20}, free_bytes={"CPU": 30 * GB, "CUDA0": 5 * GB}, notices=(said,))
    page.set_plan(tight)
    assert page.plan.texts[1:] == [
        "CPU · 13 of 33 layers · 0.3 of 30 GB free",
        "RTX 4090 · 20 of 33 layers · 5.5 GB needed, 5 GB free",
        "CUDA0 has room for 20 of 33 layers.",
    ]
    page.set_plan_problem("It is not there.")
    assert page.plan.texts == ["It is not there."]


def test_a_model_gets_settings_of_its_own_by_its_first_change(page: LoadingPage) -> None:
    n_ctx = editor(page, QSpinBox, "n_ctx")
    page.set_effective(EffectiveSettings(model_name="Small 1B"), "/models/small.gguf")
    assert [page.scope.itemText(row) for row in range(page.scope.count())] == ["All models", "Only Small 1B"]
    n_ctx.setValue(4096)
    QTest.keyClick(page.scope, Qt.Key.Key_Down)
    assert page.hint(page.scope).startswith("It follows the settings of all models.")
    assert not page.store.settings.models.per_model
    assert page.reset_button.isHidden()
    n_ctx.setValue(8192)
    assert load(page).n_ctx == 4096
    assert page.store.settings.models.per_model["/models/small.gguf"].n_ctx == 8192
    assert page.hint(page.scope).startswith("It has settings of its own")
    page.reset_button.click()
    assert page.store.settings.models.per_model["/models/small.gguf"].n_ctx == 0
    assert load(page).n_ctx == 4096
    page.follow_button.click()
    assert not page.store.settings.models.per_model
    assert (n_ctx.value(), page.follow_button.isHidden()) == (4096, True)


def test_what_is_being_typed_is_not_lost_to_the_progress_of_a_load(page: LoadingPage) -> None:
    page.set_effective(None, "small")
    n_ctx = editor(page, QSpinBox, "n_ctx")
    n_ctx.selectAll()
    QTest.keyClicks(n_ctx, "4096")
    page.set_effective(None, "small")
    assert n_ctx.text() == "4096"
    QTest.keyClick(n_ctx, Qt.Key.Key_Return)
    assert load(page).n_ctx == 4096


def test_what_is_being_typed_is_not_lost_to_devices_that_are_found_meanwhile(page: LoadingPage) -> None:
    n_ctx = editor(page, QSpinBox, "n_ctx")
    n_ctx.selectAll()
    QTest.keyClicks(n_ctx, "4096")
    page.set_devices((LARGE, SMALL, CPU), "cuda")
    assert (n_ctx.text(), load(page).n_ctx) == ("4096", 0)
    QTest.keyClick(n_ctx, Qt.Key.Key_Return)
    assert load(page).n_ctx == 4096
    page.store.set_value(2048, (*LOAD, "n_ctx"))
    assert n_ctx.value() == 2048
    share = page.devices.shares.boxes[0]
    share.selectAll()
    QTest.keyClicks(share, "30")
    page.set_devices((LARGE, SMALL, CPU), "cuda")
    assert share.text().startswith("30")
    QTest.keyClick(share, Qt.Key.Key_Return)
    assert load(page).tensor_split == (30.0, 70.0)


def test_devices_of_one_model_leave_those_of_all_alone(page: LoadingPage) -> None:
    page.set_devices((LARGE, SMALL, CPU), "cuda")
    page.show_model("/models/other.gguf", "Other 7B")
    assert page.scope.currentText() == "Only Other 7B"
    page.devices.list.box("CUDA1").click()
    assert page.store.settings.models.per_model["/models/other.gguf"].devices == ("CUDA0",)
    assert load(page) == ModelSettings()
    choose(page.scope, "")
    assert page.devices.list.box("CUDA1").isChecked()


def test_a_loaded_model_with_settings_of_its_own_is_shown_first(page: LoadingPage) -> None:
    own = {"small": ModelSettings(n_ctx=8192)}
    page.store.replace(Settings(models=Models(per_model=own)))
    page.set_effective(EffectiveSettings(model_name="Other", n_ctx=4096), "other")
    assert (page.scope.currentData(), page.in_force("n_ctx")) == ("", "in force: 4,096")
    page.set_effective(EffectiveSettings(model_name="Small 1B", n_ctx=4096), "small")
    assert (page.scope.currentData(), page.in_force("n_ctx")) == ("small", "in force: 4,096")
    choose(page.scope, "")
    assert page.in_force("n_ctx") == ""
    assert not page.load_button.isEnabled()
    choose(page.scope, "small")
    assert (page.load_button.text(), page.load_button.isEnabled()) == ("Load the model again", True)


def test_a_model_that_is_not_loaded_can_be_from_here(page: LoadingPage, qtbot: QtBot) -> None:
    assert not page.load_button.isEnabled()
    page.show_model("/models/other.gguf", "Other 7B")
    assert page.load_button.text() == "Load the model"
    with qtbot.waitSignal(page.load_requested) as asked:
        page.load_button.click()
    assert asked.args == ["/models/other.gguf", "Other 7B"]


def test_percent_makes_a_hundred() -> None:
    assert percent((3.0, 1.0), 2) == (75, 25)
    assert percent((1.0, 1.0, 1.0), 3) == (33, 34, 33)
    assert percent((1.0,), 2) == (100, 0)
    assert percent((), 2) == (0, 0)


def test_a_loaded_model_keeps_the_name_that_it_has_elsewhere(page: LoadingPage, qtbot: QtBot) -> None:
    page.set_effective(EffectiveSettings(model_path="/m/SmolLM2.gguf", model_name="smollm2 lc100k mix1 ep2"), "starter")
    with qtbot.waitSignal(page.load_requested) as asked:
        page.load_button.click()
    assert asked.args == ["starter", "SmolLM2 135M"]
