"""Speculative decoding: guesses at the next tokens that are checked in one step, used only while they pay.

Verification samples from the target's own sampler at every drafted position and keeps going while the sample equals
the draft. Every token is thus drawn exactly as without drafts: greedy text is the same, and sampled text has the same
distribution.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from engine.worker.llama.context import Context
from engine.worker.sampling.sampler import Sampler

_GAIN_MIN = 1.05
"""Drafting must promise this much more speed than not drafting."""
_MEMORY = 0.05
"""Weight of the newest observation of a step's time."""
_SLOPE = 0.25
"""Share of a step that one more token is thought to cost before that was ever measured."""
_FORGET = 0.95
"""What is left of an observed acceptance after one more."""
_PRIOR = (0.5, 0.5, 0.6, 0.8, 0.9, 0.95, 0.6, 0.4)
"""Acceptance of each class before anything was seen, worth two observations: a long run seldom ends just now."""
_PROBE_AFTER = 100
"""Steps without a draft after which a good proposal is tried again, so that old measurements cannot last for ever."""
_PROBE_ACCEPTANCE = 0.8
_PROBE_LENGTH = 3
_LONGEST = 32
_TAKE_UP_WITHIN = 8
"""Tokens behind a difference, in the passage and in its copy, within which the two may meet again."""
_CLASS_FOUND = 6
_CLASS_REPLACED = 7


class DraftSource(Protocol):
    """Something that guesses how a sequence goes on."""

    @property
    def is_free(self) -> bool:
        """Guessing costs next to nothing, so that it is worth it only to learn how good the guesses are."""

    def extend(self, tokens: Sequence[int]) -> None:
        """Tokens that are now certain."""

    def propose(self, n_max: int) -> list[int]:
        """At most `n_max` tokens that may follow; empty when there is no idea."""

    @property
    def confidence(self) -> int:
        """A class from 0 to 7 of how good the last proposal should be; acceptance is measured for each."""

    def cost(self, n_drafts: int) -> float:
        """Seconds that proposing takes."""

    def close(self) -> None:
        """The sequence has ended."""


class StepCosts:
    """Seconds of a decode step by the number of tokens in it, learned from the steps that were run."""

    def __init__(self, n_max: int = 64) -> None:
        self._seconds: list[float | None] = [None] * (n_max + 1)

    def observe(self, n_tokens: int, seconds: float) -> None:
        """Count a step of `n_tokens`, all of them with logits."""
        if 0 < n_tokens < len(self._seconds):
            known = self._seconds[n_tokens]
            # A step can be slow for reasons of its own, hardly ever fast: follow falling times quickly.
            weight = 1.0 if known is None else (0.3 if seconds < known else _MEMORY)
            self._seconds[n_tokens] = seconds if known is None else known + weight * (seconds - known)

    def seconds(self, n_tokens: int) -> float | None:
        """Expected seconds, between or beyond measured sizes by straight lines; None while nothing is known."""
        n_tokens = min(n_tokens, len(self._seconds) - 1)
        exact = self._seconds[n_tokens]
        if exact is not None:
            return exact
        known = [(n, value) for n, value in enumerate(self._seconds) if value is not None]
        if not known:
            return None
        below = [item for item in known if item[0] < n_tokens]
        above = [item for item in known if item[0] > n_tokens]
        if below and above:
            (n0, t0), (n1, t1) = below[-1], above[0]
        elif len(below) > 1:
            (n0, t0), (n1, t1) = below[0], below[-1]
        elif below:
            ((n1, t1),) = below
            return t1 * (1 + _SLOPE * (n_tokens - n1))
        else:
            return above[0][1]
        return max(t0, t0 + (t1 - t0) * (n_tokens - n0) / (n1 - n0))


class Lookup:
    """Prompt lookup: what followed the last time that the sequence's newest tokens stood in it.

    A passage that is being copied is followed as long as it is right. Where the copy differs it is taken up again
    behind the difference, without waiting for a run of tokens that agree: names are replaced, sentences left out.
    """

    is_free = True
    _SIZES = (2, 3, 4)

    def __init__(self) -> None:
        self._tokens: list[int] = []
        self._ends: list[dict[tuple[int, ...], int]] = [{} for _ in self._SIZES]
        self._at = 0
        """Where the passage goes on whose copy the newest tokens are; 0 for none."""
        self._run = 0
        """Tokens of it that agreed, over differences."""
        self._left_at = 0
        """Where the copy came to differ; 0 when it did not, or was given up."""
        self._n_since = 0
        """Tokens since then."""
        self._guess_class: int | None = None
        """The class of a guess where the passage goes on behind a difference."""

    def extend(self, tokens: Sequence[int]) -> None:
        if not (self._at or self._left_at):
            self._read(tokens)
            return
        for token in tokens:
            # The n-grams that end before this token are indexed only now, so that none finds itself.
            for size, ends in zip(self._SIZES, self._ends, strict=True):
                if len(self._tokens) >= size:
                    ends[tuple(self._tokens[-size:])] = len(self._tokens)
            self._follow(token)
            self._tokens.append(token)

    def propose(self, n_max: int) -> list[int]:
        end, run = self._find()
        if end and not (self._at and self._guess_class is None and self._run >= run):
            self._at, self._run, self._left_at, self._guess_class = end, run, 0, None
        elif self._left_at:
            self._at, self._guess_class = self._take_up()
        return self._tokens[self._at : self._at + n_max] if self._at else []

    @property
    def confidence(self) -> int:
        """By the length of the run that agrees: 2, 4, 8, 16, 32 and more; guesses have classes of their own."""
        if self._guess_class is not None:
            return self._guess_class
        return max(0, min(self._run, _LONGEST).bit_length() - 1) if self._at else 0

    def cost(self, n_drafts: int) -> float:
        return 0.0

    def close(self) -> None:
        self._tokens = []
        self._ends = []

    def _read(self, tokens: Sequence[int]) -> None:
        """Index tokens while no copy is followed, such as a whole prompt, which is to take no time at Enter."""
        n_before = len(self._tokens)
        self._tokens.extend(tokens)
        for size, ends in zip(self._SIZES, self._ends, strict=True):
            first = max(0, n_before - size)
            run = self._tokens[first:]
            grams = zip(*(run[k:] for k in range(size)), strict=False)
            ends.update(zip(grams, range(first + size, len(self._tokens)), strict=False))

    def _follow(self, token: int) -> None:
        """Whether the copy goes on with this token."""
        if self._at and self._tokens[self._at] == token:
            self._at += 1
            self._run += 1
            self._left_at, self._guess_class = 0, None
            return
        if self._at and self._guess_class is None:
            self._left_at, self._n_since = self._at, 0
        self._at, self._guess_class = 0, None
        self._n_since += 1
        if self._n_since > _TAKE_UP_WITHIN:
            self._left_at = 0

    def _find(self) -> tuple[int, int]:
        """Where the newest tokens stood the last time, and how many of them did; zeros for nowhere."""
        tokens = self._tokens
        for size, ends in zip(reversed(self._SIZES), reversed(self._ends), strict=True):
            end = ends.get(tuple(tokens[-size:])) if len(tokens) >= size else None
            if end is not None:
                run = size
                while run < _LONGEST and end > run and tokens[end - run - 1] == tokens[-run - 1]:
                    run += 1
                return end, run
        return 0, 0

    def _take_up(self) -> tuple[int, int | None]:
        """Where a copy may go on behind a difference: after its newest token, else after one that was replaced."""
        start = self._left_at + 1
        for place in range(start, min(start + _TAKE_UP_WITHIN, len(self._tokens) - 1)):
            if self._tokens[place] == self._tokens[-1]:
                return place + 1, _CLASS_FOUND
        if self._n_since == 1 and start < len(self._tokens):
            return start, _CLASS_REPLACED
        return 0, None


class Speculator:
    """Decides for one sequence how many drafted tokens go into the next step, from what it has measured.

    A proposal that is not used is compared with the tokens that come anyway: acceptance is known before, and while,
    nothing is drafted.
    """

    def __init__(self, source: DraftSource, costs: StepCosts, n_max: int) -> None:
        self._source = source
        self._costs = costs
        self._n_max = n_max
        self._hits = [2 * share for share in _PRIOR]
        self._tries = [2.0] * len(_PRIOR)
        self._guess: list[int] = []
        self._class = 0
        self._n_idle = 0
        self.n_drafted = 0
        self.n_accepted = 0

    def extend(self, tokens: Sequence[int]) -> None:
        """Tokens that are now certain: the prompt, then what each step brought."""
        if self._guess:
            self._judge(tokens)
        self._source.extend(tokens)

    def propose(self, n_other_tokens: int, room: int) -> list[int]:
        """Drafts for the next step, which holds `n_other_tokens` of other sequences beside this one's own token."""
        limit = min(self._n_max, room)
        if self._source.is_free:
            self._guess = self._source.propose(limit)
            self._class = self._source.confidence
            drafts = self._guess[: self._best_length(len(self._guess), n_other_tokens)]
        else:
            limit = self._best_length(limit, n_other_tokens)
            drafts = self._guess = self._source.propose(limit) if limit else []
        self._n_idle = 0 if drafts else self._n_idle + 1
        self.n_drafted += len(drafts)
        return drafts

    def verified(self, n_accepted: int) -> None:
        """How many of the last drafts were right."""
        self.n_accepted += n_accepted

    def close(self) -> None:
        """The sequence has ended; further calls do nothing."""
        self._source.close()

    def acceptance(self, confidence: int) -> float:
        """The share of drafted tokens of this class that proved right, given that those before them did."""
        return self._hits[confidence] / self._tries[confidence]

    def _judge(self, tokens: Sequence[int]) -> None:
        for guessed, token in zip(self._guess, tokens, strict=False):
            self._tries[self._class] = _FORGET * self._tries[self._class] + 1
            self._hits[self._class] = _FORGET * self._hits[self._class] + (guessed == token)
            if guessed != token:
                break
        self._guess = []

    def _best_length(self, n_guessed: int, n_other: int) -> int:
        alone = self._costs.seconds(n_other + 1)
        if not n_guessed or alone is None:
            return 0
        p = self.acceptance(self._class)
        best, best_rate = 0, _GAIN_MIN / alone
        expected, chance = 1.0, 1.0
        for n_drafts in range(1, n_guessed + 1):
            chance *= p
            expected += chance
            seconds = self._costs.seconds(n_other + 1 + n_drafts) or alone
            rate = expected / (seconds + self._source.cost(n_drafts))
            if rate > best_rate:
                best, best_rate = n_drafts, rate
        if not best and self._n_idle >= _PROBE_AFTER and (p >= _PROBE_ACCEPTANCE or not self._source.is_free):
            return min(_PROBE_LENGTH, n_guessed)
        return best


def verify(
    sampler: Sampler, context: Context, indices: Sequence[int], drafts: Sequence[int], is_end: Callable[[int], bool]
) -> list[int]:
    """Sample at the sequence's own token and at each draft, as long as they agree.

    `indices` are the batch rows of the own token and of the drafts, one more than there are drafts. Returns the tokens
    that are certain now, one to len(drafts) + 1; all but the last equal the drafts. Stops after an end-of-generation
    token. The caller keeps own token + accepted drafts in the KV cache and removes the rest.
    """
    tokens: list[int] = []
    for position, index in enumerate(indices):
        token = sampler.sample(context, index)
        tokens.append(token)
        if position == len(drafts) or token != drafts[position] or is_end(token):
            break
    return tokens
