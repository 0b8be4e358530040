"""How long the app takes from its start to a usable window, beside a bare PySide6 window in the same run.

    python tests/benchmarks/ui_start.py [--runs N] [--json -|FILE]

Prints one JSON object: `start_s`, the median seconds from starting the process to the first paint of the whole window
with a composer that takes text; `bare_s`, the same of an empty QMainWindow; `start_vs_bare_window`, their ratio.
Runs alternate, so that other load on the machine meets both alike.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent

_PAINTED = """
import os, sys, time
from PySide6.QtCore import QEvent, QObject, QTimer

class Watch(QObject):
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint:
            QTimer.singleShot(0, report)
        return False

def report():
    print(time.time() - float(sys.argv[1]), flush=True)
    os._exit(0)

watch = Watch()
"""
BARE = (
    _PAINTED
    + """
from PySide6.QtWidgets import QApplication, QMainWindow
app = QApplication([])
window = QMainWindow()
window.resize(1180, 800)
window.installEventFilter(watch)
window.show()
app.exec()
"""
)
APP = (
    _PAINTED
    + """
from app import __main__ as entry
from app.widgets import main_window
shown = main_window.MainWindow.showEvent
def show(window, event):
    shown(window, event)
    window.composer.edit.viewport().installEventFilter(watch)
main_window.MainWindow.showEvent = show
entry.main([])
"""
)


def seconds(program: str) -> float:
    """One start of `program`, from before its process exists to its report."""
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "FIRSTLIGHT_HOME": home, "PYTHONPATH": str(ROOT)}
        environment.setdefault("QT_QPA_PLATFORM", "offscreen")
        done = subprocess.run(
            [sys.executable, "-c", program, str(time.time())],
            env=environment,
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    if done.returncode or not done.stdout.strip():
        raise SystemExit(f"a start failed: {done.stderr.strip()}")
    return float(done.stdout.split()[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--json", default="-", help="a file, or - for standard output")
    options = parser.parse_args()
    seconds(APP)  # Fills the file cache for both.
    pairs = [(seconds(BARE), seconds(APP)) for _ in range(options.runs)]
    bare, app = (statistics.median(column) for column in zip(*pairs, strict=True))
    text = json.dumps({"start_s": app, "bare_s": bare, "start_vs_bare_window": app / bare, "runs": options.runs})
    if options.json == "-":
        print(text)
    else:
        Path(options.json).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
