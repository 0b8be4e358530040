"""Measures the processor's limits: the bandwidth of its memory, and its float32 arithmetic.

Imports numpy, which takes a quarter of a second: only who measures imports this.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from engine.hardware.memory import read_memory
from engine.protocol import RooflineMeasured

BUFFER_BYTES = 512 << 20
"""Larger than any cache; less where memory is short."""
READ_SECONDS = 1.0
MULTIPLY_SECONDS = 0.5
MATRIX = 1024
_MIN_PART_BYTES = 8 << 20


def measure_cpu(
    n_threads: int,
    *,
    buffer_bytes: int = BUFFER_BYTES,
    read_seconds: float = READ_SECONDS,
    multiply_seconds: float = MULTIPLY_SECONDS,
    clock: Callable[[], float] = time.perf_counter,
    may_go_on: Callable[[], bool] = lambda: True,
) -> RooflineMeasured:
    """Measure memory bandwidth and float32 arithmetic of the CPU; blocks for under 3 s and loads every core.

    Ends within a pass, some 50 ms, when `may_go_on` says no; the figures are then too low.
    """
    began = clock()
    part_bytes = max(_MIN_PART_BYTES, min(buffer_bytes, read_memory().available_bytes // 4) // n_threads)
    with ThreadPoolExecutor(n_threads, "roofline") as pool:
        parts = list(pool.map(lambda _: np.ones(part_bytes // 8, np.int64), range(n_threads)))
        bandwidth = 0.0
        deadline = clock() + read_seconds
        while bandwidth == 0.0 or (clock() < deadline and may_go_on()):
            start = clock()
            list(pool.map(np.sum, parts))
            bandwidth = max(bandwidth, n_threads * part_bytes / max(clock() - start, 1e-9))
    del parts
    flops = _multiply(multiply_seconds if may_go_on() else 0.0, clock)
    return RooflineMeasured(device="CPU", bandwidth=bandwidth, prefill_flops=flops, duration=clock() - began)


def _multiply(seconds: float, clock: Callable[[], float]) -> float:
    """Float32 operations per second of a matrix product, which numpy spreads over the cores."""
    matrix = np.ones((MATRIX, MATRIX), np.float32)
    best = 0.0
    deadline = clock() + seconds
    while best == 0.0 or clock() < deadline:
        start = clock()
        matrix @ matrix
        best = max(best, 2 * MATRIX**3 / max(clock() - start, 1e-9))
    return best
