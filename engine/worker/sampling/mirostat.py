"""Mirostat: draws so that the answer's tokens surprise by `tau` bits on average (Basu et al., ICLR 2021).

The same as llama.cpp's samplers of that name, which sort the whole vocabulary for each token.
"""

from __future__ import annotations

import math

import numpy as np

from engine.worker.llama.sampling import Ids, Logits
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

    def choose(self, weights: Probabilities, dice: Rng) -> int:
        """A token of these weights."""
        ids = self._fitting(weights) if self._version == 1 else self._unsurprising(weights)
        kept = weights.values if ids is None else weights.values[ids]
        place = draw(kept, dice) if len(kept) > 1 else 0
        self._surprise = -math.log2(float(kept[place]) / float(kept.sum()))
        return place if ids is None else int(ids[place])

    def learn(self) -> None:
        """The token that was chosen last is said."""
        self.mu -= self._eta * (self._surprise - self._tau)

    def _unsurprising(self, weights: Probabilities) -> Ids | None:
        """At least the likeliest; None for all, which a course of answers without surprises leads to."""
        share = 2 ** min(-self.mu, 1.0)
        if weights.are_all_at_least(share):
            return None
        ids = weights.at_least(share)
        return ids if len(ids) else np.array([weights.values.argmax()])

    def _fitting(self, weights: Probabilities) -> Ids | None:
        """The k likeliest tokens, with k from how fast probabilities fall, which is taken for Zipf's law."""
        values = weights.values
        likeliest = np.sort(values[top_ids(values, _N_FITTED)])[::-1][:_N_FITTED]
        exponent = _zipf_exponent(likeliest[likeliest > 0])
        k = _n_kept(exponent, self.mu, len(values))
        if k == len(values):
            return None
        ids = top_ids(values, k)
        # Of tokens that are as likely as the last of the k, any may stay.
        return ids if len(ids) == k else np.sort(ids[np.argpartition(-values[ids], k - 1)[:k]])


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
