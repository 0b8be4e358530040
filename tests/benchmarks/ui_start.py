"""How long the app takes from its start to a usable window, beside a bare PySide6 window in the same run.

    python tests/benchmarks/ui_start.py [--runs N] [--json -|FILE]

Prints one JSON object: `start_s`, the median seconds from starting the process to a window that is painted and
takes a letter typed into its text field; `bare_s`, the same of a QMainWindow with nothing but a text field;
`start_vs_bare_window`, their ratio. Runs alternate, so that other load on the machine meets both alike.
Bytecode is compiled before, as the set-up does it.
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

_USABLE = """
import os, sys, time
from PySide6.QtCore import QCoreApplication, QEvent, QObject

class Watch(QObject):
    edit = None

    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint:
            QCoreApplication.postEvent(self, QEvent(QEvent.Type.User))  # Comes when this whole paint is over.
        return False

    def customEvent(self, event):
        seconds = time.time() - float(sys.argv[1])
        # Only now: to a bare window these imports would add a tenth.
        from PySide6.QtCore import Qt
        from PySide6.QtGui import QKeyEvent
        key = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_A, Qt.KeyboardModifier.NoModifier, "a")
        QCoreApplication.sendEvent(self.edit, key)
        if self.edit.hasFocus() and self.edit.toPlainText() == "a":
            print(seconds, flush=True)
        os._exit(0)

watch = Watch()
"""
BARE = (
    _USABLE
    + """
from PySide6.QtWidgets import QApplication, QMainWindow, QPlainTextEdit
app = QApplication([])
window = QMainWindow()
watch.edit = QPlainTextEdit()
watch.edit.setPlaceholderText("Write a message")
window.setCentralWidget(watch.edit)
window.resize(1180, 800)
window.installEventFilter(watch)
window.show()
watch.edit.setFocus()
app.exec()
"""
)
APP = (
    "from app import __main__ as entry\n"
    + _USABLE
    + """
from app.window import main_window
shown = main_window.MainWindow.showEvent
def show(window, event):
    shown(window, event)
    watch.edit = window.composer.edit
    window.installEventFilter(watch)
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
    subprocess.run([sys.executable, "-m", "compileall", "-q", "app", "engine"], cwd=ROOT, check=True)
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
