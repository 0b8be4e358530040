"""How many prompt tokens a step may carry, from measured step times."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque

SHARE = 0.5
"""While something decodes, prefill may lengthen a step by this share of a pure decode step: its ITL P99 stays
under twice its P50, with room for noise."""
PLATEAU = 0.1
"""Where one prompt token alone takes more than that, as many go along as make that step longer by this share."""
MOST = 1.25
"""Even then a step is lengthened by this share of a pure one at most: in a bad moment one token takes long, too."""
SOLO_SECONDS = 0.75
"""Longest chunk when nothing decodes: progress is shown and commands are looked at in between."""
PREWARM_SECONDS = 0.1
"""Longest chunk of a prewarm that cannot be ended in the middle: what a request that arrives has to wait at most."""
_SOLO_MIN = 64
_PREWARM_MIN = 16
_KEEP = 8
_WEIGHT = 0.25
_LOOK = 5
"""Steps of one size whose median counts."""
_GROSS = 2
"""A chunk that takes so many times what it may is not tried a second time at once."""
_FIRST = 4
"""Steps with a single token before there are more: the first of them run through cold caches."""
_PATIENCE = 16
"""Steps before a size that was too slow is tried again, since one slow step may be an accident."""
_LONG_PATIENCE = 256
"""The same after it was too slow again."""


class StepBudget:
    """Learns the time of decode steps, what a chunk beside one adds, and what prefill alone takes."""

    def __init__(self, n_ubatch: int) -> None:
        self._n_ubatch = n_ubatch
        self._decode: dict[int, deque[float]] = {}
        self._beside = ChunkBeside()
        self._solo: float | None = None
        """Seconds per token of pure prefill in large chunks."""

    def observe(self, n_decode: int, n_prefill: int, seconds: float) -> None:
        """Learn from one step: `n_decode` sequences decoded, `n_prefill` prompt tokens ran along."""
        if n_prefill and n_decode:
            base = self.decode_time(n_decode)
            if base is not None:
                # When other programs slowed the decode steps down that the difference is taken from, a chunk looks
                # free. It never is.
                extra = max(seconds - base, n_prefill * (self._solo or 0.0) / 2)
                self._beside.observe(n_prefill, extra, base)
            return
        self._beside.restart()
        if n_decode:
            self._decode.setdefault(n_decode, deque(maxlen=_KEEP)).append(seconds)
            return
        per_token = seconds / n_prefill
        # Few tokens cost more each, and would make the next chunks of a long prompt small.
        if self._solo is None or n_prefill >= _SOLO_MIN or per_token < self._solo:
            self._solo = per_token if self._solo is None else self._solo + _WEIGHT * (per_token - self._solo)

    def decode_time(self, n_decode: int) -> float | None:
        """Median seconds of a pure decode step of this many sequences, or of the nearest number that was seen."""
        if not self._decode:
            return None
        known = sorted(self._decode)
        nearest = known[max(0, bisect_right(known, n_decode) - 1)]
        return _median(self._decode[nearest])

    def prefill_tokens(self, n_decode: int, *, must_yield: bool = False) -> int:
        """Prompt tokens that the next step may carry beside `n_decode` decoding sequences; at least 1.

        `must_yield`: nothing decodes, but somebody may come who is not to wait.
        """
        if n_decode:
            base = self.decode_time(n_decode)
            return 1 if base is None else self._beside.next(base, self._n_ubatch - n_decode)
        seconds, least = (PREWARM_SECONDS, _PREWARM_MIN) if must_yield else (SOLO_SECONDS, _SOLO_MIN)
        if self._solo is None:
            return min(self._n_ubatch, 4 * least)
        return max(least, min(self._n_ubatch, int(seconds / self._solo)))


class ChunkBeside:
    """Finds the largest chunk that decode steps can carry, by carrying it.

    It grows by a quarter at a time while steps stay short, and shrinks where they do not, as when texts get longer.
    Each prompt begins with one token: what held for the last one, at other lengths, may be wrong. No formula is
    fitted: at some sizes kernels change, and a step takes five times as long.
    """

    def __init__(self) -> None:
        self.size = 1
        self._former = 0
        """The size before, while the new one is on trial."""
        self._times: deque[float] = deque(maxlen=_LOOK)
        """Seconds that the latest chunks of this size added."""
        self._one: deque[float] = deque(maxlen=_LOOK)
        """The same of a single token."""
        self._refused = 0
        """A size that was too slow, and the steps until it may be tried again."""
        self._wait = 0

    def restart(self) -> None:
        """A step without a chunk came in between."""
        self.size, self._former, self._refused, self._wait = 1, 0, 0, 0
        self._times.clear()
        self._one.clear()

    def observe(self, n_tokens: int, extra: float, base: float) -> None:
        """A chunk of `n_tokens` made a decode step, which takes `base` seconds alone, `extra` seconds longer."""
        self._wait = max(0, self._wait - 1)
        if n_tokens != self.size:
            return
        if n_tokens == 1:
            self._one.append(extra)
        limit = self._limit(base)
        former, self._former = self._former, 0
        self._times.append(extra)
        typical = _median(self._times)
        if former and extra > _GROSS * limit:
            self._go_back(former, _LONG_PATIENCE if self._refused == former + 1 else _PATIENCE)
            self._refused = former + 1
        elif typical > limit and self.size > 1 and len(self._times) > 1:
            patience = _LONG_PATIENCE if self._refused == self.size else _PATIENCE
            self._refused = self.size
            self._go_back(max(1, int(self.size * limit / typical)), patience)
        elif typical <= limit and self.size >= self._refused:
            self._refused = 0

    def next(self, base: float, most: int) -> int:
        """The size of the next chunk, `most` at most."""
        if len(self._times) >= (_FIRST if self.size == 1 else 1) and not self._former:
            typical = _median(self._times)
            left = self._limit(base) - typical
            larger = min(most, self.size + max(1, self.size // (2 if left > typical else 4)))
            if self.size > 1 and (per_token := (typical - _median(self._one)) / (self.size - 1)) > 0:
                larger = min(larger, self.size + int(left / per_token))
            if self._refused > self.size:
                larger = min(larger, self._refused - bool(self._wait))
            if left > 0 and larger > self.size:
                self._former, self.size = self.size, larger
                self._times.clear()
        return min(self.size, most)

    def _go_back(self, size: int, patience: int) -> None:
        self.size, self._wait = size, patience
        self._times.clear()

    def _limit(self, base: float) -> float:
        one = _median(self._one) if self._one else 0.0
        return max(base * SHARE, min(base * MOST, one + PLATEAU * (base + one)))


def _median(values: deque[float]) -> float:
    ordered = sorted(values)
    return ordered[(len(ordered) - 1) // 2]
