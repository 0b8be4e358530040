"""The models on this computer: what is on its way is said, and what comes later moves nothing."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.models.local_page import LocalPage
from app.ui.theme import Theme
from engine.protocol import Estimated, FitRow, ModelEntry


def entry(name: str, size: int) -> ModelEntry:
    return ModelEntry(
        model_id=name, name=name, path=f"/{name}.gguf", source="ours", quantization="Q8_0", size_bytes=size
    )


SMALL, LARGE = entry("small", 1_000_000_000), entry("large", 3_000_000_000)


@pytest.fixture
def page(qtbot: QtBot) -> LocalPage:
    page = LocalPage(Theme("light"))
    qtbot.addWidget(page)
    page.resize(1100, 700)
    with qtbot.waitExposed(page):
        page.show()
    page.set_models((SMALL, LARGE))
    return page


def test_a_model_on_its_way_into_memory_is_said_to_be(page: LocalPage) -> None:
    page.set_loading("small")
    assert [line.state for line in page.list.lines] == ["loading", ""]
    assert (page.load_button.text(), page.load_button.isEnabled()) == ("Loading…", False)
    page.set_loading("")
    assert [line.state for line in page.list.lines] == ["", ""]
    assert (page.load_button.text(), page.load_button.isEnabled()) == ("Load", True)


def test_what_a_model_comes_to_moves_no_button(page: LocalPage, qtbot: QtBot) -> None:
    verdict = page.figures._verdict
    QApplication.processEvents()
    before = page.load_button.pos()
    assert page.figures.texts == ["1 GB Q8_0"]
    fit = FitRow(
        name="Q8_0", file_bytes=1_000_000_000, bits_per_weight=8.5, quality="as_good", verdict="fits",
        weights_bytes=1_000_000_000, kv_bytes=0, compute_bytes=0,
    )  # fmt: skip
    page.set_estimate("small", Estimated(request_id="1", rows=(fit,), n_ctx=8192))
    assert page.figures.texts[-1].startswith("Fits: ")
    qtbot.waitUntil(lambda: verdict.isVisible() and verdict.geometry().bottom() < page.figures.height())
    QApplication.processEvents()
    assert page.load_button.pos() == before
