"""How fast the window streams beside the command line: the same model, prompt, seed and length, in alternating runs.

    python tests/benchmarks/ui_vs_cli.py [--runs N] [--json -|FILE]

Prints one JSON object: `window_tps` and `cli_tps`, the medians of decode_tps, and `window_vs_cli_decode`, their ratio.
Both take their settings from a fresh home, so that threads and cache types are the same.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
PROMPT = "Write a long story about a lighthouse keeper and the sea, with many details."
_SETTINGS = {
    "general": {},
    "presets": [{"name": "Default", "max_tokens": 256, "sampling": {"temperature": 0.0, "seed": 7}}],
    "performance": {"load": {"n_threads": 1, "n_threads_batch": 1}},
}


def answer(command: list[str]) -> dict[str, Any]:
    """One run, in a home of its own; the JSON object that it prints."""
    with tempfile.TemporaryDirectory() as home:
        config = Path(home) / "config"
        config.mkdir()
        (config / "settings.json").write_text(json.dumps(_SETTINGS), encoding="utf-8")
        environment = {**os.environ, "FIRSTLIGHT_HOME": home}
        environment.setdefault("QT_QPA_PLATFORM", "offscreen")
        done = subprocess.run(
            [sys.executable, "-m", *command], env=environment, cwd=ROOT, capture_output=True, text=True, check=False
        )
    if done.returncode:
        raise SystemExit(f"{command[0]} failed: {done.stderr.strip()[-500:]}")
    made: dict[str, Any] = json.loads(done.stdout)
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json", default="-", help="a file, or - for standard output")
    options = parser.parse_args()
    window: list[float] = []
    cli: list[float] = []
    for _ in range(options.runs):
        window.append(answer(["app", "--smoke", PROMPT])["metrics"]["decode_tps"])
        cli.append(
            answer(
                ["engine", "chat", "--model", "starter", "--prompt", PROMPT, "--json", "--threads", "1",
                 "--max-tokens", "256", "--temperature", "0", "--seed", "7"]
            )["metrics"]["decode_tps"]
        )  # fmt: skip
    medians = statistics.median(window), statistics.median(cli)
    made = {"window_tps": medians[0], "cli_tps": medians[1], "window_vs_cli_decode": medians[0] / medians[1]}
    text = json.dumps({**made, "runs": options.runs})
    if options.json == "-":
        print(text)
    else:
        Path(options.json).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
