"""Collects Python's garbage where Qt's objects live, and keeps it from pausing the window."""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

_THRESHOLDS = (10_000, 20, 100)
"""Of new objects, and of collections of the generation before; Python's own would look at everything too often."""
_LOOK_MS = 250


def tame_garbage_collector(parent: QObject) -> None:
    """Call once, when the window is up: what exists by then stays, and is never searched for garbage again.

    A full collection over the modules of Qt, pygments and markdown-it alone takes 60 ms, four frames.
    From then on a timer of `parent` collects. Python by itself would collect in whichever thread makes the next object,
    and there take down Qt's objects that are garbage: a process's notifier or a timer that ends in another thread than
    its own crashes the app.
    """
    gc.disable()
    gc.collect()
    gc.freeze()
    timer = QTimer(parent)
    timer.timeout.connect(collect_what_is_due)
    timer.start(_LOOK_MS)


def collect_what_is_due() -> None:
    """Collect as Python would, in this thread."""
    due = [number > threshold for number, threshold in zip(gc.get_count(), _THRESHOLDS, strict=True)]
    if due[0]:
        gc.collect(2 if due[1] and due[2] else 1 if due[1] else 0)
