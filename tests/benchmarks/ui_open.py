"""Opens a long chat and scrolls it from end to end.

first_paint_ms: from handing over the messages to the end of the paint that shows them.
scroll_stall_max_ms, scroll_stall_p99_ms: lateness of a 4 ms timer while the view is dragged over the whole chat.
    What a frame has no time for is blank in it and drawn in the next ones, as for a user who drags the bar.
scroll_work_max_ms, scroll_work_p99_ms: CPU time that the window used between ticks; no other process adds to it.
transcript_rss_mb: resident memory afterwards.
app_rss_mb: resident memory of the whole app with that chat, see ui_window.py.
"""

from __future__ import annotations

import time

import psutil
import ui_window
from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication
from ui_chat import StallMeter, long_chat, make_app, make_transcript, parser, report, rich_text

from app.core.conversation_model import ConversationModel, MessageItem
from app.startup.garbage_collection import tame_garbage_collector
from app.transcript.transcript_view import Transcript
from engine.metrics import percentile
from engine.protocol.values import Role

SCROLL_STEPS = 400
STEP_MS = 16


class Scroll(QObject):
    """Moves the scroll bar from the end to the top in even steps, and stops the application."""

    def __init__(self, transcript: Transcript, app: QApplication) -> None:
        super().__init__()
        self._bar = transcript.area.verticalScrollBar()
        self._app = app
        self._n_left = SCROLL_STEPS
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(STEP_MS)
        self._timer.timeout.connect(self._step)
        self._timer.start()

    def _step(self) -> None:
        self._n_left -= 1
        self._bar.setValue(round(self._bar.maximum() * self._n_left / SCROLL_STEPS))
        if self._n_left == 0:
            self._timer.stop()
            self._app.quit()


def measure(n_messages: int) -> dict[str, float | int]:
    app = make_app()
    model = ConversationModel()
    transcript = make_transcript(model)
    # The window is warm when a chat is opened: another chat was on screen.
    model.set_items([MessageItem(id="warm", role=Role.ASSISTANT, content=rich_text(10))])
    app.processEvents()
    transcript.finish_drawing()
    tame_garbage_collector(app)
    items = long_chat(n_messages)
    started = time.perf_counter()
    model.set_items(items)
    transcript.area.viewport().repaint()
    first_paint = time.perf_counter() - started
    app.processEvents()
    meter = StallMeter()
    scroll = Scroll(transcript, app)
    meter.start()
    app.exec()
    meter.stop()
    del scroll
    return {
        "first_paint_ms": first_paint * 1000,
        "scroll_stall_max_ms": meter.max_ms,
        "scroll_stall_p99_ms": meter.p99_ms,
        "scroll_work_p99_ms": percentile(meter.work, 99),
        "scroll_work_max_ms": max(meter.work),
        "transcript_rss_mb": psutil.Process().memory_info().rss / 1e6,
        "app_rss_mb": ui_window.measure(n_messages)["app_rss_mb"],
        "n_messages": n_messages,
    }


def main() -> None:
    chosen = parser(__doc__).parse_args()
    report(measure(chosen.messages), chosen.json)


if __name__ == "__main__":
    main()
