"""llama.cpp's own samplers over a whole vocabulary: what ours are compared with."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.protocol.values import Sampling
from engine.worker.llama.sampling import Candidates, Chain, Logits


class NativeChain:
    """The settings' samplers in llama.cpp's order, without DRY and grammars. Close it once."""

    def __init__(self, s: Sampling, n_vocab: int, said: Sequence[int] = ()) -> None:
        seed = s.seed or 0
        self._chain = chain = Chain()
        self._candidates = Candidates(n_vocab)
        self._ids = np.arange(n_vocab)
        if s.logit_bias:
            chain.add_logit_bias(n_vocab, s.logit_bias)
        chain.add_penalties(n_vocab, s.penalty_last_n, s.repeat_penalty, s.frequency_penalty, s.presence_penalty)
        if s.temperature <= 0:
            chain.add_greedy()
        elif s.mirostat:
            chain.add_temperature(s.temperature)
            chain.add_mirostat(s.mirostat, n_vocab, seed, s.mirostat_tau, s.mirostat_eta)
        else:
            chain.add_top_k(s.top_k)
            chain.add_typical(s.typical_p)
            chain.add_top_p(s.top_p)
            chain.add_min_p(s.min_p)
            chain.add_xtc(s.xtc_probability, s.xtc_threshold, seed)
            chain.add_temperature(s.temperature)
            chain.add_distribution(seed)
        for token in said:
            chain.accept(token)

    def choose(self, logits: Logits) -> int:
        self._candidates.fill(logits, self._ids)
        self._chain.apply(self._candidates)
        return self._candidates.selected

    def close(self) -> None:
        self._chain.close()
