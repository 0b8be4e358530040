"""The probabilities of a whole vocabulary, up to a factor: cut and drawn from in numpy's vectors.

llama.cpp's samplers look at 262k tokens one by one, and sort them: 4 to 35 ms a token. These passes take a twentieth
of that and choose the same: `Rng` rolls as llama.cpp does, so that even the draws of a seed are the same.
"""

from __future__ import annotations

import functools
import math

import numpy as np

from engine.errors import Code, EngineError
from engine.worker.llama.sampling import Ids, Logits

_FIRST = 1024
"""Tokens that are put in order at first; of a flat distribution all are."""
_BLOCK = 512
_COLDEST = 1e-6
"""Below this temperature only the likeliest token is left anyway."""


class Rng:
    """The 32-bit Mersenne twister, seeded and read as llama.cpp does with C++'s standard library."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    @functools.cached_property
    def _twister(self) -> np.random.RandomState:
        # Made when it is first rolled: most requests never do, and between two steps this is not in the processor's
        # caches and takes as long as a step.
        return np.random.RandomState(self._seed)

    def roll(self) -> float:
        """From 0 to 1, with the steps of a double."""
        return int.from_bytes(self._twister.bytes(8), "little") / 2**64

    def roll_coarse(self) -> float:
        """From 0 to 1, with the steps of a float."""
        return int.from_bytes(self._twister.bytes(4), "little") / 2**32


class Probabilities:
    """Those of some tokens. The buffers are used again: pages that are new each time cost more than the sums."""

    def __init__(self, n_vocab: int) -> None:
        self._values, self._keys = np.zeros((2, n_vocab), np.float32)
        self.values: Logits = self._values
        """float32 (n,) for the n tokens that were filled in; the likeliest one's is 1."""
        self.total = 0.0

    def fill(self, logits: Logits, temperature: float = 1.0) -> None:
        """Logits of the shape (n,), n up to n_vocab. Raises EngineError where they are not numbers."""
        self.values = values = self._values[: len(logits)]
        np.subtract(logits, logits.max(), out=values)
        # numpy's exp2 is half as fast again as its exp.
        values *= np.float32(1 / (math.log(2) * max(temperature, _COLDEST)))
        np.exp2(values, out=values)
        self.total = float(values.sum())
        if not math.isfinite(self.total):
            raise not_a_number()

    def nucleus(self, p: float) -> Ids:
        """The smallest set of tokens that holds this share of the probability, the likeliest first."""
        return self._first(self.values, p)

    def typical(self, logits: Logits, p: float) -> Ids:
        """The tokens whose surprise is nearest to the expected one, until they hold this share of the probability."""
        keys = np.subtract(logits, logits.max(), out=self._keys[: len(logits)])
        # A token that was ruled out weighs nothing, and 0 times infinity must not come out.
        np.maximum(keys, -1e4, out=keys)
        keys -= np.float32(np.einsum("i,i", self.values, keys) / self.total)
        np.negative(np.abs(keys, out=keys), out=keys)
        return self._first(keys, p)

    def at_least(self, p: float) -> Ids:
        """The tokens that are at least this likely, in order of id."""
        return np.flatnonzero(self.values >= p * self.total)

    def _first(self, keys: Logits, p: float) -> Ids:
        """The tokens with the largest keys, in falling order, until they hold this share of the probability."""
        n_first = _FIRST
        while True:
            ids = top_ids(keys, n_first)
            ids = ids[np.argsort(-keys[ids], kind="stable")]
            reached = np.cumsum(self.values[ids], dtype=np.float64)
            end = int(np.searchsorted(reached, p * self.total)) + 1
            if end <= len(ids) or len(ids) == len(keys):
                return ids[:end]
            n_first *= 16


def draw(weights: Logits, rng: Rng) -> int:
    """A position drawn in proportion to its weight: where the running sum reaches a random share of the whole."""
    sums = np.add.reduceat(weights, np.arange(0, len(weights), _BLOCK)).cumsum(dtype=np.float64)
    target = rng.roll() * float(sums[-1])
    block = int(np.searchsorted(sums, target))
    within = weights[block * _BLOCK : (block + 1) * _BLOCK].cumsum(dtype=np.float64)
    rest = target - (float(sums[block - 1]) if block else 0.0)
    # The block's own sum was rounded otherwise: a position past its end, or of no weight, is never the answer.
    return block * _BLOCK + int(np.searchsorted(within, min(rest, float(within[-1]))))


def top_ids(logits: Logits, k: int) -> Ids:
    """Ids of the k largest logits, and of any that equal the smallest of them, in order of id.

    The k-th largest of the maxima of k or more groups is a lower bound for the k-th largest logit.
    """
    n = len(logits)
    if k >= n:
        return np.arange(n)
    width = max(1024, 1 << (2 * k - 1).bit_length())
    n_rows = n // width
    if n_rows < 4:
        return np.flatnonzero(logits >= np.partition(logits, n - k)[n - k])
    maxima = logits[: n_rows * width].reshape(n_rows, width).max(axis=0)
    return np.flatnonzero(logits >= np.partition(maxima, width - k)[width - k])


def not_a_number() -> EngineError:
    return EngineError(
        Code.INTERNAL,
        "The model's output is not a number, so no token can be chosen.",
        "Load the model with another KV cache type or on another device.",
    )
