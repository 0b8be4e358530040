"""Held against somebody else's clock: servebench loads `python -m engine serve`, and our log has the same requests.

python tests/benchmarks/load_generator.py [--servebench FILE] [--model M] [--threads N] [--requests N] [--json FILE|-]

servebench is an independent load generator for OpenAI-compatible servers (`pip install servebench`, best in an
environment of its own, named by --servebench). Prints its figures, ours from the metrics log, and their ratio; ends
with 1 when one of them is more than 5 % apart.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from engine.metrics import RequestMetrics, histogram_percentile, merge_histograms, percentile  # noqa: E402
from engine.protocol.records import LoggedRequest  # noqa: E402

TOLERANCE = 0.05
HTTP_SECONDS = 0.010
"""A smaller difference is the way there and back, the client's own work included: over 5 % of a short prompt's TTFT."""
OUTPUT_TOKENS = 64


class Load(NamedTuple):
    """One kind of load: tokens of each prompt, more or less, and requests at once."""

    name: str
    n_prompt: int
    n_parallel: int


LOADS = (Load("short prompts", 16, 1), Load("longer prompts", 512, 1), Load("four at once", 128, 4))


@contextlib.contextmanager
def server(home: Path, model: str, n_threads: int) -> Iterator[str]:
    """A warm server of ours; gives its address."""
    command = [sys.executable, "-m", "engine", "serve", "--model", model, "--port", "0", "--ctx", "4096"]
    command += ["--threads", str(n_threads)] if n_threads else []
    environment = {**os.environ, "FIRSTLIGHT_HOME": str(home)}
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            address = ""
            for line in process.stdout:
                if found := re.search(r"http://\S+/v1", line):
                    address = found[0]
                elif "is warm" in line:
                    break
            else:
                raise SystemExit("The server did not come up.")
            yield address
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate()


def generate_load(options: argparse.Namespace, address: str, load: Load, place: Path) -> dict[str, float]:
    """Run servebench; its figures in seconds, by name and kind."""
    written = place / f"{load.n_prompt}-{load.n_parallel}.json"
    command = [
        options.servebench, "run", "--url", address, "--model", options.model, "--endpoint", "completions", "--no-gpu",
        "--concurrency", str(load.n_parallel), "--num-requests", str(options.requests), "--warmup", "1",
        "--input-len", str(load.n_prompt), "--output-len", str(OUTPUT_TOKENS), "--out", str(written),
    ]  # fmt: skip
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    summary = json.loads(written.read_text(encoding="utf-8"))["levels"][0]["summary"]
    if summary["failed"]:
        raise SystemExit(f"{summary['failed']} requests failed: {summary['errors']}")
    names = ("ttft", "itl", "tpot", "e2e")
    return {f"{name} {kind}": summary[name][kind.lower()] for name in names for kind in ("P50", "mean")}


def read_log(home: Path) -> list[RequestMetrics]:
    """What our own log says, the oldest first."""
    command = [sys.executable, "-m", "engine", "metrics", "export", "--format", "json"]
    environment = {**os.environ, "FIRSTLIGHT_HOME": str(home)}
    text = subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True).stdout
    return [entry.metrics for entry in reversed(msgspec.json.decode(text, type=list[LoggedRequest]))]


def figures(answers: list[RequestMetrics]) -> dict[str, float]:
    """Ours under the same names."""
    gaps = merge_histograms(metrics.gap_histogram for metrics in answers)
    known = {
        "ttft": [metrics.ttft for metrics in answers if metrics.ttft is not None],
        "tpot": [metrics.tpot for metrics in answers if metrics.tpot is not None],
        "e2e": [metrics.e2e_latency for metrics in answers],
    }
    found = {"itl P50": histogram_percentile(gaps, 50)}
    found["itl mean"] = sum(metrics.decode_time for metrics in answers) / sum(gaps.values())
    for name, values in known.items():
        found |= {f"{name} P50": percentile(values, 50), f"{name} mean": statistics.fmean(values)}
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--servebench", default=shutil.which("servebench") or "", metavar="FILE")
    parser.add_argument("--model", default="starter")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--requests", type=int, default=10, help="for each kind of load (default: %(default)s)")
    parser.add_argument("--json", metavar="FILE", help="write the figures there; - prints them as JSON")
    options = parser.parse_args()
    if not options.servebench:
        raise SystemExit("servebench is not here: pip install servebench, then name it with --servebench FILE.")
    found: dict[str, dict[str, Mapping[str, float]]] = {}
    with tempfile.TemporaryDirectory(prefix="firstlight-load-") as name:
        home = Path(name)
        theirs = {}
        with server(home, options.model, options.threads) as address:
            for load in LOADS:
                theirs[load.name] = generate_load(options, address, load, home)
        logged = read_log(home)
        for load in LOADS:
            # The first of each kind only warms up.
            mine, logged = logged[1 : options.requests + 1], logged[options.requests + 1 :]
            found[load.name] = {"servebench": theirs[load.name], "firstlight": figures(mine)}
    worst = report(found, is_json=options.json == "-")
    if options.json:
        text = json.dumps({**found, "largest_difference": worst}, indent=2) + "\n"
        sys.stdout.write(text) if options.json == "-" else Path(options.json).write_text(text, encoding="utf-8")
    return 0 if worst <= TOLERANCE else 1


def report(found: Mapping[str, Mapping[str, Mapping[str, float]]], *, is_json: bool) -> float:
    """Print the figures side by side; returns the largest difference that HTTP cannot explain, 0.05 for 5 %."""
    worst = 0.0
    for load, sides in found.items():
        lines = [f"{load:<16}{'servebench':>12}{'our log':>12}{'ratio':>8}"]
        for name, theirs in sorted(sides["servebench"].items()):
            mine = sides["firstlight"][name]
            if abs(theirs - mine) > HTTP_SECONDS:
                worst = max(worst, abs(theirs / mine - 1))
            lines.append(f"  {name:<14}{theirs * 1000:>9.1f} ms{mine * 1000:>9.1f} ms{theirs / mine:>8.3f}")
        if not is_json:
            print("\n".join(lines))
    if not is_json:
        print(f"largest difference {worst * 100:.1f} %")
    return worst


if __name__ == "__main__":
    sys.exit(main())
