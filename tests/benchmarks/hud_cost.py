"""What the latency panel costs: 200 tokens a second stream into the whole window, before it is opened, open, closed.

python tests/benchmarks/hud_cost.py [--seconds 10] [--json FILE]. Prints the P99 stall of the event loop and the share
of one core for each, and their differences: open at most 16 ms and a quarter of a core more; closed, nothing.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import time
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[2])]

import qasync  # noqa: E402
from app_scene import ask, emitted, until, window, write  # noqa: E402
from PySide6.QtCore import QTimer  # noqa: E402
from PySide6.QtWidgets import QApplication  # noqa: E402

from app.application import Application  # noqa: E402
from app.core import tasks  # noqa: E402
from engine.metrics import RequestTimeline, percentile  # noqa: E402
from engine.protocol import HardwareSample, MetricsUpdate, TokenDelta  # noqa: E402

RATE = 200
TICK_MS = 4
"""How often the event loop is asked whether it is awake."""
UPDATES_PER_SECOND = 4
GB = 1_000_000_000


class Stream:
    """Sends what a host would send during an answer of 200 tokens a second."""

    def __init__(self, app: Application, request_id: str) -> None:
        self._app, self._request_id = app, request_id
        self._started = time.perf_counter()
        self._timeline = RequestTimeline(self._started)
        self._timeline.start(self._started)
        self._n_sent = 0
        self._timer = QTimer()
        self._timer.timeout.connect(self._send)
        self._timer.start(5)

    def stop(self) -> int:
        self._timer.stop()
        return self._n_sent

    def _send(self) -> None:
        now = time.perf_counter()
        while self._n_sent < (now - self._started) * RATE:
            self._n_sent += 1
            gap = self._timeline.token(self._started + self._n_sent / RATE)
            word = f"word{self._n_sent % 97}" + (".\n\n" if self._n_sent % 60 == 0 else " ")
            self._app.client.deliver(TokenDelta(request_id=self._request_id, text=word, gap=gap or 1 / RATE))
            if self._n_sent % (RATE // UPDATES_PER_SECOND) == 0:
                metrics = self._timeline.metrics(now, n_prompt_tokens=900, n_cached_tokens=200, kv_bytes=24_000_000)
                self._app.client.deliver(MetricsUpdate(request_id=self._request_id, metrics=metrics))
            if self._n_sent % (RATE // 2) == 0:
                sample = HardwareSample(
                    gpu_name="Card", gpu_utilisation=0.9, vram_used_bytes=5 * GB, vram_total_bytes=24 * GB,
                    power_watts=180.0, temperature_celsius=60.0, cpu_utilisation=0.2, n_running=1,
                )  # fmt: skip
                self._app.client.deliver(sample)


async def measure(app: Application, request_id: str, seconds: float) -> dict[str, float]:
    """Stalls of the event loop and CPU time over `seconds` of streaming."""
    stalls: list[float] = []
    last = time.perf_counter()

    def tick() -> None:
        nonlocal last
        now = time.perf_counter()
        stalls.append(max(0.0, now - last - TICK_MS / 1000))
        last = now

    ticker = QTimer()
    ticker.setTimerType(ticker.timerType().PreciseTimer)
    ticker.timeout.connect(tick)
    stream = Stream(app, request_id)
    ticker.start(TICK_MS)
    cpu, began = time.process_time(), time.perf_counter()
    await asyncio.sleep(seconds)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - began
    ticker.stop()
    return {
        "stall_p99_s": percentile(stalls, 99),
        "stall_max_s": max(stalls),
        "cpu_share": cpu / wall,
        "tokens_per_s": stream.stop() / wall,
    }


async def scene(seconds: float) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    async with window() as app:
        app.window.show()
        await until(lambda: app.latency is not None)
        await ask(app, "hello")
        # The scripted host says nothing more for this one: the stream is ours.
        started = asyncio.ensure_future(emitted(app.chats.answer_started))
        await asyncio.sleep(0)
        write(app, "hang")
        _, request_id = await started
        for name, is_open in (("hidden", False), ("open", True), ("closed", False)):
            if is_open == app.window.panel.isHidden():
                app.window.toggle_panel()
            await measure(app, request_id, 1.0)
            found[name] = await measure(app, request_id, seconds)
        app.chats.stop()
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--json", metavar="FILE", help="write the figures there; - prints them as JSON")
    options = parser.parse_args()
    os.environ["FIRSTLIGHT_HOME"] = os.environ.get("FIRSTLIGHT_HOME", f"/tmp/firstlight-hud-cost-{os.getpid()}")
    os.environ["PYTHONPATH"] = str(Path(__file__).resolve().parents[2])
    application = QApplication([])
    with qasync.QEventLoop(application) as loop:

        async def whole() -> dict[str, dict[str, float]]:
            try:
                return await scene(options.seconds)
            finally:
                await tasks.cancel_all()

        found = loop.run_until_complete(whole())
    extra = found["open"]["cpu_share"] - found["hidden"]["cpu_share"]
    hidden = found["hidden"]["cpu_share"]
    figures = {**found, "extra_cpu_share": extra, "ratio": found["open"]["cpu_share"] / hidden}
    text = json.dumps(figures, indent=2)
    if options.json and options.json != "-":
        Path(options.json).write_text(text + "\n", encoding="utf-8")
    elif options.json:
        print(text)
    else:
        for name in found:
            each = found[name]
            print(
                f"{name:<8} stall P99 {each['stall_p99_s'] * 1000:.1f} ms, max {each['stall_max_s'] * 1000:.1f} ms, "
                f"{each['cpu_share'] * 100:.0f} % of a core at {each['tokens_per_s']:.0f} tok/s"
            )
        print(f"open costs {extra * 100:+.0f} % of a core, {figures['ratio']:.2f} times hidden")
        print(f"closed again costs {(found['closed']['cpu_share'] - hidden) * 100:+.0f} %")
    return 0 if found["open"]["stall_p99_s"] <= 0.016 and extra <= 0.25 else 1


if __name__ == "__main__":
    sys.exit(main())
