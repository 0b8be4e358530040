"""What the interface benchmarks share: a long chat, a rich answer, and a meter of the event loop's stalls."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import time
from itertools import cycle, islice
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication

from app.core.conversation_model import ConversationModel, MessageItem
from app.transcript.transcript_view import Transcript
from app.ui.style_sheet import style_sheet
from app.ui.theme import Theme
from engine.metrics import RequestMetrics, percentile
from engine.protocol.values import Role

N_MESSAGES = 10_000
TICK_MS = 4

_CHAPTERS = (
    """## Reading the cache, part {n}

A **KV cache** keeps the keys and values of every layer, so that the next token costs one pass and not a whole
prefix. With `n_ctx = {n}` the cache grows *linearly*, see [the notes](https://example.com/notes/{n}) for why.

""",
    """1. Measure the time to the first token, number {n}.
2. Keep the prefix stable: nothing volatile goes in front.
   - system prompt first
   - then the oldest turns
3. Snapshot what falls idle, and restore it in milliseconds.

""",
    """```python
def prefill_{n}(tokens: list[int], cached: int) -> float:
    \"\"\"Seconds that a prefill of `tokens` takes when `cached` of them are reused.\"\"\"
    fresh = tokens[cached:]
    started = time.monotonic()
    for start in range(0, len(fresh), 512):
        decode(fresh[start : start + 512])  # one micro-batch
    return time.monotonic() - started
```

""",
    """| metric | P50 | P99 | meaning of run {n} |
|:--|--:|--:|:--|
| TTFT | 38 ms | 214 ms | time to the **first** token |
| ITL | 8.3 ms | 10.9 ms | gap between tokens |
| TPOT | 8.4 ms | 9.3 ms | mean over the `answer` |

""",
    """The attention weights are
$a_{{ij}} = \\frac{{\\exp(q_i k_j^T)}}{{\\sum_m \\exp(q_i k_m^T)}}$ for part {n}, and it costs $5.

$$
\\mathrm{{softmax}}(x)_i = \\frac{{e^{{x_i}}}}{{\\sum_{{j=1}}^{{n}} e^{{x_j}}}} + {n}
$$

> Quoted: the wait before the first token is visible, explained and short.

""",
)


def rich_text(n_chapters: int, first: int = 0) -> str:
    """Markdown of `n_chapters` chapters with prose, lists, code, tables and LaTeX in turn."""
    chapters = enumerate(islice(cycle(_CHAPTERS), n_chapters), first)
    return "".join(chapter.format(n=number) for number, chapter in chapters)


def tokens_of(n_tokens: int) -> list[str]:
    """A rich answer as `n_tokens` pieces of about the size of real tokens."""
    pieces: list[str] = []
    number = 0
    while len(pieces) < n_tokens:
        pieces += re.findall(r"\s?[^\W_]{1,6}|\s|[\W_]", rich_text(len(_CHAPTERS), number))
        number += len(_CHAPTERS)
    return pieces[:n_tokens]


def long_chat(n_messages: int = N_MESSAGES) -> list[MessageItem]:
    """A chat whose answers are rich and whose questions are short, every fiftieth answer being long."""
    metrics = RequestMetrics(decode_tps=121.0, ttft=0.038, n_decoded=286)
    items = []
    for number in range(n_messages):
        if number % 2 == 0:
            content = f"Question {number}: what does the cache cost, and why is it worth it?"
            items.append(MessageItem(id=f"m{number}", role=Role.USER, content=content))
        else:
            content = rich_text(25 if number % 100 == 1 else 2, number)
            items.append(MessageItem(id=f"m{number}", role=Role.ASSISTANT, content=content, metrics=metrics))
    return items


class StallMeter(QObject):
    """Measures how late a precise timer comes: the time for which the event loop could not answer.

    Attributes:
        stalls: lateness of each tick in ms, whatever the reason: our work, or other processes on a busy machine.
        work: ms of CPU time that this thread used between ticks; what a stall would be on an idle machine.
    """

    def __init__(self) -> None:
        super().__init__()
        self.stalls: list[float] = []
        self.work: list[float] = []
        self._last_work = 0.0
        self._last = 0.0
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(TICK_MS)
        self._timer.timeout.connect(self._tick)

    def start(self) -> None:
        self._last, self._last_work = time.perf_counter(), time.thread_time()
        self._timer.start()

    def stop(self) -> None:
        self._timer.stop()

    @property
    def p99_ms(self) -> float:
        return percentile(self.stalls, 99)

    @property
    def max_ms(self) -> float:
        return max(self.stalls)

    def _tick(self) -> None:
        now = time.perf_counter()
        self.stalls.append(max(0.0, (now - self._last) * 1000 - TICK_MS))
        work = time.thread_time()
        self.work.append((work - self._last_work) * 1000)
        self._last, self._last_work = now, work


def make_app() -> QApplication:
    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QApplication)
    app.setFont(QFont("Inter"))
    return app


def make_transcript(model: ConversationModel) -> Transcript:
    """A transcript on screen, as wide as in a window and dressed as in the app."""
    theme = Theme("light")
    made = Transcript(model, theme)
    made.setStyleSheet(style_sheet(theme))
    made.setPalette(theme.palette())
    made.resize(864, 800)
    made.show()
    return made


def parser(description: str | None) -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(description=description)
    made.add_argument("--json", metavar="FILE", help="write one JSON object to FILE, or to stdout for -")
    made.add_argument("--messages", type=int, default=N_MESSAGES)
    return made


def report(figures: dict[str, float | int], target: str | None) -> None:
    """Print the figures, or write them as one JSON object."""
    rounded = {name: round(value, 3) for name, value in figures.items()}
    if target == "-":
        print(json.dumps(rounded))
    elif target:
        Path(target).write_text(json.dumps(rounded), encoding="utf-8")
    else:
        for name, value in rounded.items():
            print(f"{name:24} {value}")
