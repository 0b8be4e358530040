"""A whole window that downloads one file through its interface and tells how far it is, for being killed.

`python tests/download_window.py REPO` searches for the repository, chooses its first quantization where no download of
it is under way, and prints JSON lines: the host's process id, the download as the Downloads page shows it, its end.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import qasync  # noqa: E402
from app_scene import until  # noqa: E402
from PySide6.QtCore import QSize, Qt  # noqa: E402
from PySide6.QtTest import QTest  # noqa: E402
from PySide6.QtWidgets import QApplication  # noqa: E402

from app.application import Application  # noqa: E402
from app.core.host_client import HostState  # noqa: E402
from app.models.model_manager import DOWNLOADS, FIND  # noqa: E402
from app.startup.first_window import Look, show_window  # noqa: E402
from engine.protocol import ListPulls, PullsListed  # noqa: E402
from engine.settings import folders, load_settings  # noqa: E402


async def download(application: Application, repo: str) -> None:
    """Go on with the download that is there, or begin it; ends with it."""
    await until(lambda: application.client.state is HostState.READY)
    tell(host=application.client.process_id)
    QTest.mouseClick(application.sidebar.models, Qt.MouseButton.LeftButton)
    manager = application.library.manager
    await until(lambda: bool(manager.search.results.lines))
    page = manager.downloads
    if not await is_under_way(application):
        await choose(application, repo)
        await until(lambda: bool(page.list.lines))
    manager.show_page(DOWNLOADS)
    shown = ""
    # The host is asked, because the page may show no line any more when it is looked at.
    while await is_under_way(application):
        if page.list.lines and page.list.lines[0].facts != shown:
            shown = page.list.lines[0].facts
            tell(shown=shown, state=page.list.lines[0].state)
        await asyncio.sleep(0.02)


async def is_under_way(application: Application) -> bool:
    listed = await application.client.request(ListPulls())
    assert isinstance(listed, PullsListed)
    return any(pull.state in ("queued", "running", "verifying") for pull in listed.pulls)


async def choose(application: Application, repo: str) -> None:
    """Search, open the repository, and press Enter on the table's first row."""
    manager = application.library.manager
    manager.show_page(FIND)
    page = manager.search
    QTest.keyClicks(page.field, repo.rpartition("/")[2])
    QTest.keyClick(page.field, Qt.Key.Key_Return)
    await until(lambda: [line.key for line in page.results.lines] == [repo])
    page.results.setCurrentIndex(page.results.model().index(0, 0))
    await until(lambda: page.table.rows.rowCount() > 0)
    page.table.setCurrentIndex(page.table.rows.index(0, 0))
    QTest.keyClick(page.table, Qt.Key.Key_Return)


def tell(**facts: object) -> None:
    sys.stdout.write(json.dumps(facts) + "\n")
    sys.stdout.flush()


async def scene(app: QApplication, repo: str) -> None:
    places = folders()
    settings, _ = load_settings(places.settings_file)
    window = show_window(app, places, Look(theme="light", language="en", size=QSize(1180, 800)))
    application = Application(window, settings, places)
    running = asyncio.get_running_loop().create_task(application.run())
    await download(application, repo)
    application.quit()
    await running


def main() -> None:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    app = QApplication([])
    with qasync.QEventLoop(app) as loop:
        loop.run_until_complete(scene(app, sys.argv[1]))
    tell(end=True)


if __name__ == "__main__":
    main()
