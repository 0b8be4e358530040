"""Whether the model manager stalls: 1,000 search results and a table of 200 rows are filled and scrolled.

`python tests/benchmarks/ui_models.py --json -` prints the longest stall of the event loop of each step in milliseconds;
the goal is 16 ms. Every step is one event of the loop, so its time is what a user's next key would wait. The CPU time
of the same steps leaves out what a busy machine made them wait.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
GOAL_MS = 16.0
N_RESULTS, PAGE = 1000, 30
N_ROWS = 200
N_SCROLLS = 240


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", metavar="FILE", default="-", help="- prints it")
    options = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    report = _measure()
    text = json.dumps(report, indent=2)
    if options.json == "-":
        print(text)
    else:
        Path(options.json).write_text(text, encoding="utf-8")
    return 0 if report["longest_ms"] <= GOAL_MS else 1


def _measure() -> dict[str, Any]:
    from PySide6.QtWidgets import QApplication, QWidget

    from app.models.downloads_model import DownloadsModel
    from app.models.model_manager import FIND, ModelManager
    from app.ui.style_sheet import style_sheet
    from app.ui.theme import Theme
    from engine.protocol import HubModel

    app = QApplication([])
    theme = Theme("light")
    parent = QWidget()
    parent.setStyleSheet(style_sheet(theme))
    manager = ModelManager(theme, DownloadsModel(parent), parent)
    manager.show_page(FIND)
    for _ in range(5):
        app.processEvents()
    page = manager.search
    longest: dict[str, float] = {}
    longest_cpu: dict[str, float] = {}

    def step(name: str, work: Callable[[], object]) -> None:
        started, started_cpu = time.perf_counter(), time.thread_time()
        work()
        app.processEvents()
        took, took_cpu = (time.perf_counter() - started) * 1000, (time.thread_time() - started_cpu) * 1000
        longest[name] = round(max(longest.get(name, 0.0), took), 2)
        longest_cpu[name] = round(max(longest_cpu.get(name, 0.0), took_cpu), 2)

    found = [
        HubModel(repo=f"owner-{n % 40}/Model-{n}-Instruct-GGUF", downloads=10_000_000 // (n + 1), licence="apache-2.0")
        for n in range(N_RESULTS)
    ]
    step("first page of results", lambda: page.set_results(found[:PAGE]))
    for first in range(PAGE, N_RESULTS, PAGE):
        step("further page", lambda first=first: page.set_results(found[first : first + PAGE], is_more=True))
    assert len(page.results.lines) == N_RESULTS
    bar = page.results.verticalScrollBar()
    for n in range(N_SCROLLS):
        step("scroll the results", lambda n=n: bar.setValue(bar.maximum() * n // N_SCROLLS))
    step("open a repository", lambda: page.set_repo("owner/Many-GGUF"))
    rows = _rows(1.0)
    step("fill the table", lambda: page.set_items(rows, 32768))
    assert page.table.rows.rowCount() == N_ROWS
    bar = page.table.verticalScrollBar()
    assert bar.maximum() > 0, "the table has to scroll"
    for n in range(N_SCROLLS):
        step("scroll the table", lambda n=n: bar.setValue(bar.maximum() * n // N_SCROLLS))
    for n in range(60):
        rows = _rows(1.0 + n / 10)
        step("move the context", lambda rows=rows: page.set_items(rows, 32768))
    manager.close()
    return {
        "longest_ms": max(longest.values()),
        "longest_cpu_ms": max(longest_cpu.values()),
        "goal_ms": GOAL_MS,
        "steps_ms": longest,
        "steps_cpu_ms": longest_cpu,
    }


def _rows(kv: float) -> list[object]:
    from app.models.quantization_table import QuantizationItem
    from engine.protocol import FitRow

    return [
        QuantizationItem(
            FitRow(
                name=f"Q{n}_K_M", file_bytes=10**9 + n * 10**8, bits_per_weight=4.0 + n / 50, quality="close",
                weights_bytes=10**9 + n * 10**8, kv_bytes=round(kv * 10**8), compute_bytes=10**8, verdict="fits",
                n_gpu_layers=33, n_layers=33, decode_tps=100.0 - n / 4, ttft_1000=0.4, is_recommended=n == 7,
            ),
            24 * 10**9,
        )
        for n in range(N_ROWS)
    ]  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
