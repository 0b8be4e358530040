"""What choosing one token costs for a vocabulary of 262k, and what share of a real model's decode step that is.

`python tests/benchmarks/sampler_cost.py [--model FILE] [--json FILE|-]`: made-up logits with the shape of a language
model's, medians of 100 tokens each; beside each time the same settings as a native chain over the whole vocabulary.
With a model its own vocabulary and decode step are measured too, and the share is printed.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from native_chain import NativeChain

from engine.protocol.values import ModelSettings, Sampling
from engine.worker.llama import backend
from engine.worker.llama.batch import Batch
from engine.worker.llama.context import Context, ContextOptions
from engine.worker.llama.model import Model
from engine.worker.llama.sampling import Logits
from engine.worker.sampling.sampler import Sampler

N_VOCAB = 262_144
N_TOKENS = 100
CASES: dict[str, dict[str, Any]] = {
    "greedy": {"temperature": 0.0},
    "default": {},
    "penalties": {"repeat_penalty": 1.1},
    "top_p_only": {"top_k": 0, "min_p": 0.0},
    "min_p_only": {"top_k": 0, "top_p": 1.0},
    "uncut": {"top_k": 0, "top_p": 1.0, "min_p": 0.0},
    "xtc_only": {"top_k": 0, "top_p": 1.0, "min_p": 0.0, "xtc_probability": 1.0},
    "typical_only": {"top_k": 0, "top_p": 1.0, "min_p": 0.0, "typical_p": 0.9},
    "mirostat": {"mirostat": 2},
    "mirostat_1": {"mirostat": 1},
}


def median_time(action: Callable[[], object]) -> float:
    """Median seconds of one call, the first left out."""
    action()
    times = []
    for _ in range(N_TOKENS):
        started = time.perf_counter()
        action()
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def logits_like_a_models(n_vocab: int) -> Logits:
    """Normally spread logits with a few that stand out."""
    numbers = np.random.default_rng(1)
    logits = numbers.normal(0, 2, n_vocab).astype(np.float32)
    logits[numbers.integers(0, n_vocab, 30)] += numbers.uniform(6, 12, 30).astype(np.float32)
    return logits


def measure(n_vocab: int) -> dict[str, dict[str, float]]:
    """Seconds per token of each case, ours and the whole chain's."""
    logits = logits_like_a_models(n_vocab)
    said = [int(token) for token in np.argsort(-logits)[:64]]
    found = {}
    for name, changes in CASES.items():
        sampling = Sampling(seed=1, **changes)
        sampler = Sampler(sampling, SimpleNamespace(n_vocab=n_vocab, vocab=None))  # type: ignore[arg-type]
        sampler.accept_prompt(said)
        chain = NativeChain(sampling, n_vocab, said)
        ours = median_time(lambda sampler=sampler: sampler.choose(logits))
        whole = median_time(lambda chain=chain: chain.choose(logits))
        found[name] = {"seconds": ours, "whole_chain_seconds": whole}
        sampler.close()
        chain.close()
    return found


def step_time(path: Path, n_threads: int) -> tuple[float, int]:
    """Median seconds of a decode step with 64 tokens in the cache, without sampling; and the vocabulary's size."""
    backend.start()
    model = Model(path, ModelSettings(), lambda fraction: True)
    options = ContextOptions(
        n_ctx=1024, n_batch=512, n_ubatch=512, n_sequences=1, n_threads=n_threads, n_threads_batch=n_threads
    )
    context = Context(model, options)
    batch = Batch(64)
    batch.extend([5] * 64, 0, 0, output_last=True)
    context.decode(batch)
    position = 64

    def step() -> None:
        nonlocal position
        batch.clear()
        batch.add(5, position, 0, output=True)
        context.decode(batch)
        context.synchronize()
        position += 1

    seconds, n_vocab = median_time(step), model.n_vocab
    context.close()
    model.close()
    return seconds, n_vocab


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--model", type=Path, help="a GGUF whose decode step is measured")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json", help="write the figures to a file, or - for stdout")
    arguments = parser.parse_args()
    result: dict[str, Any] = {"n_vocab": N_VOCAB, "cases": measure(N_VOCAB)}
    if arguments.model:
        seconds, n_vocab = step_time(arguments.model, arguments.threads)
        cases = measure(n_vocab)
        for case in cases.values():
            case["share_of_step"] = case["seconds"] / seconds
        result["model"] = {"name": arguments.model.stem, "n_vocab": n_vocab, "step_seconds": seconds, "cases": cases}
    if arguments.json:
        text = json.dumps(result, indent=2)
        if arguments.json == "-":
            print(text)
        else:
            Path(arguments.json).write_text(text + "\n")
        return
    for part in (result, result.get("model")):
        if part:
            print(f"vocabulary of {part['n_vocab']}, step {part.get('step_seconds', 0) * 1e3:.2f} ms")
            for name, case in part["cases"].items():
                share = f", {case['share_of_step']:.1%} of the step" if "share_of_step" in case else ""
                print(
                    f"  {name:12} {case['seconds'] * 1e6:7.0f} us"
                    f" (whole chain {case['whole_chain_seconds'] * 1e6:7.0f} us{share})"
                )


if __name__ == "__main__":
    main()
