"""The model manager's window: how it is closed, and the ways on from what is not there."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.models.downloads_model import DownloadsModel
from app.models.find_page import FindPage
from app.models.line_list import Line, LineList
from app.models.model_manager import DOWNLOADS, FIND, LOCAL, ModelManager
from app.models.quantization_table import QuantizationItem
from app.ui.theme import Theme
from engine.protocol import FitRow, HubModel, ModelEntry, Pull
from engine.translatable import phrase

REPO = "owner/Here-GGUF"
HERE = ModelEntry(model_id="here", path="/m/here.gguf", source="ours", name="Here", is_ours=True, repo=REPO)
AWAY = ModelEntry(
    model_id="away", path="/disk/away.gguf", source="folder", name="Away", state="missing",
    problem=phrase("Its drive or folder is not there now."),
)  # fmt: skip
FIT = FitRow(
    name="Q4_K_M", file_bytes=5, bits_per_weight=4.9, quality="close", weights_bytes=5, kv_bytes=1, compute_bytes=1,
    verdict="fits",
)  # fmt: skip


@pytest.fixture
def manager(qtbot: QtBot) -> ModelManager:
    downloads = DownloadsModel()
    made = ModelManager(Theme("light"), downloads)
    qtbot.addWidget(made)
    made.local.set_models([HERE, AWAY])
    downloads.set_pulls([Pull(pull_id="p", repo=REPO, files=("here.gguf",), state="paused", total_bytes=9)])
    made.search.set_results([HubModel(repo=REPO)])
    made.search.set_repo(REPO)
    made.search.set_items([QuantizationItem(FIT)])
    return made


def keyed(manager: ModelManager) -> list[QWidget]:
    """Everything on the page that is open that takes the keyboard."""
    takes = [each for each in manager.findChildren(QWidget) if each.focusPolicy() & Qt.FocusPolicy.TabFocus]
    return [each for each in takes if each.isVisible() and each.isEnabled()]


@pytest.mark.parametrize("page", [LOCAL, FIND, DOWNLOADS])
@pytest.mark.parametrize(
    ("key", "modifier"),
    [(Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier), (Qt.Key.Key_W, Qt.KeyboardModifier.ControlModifier)],
    ids=["Escape", "Ctrl+W"],
)
def test_a_key_closes_it_from_wherever_the_focus_is(
    manager: ModelManager, qtbot: QtBot, page: int, key: Qt.Key, modifier: Qt.KeyboardModifier
) -> None:
    manager.show_page(page)
    places = keyed(manager)
    assert len(places) > 3
    for place in places:
        manager.show_page(page)
        qtbot.waitUntil(manager.isActiveWindow)
        QTest.keyClick(place, key, modifier)
        assert not manager.isVisible(), place


def test_escape_takes_a_search_back_before_it_closes_the_window(manager: ModelManager, qtbot: QtBot) -> None:
    manager.show_page(FIND)
    page = manager.search
    qtbot.waitUntil(page.field.hasFocus)
    QTest.keyClicks(page.field, "qwen")
    with qtbot.waitSignal(page.search_requested) as searched:
        QTest.keyClick(page.field, Qt.Key.Key_Escape)
    assert (searched.args, page.field.text(), manager.isVisible()) == ([""], "", True)
    QTest.keyClick(page.field, Qt.Key.Key_Escape)
    assert not manager.isVisible()


@pytest.fixture
def find(qtbot: QtBot) -> FindPage:
    made = FindPage(Theme("light"), DownloadsModel())
    qtbot.addWidget(made)
    made.show()
    return made


def test_a_search_that_failed_is_tried_again_with_the_same_words(find: FindPage, qtbot: QtBot) -> None:
    find.field.setText("qwen")
    find.set_search_failure("The hub cannot be reached.")
    assert (find.suggestion.isVisible(), find.suggestion.accessibleName()) == (True, "Try again")
    with qtbot.waitSignal(find.search_requested) as searched:
        find.suggestion.click()
    assert searched.args == ["qwen"]
    find.set_status("Searching…")
    assert not find.suggestion.isVisible()


def test_a_repository_that_could_not_be_read_is_tried_again(find: FindPage, qtbot: QtBot) -> None:
    find.set_repo(REPO)
    assert not find.retry.isVisible()
    find.set_failure("The hub cannot be reached.", is_passing=True)
    assert find.retry.isVisible()
    with qtbot.waitSignal(find.repo_selected) as selected:
        find.retry.click()
    assert selected.args == [REPO]
    find.set_repo(REPO)
    find.set_failure("This repository has no chat model in GGUF.")
    assert not find.retry.isVisible()


def test_a_missing_model_says_how_it_comes_back_and_offers_nothing_that_needs_its_file(manager: ModelManager) -> None:
    page = manager.local
    manager.show_page(LOCAL)

    def shown(kind: type[QLabel] | type[QPushButton]) -> list[str]:
        return [each.text() for each in page.findChildren(kind) if each.isVisible()]

    assert {"Show folder", "Delete"} <= set(shown(QPushButton))
    page.list.setCurrentIndex(page.list.model().index(1, 0))
    assert page.current == AWAY
    said = "Connect the drive, or bring the folder back, and the model is here again."
    assert f"Its drive or folder is not there now. {said}" in shown(QLabel)
    assert not {"Show folder", "Delete"} & set(shown(QPushButton))


def test_rows_grow_with_the_text_and_by_the_bars_of_downloads(qtbot: QtBot) -> None:
    theme = Theme("light")
    plain, barred = LineList(theme, "Models"), LineList(theme, "Downloads", has_bars=True)
    for each in (plain, barred):
        qtbot.addWidget(each)
        each.set_lines([Line("a", "A name", "facts", fraction=0.4)])
        each.show()

    def height(of: LineList) -> int:
        return of.visualRect(of.model().index(0, 0)).height()

    usual = height(plain)
    assert height(barred) > usual
    theme.set_font(28)
    fonts = theme.font(-0.5, is_bold=True), theme.font(-2)
    qtbot.waitUntil(lambda: height(plain) >= sum(QFontMetrics(font).height() for font in fonts))
    assert height(barred) - height(plain) > 0
    theme.set_font(14)
    qtbot.waitUntil(lambda: height(plain) == usual)
