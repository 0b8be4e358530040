"""Chooses the next token: llama.cpp's samplers over candidates that numpy picks from the vocabulary first.

A native chain over a whole vocabulary of 262k tokens costs 0.5 to 35 ms a token. Almost all of those tokens cannot be
chosen, and numpy finds the others in a tenth of a millisecond; the chain then sees only these, with the same result.
Where every token can be chosen, or how likely all are decides, the cut or the draw itself is numpy's.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Iterable

import numpy as np

from engine.protocol.values import Sampling
from engine.worker.llama.context import Context
from engine.worker.llama.model import Model
from engine.worker.llama.sampling import Candidates, Chain, Ids, Logits, LogitsReader
from engine.worker.sampling.grammar import Grammar, grammar_of
from engine.worker.sampling.mirostat import Mirostat
from engine.worker.sampling.probabilities import Probabilities, Rng, draw, not_a_number, top_ids

_SEED_MAX = 0xFFFFFFFE
"""llama.cpp draws a seed of its own for 0xFFFFFFFF."""
_LONG = 1 << 16
"""Tokens to look back for -1, the whole text."""


class Workspace:
    """Buffers that the samplers of one model share, and the views of its contexts' logits."""

    def __init__(self, model: Model) -> None:
        self.candidates = Candidates(model.n_vocab)
        self.logits: Logits = np.zeros(model.n_vocab, np.float32)
        """Those of the whole vocabulary after adjustments."""
        self.probabilities = Probabilities(model.n_vocab)
        self.reader = LogitsReader(model.n_vocab)


class Sampler:
    """One request's sampler. Close it when the request ends."""

    def __init__(self, sampling: Sampling, model: Model, workspace: Workspace | None = None) -> None:
        """Raises RequestError for a grammar or JSON schema that cannot be used."""
        self._space = workspace or Workspace(model)
        self._sampling = sampling
        self.seed = (secrets.randbelow(1 << 31) if sampling.seed is None else sampling.seed) % _SEED_MAX
        gbnf = grammar_of(sampling)
        self._grammar = Grammar(gbnf, model.vocab, self._space.candidates) if gbnf else None
        bias = {token: value for token, value in sampling.logit_bias.items() if value and 0 <= token < model.n_vocab}
        self._adjust = _adjusting_chain(sampling, model, bias)
        self._choose = _choosing_chain(sampling, self.seed)
        self._rng = Rng(self.seed)
        self._xtc_rng = Rng(self.seed)
        self._mirostat = Mirostat(sampling.mirostat, sampling.mirostat_tau, sampling.mirostat_eta)
        self._n_back = _look_back(sampling)
        self._is_touched = np.zeros(model.n_vocab, np.bool_)
        """By token: an adjusting sampler may change its logit."""
        self._is_touched[list(bias)] = True

    def close(self) -> None:
        """Free the native samplers; further calls do nothing."""
        for part in (self._grammar, self._adjust, self._choose):
            if part:
                part.close()

    def accept_prompt(self, tokens: Iterable[int]) -> None:
        """Let the penalties see tokens that were not sampled. A grammar never sees them."""
        if self._n_back:
            for token in list(tokens)[-self._n_back :]:
                self._remember(token)

    def sample(self, context: Context, index: int) -> int:
        """The next token from batch row `index` of the last decode, accepted."""
        token = self.choose(self._space.reader.read(context, index))
        self.accept(token)
        return token

    def accept(self, token: int) -> None:
        """Count a token as said. With a grammar it must be one that the grammar allows."""
        if self._n_back:
            self._remember(token)
        if self._grammar:
            self._grammar.accept(token)

    def choose(self, logits: Logits) -> int:
        """Choose a token without accepting it; logits have the shape (n_vocab,) and are left as they are.

        Raises EngineError where logits are not numbers, RequestError where the grammar leaves no token.
        """
        logits = self._adjusted(logits)
        token = self._pick(logits)
        if self._grammar and not self._grammar.allows(token, logits):
            # The grammar is asked about one token first: asking about all of them costs more than everything else.
            ids = self._grammar.allowed_ids(logits)
            token = int(ids[self._pick(logits[ids])])
        if self._sampling.mirostat:
            self._mirostat.learn()
        return token

    def _remember(self, token: int) -> None:
        self._is_touched[token] = True
        if self._adjust:
            self._adjust.accept(token)

    def _adjusted(self, logits: Logits) -> Logits:
        """The vocabulary's logits after bias, penalties and DRY."""
        if not self._adjust:
            return logits
        touched = np.flatnonzero(self._is_touched)
        candidates, adjusted = self._space.candidates, self._space.logits
        candidates.fill(logits, touched)
        self._adjust.apply(candidates)
        np.copyto(adjusted, logits)
        adjusted[touched] = candidates.logits
        return adjusted

    def _pick(self, logits: Logits) -> int:
        """The position of a token among these logits."""
        s, candidates = self._sampling, self._space.candidates
        if s.temperature <= 0:
            token = int(logits.argmax())
            if math.isnan(logits[token]):
                raise not_a_number()
            return token
        if s.mirostat:
            self._space.probabilities.fill(logits, s.temperature)
            return self._mirostat.choose(self._space.probabilities, self._rng)
        ids = self._cut(logits)
        if ids is None:
            return self._draw(logits)
        candidates.fill(logits, ids)
        if len(ids):
            self._choose.apply(candidates)
        if candidates.selected < 0:
            raise not_a_number()
        return candidates.selected

    def _cut(self, logits: Logits) -> Ids | None:
        """What the first sampler that cuts leaves; None where none does."""
        s, probabilities = self._sampling, self._space.probabilities
        if s.top_k > 0:
            return top_ids(logits, s.top_k)
        if s.typical_p < 1:
            probabilities.fill(logits)
            return probabilities.typical(logits, s.typical_p)
        if s.top_p < 1:
            probabilities.fill(logits)
            return probabilities.nucleus(s.top_p)
        return np.flatnonzero(logits >= logits.max() + math.log(s.min_p)) if s.min_p > 0 else None

    def _draw(self, logits: Logits) -> int:
        """Draw from all tokens but those that XTC excludes: of the likely enough ones all but the least likely."""
        s, probabilities = self._sampling, self._space.probabilities
        excluded: Ids = np.empty(0, np.intp)
        if _has_xtc(s) and self._xtc_rng.roll_coarse() <= s.xtc_probability:
            probabilities.fill(logits)
            likely = probabilities.at_least(s.xtc_threshold)
            excluded = likely[likely != likely[probabilities.values[likely].argmin()]] if len(likely) else likely
        probabilities.fill(logits, s.temperature)
        probabilities.values[excluded] = 0
        return draw(probabilities.values, self._rng)


def _choosing_chain(s: Sampling, seed: int) -> Chain:
    """llama.cpp's usual chain, without the cut that numpy has made where it depends on the whole vocabulary."""
    chain = Chain()
    is_cut = s.top_k > 0
    if is_cut:
        chain.add_top_k(s.top_k)
    if s.typical_p < 1:
        if is_cut:
            chain.add_typical(s.typical_p)
        is_cut = True
    if s.top_p < 1 and is_cut:
        chain.add_top_p(s.top_p)
    if s.min_p > 0:
        chain.add_min_p(s.min_p)
    if _has_xtc(s):
        chain.add_xtc(s.xtc_probability, s.xtc_threshold, seed)
    if s.temperature != 1:
        chain.add_temperature(s.temperature)
    chain.add_distribution(seed)
    return chain


def _adjusting_chain(s: Sampling, model: Model, bias: dict[int, float]) -> Chain | None:
    """The samplers that change single logits: bias, penalties, DRY. None when all are neutral."""
    chain = Chain()
    if bias:
        chain.add_logit_bias(model.n_vocab, bias)
    if _has_penalties(s):
        last_n = _n_tokens(s.penalty_last_n)
        chain.add_penalties(model.n_vocab, last_n, s.repeat_penalty, s.frequency_penalty, s.presence_penalty)
    if _has_dry(s):
        last_n = _n_tokens(s.dry_penalty_last_n)
        chain.add_dry(model.vocab, s.dry_multiplier, s.dry_base, s.dry_allowed_length, last_n)
    if len(chain):
        return chain
    chain.close()
    return None


def _look_back(s: Sampling) -> int:
    """How many of the last tokens the penalties look at; 0 when none is on."""
    n_penalties = _n_tokens(s.penalty_last_n) if _has_penalties(s) else 0
    return max(n_penalties, _n_tokens(s.dry_penalty_last_n) if _has_dry(s) else 0)


def _n_tokens(last_n: int) -> int:
    return _LONG if last_n < 0 else last_n


def _has_penalties(s: Sampling) -> bool:
    return s.penalty_last_n != 0 and (s.repeat_penalty != 1 or s.frequency_penalty != 0 or s.presence_penalty != 0)


def _has_dry(s: Sampling) -> bool:
    return s.dry_multiplier > 0 and s.dry_base >= 1 and s.dry_penalty_last_n != 0


def _has_xtc(s: Sampling) -> bool:
    return s.xtc_probability > 0 and s.xtc_threshold <= 0.5
