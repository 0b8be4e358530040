"""Streams a long answer into a long chat and measures how long the event loop stalls.

stall_p99_ms, stall_max_ms: lateness of a 4 ms timer while 200 tokens a second arrive.
work_p99_ms, work_max_ms: CPU time that the window used between ticks; no other process adds to it.
tail_over_head_cost: CPU time per token over the last tenth of the answer, divided by that over the first tenth.
"""

from __future__ import annotations

import time

from PySide6.QtCore import QObject, Qt, QTimer
from ui_chat import StallMeter, long_chat, make_app, make_transcript, parser, report, rich_text, tokens_of

from app.core.conversation_model import ConversationModel, MessageItem
from app.startup.garbage_collection import tame_garbage_collector
from engine.metrics import percentile
from engine.protocol.values import Role


class Stream(QObject):
    """Feeds tokens at an even rate, as an engine would."""

    def __init__(self, model: ConversationModel, row: int, tokens: list[str], rate: float, finished: object) -> None:
        super().__init__()
        self._model, self._row, self._tokens, self._rate = model, row, tokens, rate
        self._finished = finished
        self._n_sent = 0
        self._started = time.perf_counter()
        self.marks: dict[int, float] = {}
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(max(1, round(1000 / rate)))
        self._timer.timeout.connect(self._send)
        self._timer.start()

    def _send(self) -> None:
        due = int((time.perf_counter() - self._started) * self._rate) + 1
        while self._n_sent < min(due, len(self._tokens)):
            if self._n_sent % (len(self._tokens) // 10) == 0:
                self.marks[self._n_sent // (len(self._tokens) // 10)] = time.thread_time()
            self._model.append_text(self._row, self._tokens[self._n_sent])
            self._n_sent += 1
        if self._n_sent == len(self._tokens):
            self.marks[10] = time.thread_time()
            self._timer.stop()
            self._finished()  # type: ignore[operator]


def measure(n_tokens: int, rate: float, n_messages: int) -> dict[str, float | int]:
    app = make_app()
    model = ConversationModel()
    transcript = make_transcript(model)
    # One of everything first, so that the head of the answer does not pay for what is only loaded once.
    model.set_items([MessageItem(id="warm", role=Role.ASSISTANT, content=rich_text(10))])
    app.processEvents()
    transcript.finish_drawing()
    tame_garbage_collector(app)
    model.set_items([*long_chat(n_messages), MessageItem(id="answer", role=Role.ASSISTANT, is_streaming=True)])
    app.processEvents()
    meter = StallMeter()
    stream = Stream(model, model.rowCount() - 1, tokens_of(n_tokens), rate, app.quit)
    meter.start()
    started = time.perf_counter()
    app.exec()
    meter.stop()
    cost = [stream.marks[index + 1] - stream.marks[index] for index in range(10)]
    return {
        "stall_p99_ms": meter.p99_ms,
        "stall_max_ms": meter.max_ms,
        "tail_over_head_cost": cost[9] / cost[0],
        "work_p99_ms": percentile(meter.work, 99),
        "work_max_ms": max(meter.work),
        "cpu_ms_per_token": sum(cost) / n_tokens * 1000,
        "tokens_per_second": n_tokens / (time.perf_counter() - started),
        "n_tokens": n_tokens,
        "n_messages": n_messages,
    }


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("--tokens", type=int, default=20_000)
    arguments.add_argument("--rate", type=float, default=200.0)
    chosen = arguments.parse_args()
    report(measure(chosen.tokens, chosen.rate, chosen.messages), chosen.json)


if __name__ == "__main__":
    main()
