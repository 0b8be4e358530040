"""The sampler on small arrays, and its candidates against llama.cpp's chain over the whole vocabulary."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from native_chain import NativeChain

from engine.errors import EngineError, RequestError
from engine.protocol.values import ModelSettings, Sampling
from engine.worker.llama.model import Model
from engine.worker.sampling.sampler import Sampler

NEUTRAL = Sampling(temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, seed=1)
TINY = np.log(np.array([0.5, 0.25, 0.15, 0.06, 0.04], np.float32))


def make(logits: Any, **changes: Any) -> Sampler:
    """A sampler for a vocabulary of this size, neutral but for `changes`."""
    settings = {name: getattr(NEUTRAL, name) for name in NEUTRAL.__struct_fields__} | changes
    return Sampler(Sampling(**settings), SimpleNamespace(n_vocab=len(logits), vocab=None))  # type: ignore[arg-type]


def draws(logits: Any, n: int = 4000, **changes: Any) -> dict[int, float]:
    """How often each token comes, without telling the sampler what came."""
    sampler = make(logits, **changes)
    counts = Counter(sampler.choose(logits) for _ in range(n))
    sampler.close()
    return {token: count / n for token, count in sorted(counts.items())}


def test_neutral_settings_draw_from_the_models_distribution() -> None:
    for token, share in draws(TINY).items():
        assert share == pytest.approx(math.exp(TINY[token]), abs=0.03)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"temperature": 0.0}, {0: 1.0}),
        ({"temperature": 0.5}, {0: 0.736, 1: 0.184, 2: 0.066, 3: 0.0106, 4: 0.0047}),
        ({"top_k": 2}, {0: 0.667, 1: 0.333}),
        ({"top_p": 0.7}, {0: 0.667, 1: 0.333}),
        ({"top_p": 0.8, "min_p": 0.1}, {0: 0.556, 1: 0.278, 2: 0.167}),
        ({"min_p": 0.4}, {0: 0.667, 1: 0.333}),
        ({"typical_p": 0.2}, {1: 1.0}),
        ({"xtc_probability": 1.0, "xtc_threshold": 0.2}, {1: 0.5, 2: 0.3, 3: 0.12, 4: 0.08}),
        ({"logit_bias": {0: -1e9, 4: 3.0}}, {1: 0.198, 2: 0.119, 3: 0.048, 4: 0.636}),
        ({"logit_bias": {4: 100.0}, "top_k": 1}, {4: 1.0}),
        ({"logit_bias": {4: 100.0}, "temperature": 0.0}, {4: 1.0}),
        ({"logit_bias": {99: 5.0}, "top_k": 1}, {0: 1.0}),
        ({"mirostat": 2, "mirostat_tau": 1.0, "mirostat_eta": 0.0}, {0: 0.667, 1: 0.333}),
        ({"mirostat": 2, "temperature": 0.0}, {0: 1.0}),
    ],
)
def test_each_setting_does_what_it_says(changes: dict[str, Any], expected: dict[int, float]) -> None:
    assert draws(TINY, **changes) == pytest.approx(expected, abs=0.03)


@pytest.mark.parametrize(
    ("changes", "said", "best"),
    [
        ({"repeat_penalty": 1.5}, [0], 1),
        ({"presence_penalty": 1.0}, [0], 1),
        ({"frequency_penalty": 0.4}, [0], 0),
        ({"frequency_penalty": 0.4}, [0, 0], 1),
        ({"presence_penalty": 2.0, "penalty_last_n": 2}, [0, 1, 2], 0),
        ({"presence_penalty": 2.0, "penalty_last_n": -1}, [0, 1, 2], 3),
        ({"presence_penalty": 2.0, "penalty_last_n": 0}, [0, 1, 2], 0),
    ],
)
def test_penalties_look_back(changes: dict[str, Any], said: list[int], best: int) -> None:
    logits = np.array([2.0, 1.5, 1.0, 0.5], np.float32)
    sampler = make(logits, temperature=0.0, **changes)
    sampler.accept_prompt(said[:1])
    for token in said[1:]:
        sampler.accept(token)
    assert sampler.choose(logits) == best
    sampler.close()


@pytest.mark.parametrize("version", [1, 2])
def test_mirostat_draws_nearer_the_top_for_a_lower_tau(version: int) -> None:
    logits = -1.3 * np.log(np.arange(1, 2001, dtype=np.float32))

    def mean(tau: float) -> float:
        sampler = make(logits, mirostat=version, mirostat_tau=tau, mirostat_eta=0.2)
        tokens = [sampler.choose(logits) for _ in range(400)]
        sampler.close()
        return float(np.mean(tokens))

    assert mean(2.0) < mean(4.0)


def test_the_seed_decides_and_is_told() -> None:
    first, second, other = (make(TINY, seed=seed) for seed in (7, 7, 8))
    assert [first.choose(TINY) for _ in range(20)] == [second.choose(TINY) for _ in range(20)]
    assert [first.choose(TINY) for _ in range(20)] != [other.choose(TINY) for _ in range(20)]
    drawn = make(TINY, seed=None)
    again = make(TINY, seed=drawn.seed)
    assert [drawn.choose(TINY) for _ in range(20)] == [again.choose(TINY) for _ in range(20)]
    for sampler in (first, second, other, drawn, again):
        sampler.close()


@pytest.mark.parametrize(
    "changes",
    [
        {"top_k": 3},
        {"temperature": 0.0},
        {"temperature": 0.0, "repeat_penalty": 1.3},
        {"temperature": 0.0, "logit_bias": {4: 1.0}},
        {"min_p": 0.1},
        {"top_p": 0.9},
        {},
    ],
)
def test_logits_that_are_no_numbers_are_an_error(changes: dict[str, Any]) -> None:
    sampler = make(TINY, **changes)
    with pytest.raises(EngineError, match="not a number"):
        sampler.choose(np.full(5, np.nan, np.float32))
    sampler.close()


def running_sum(s: Sampling, logits: Any, said: list[int]) -> tuple[Any, Any]:
    """By token: the probability of all up to it in the order that a draw goes through, and its own."""
    adjusted = logits.astype(np.float64)
    for token, value in s.logit_bias.items():
        adjusted[token] += value
    recent = np.unique(said[-s.penalty_last_n :])
    adjusted[recent] *= np.where(adjusted[recent] > 0, 1 / s.repeat_penalty, s.repeat_penalty)
    own = np.exp((adjusted - adjusted.max()) / s.temperature)
    own /= own.sum()
    order = np.argsort(-adjusted, kind="stable") if s.top_k or s.top_p < 1 else np.arange(len(logits))
    reached = np.empty_like(own)
    reached[order] = own[order].cumsum()
    return reached, own


@given(
    n_vocab=st.sampled_from([50, 1500, 40_000]),
    spread=st.sampled_from([0.5, 3.0, 8.0]),
    top_k=st.sampled_from([0, 1, 40, 700]),
    top_p=st.sampled_from([1.0, 0.95, 0.3]),
    min_p=st.sampled_from([0.0, 0.05]),
    temperature=st.sampled_from([0.7, 1.0, 1.5]),
    repeat=st.sampled_from([1.0, 1.3, 0.7]),
    bias=st.sampled_from([{}, {3: 4.0, 7: -1e9}]),
    seed=st.integers(0, 1 << 30),
)
def test_candidates_hold_everything_that_the_whole_chain_could_choose(
    n_vocab: int, spread: float, seed: int, repeat: float, bias: dict[int, float], **changes: Any
) -> None:
    numbers = np.random.default_rng(seed)
    logits = numbers.normal(0, spread, n_vocab).astype(np.float32)
    # More than the penalties look back to, the likeliest among them.
    said = [int(token) for token in [*numbers.integers(0, n_vocab, 60), *np.argsort(-logits)[:20]]]
    settings = Sampling(seed=seed, repeat_penalty=repeat, logit_bias=bias, **changes)
    sampler = Sampler(settings, SimpleNamespace(n_vocab=n_vocab, vocab=None))  # type: ignore[arg-type]
    sampler.accept_prompt(said)
    native = NativeChain(settings, n_vocab, said)
    reached, own = running_sum(settings, logits, said)
    for _ in range(4):
        ours, theirs = sampler.choose(logits), native.choose(logits)
        # Sums are rounded differently, so a roll near a border may fall to either side of it.
        between = abs(reached[ours] - reached[theirs]) - max(own[ours], own[theirs])
        assert ours == theirs or between < 2e-3
    sampler.close()
    native.close()


@pytest.mark.parametrize("temperature", [0.5, 1.0, 1.7])
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"xtc_probability": 0.5, "xtc_threshold": 0.02},
        {"typical_p": 0.9},
        {"typical_p": 0.5, "top_p": 0.8},
        {"top_p": 0.9},
        {"mirostat": 1},
        {"mirostat": 1, "mirostat_tau": 3.0, "mirostat_eta": 0.3},
        {"mirostat": 2},
        {"mirostat": 2, "mirostat_tau": 2.0, "mirostat_eta": 0.3},
    ],
)
def test_a_seed_draws_what_llama_cpp_draws(temperature: float, changes: dict[str, Any]) -> None:
    """Token for token, with logits in falling order: llama.cpp's mirostat sorts them before it draws."""
    # Few enough for typical sampling that no two are as good as equally typical.
    n_vocab = 200 if "typical_p" in changes else 1000
    logits = np.sort(np.random.default_rng(7).normal(0, 2, n_vocab).astype(np.float32))[::-1]
    settings = {name: getattr(NEUTRAL, name) for name in NEUTRAL.__struct_fields__} | changes
    sampler = make(logits, temperature=temperature, **changes)
    native = NativeChain(Sampling(**settings | {"temperature": temperature}), n_vocab)
    # A roll that falls on a border may be rounded to either side of it.
    assert sum(sampler.choose(logits) == native.choose(logits) for _ in range(100)) >= 97
    sampler.close()
    native.close()


@pytest.mark.parametrize("changes", [{}, {"mirostat": 2}, {"typical_p": 0.9}, {"top_p": 0.9}, {"xtc_probability": 1.0}])
def test_the_order_of_ids_plays_no_part(changes: dict[str, Any]) -> None:
    order = np.random.default_rng(3).permutation(len(TINY))
    plain, mixed = draws(TINY, **changes), draws(TINY[order], **changes)
    assert {int(order[token]): share for token, share in mixed.items()} == pytest.approx(plain, abs=0.03)


@pytest.mark.parametrize("changes", [{}, {"mirostat": 2}, {"typical_p": 0.9}, {"top_p": 0.9}])
def test_penalties_reach_a_draw_from_the_whole_vocabulary(changes: dict[str, Any]) -> None:
    sampler = make(TINY, presence_penalty=50.0, logit_bias={4: -math.inf}, **changes)
    sampler.accept_prompt([0, 1, 3])
    assert {sampler.choose(TINY) for _ in range(50)} == {2}
    sampler.close()


@pytest.fixture(scope="module")
def model(starter: Path) -> Iterator[Model]:
    loaded = Model(starter, ModelSettings(), lambda fraction: True)
    yield loaded
    loaded.close()


def test_dry_breaks_a_repetition(model: Model) -> None:
    tokens = model.tokenize("one two three four five six seven eight nine ten")
    logits = np.zeros(model.n_vocab, np.float32)
    logits[tokens[5]] = 1.0
    for multiplier, is_repeated in ((0.0, True), (2.0, False)):
        sampler = Sampler(Sampling(temperature=0, dry_multiplier=multiplier), model)
        sampler.accept_prompt([*tokens, *tokens[:5]])
        assert (sampler.choose(logits) == tokens[5]) is is_repeated
        sampler.close()


def test_a_grammar_is_kept_and_the_likeliest_valid_token_wins(model: Model) -> None:
    sampler = Sampler(Sampling(temperature=0, grammar='root ::= "yes" | "no"'), model)
    (yes,), (no,), (maybe,) = (model.tokenize(word) for word in ("yes", "no", "maybe"))
    logits = np.full(model.n_vocab, -5.0, np.float32)
    logits[[maybe, no, yes]] = (9.0, 2.0, 1.0)
    assert sampler.choose(logits) == no
    sampler.accept(no)
    assert model.is_eog(sampler.choose(logits))
    sampler.close()


def test_a_bias_counts_among_what_a_grammar_allows(model: Model) -> None:
    (yes,), (no,) = (model.tokenize(word) for word in ("yes", "no"))
    sampler = Sampler(Sampling(temperature=0, grammar='root ::= "yes" | "no"', logit_bias={yes: 30.0}), model)
    logits = np.random.default_rng(1).normal(0, 1, model.n_vocab).astype(np.float32) + 20
    logits[[yes, no]] = (0.0, 25.0)
    logits[0] = 90.0
    assert sampler.choose(logits) == yes
    sampler.close()


def test_mirostat_learns_from_what_is_said_not_from_what_a_grammar_refused(model: Model) -> None:
    (yes,), (no,) = (model.tokenize(word) for word in ("yes", "no"))
    logits = np.full(model.n_vocab, -40.0, np.float32)
    logits[[yes, no]] = 10.0
    courses = []
    for refused in (None, 0):
        # With eta 1 a course that learns twice has another mu, and so cuts otherwise.
        sampler = Sampler(Sampling(mirostat=2, mirostat_eta=1.0, seed=5, grammar='root ::= "yes" | "no"'), model)
        shown = logits.copy()
        if refused is not None:
            shown[refused] = 30.0
        sampler.choose(shown)
        courses.append(sampler._mirostat.mu)
        sampler.close()
    assert courses[0] == pytest.approx(courses[1])


def test_a_valid_token_is_found_however_unlikely(model: Model) -> None:
    sampler = Sampler(Sampling(seed=3, grammar='root ::= "~"'), model)
    (tilde,) = model.tokenize("~")
    logits = np.random.default_rng(1).normal(0, 2, model.n_vocab).astype(np.float32)
    logits[tilde] = -60.0
    assert model.piece(sampler.choose(logits)) == b"~"
    sampler.close()


def test_a_wrong_grammar_is_refused(model: Model) -> None:
    with pytest.raises(RequestError, match="line 1"):
        Sampler(Sampling(grammar="root ::= ("), model)
    with pytest.raises(RequestError, match="JSON schema"):
        Sampler(Sampling(json_schema='{"not": {}}'), model)
