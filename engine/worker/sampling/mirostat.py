"""Mirostat: draws so that the answer's tokens surprise by `tau` bits on average (Basu et al., ICLR 2021).

The same as llama.cpp's samplers of that name, which sort the whole vocabulary for each token.
"""

from __future__ import annotations

import math

import numpy as np

from engine.worker.llama.sampling import Logits
from engine.worker.sampling.probabilities import Probabilities, Rng, draw, top_ids

_N_FITTED = 100
"""Of the likeliest tokens the first version learns how fast probabilities fall."""


class Mirostat:
    """One answer's course. Version 1 keeps the k likeliest tokens, version 2 those that surprise by at most `mu`."""

    def __init__(self, version: int, tau: float, eta: float) -> None:
        self._version = version
        self._tau = tau
        self._eta = eta
        self.mu = 2 * tau
        """Bits: what a token may surprise by at most."""
        self._surprise = tau

    def choose(self, probabilities: Probabilities, rng: Rng) -> int:
        """The position of one of these tokens."""
        values = probabilities.values
        least = _kth(values, self.mu) if self._version == 1 else 2 ** min(-self.mu, 1.0) * probabilities.total
        is_kept = values >= min(least, 1.0)  # The likeliest token's value is 1.
        n_kept = np.count_nonzero(is_kept)
        # Gathering many takes longer than multiplying all.
        ids = np.flatnonzero(is_kept) if n_kept < max(2, len(values) // 16) else None
        kept = values * is_kept if ids is None else values[ids]
        # As in C++'s standard library, one token alone is taken without a roll.
        place = draw(kept, rng) if n_kept > 1 else 0
        self._surprise = -math.log2(float(kept[place]) / float(kept.sum()))
        return place if ids is None else int(ids[place])

    def learn(self) -> None:
        """The token that was chosen last is said."""
        self.mu -= self._eta * (self._surprise - self._tau)


def _kth(values: Logits, mu: float) -> float:
    """The k-th largest value, with k from how fast values fall, which is taken for Zipf's law."""
    likeliest = np.sort(values[top_ids(values, _N_FITTED)])[::-1][:_N_FITTED]
    k = _n_kept(_zipf_exponent(likeliest[likeliest > 0]), mu, len(values))
    return float(values[top_ids(values, k)].min()) if k < len(values) else 0.0


def _zipf_exponent(weights: Logits) -> float:
    """The least-squares fit to falling weights; infinite where there is only one."""
    if len(weights) < 2:
        return math.inf
    ranks = np.arange(1, len(weights) + 1)
    steps = np.log(ranks[1:] / ranks[:-1])
    return float(steps @ np.log(weights[:-1] / weights[1:]) / (steps @ steps))


def _n_kept(exponent: float, mu: float, n_vocab: int) -> int:
    """How many tokens of a vocabulary under Zipf's law have a cross entropy of mu bits, from 1 to all."""
    if not 0 < exponent < math.inf:
        return 1
    above_one = exponent - 1 or 1e-9
    bits = (mu + math.log2(above_one / -math.expm1(-above_one * math.log(n_vocab)))) / exponent
    return max(1, int(2 ** min(bits, math.log2(n_vocab))))
