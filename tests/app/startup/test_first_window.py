"""The start: what the first frame imports, that the window takes keys at once, and what follows it."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
import threading
import weakref
from pathlib import Path

import pytest
from app_scene import FAKE_HOST, Run, qapp, until
from PySide6.QtCore import QEvent, QMimeData, QObject, QSettings, QSize, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.application import Application
from app.composer.composer_edit import PASTE_LIMIT
from app.startup.first_window import Look, import_meanwhile, show_window, tell_failure
from app.startup.garbage_collection import tame_garbage_collector
from app.ui.text_dialog import TextDialog
from app.ui.theme import Theme
from app.window.main_window import MainWindow
from engine.folders import folders
from engine.settings import Settings

ROOT = Path(__file__).resolve().parents[3]
LATER = {
    "asyncio", "dataclasses", "engine.protocol", "hashlib", "json", "markdown_it", "msgspec", "numpy", "pygments",
    "qasync", "sqlite3",
}  # fmt: skip
"""None of these is needed before the first frame, and each costs it milliseconds."""


@pytest.fixture
def shown(qtbot: QtBot) -> MainWindow:
    window = show_window(qapp(), folders(), Look("light", "en", QSize(900, 700)))
    qtbot.addWidget(window, before_close_func=MainWindow.close_now)
    return window


@pytest.fixture
def unshown(qtbot: QtBot, tmp_path: Path) -> MainWindow:
    window = MainWindow(Theme("light"), QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat))
    qtbot.addWidget(window, before_close_func=MainWindow.close_now)
    return window


@pytest.fixture
def module_to_come(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "firstlight_comes_later.py").write_text("", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "firstlight_comes_later", raising=False)
    return "firstlight_comes_later"


def test_another_text_size_holds_in_open_dialogs_too(shown: MainWindow) -> None:
    dialog = TextDialog(shown.theme, "Name", shown)
    dialog.open()
    (label,) = dialog.findChildren(QLabel)
    assert label.font().pixelSize() == 14
    shown.theme.set_font(22)
    assert label.font().pixelSize() == 22
    shown.theme.set_font(14)
    assert label.font().pixelSize() == 14


def test_a_font_that_was_chosen_can_be_given_back(qtbot: QtBot) -> None:
    qapp().setFont(Theme("light", 14, "Courier").font())
    families = Theme("light").font().families()
    qapp().setFont(Theme("light").font())
    assert "Courier" not in families


class PaintWatch(QObject):
    """Which modules were there when the window was painted first."""

    modules: frozenset[str] | None = None

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Paint and self.modules is None:
            self.modules = frozenset(sys.modules)
        return False


def test_the_first_frame_imports_little_more_than_qt() -> None:
    program = "import app.__main__, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert not LATER & loaded
    assert {"PySide6.QtWidgets", "app.composer.composer"} <= loaded


def test_imports_are_quick_while_the_app_starts() -> None:
    program = "import app.__main__, builtins as b, gc; print(gc.isenabled(), b.__import__ is b.__orig_import__)"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]


def test_garbage_is_collected_by_the_windows_thread_alone(qtbot: QtBot) -> None:
    class Link:
        def __init__(self) -> None:
            self.itself = self
            self.thread: list[int] = threads
            weakref.finalize(self, lambda: threads.append(threading.get_ident()))

    threads: list[int] = []
    window = QObject()
    tame_garbage_collector(window)
    try:
        assert not gc.isenabled()
        maker = threading.Thread(target=lambda: [Link() for _ in range(20_000)])
        maker.start()
        maker.join()
        assert threads == []
        qtbot.waitUntil(lambda: len(threads) == 20_000)
        assert set(threads) == {threading.get_ident()}
    finally:
        window.deleteLater()
        gc.unfreeze()


def test_the_rest_is_imported_after_the_first_paint(unshown: MainWindow, module_to_come: str) -> None:
    watch = PaintWatch()
    unshown.installEventFilter(watch)
    QTimer.singleShot(0, unshown.show)
    import_meanwhile(unshown, module_to_come)
    assert watch.modules is not None
    assert module_to_come not in watch.modules
    assert module_to_come in sys.modules
    assert unshown.sidebar.isVisible()


def test_a_window_that_is_never_painted_starts_all_the_same(unshown: MainWindow, module_to_come: str) -> None:
    import_meanwhile(unshown, module_to_come)
    assert module_to_come in sys.modules


def test_a_failed_import_is_raised(shown: MainWindow) -> None:
    with pytest.raises(ModuleNotFoundError):
        import_meanwhile(shown, "firstlight_is_not_there")


def test_a_failed_import_is_told_in_the_window(shown: MainWindow, capsys: pytest.CaptureFixture[str]) -> None:
    texts: list[list[str]] = []

    def close() -> None:
        texts.append(shown.notices.texts)
        shown.close()

    QTimer.singleShot(0, shown, close)
    tell_failure(qapp(), shown, ModuleNotFoundError("No module named 'qasync'"))
    assert "No module named 'qasync'" in texts[0][0]
    assert "bootstrap.py run" in texts[0][0]
    assert "ModuleNotFoundError" in capsys.readouterr().err


def test_a_sidebar_that_fails_ends_the_start(unshown: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "app.chat_list.sidebar", None)
    with pytest.raises(ImportError):
        import_meanwhile(unshown, "json")


def test_a_long_paste_is_a_text_until_files_are_taken(shown: MainWindow, run: Run) -> None:
    edit, data = shown.composer.edit, QMimeData()
    data.setText("x" * (PASTE_LIMIT + 1))
    edit.insertFromMimeData(data)
    assert edit.toPlainText() == data.text()

    async def work() -> None:
        application = Application(shown, Settings(), folders(), host_command=FAKE_HOST)
        running = asyncio.ensure_future(application.run())
        await until(lambda: bool(application.latency))
        edit.insertFromMimeData(data)
        assert (edit.toPlainText(), len(application.composer.attachments)) == (data.text(), 1)
        application.quit()
        await running

    run(work())


def test_what_is_written_before_the_rest_is_there_stays(shown: MainWindow, run: Run) -> None:
    QTest.keyClicks(shown.composer.edit, "early")

    async def work() -> None:
        application = Application(shown, Settings(), folders(), host_command=FAKE_HOST)
        running = asyncio.ensure_future(application.run())
        await until(lambda: application.transcript is not None and bool(application.latency))
        assert application.composer.text == "early"
        application.quit()
        await running

    run(work())
