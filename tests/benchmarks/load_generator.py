"""Held against somebody else's clock: servebench loads `python -m engine serve`, and our log has the same requests.

python tests/benchmarks/load_generator.py [--servebench FILE] [--model M] [--threads N] [--requests N] [--prompts N ...]
    [--json FILE|-]

servebench is an independent load generator for OpenAI-compatible servers (`pip install servebench`, best in an
environment of its own, named by --servebench). Prints its figures, ours from the metrics log, and the ratio of both;
ends with 1 when one is more than 5 % apart. Before our server it loads one without an engine, whose waits are known:
what it measures beyond them is its own work and the way there and back, and tells how much of a difference is ours.
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

from hollow_server import HollowServer  # noqa: E402

from engine.metrics import RequestMetrics, histogram_percentile, merge_histograms, percentile  # noqa: E402
from engine.protocol.records import LoggedRequest  # noqa: E402

TOLERANCE = 0.05
OUTPUT_TOKENS = 64
CONTEXT_TOKENS = 16384
NAMES = ("ttft", "itl", "tpot", "e2e")
KINDS = ("P50", "mean")


class Load(NamedTuple):
    """One kind of load: tokens of each prompt, more or less, and requests at once."""

    n_prompt: int
    n_parallel: int

    @property
    def name(self) -> str:
        return f"{self.n_prompt} tokens, {self.n_parallel} at once"

    def n_requests(self, least: int) -> int:
        """Short prompts more often: a millisecond by chance is much of their wait."""
        return max(least, SHORT_TOKENS // self.n_prompt)


SHORT_TOKENS = 640
PROMPTS = (16, 128, 512, 2000)
PARALLEL = (1, 4)


@contextlib.contextmanager
def server(home: Path, model: str, n_threads: int) -> Iterator[str]:
    """A warm server of ours; gives its address."""
    command = [sys.executable, "-m", "engine", "serve", "--model", model, "--port", "0", "--ctx", str(CONTEXT_TOKENS)]
    command += ["--threads", str(n_threads)]
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
    written = place / "servebench.json"
    command = [
        options.servebench, "run", "--url", address, "--model", options.model, "--endpoint", "completions", "--no-gpu",
        "--concurrency", str(load.n_parallel), "--warmup", "1",
        "--num-requests", str(load.n_requests(options.requests)),
        "--input-len", str(load.n_prompt), "--output-len", str(OUTPUT_TOKENS), "--out", str(written),
    ]  # fmt: skip
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    summary = json.loads(written.read_text(encoding="utf-8"))["levels"][0]["summary"]
    if summary["failed"]:
        raise SystemExit(f"{summary['failed']} requests failed: {summary['errors']}")
    return {f"{name} {kind}": summary[name][kind.lower()] for name in NAMES for kind in KINDS}


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
    threads = max(1, (os.cpu_count() or 1) - 1)
    parser.add_argument("--threads", type=int, default=threads, help="by default one core is left for the client")
    parser.add_argument("--requests", type=int, default=10, help="at least, for each load (default: %(default)s)")
    parser.add_argument("--json", metavar="FILE", help="write the figures there; - prints them as JSON")
    parser.add_argument("--prompts", type=int, nargs="+", default=PROMPTS, help="tokens of each (default: %(default)s)")
    options = parser.parse_args()
    if not options.servebench:
        raise SystemExit("servebench is not here: pip install servebench, then name it with --servebench FILE.")
    loads = [Load(n_prompt, n_parallel) for n_parallel in PARALLEL for n_prompt in options.prompts]
    found: dict[str, dict[str, Mapping[str, float]]] = {load.name: {} for load in loads}
    with tempfile.TemporaryDirectory(prefix="firstlight-load-") as name:
        home = Path(name)
        with HollowServer() as hollow:
            for load in loads:
                hollow.waits.clear()
                measured = generate_load(options, hollow.address, load, home)
                # The first only warms up.
                found[load.name]["own cost"] = own_cost(measured, hollow.waits[1:])
        with server(home, options.model, options.threads) as address:
            for load in loads:
                found[load.name]["servebench"] = generate_load(options, address, load, home)
        logged = read_log(home)
        for load in loads:
            # The first of each kind only warms up.
            n_requests = load.n_requests(options.requests)
            mine, logged = logged[1 : n_requests + 1], logged[n_requests + 1 :]
            found[load.name]["firstlight"] = figures(mine)
    worst = report(found, is_json=options.json == "-")
    if options.json:
        text = json.dumps({**found, "largest_difference": worst}, indent=2) + "\n"
        sys.stdout.write(text) if options.json == "-" else Path(options.json).write_text(text, encoding="utf-8")
    return 0 if worst <= TOLERANCE else 1


def own_cost(measured: Mapping[str, float], waits: list[float]) -> dict[str, float]:
    """What the client adds to each figure: once for each request, what it measured beyond these waits."""
    once = {
        "P50": measured["ttft P50"] - percentile(waits, 50),
        "mean": measured["ttft mean"] - statistics.fmean(waits),
    }
    return {f"{name} {kind}": once[kind] if name in ("ttft", "e2e") else 0.0 for name in NAMES for kind in KINDS}


def report(found: Mapping[str, Mapping[str, Mapping[str, float]]], *, is_json: bool) -> float:
    """Print the figures side by side; returns the largest difference, 0.05 for 5 %."""
    worst = 0.0
    for load, sides in found.items():
        lines = [f"{load:<22}{'servebench':>12}{'own cost':>12}{'our log':>12}{'ratio':>8}{'without':>9}"]
        for name, theirs in sorted(sides["servebench"].items()):
            own, mine = sides["own cost"][name], sides["firstlight"][name]
            worst = max(worst, abs(theirs / mine - 1))
            times = "".join(f"{seconds * 1000:>9.2f} ms" for seconds in (theirs, own, mine))
            lines.append(f"  {name:<20}{times}{theirs / mine:>8.3f}{(theirs - own) / mine:>9.3f}")
        if not is_json:
            print("\n".join(lines), flush=True)
    if not is_json:
        print(f"largest difference {worst * 100:.1f} %")
    return worst


if __name__ == "__main__":
    sys.exit(main())
