"""How many prompt tokens a step may carry, from measured step times."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque

SHARE = 0.5
"""While something decodes, prefill may lengthen a step by this share of a pure decode step: its ITL P99 stays
under twice its P50, with room for noise."""
SOLO_SECONDS = 0.75
"""Longest chunk when nothing decodes: progress is shown and commands are looked at in between."""
PREWARM_SECONDS = 0.1
"""Longest chunk of a prewarm: what a request that arrives in the middle of one has to wait at most."""
_SOLO_MIN = 64
_PREWARM_MIN = 16
_KEEP = 32
_WEIGHT = 0.25


class StepBudget:
    """Learns the time of decode steps, and what a chunk of each size adds to one."""

    def __init__(self, n_ubatch: int) -> None:
        self._n_ubatch = n_ubatch
        self._decode: dict[int, deque[float]] = {}
        self._extra: dict[int, float] = {}
        """Seconds that a chunk added to a decode step, by size rounded down to a power of two, per token."""
        self._solo: float | None = None
        """Seconds per token of pure prefill in large chunks."""

    def observe(self, n_decode: int, n_prefill: int, seconds: float) -> None:
        """Learn from one step: `n_decode` sequences decoded, `n_prefill` prompt tokens ran along."""
        if n_prefill == 0:
            if n_decode not in self._decode:
                self._decode[n_decode] = deque(maxlen=_KEEP)
            self._decode[n_decode].append(seconds)
            return
        if n_decode == 0:
            # Few tokens cost more each, and would make the next chunks of a long prompt small.
            if n_prefill >= _SOLO_MIN:
                self._solo = _blend(self._solo, seconds / n_prefill)
            return
        base = self.decode_time(n_decode)
        if base is not None:
            bucket = n_prefill.bit_length() - 1
            self._extra[bucket] = _blend(self._extra.get(bucket), max(0.0, seconds - base) / n_prefill)

    def decode_time(self, n_decode: int) -> float | None:
        """Median seconds of a pure decode step of this many sequences, or of the nearest number that was seen."""
        if not self._decode:
            return None
        known = sorted(self._decode)
        nearest = known[max(0, bisect_right(known, n_decode) - 1)]
        times = sorted(self._decode[nearest])
        return times[len(times) // 2]

    def prefill_tokens(self, n_decode: int, *, is_prewarm: bool = False) -> int:
        """Prompt tokens that the next step may carry beside `n_decode` decoding sequences; at least 1."""
        if n_decode == 0:
            seconds, least = (PREWARM_SECONDS, _PREWARM_MIN) if is_prewarm else (SOLO_SECONDS, _SOLO_MIN)
            if self._solo is None:
                return min(self._n_ubatch, 4 * least)
            return max(least, min(self._n_ubatch, int(seconds / self._solo)))
        base = self.decode_time(n_decode)
        if base is None:
            return 1
        best = 1
        # Sizes are tried one after another: a lucky measurement of a small chunk says little about a large one.
        for bucket in range(max(self._extra, default=-1) + 2):
            per_token = self._per_token(bucket)
            fitting = min(int(base * SHARE / per_token), (2 << bucket) - 1) if per_token > 0 else (2 << bucket) - 1
            if fitting < 1 << bucket:
                break
            best = fitting
        return min(best, self._n_ubatch)

    def _per_token(self, bucket: int) -> float:
        """Seconds that each token of a chunk of this size adds: as measured, or as the nearest smaller size.

        Never less than half of what pure prefill costs: when other programs slowed the decode steps down that the
        difference was taken from, a chunk looks free.
        """
        floor = (self._solo or 0.0) / 2
        smaller = [size for size in self._extra if size <= bucket]
        return max(floor, self._extra[max(smaller)]) if smaller else self._solo or 0.0


def _blend(old: float | None, new: float) -> float:
    return new if old is None else old + _WEIGHT * (new - old)
