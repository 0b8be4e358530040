"""Measure the engine on this machine's GPU against llama-bench, with a model that is written here.

    .venv/bin/python tests/benchmarks/gpu_check.py [--llama-bench FILE] [--shape 8b|tiny] [--seconds 450]

It takes under eight minutes on one card: devices, full offload of random weights in the shape of an 8B Q4_K_M,
prefill and decode at each KV type and context beside llama-bench, the memory estimate beside what was allocated, and
the time to the first token cold, warm, cached and restored. The result is a JSON file named after the card. What the
time did not allow is listed in it. With --shape tiny it runs in a minute on a CPU.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypedDict

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import msgspec  # noqa: E402
from random_model import EIGHT_B, TINY, Mix, write_model  # noqa: E402
from worker_client import Answer, Worker, WorkerFailed, describe, worker  # noqa: E402

from engine import gguf  # noqa: E402
from engine.fit.memory_estimate import Estimator  # noqa: E402
from engine.host.machine_reader import MachineReader  # noqa: E402
from engine.protocol import KvType, ModelLoaded, ModelSettings, Switch  # noqa: E402
from engine.settings import folders  # noqa: E402

WORKER = [sys.executable, "-m", "engine.worker"]
KV_TYPES = (KvType.F16, KvType.Q8_0, KvType.Q4_0)
CONTEXTS = {"8b": (1024, 8192, 32768), "tiny": (128, 512)}
N_DECODED = 64
PROMPT_TOKENS = {"8b": 2048, "tiny": 256}


class Row(TypedDict, total=False):
    """One measured point; rates in tokens per second."""

    kv_type: str
    n_context: int
    prefill_tps: float | None
    decode_tps: float | None
    peer_prefill_tps: float
    peer_decode_tps: float
    prefill_ratio: float
    decode_ratio: float


@dataclass
class Check:
    """What is being measured, with which means, until when."""

    shape: str
    model: Path
    llama_bench: Path | None
    deadline: float
    log: Path
    environment: Mapping[str, str]
    left_out: list[str] = field(default_factory=list)

    def has_time(self, what: str, seconds: float = 0.0) -> bool:
        """Whether to go on with something; what is left out is remembered."""
        if time.monotonic() + seconds < self.deadline:
            return True
        self.left_out.append(what)
        return False

    def settings(self, n_ctx: int, kv_type: KvType, snapshots: Path | None = None) -> ModelSettings:
        return ModelSettings(
            n_ctx=n_ctx,
            n_parallel=1,
            n_gpu_layers=999,
            type_k=kv_type,
            type_v=kv_type,
            flash_attn=Switch.ON,
            snapshot_dir=str(snapshots) if snapshots else "",
        )


def words(n_tokens: int, start: str) -> str:
    """A prompt of about n_tokens: the written vocabulary has one token a byte."""
    return (start + "the light of the first hour ")[: n_tokens - 8].ljust(n_tokens - 8, "abcdefgh "[len(start) % 8])


def measure_rates(check: Check, kv_type: KvType) -> Iterator[Row]:
    """Prefill and decode at each context, in one worker; then the same by llama-bench."""
    contexts = CONTEXTS[check.shape]
    with worker(WORKER, check.environment, check.log) as running:
        running.load(check.model, check.settings(max(contexts) + N_DECODED + 64, kv_type))
        rows = [measure_point(running, kv_type, n) for n in contexts if check.has_time(f"{kv_type} at {n}", 5)]
    for row in rows:
        n_context = row["n_context"]
        if check.llama_bench and check.has_time(f"llama-bench {kv_type} at {n_context}", 10):
            row["peer_prefill_tps"] = llama_bench(check, kv_type, ["-p", str(n_context), "-n", "0"])
            row["peer_decode_tps"] = llama_bench(
                check, kv_type, ["-p", "0", "-n", str(N_DECODED), "-d", str(n_context)]
            )
            row["prefill_ratio"] = (row["prefill_tps"] or 0.0) / row["peer_prefill_tps"]
            row["decode_ratio"] = (row["decode_tps"] or 0.0) / row["peer_decode_tps"]
        yield row


def measure_point(running: Worker, kv_type: KvType, n_context: int) -> Row:
    """One prompt that nothing is cached of, and a short answer."""
    metrics = running.generate(words(n_context, f"{n_context} "), N_DECODED).finished.metrics
    return Row(
        kv_type=kv_type.value,
        n_context=n_context,
        prefill_tps=metrics.prefill_tps,
        decode_tps=metrics.decode_tps,
    )


def llama_bench(check: Check, kv_type: KvType, arguments: Sequence[str]) -> float:
    """Tokens per second that llama-bench reports, the mean of two runs."""
    assert check.llama_bench is not None
    common = [
        "-m",
        str(check.model),
        "-ngl",
        "99",
        "-fa",
        "1",
        "-ctk",
        kv_type,
        "-ctv",
        kv_type,
        "-r",
        "2",
        "-o",
        "json",
    ]
    answer = subprocess.run(
        [str(check.llama_bench), *common, *arguments], capture_output=True, text=True, check=True, timeout=200
    )
    return float(json.loads(answer.stdout)[-1]["avg_ts"])


def measure_memory(check: Check) -> list[dict[str, object]]:
    """What engine/fit expects on each device, beside what llama.cpp allocated, at each KV type."""
    header = gguf.read_header(check.model)
    repacked = MachineReader(folders()).machine().repacked
    rows: list[dict[str, object]] = []
    for kv_type in KV_TYPES:
        if not check.has_time(f"memory at {kv_type}", 8):
            continue
        settings = check.settings(max(CONTEXTS[check.shape]), kv_type)
        with worker(WORKER, check.environment, check.log) as running:
            loaded = running.load(check.model, settings).effective
        sizes = {name: getattr(loaded, name) for name in ("n_ctx", "n_batch", "n_ubatch", "n_parallel", "n_gpu_layers")}
        exact = msgspec.structs.replace(settings, **sizes)
        fitted = Estimator(header, repacked=repacked).estimate(exact, devices=loaded.devices)
        expected = {use.device: use.total_bytes for use in fitted.memory}
        for use in loaded.memory:
            difference = expected.get(use.device, 0) - use.total_bytes
            rows.append(
                {
                    "kv_type": kv_type.value,
                    "device": use.device,
                    "allocated_bytes": use.total_bytes,
                    "estimated_bytes": expected.get(use.device, 0),
                    "error": difference / use.total_bytes if use.total_bytes else 0.0,
                }
            )
    return rows


def measure_first_token(check: Check, folder: Path) -> dict[str, float]:
    """Seconds to the first token: process still to start, model warm, chat cached, chat restored."""
    n_tokens = PROMPT_TOKENS[check.shape]
    settings = check.settings(2 * n_tokens, KvType.F16, folder / "snapshots")
    found: dict[str, float] = {}
    began = time.monotonic()
    with worker(WORKER, check.environment, check.log) as running:
        loaded: ModelLoaded = running.load(check.model, settings)
        found["start_and_load"] = time.monotonic() - began
        running.generate(words(n_tokens, "cold "), 1)
        found["cold"] = time.monotonic() - began
        found.update({name: getattr(loaded.times, name) for name in loaded.times.__struct_fields__})
        prompt = words(n_tokens, "warm ")
        answer: Answer = running.generate(prompt, 16, chat_id="chat")
        found["warm"] = answer.first_token_time
        found["cached"] = running.generate(prompt + answer.text + " and", 1, chat_id="chat").first_token_time
    with worker(WORKER, check.environment, check.log) as running:
        running.load(check.model, settings)
        restored = running.generate(prompt + answer.text + " and", 1, chat_id="chat")
        found["restored"] = restored.first_token_time
        found["restored_tokens"] = float(restored.started.n_cached_tokens)
    return found


def doctor() -> object:
    """What `python -m engine doctor --json` says, or why it says nothing."""
    command = [sys.executable, "-m", "engine", "doctor", "--json"]
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    try:
        return json.loads(answer.stdout)
    except ValueError:
        return {"failed": answer.stderr[-2000:] or f"status {answer.returncode}"}


def device_name(described: Mapping[str, object]) -> str:
    """The first GPU's description; the processor where there is none."""
    devices = described.get("devices")
    assert isinstance(devices, list)
    names = [device["description"] for device in devices if device["kind"] in ("gpu", "igpu")]
    return str(names[0] if names else platform.processor() or "cpu")


def run(options: argparse.Namespace) -> dict[str, object]:
    began = time.monotonic()
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    described = describe(WORKER, environment)
    with tempfile.TemporaryDirectory(prefix="firstlight-", dir=options.scratch or None) as scratch:
        model = Path(scratch) / f"{options.shape}.gguf"
        say(f"{device_name(described)}: writing a model")
        write_model(model, EIGHT_B if options.shape == "8b" else TINY, Mix.Q4_K_M)
        written = time.monotonic() - began
        log = options.out / "gpu-check-worker.log"
        check = Check(options.shape, model, options.llama_bench, began + options.seconds, log, environment)
        result: dict[str, object] = {
            "device": device_name(described),
            "engine": described,
            "doctor": doctor(),
            "model": {"shape": options.shape, "bytes": model.stat().st_size, "seconds_to_write": written},
            "first_token": measure_first_token(check, Path(scratch)),
            "rates": [say_row(row) for kv_type in KV_TYPES for row in measure_rates(check, kv_type)],
            "memory": measure_memory(check),
            "left_out": check.left_out,
            "seconds": time.monotonic() - began,
        }
    return result


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def say_row(row: Row) -> Row:
    say(
        "  ".join(
            f"{name} {value:.2f}" if isinstance(value, float) else f"{name} {value}" for name, value in row.items()
        )
    )
    return row


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--llama-bench", type=Path, help="a llama-bench of the same engine build, to compare with")
    parser.add_argument("--shape", choices=list(CONTEXTS), default="8b")
    parser.add_argument("--seconds", type=float, default=450.0, help="stop starting measurements after this time")
    parser.add_argument("--scratch", default="", help="a folder with 5 GB for the model")
    parser.add_argument("--out", type=Path, default=ROOT / "tests" / "benchmarks" / "results")
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    try:
        result = run(options)
    except WorkerFailed as error:
        say(f"The check stopped: {error} The worker's own words are in {options.out / 'gpu-check-worker.log'}.")
        return 1
    name = re.sub(r"[^a-z0-9]+", "-", str(result["device"]).lower()).strip("-")
    file = options.out / f"gpu-{name}-{options.shape}.json"
    file.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    say(f"Written to {file} after {result['seconds']:.0f} s.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
