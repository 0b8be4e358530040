"""Making another quantization through the interface only: the real host and llama.cpp's quantizer."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from app_scene import Run, emitted, until
from gguf_files import write_sparse
from model_shapes import ModelShape, attention, feed_forward
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QWidget
from tiny_models import Kind, write_tiny_model

from app.core.host_client import HostClient, HostState
from app.models.quantize_controller import QuantizeController
from app.models.quantize_dialog import QuantizeDialog
from app.ui.theme import Theme
from engine.protocol import ListModels, ModelEntry, ModelsListed
from engine.settings import Models, Settings, folders, save_settings


class Scene:
    def __init__(self, entry: ModelEntry, client: HostClient, parent: QWidget) -> None:
        self.dialog = QuantizeDialog(Theme("light"), entry, parent)
        self.controller = QuantizeController(self.dialog, entry, client)

    def choose(self, name: str) -> None:
        lines = [line.key for line in self.dialog.types.lines]
        self.dialog.types.setCurrentIndex(self.dialog.types.model().index(lines.index(name), 0))

    def press(self, button: QWidget) -> None:
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)


@contextlib.asynccontextmanager
async def scene(folder: Path) -> AsyncIterator[Scene]:
    """The dialog of the only model in `folder`."""
    save_settings(Settings(models=Models(folders=(str(folder),), last_model="")), folders().settings_file)
    client, parent = HostClient(), QWidget()
    client.start()
    if client.state is not HostState.READY:
        await emitted(client.state_changed, lambda state: state is HostState.READY)
    listed = await client.request(ListModels())
    assert isinstance(listed, ModelsListed)
    try:
        yield Scene(listed.models[0], client, parent)
    finally:
        await client.stop()
        parent.deleteLater()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("FIRSTLIGHT_STARTER", str(tmp_path / "none.gguf"))
    made = tmp_path / "mine"
    made.mkdir()
    return made


def test_choose_a_type_see_its_size_and_have_it(run: Run, folder: Path) -> None:
    write_tiny_model(folder / "Tiny-F16.gguf", Kind.DENSE)

    async def play() -> None:
        async with scene(folder) as it:
            it.choose("Q8_0")
            line = next(line for line in it.dialog.types.lines if line.key == "Q8_0")
            assert line.state.startswith("about ")
            await until(lambda: not next(x for x in it.dialog.types.lines if x.key == "Q8_0").state.startswith("about"))
            it.press(it.dialog.start)
            await emitted(it.controller.made)
            assert it.dialog.sentence.text().startswith("Ready: ")
            assert "Q8_0" in it.dialog.sentence.text()
            (made,) = folders().models.rglob("*.gguf")
            assert made.name == "Tiny-Q8_0.gguf"
            told = [label.text() for label in it.dialog.findChildren(QLabel)]
            assert any(f"Firstlight's models, folder {made.parent.name}." in text for text in told)
            it.press(it.dialog.start)
            await until(lambda: "is there already" in it.dialog.sentence.text())

    run(play())


def test_a_lossy_source_has_to_be_accepted_and_stop_keeps_nothing(run: Run, folder: Path) -> None:
    shape = ModelShape("llama", 16, 1024, type="Q4_1").each_layer(attention(16, 4, 64), feed_forward(4096))
    write_sparse(folder / "Some-Q4_1.gguf", shape.metadata, shape.tensors)

    async def play() -> None:
        async with scene(folder) as it:
            it.choose("Q2_K")
            assert not it.dialog.lossy.isHidden()
            assert not it.dialog.start.isEnabled()
            it.dialog.allow.setChecked(True)
            it.press(it.dialog.start)
            await until(lambda: it.dialog.bar.value() > 0)
            QTest.keyClick(it.dialog, Qt.Key.Key_Escape)
            assert it.dialog.isVisible()
            it.press(it.dialog.close_button)
            await until(lambda: it.dialog.sentence.text() == "Stopped. Nothing was kept.")
            await until(lambda: not list(folders().models.rglob("*.*")))

    run(play())
