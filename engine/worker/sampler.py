"""Chooses the next token: llama.cpp's samplers over candidates that are picked from the vocabulary first.

Running a native chain over a whole vocabulary of 262k tokens costs 0.5 to 15 ms a token. Almost all of those tokens
cannot be chosen, and numpy finds the others in a tenth of a millisecond; the native samplers then see only these. The
candidates always contain everything that the full chain could choose, so that the result is the same.
"""

from __future__ import annotations

import enum
import math
import secrets
from collections.abc import Iterable

import numpy as np

from engine.errors import Code, EngineError, RequestError
from engine.protocol.values import Sampling
from engine.worker.grammar import grammar_of
from engine.worker.llama.context import Context
from engine.worker.llama.model import Model
from engine.worker.llama.sampling import Candidates, Chain, Ids, Logits, LogitsReader

_SEED_MAX = 0xFFFFFFFE
"""llama.cpp draws a seed of its own for 0xFFFFFFFF."""
_NUCLEUS_FIRST = 1024
_GRAMMAR_FIRST = 256
_GRAMMAR_CUT = math.log(1e-4)
"""Under a grammar, tokens less than 1/10000 as likely as the best valid one are not looked at."""
_LONG = 1 << 16
"""Tokens to look back for -1, the whole text."""


class Workspace:
    """Buffers that the samplers of one model share: one candidate array and the views of its contexts' logits."""

    def __init__(self, model: Model) -> None:
        self.candidates = Candidates(model.n_vocab)
        self.reader = LogitsReader(model.n_vocab)
        self.probe = Candidates(1)


class _Plan(enum.Enum):
    """How the candidates are found."""

    ARGMAX = enum.auto()
    """Greedy over untouched logits."""
    TOP_K = enum.auto()
    MIN_P = enum.auto()
    NUCLEUS = enum.auto()
    """top-p without top-k: the cut is made here, from the sum over the whole vocabulary."""
    ALL = enum.auto()


class Sampler:
    """One request's sampler. Close it when the request ends."""

    def __init__(self, sampling: Sampling, model: Model, workspace: Workspace | None = None) -> None:
        """Raises RequestError for a grammar or JSON schema that cannot be used."""
        self._space = workspace or Workspace(model)
        self._sampling = sampling
        self.seed = (secrets.randbelow(1 << 31) if sampling.seed is None else sampling.seed) % _SEED_MAX
        self._is_greedy = _is_greedy(sampling)
        self._grammar = _grammar_chain(sampling, model)
        self._adjust = _adjust_chain(sampling, model)
        self._plan = self._find_plan()
        has_top_p = self._plan is not _Plan.NUCLEUS
        self._choose = _choosing_chain(sampling, self.seed, model.n_vocab, has_top_p=has_top_p)
        self._bias = np.fromiter((t for t in sampling.logit_bias if 0 <= t < model.n_vocab), dtype=np.intp)
        self._n_back = _look_back(sampling)
        self._recent: list[int] = []

    def close(self) -> None:
        """Free the native samplers; further calls do nothing."""
        for chain in (self._grammar, self._adjust, self._choose):
            if chain:
                chain.close()

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
        """Choose a token without accepting it; logits have the shape (n_vocab,) and are left as they are."""
        token = self._pick(logits)
        if self._grammar and not self._is_allowed(token):
            # The grammar is asked about one token first: asking about all of them costs more than everything else.
            token = self._pick(logits, self._allowed_ids(logits))
        return token

    def _remember(self, token: int) -> None:
        self._recent.append(token)
        if len(self._recent) > 2 * self._n_back:
            del self._recent[: -self._n_back]
        if self._adjust:
            self._adjust.accept(token)

    def _pick(self, logits: Logits, ids: Ids | None = None) -> int:
        if ids is None and self._plan is _Plan.ARGMAX:
            return int(logits.argmax())
        candidates = self._space.candidates
        if ids is None:
            candidates_ids = self._select(logits)
            candidates.fill(logits, candidates_ids)
        else:
            candidates.fill(logits, ids)
        if self._adjust:
            self._adjust.apply(candidates)
        if self._plan is _Plan.NUCLEUS:
            self._cut_nucleus(logits, is_part=ids is not None)
        self._choose.apply(candidates)
        if candidates.selected < 0:
            raise EngineError(
                Code.INTERNAL,
                "The model's output is not a number, so no token can be chosen.",
                "Load the model with another KV cache type or on another device.",
            )
        return candidates.selected

    # Candidates.

    def _find_plan(self) -> _Plan:
        s = self._sampling
        if s.mirostat:
            return _Plan.ALL
        if self._is_greedy:
            return _Plan.TOP_K if self._adjust else _Plan.ARGMAX
        if s.top_k > 0:
            return _Plan.TOP_K
        if s.typical_p < 1:
            return _Plan.ALL
        if s.top_p < 1:
            return _Plan.NUCLEUS
        return _Plan.MIN_P if s.min_p > 0 else _Plan.ALL

    def _changed(self) -> Ids:
        """Tokens whose logits the adjusting samplers may change."""
        if not self._adjust:
            return self._bias
        recent = np.fromiter(set(self._recent[-self._n_back :]) if self._n_back else (), dtype=np.intp)
        return np.union1d(recent, self._bias) if len(self._bias) else recent

    def _select(self, logits: Logits) -> Ids | None:
        """Ids of all tokens that could be chosen; None for all."""
        if self._plan is _Plan.ALL:
            return None
        changed = self._changed()
        if self._plan is _Plan.MIN_P:
            # The best token that no adjustment touches bounds the best of all from below.
            best = max_outside(logits, changed)
            ids = np.flatnonzero(logits >= best + math.log(self._sampling.min_p))
        else:
            k = {_Plan.NUCLEUS: _NUCLEUS_FIRST}.get(self._plan, 1 if self._is_greedy else self._sampling.top_k)
            # At most len(changed) tokens can fall out of the first k, so that many more are taken.
            ids = top_ids(logits, k + len(changed))
        return np.union1d(ids, changed) if len(changed) else ids

    def _cut_nucleus(self, logits: Logits, *, is_part: bool) -> None:
        """Keep the smallest set of candidates that holds top_p of the probability, taking in more as needed."""
        candidates = self._space.candidates
        best = float(candidates.logits.max())
        if is_part:
            total = float(np.exp(candidates.logits - best).sum())
        else:
            total = float(np.exp(logits - best).sum())
            before = logits[candidates.ids]
            total += float((np.exp(candidates.logits - best) - np.exp(before - best)).sum())
        order = np.argsort(-candidates.logits, kind="stable")
        reached = np.cumsum(np.exp(candidates.logits[order] - best, dtype=np.float64))
        end = int(np.searchsorted(reached, self._sampling.top_p * total)) + 1
        if end > len(candidates) and not is_part and len(candidates) < len(logits):
            candidates.fill(logits)
            if self._adjust:
                self._adjust.apply(candidates)
            self._cut_nucleus(logits, is_part=True)
            return
        candidates.keep(order[:end])

    # Grammar.

    def _is_allowed(self, token: int) -> bool:
        assert self._grammar is not None
        probe = self._space.probe
        probe.fill(np.zeros(token + 1, np.float32), np.array([token]))
        self._grammar.apply(probe)
        return bool(probe.logits[0] > -math.inf)

    def _allowed_ids(self, logits: Logits) -> Ids:
        """The tokens that the grammar allows, without those that are far less likely than the best of them."""
        assert self._grammar is not None
        candidates = self._space.candidates
        n_first = _GRAMMAR_FIRST
        while True:
            ids = top_ids(logits, n_first) if n_first < len(logits) else np.arange(len(logits))
            candidates.fill(logits, ids)
            self._grammar.apply(candidates)
            allowed = candidates.ids[candidates.logits > -math.inf].astype(np.intp)
            if len(ids) == len(logits):
                break
            if len(allowed):
                n_likely = int(np.count_nonzero(logits >= logits[allowed].max() + _GRAMMAR_CUT))
                if n_likely <= len(ids):
                    break
                n_first = n_likely
            else:
                n_first *= 16
        if not len(allowed):
            raise RequestError(
                Code.BAD_REQUEST,
                "The grammar leaves no token to go on with.",
                "Check that every rule of the grammar can be finished.",
            )
        return allowed


def _choosing_chain(s: Sampling, seed: int, n_vocab: int, *, has_top_p: bool) -> Chain:
    """The samplers that narrow the candidates down to one."""
    chain = Chain()
    if s.mirostat:
        chain.add_temperature(s.temperature)
        chain.add_mirostat(s.mirostat, n_vocab, seed, s.mirostat_tau, s.mirostat_eta)
        return chain
    if _is_greedy(s):
        chain.add_greedy()
        return chain
    if s.top_k > 0:
        chain.add_top_k(s.top_k)
    if s.typical_p < 1:
        chain.add_typical(s.typical_p)
    if s.top_p < 1 and has_top_p:
        chain.add_top_p(s.top_p)
    if s.min_p > 0:
        chain.add_min_p(s.min_p)
    if s.xtc_probability > 0 and s.xtc_threshold <= 0.5:
        chain.add_xtc(s.xtc_probability, s.xtc_threshold, seed)
    if s.temperature != 1:
        chain.add_temperature(s.temperature)
    chain.add_distribution(seed)
    return chain


def _is_greedy(s: Sampling) -> bool:
    return s.temperature <= 0 and s.mirostat == 0


def _look_back(s: Sampling) -> int:
    """How many of the last tokens the penalties look at; 0 when none is on."""
    n_back = 0
    if _has_penalties(s):
        n_back = _LONG if s.penalty_last_n < 0 else s.penalty_last_n
    if _has_dry(s):
        n_back = max(n_back, _LONG if s.dry_penalty_last_n < 0 else s.dry_penalty_last_n)
    return n_back


def _has_penalties(s: Sampling) -> bool:
    return s.penalty_last_n != 0 and (s.repeat_penalty != 1 or s.frequency_penalty != 0 or s.presence_penalty != 0)


def _has_dry(s: Sampling) -> bool:
    return s.dry_multiplier > 0 and s.dry_base >= 1 and s.dry_penalty_last_n != 0


def _adjust_chain(s: Sampling, model: Model) -> Chain | None:
    """The samplers that change single logits: bias, penalties, DRY. None when all are neutral."""
    chain = Chain()
    bias = {token: value for token, value in s.logit_bias.items() if value and 0 <= token < model.n_vocab}
    if bias:
        chain.add_logit_bias(model.n_vocab, bias)
    if _has_penalties(s):
        last_n = _LONG if s.penalty_last_n < 0 else s.penalty_last_n
        chain.add_penalties(model.n_vocab, last_n, s.repeat_penalty, s.frequency_penalty, s.presence_penalty)
    if _has_dry(s):
        last_n = _LONG if s.dry_penalty_last_n < 0 else s.dry_penalty_last_n
        chain.add_dry(model.vocab, s.dry_multiplier, s.dry_base, s.dry_allowed_length, last_n)
    if len(chain):
        return chain
    chain.close()
    return None


def _grammar_chain(s: Sampling, model: Model) -> Chain | None:
    gbnf = grammar_of(s)
    if not gbnf:
        return None
    chain = Chain()
    if not chain.add_grammar(model.vocab, gbnf):
        chain.close()
        raise RequestError(
            Code.BAD_REQUEST,
            "llama.cpp does not accept this grammar.",
            "Check the grammar, or send the request without it.",
        )
    return chain


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


def max_outside(logits: Logits, excluded: Ids) -> float:
    """The largest logit of the tokens that are not in `excluded`."""
    if not len(excluded):
        return float(logits.max())
    ids = top_ids(logits, len(excluded) + 1)
    return float(logits[np.setdiff1d(ids, excluded, assume_unique=True)].max(initial=-math.inf))
