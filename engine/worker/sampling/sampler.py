"""Chooses the next token: llama.cpp's samplers over candidates that are picked from the vocabulary first.

Running a native chain over a whole vocabulary of 262k tokens costs 0.5 to 20 ms a token. Almost all of those tokens
cannot be chosen, and numpy finds the others in a tenth of a millisecond; the native samplers then see only these. The
candidates always contain everything that the full chain could choose, so that the result is the same. Where every
token can be chosen, or how likely all are decides, the cut or the draw itself is made on the vocabulary's weights.
"""

from __future__ import annotations

import enum
import math
import secrets
from collections import Counter, deque
from collections.abc import Iterable

import numpy as np

from engine.errors import Code, RequestError
from engine.protocol.values import Sampling
from engine.worker.llama.context import Context
from engine.worker.llama.model import Model
from engine.worker.llama.sampling import Candidates, Chain, Ids, Logits, LogitsReader
from engine.worker.sampling.grammar import grammar_of
from engine.worker.sampling.mirostat import Mirostat
from engine.worker.sampling.probabilities import Probabilities, Rng, draw, not_a_number, top_ids

_SEED_MAX = 0xFFFFFFFE
"""llama.cpp draws a seed of its own for 0xFFFFFFFF."""
_GRAMMAR_FIRST = 256
_GRAMMAR_CUT = math.log(1e-4)
"""Under a grammar, tokens less than 1/10000 as likely as the best valid one are not looked at."""
_LONG = 1 << 16
"""Tokens to look back for -1, the whole text."""
_NONE: Ids = np.empty(0, np.intp)


class Workspace:
    """Buffers that the samplers of one model share, and the views of its contexts' logits."""

    def __init__(self, model: Model) -> None:
        self.candidates = Candidates(model.n_vocab)
        self.logits: Logits = np.zeros(model.n_vocab, np.float32)
        """Those of the whole vocabulary after adjustments."""
        self.weights = Probabilities(model.n_vocab)
        self.reader = LogitsReader(model.n_vocab)
        self.probe = Candidates(1)


class _Plan(enum.Enum):
    """Where the cut is made, or the draw."""

    ARGMAX = enum.auto()
    """Greedy over untouched logits."""
    TOP_K = enum.auto()
    MIN_P = enum.auto()
    TYPICAL = enum.auto()
    NUCLEUS = enum.auto()
    UNCUT = enum.auto()
    MIROSTAT = enum.auto()


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
        self._choose = _choosing_chain(sampling, self.seed, self._plan)
        self._dice = Rng(self.seed)
        self._xtc_dice = Rng(self.seed)
        self._mirostat = Mirostat(sampling.mirostat, sampling.mirostat_tau, sampling.mirostat_eta)
        self._bias = np.fromiter((t for t in sampling.logit_bias if 0 <= t < model.n_vocab), dtype=np.intp)
        self._n_back = _look_back(sampling)
        self._recent: deque[int] = deque(maxlen=self._n_back)
        self._counts = Counter(self._bias.tolist())
        self._is_touched = np.zeros(model.n_vocab if self._adjust else 0, np.bool_)
        """By token: an adjusting sampler may change its logit."""
        self._is_touched[self._bias if self._adjust else _NONE] = True

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
            token = self._pick(logits, self._allowed_ids(self._adjusted(logits)))
        if self._plan is _Plan.MIROSTAT:
            self._mirostat.learn()
        return token

    def _remember(self, token: int) -> None:
        if len(self._recent) == self._n_back:
            oldest = self._recent[0]
            self._counts[oldest] -= 1
            self._is_touched[oldest] = self._counts[oldest] > 0
        self._recent.append(token)
        self._counts[token] += 1
        self._is_touched[token] = True
        if self._adjust:
            self._adjust.accept(token)

    def _pick(self, logits: Logits, ids: Ids | None = None) -> int:
        """A token of these ids; None for any."""
        if ids is None and self._plan is _Plan.ARGMAX:
            token = int(logits.argmax())
            if math.isnan(logits[token]):
                raise not_a_number()
            return token
        if self._plan in (_Plan.UNCUT, _Plan.MIROSTAT):
            return self._draw(self._adjusted(logits, ids))
        candidates = self._space.candidates
        if self._plan in (_Plan.TYPICAL, _Plan.NUCLEUS):
            logits = self._adjusted(logits, ids)
            candidates.fill(logits, self._cut(logits))
        else:
            candidates.fill(logits, self._select(logits) if ids is None else ids)
            if self._adjust:
                self._adjust.apply(candidates)
        self._choose.apply(candidates)
        if candidates.selected < 0:
            raise not_a_number()
        return candidates.selected

    # Candidates.

    def _find_plan(self) -> _Plan:
        s = self._sampling
        if self._is_greedy:
            return _Plan.TOP_K if self._adjust else _Plan.ARGMAX
        if s.mirostat:
            return _Plan.MIROSTAT
        if s.top_k > 0:
            return _Plan.TOP_K
        if s.typical_p < 1:
            return _Plan.TYPICAL
        if s.top_p < 1:
            return _Plan.NUCLEUS
        return _Plan.MIN_P if s.min_p > 0 else _Plan.UNCUT

    def _select(self, logits: Logits) -> Ids:
        """Ids of all tokens that top-k or min-p could leave. Raises EngineError where logits are not numbers."""
        if self._plan is _Plan.MIN_P:
            # The best token that no adjustment touches bounds the best of all from below.
            ids = self._likeliest(logits, 1)
            best = logits[ids[~self._is_touched[ids]] if self._adjust else ids].max(initial=-math.inf)
            ids = np.flatnonzero(logits >= best + math.log(self._sampling.min_p))
        else:
            ids = self._likeliest(logits, 1 if self._is_greedy else self._sampling.top_k)
        if not len(ids):
            raise not_a_number()
        raised = np.flatnonzero(self._is_touched) if _may_raise(self._sampling) else self._bias
        return np.union1d(ids, raised) if len(raised) else ids

    def _likeliest(self, logits: Logits, k: int) -> Ids:
        """The k likeliest of the tokens that no adjustment touches, and all others that are as likely."""
        if not self._adjust:
            return top_ids(logits, k)
        n_first = 2 * k
        while True:
            ids = top_ids(logits, n_first)
            n_untouched = len(ids) - np.count_nonzero(self._is_touched[ids])
            if n_untouched >= k or len(ids) in (0, len(logits)):
                return ids
            n_first *= 2

    # The whole vocabulary.

    def _adjusted(self, logits: Logits, ids: Ids | None = None) -> Logits:
        """The vocabulary's logits after adjustments, minus infinity for tokens that are not in `ids`."""
        touched = np.flatnonzero(self._is_touched) if ids is None else ids
        if not len(touched):
            return logits
        candidates, adjusted = self._space.candidates, self._space.logits
        candidates.fill(logits, touched)
        if self._adjust:
            self._adjust.apply(candidates)
        if ids is None:
            np.copyto(adjusted, logits)
        else:
            adjusted.fill(-math.inf)
        adjusted[candidates.ids] = candidates.logits
        return adjusted

    def _cut(self, logits: Logits) -> Ids:
        """What typical sampling or top-p leaves."""
        weights = self._space.weights
        weights.fill(logits)
        if self._plan is _Plan.TYPICAL:
            return weights.typical(logits, self._sampling.typical_p)
        return weights.nucleus(self._sampling.top_p)

    def _draw(self, logits: Logits) -> int:
        weights = self._space.weights
        if self._plan is _Plan.MIROSTAT:
            weights.fill(logits, self._sampling.temperature)
            return self._mirostat.choose(weights, self._dice)
        excluded = self._excluded(logits)
        weights.fill(logits, self._sampling.temperature)
        weights.values[excluded] = 0
        return draw(weights.values, self._dice)

    def _excluded(self, logits: Logits) -> Ids:
        """What XTC takes away: of the tokens that are likely enough, all but the least likely."""
        s, weights = self._sampling, self._space.weights
        if not _has_xtc(s) or self._xtc_dice.roll_coarse() > s.xtc_probability:
            return _NONE
        weights.fill(logits)
        likely = weights.at_least(s.xtc_threshold)
        return likely[likely != likely[weights.values[likely].argmin()]] if len(likely) else _NONE

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
            ids = top_ids(logits, n_first)
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


def _choosing_chain(s: Sampling, seed: int, plan: _Plan) -> Chain:
    """The samplers that narrow the candidates down to one, without the cut that the plan makes."""
    chain = Chain()
    if _is_greedy(s):
        chain.add_greedy()
        return chain
    if s.top_k > 0:
        chain.add_top_k(s.top_k)
    if s.typical_p < 1 and plan is not _Plan.TYPICAL:
        chain.add_typical(s.typical_p)
    if s.top_p < 1 and plan is not _Plan.NUCLEUS:
        chain.add_top_p(s.top_p)
    if s.min_p > 0:
        chain.add_min_p(s.min_p)
    if _has_xtc(s):
        chain.add_xtc(s.xtc_probability, s.xtc_threshold, seed)
    if s.temperature != 1:
        chain.add_temperature(s.temperature)
    chain.add_distribution(seed)
    return chain


def _is_greedy(s: Sampling) -> bool:
    return s.temperature <= 0


def _has_xtc(s: Sampling) -> bool:
    return s.xtc_probability > 0 and s.xtc_threshold <= 0.5


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


def _may_raise(s: Sampling) -> bool:
    """Whether tokens that were said may become likelier; as a rule they are punished."""
    return _has_penalties(s) and (s.repeat_penalty < 1 or s.frequency_penalty < 0 or s.presence_penalty < 0)


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
