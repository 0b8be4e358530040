"""A second start brings the first window to the front and ends; one that is closing is waited for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.startup.single_instance import SingleInstance

ROOT = Path(__file__).resolve().parents[3]
START = "from pathlib import Path; from app.startup.single_instance import SingleInstance; "


def start(data: Path) -> subprocess.Popen[str]:
    """Another process; it says whether it was a second one."""
    code = f"{START}print(SingleInstance(Path({str(data)!r})).is_second())"
    return subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True)


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    widget = QWidget()
    qtbot.addWidget(widget)
    return widget


def test_a_second_start_ends_and_the_window_comes_back(tmp_path: Path, window: QWidget, qtbot: QtBot) -> None:
    first = SingleInstance(tmp_path / "data")
    assert not first.is_second()
    first.listen(window)
    window.showMinimized()
    with start(tmp_path / "data") as second:
        qtbot.waitUntil(lambda: second.poll() is not None, timeout=60_000)
        assert second.communicate()[0].strip() == "True"
    assert not window.isMinimized()


def test_another_folder_has_a_window_of_its_own(tmp_path: Path, window: QWidget, qtbot: QtBot) -> None:
    first = SingleInstance(tmp_path / "data")
    assert not first.is_second()
    first.listen(window)
    window.show()
    with start(tmp_path / "other") as second:
        qtbot.waitUntil(lambda: second.poll() is not None, timeout=60_000)
        assert second.communicate()[0].strip() == "False"


def test_a_window_that_is_being_closed_does_not_answer(tmp_path: Path, window: QWidget, qtbot: QtBot) -> None:
    """Whoever starts the app again right after quitting gets a window."""
    first = SingleInstance(tmp_path / "data")
    assert not first.is_second()
    first.listen(window)
    assert first._server is not None
    with qtbot.waitSignal(first._server.newConnection, timeout=60_000):
        second = start(tmp_path / "data")
    with second:
        first._lock.unlock()
        qtbot.waitUntil(lambda: second.poll() is not None, timeout=60_000)
        assert second.communicate()[0].strip() == "False"


def test_a_folder_that_cannot_be_written_does_not_keep_the_window_away(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert not SingleInstance(tmp_path / "file" / "data").is_second()
