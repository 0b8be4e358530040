"""Speculative decoding: what is proposed, when it pays, and that it changes nothing about the text."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import ModelError
from engine.protocol.values import ModelSettings, Sampling
from engine.worker.decode.draft_model import DraftModel, vocabulary_difference
from engine.worker.decode.speculative import DraftSource, Lookup, Speculator, StepCosts, verify
from engine.worker.llama import Batch, Context, ContextOptions, Model
from engine.worker.sampling.sampler import Sampler
from tests.engine.worker.conftest import LoadTiny

TOKENS = st.lists(st.integers(0, 3), max_size=60)


@given(TOKENS, st.integers(1, 8))
def test_lookup_proposes_what_followed_the_longest_repeated_end(tokens: list[int], n_max: int) -> None:
    lookup = Lookup()
    lookup.extend(tokens)
    expected: list[int] = []
    for size in (4, 3, 2):
        ends = [end for end in range(size, len(tokens)) if tokens[end - size : end] == tokens[-size:]]
        if ends:
            expected = tokens[ends[-1] : ends[-1] + n_max]
            break
    assert lookup.propose(n_max) == expected


@given(TOKENS, st.lists(st.integers(0, 60)))
def test_lookup_does_not_care_how_the_tokens_came(tokens: list[int], borders: list[int]) -> None:
    whole, parts = Lookup(), Lookup()
    whole.extend(tokens)
    places = [0, *sorted(min(border, len(tokens)) for border in borders), len(tokens)]
    for start, end in itertools.pairwise(places):
        parts.extend(tokens[start:end])
    assert parts.propose(8) == whole.propose(8)
    assert parts.confidence == whole.confidence


def test_confidence_grows_with_the_run_that_agrees() -> None:
    lookup = Lookup()
    lookup.extend([*range(40), *range(100, 103), *range(8)])
    assert lookup.propose(3) == [8, 9, 10]
    assert lookup.confidence == 3
    lookup.extend(range(8, 36))
    lookup.propose(3)
    assert lookup.confidence == 5
    lookup.extend([999])
    assert (lookup.propose(3), lookup.confidence) == ([37, 38, 39], 7)  # One token may have been replaced.
    lookup.extend([998])
    assert (lookup.propose(3), lookup.confidence) == ([], 0)


PASSAGE = list(range(100, 140))


@pytest.mark.parametrize(
    ("copy", "goes_on"),
    [
        pytest.param([*PASSAGE[:20], 7, PASSAGE[21]], PASSAGE[22:], id="a token was replaced"),
        pytest.param([*PASSAGE[:20], 7, 8, 9, PASSAGE[21]], PASSAGE[22:], id="by several"),
        pytest.param([*PASSAGE[:20], PASSAGE[25]], PASSAGE[26:], id="tokens were left out"),
    ],
)
def test_a_copy_is_taken_up_again_behind_a_difference(copy: list[int], goes_on: list[int]) -> None:
    lookup = Lookup()
    lookup.extend(PASSAGE)
    for token in copy:
        lookup.extend([token])
        proposed = lookup.propose(4)
    assert proposed == goes_on[:4]
    lookup.extend(goes_on[:1])
    assert lookup.propose(4) == goes_on[1:5]
    assert lookup.confidence == 4  # The run counts over the difference.


def test_a_passage_that_is_left_for_good_is_given_up() -> None:
    lookup = Lookup()
    lookup.extend([*PASSAGE, *PASSAGE[:10]])
    lookup.propose(4)
    for token in range(9):
        lookup.extend([token])
        lookup.propose(4)
    lookup.extend([PASSAGE[12]])
    assert lookup.propose(4) == []


def test_step_costs_lie_on_lines_between_what_was_measured() -> None:
    costs = StepCosts()
    assert costs.seconds(1) is None
    costs.observe(1, 0.010)
    assert costs.seconds(1) == pytest.approx(0.010)
    assert costs.seconds(5) == pytest.approx(0.020)  # A guess, until it has been seen.
    costs.observe(9, 0.018)
    assert costs.seconds(5) == pytest.approx(0.014)
    assert costs.seconds(17) == pytest.approx(0.026)
    costs.observe(1, 0.110)  # A hiccup.
    assert costs.seconds(1) == pytest.approx(0.015)


def costs_of(base: float, per_token: float) -> StepCosts:
    costs = StepCosts()
    for n_tokens in range(1, 33):
        costs.observe(n_tokens, base + per_token * n_tokens)
    return costs


def decode(text: Sequence[int], n_prompt: int, costs: StepCosts, n_max: int = 16) -> tuple[Speculator, float, float]:
    """Play a decode whose outcome is known: the speculator, its seconds, and those without it."""
    speculator = Speculator(Lookup(), costs, n_max)
    speculator.extend(text[:n_prompt])
    done, seconds = n_prompt, 0.0
    while done < len(text):
        drafts = speculator.propose(0, len(text) - done - 1)
        seconds += costs.seconds(1 + len(drafts)) or 0.0
        n_right = 0
        while n_right < len(drafts) and drafts[n_right] == text[done + n_right]:
            n_right += 1
        speculator.verified(n_right)
        speculator.extend(text[done : done + n_right + 1])
        done += n_right + 1
    return speculator, seconds, (len(text) - n_prompt) * (costs.seconds(1) or 0.0)


def noise(n: int, seed: int = 1) -> list[int]:
    """Tokens without any pattern, from few enough that pairs repeat."""
    tokens = []
    for _ in range(n):
        seed = (seed * 1_103_515_245 + 12_345) % (1 << 31)
        tokens.append((seed >> 16) % 12)
    return tokens


def test_a_copy_is_drafted_in_long_pieces() -> None:
    passage = [(7 * n * n + n) % 1009 for n in range(300)]
    speculator, seconds, alone = decode([*passage, 5000, *passage], 302, costs_of(0.009, 0.001))
    assert alone / seconds > 4
    assert speculator.n_accepted > 0.9 * speculator.n_drafted


def test_a_copy_with_a_name_replaced_is_drafted_too() -> None:
    passage = [5 if n % 12 == 0 else (7 * n * n + n) % 1009 + 10 for n in range(300)]
    renamed = [6 if token == 5 else token for token in passage]
    _, seconds, alone = decode([*passage, 5000, *renamed], 302, costs_of(0.009, 0.001))
    assert alone / seconds > 3


@pytest.mark.parametrize("per_token", [0.001, 0.005])
def test_text_that_cannot_be_guessed_is_left_alone(per_token: float) -> None:
    _, seconds, alone = decode(noise(1500), 500, costs_of(0.010, per_token))
    assert alone / seconds > 0.97


def test_nothing_is_drafted_where_a_token_more_costs_as_much_as_a_step() -> None:
    passage = list(range(200))
    speculator, _, _ = decode([*passage, *passage], 202, costs_of(0.0, 0.010))
    assert speculator.n_drafted <= 3  # One look whether that is still so.


def test_acceptance_is_learned_while_nothing_is_drafted() -> None:
    speculator = Speculator(Lookup(), StepCosts(), 8)
    passage = list(range(100))
    speculator.extend([*passage, *passage[:40]])
    for token in passage[40:80]:
        assert speculator.propose(0, 8) == []
        speculator.extend([token])
    assert speculator.acceptance(5) > 0.9
    assert speculator.acceptance(1) == 0.5


@pytest.fixture
def model(load_tiny: LoadTiny) -> Model:
    return load_tiny().model


@pytest.fixture
def context(model: Model) -> Iterator[Context]:
    options = ContextOptions(n_ctx=512, n_batch=256, n_ubatch=256, n_sequences=1)
    made = Context(model, options)
    yield made
    made.close()


def generate(context: Context, prompt: list[int], sampling: Sampling, source: DraftSource | None, n: int) -> list[int]:
    """n tokens after a prompt, with drafts from a source."""
    model, batch = context.model, Batch(256)
    sampler = Sampler(sampling, model)
    costs = costs_of(1.0, 0.01)  # Dear steps, so that even a draft model as large as the target pays.
    speculator = Speculator(source, costs, 6) if source else None
    context.clear_memory()
    last = batch.extend(prompt, 0, 0, output_last=True)
    context.decode(batch)
    tokens = [sampler.sample(context, last)]
    if speculator:
        speculator.extend([*prompt, *tokens])
    while len(tokens) < n:
        position = len(prompt) + len(tokens) - 1
        drafts = speculator.propose(0, 6) if speculator else []
        batch.clear()
        rows = [batch.add(token, position + i, 0, output=True) for i, token in enumerate([tokens[-1], *drafts])]
        context.decode(batch)
        new = verify(sampler, context, rows, drafts, lambda token: False)
        context.remove(0, position + len(new))
        tokens += new
        if speculator:
            speculator.verified(len(new) - 1)
            speculator.extend(new)
    sampler.close()
    if speculator and source:
        assert speculator.n_drafted > 0
        speculator.close()
    return tokens[:n]


PROMPT = "row your boat, row your boat, row your boat, row your"
"""How it goes on does not hang on rounding: the likeliest token always leads by 0.3."""


@pytest.mark.parametrize("sampling", [Sampling(temperature=0), Sampling(seed=3, temperature=0.4, repeat_penalty=1.1)])
def test_lookup_gives_the_same_text(model: Model, context: Context, sampling: Sampling) -> None:
    prompt = model.tokenize(PROMPT)
    alone = generate(context, prompt, sampling, None, 16)
    assert generate(context, prompt, sampling, Lookup(), 16) == alone


def test_a_draft_model_gives_the_same_text_and_its_sequence_back(
    tiny_path: Callable[..., Path], model: Model, context: Context
) -> None:
    drafts = DraftModel(tiny_path(), model, ModelSettings(), n_ctx=512, n_sequences=1)
    try:
        prompt = model.tokenize(PROMPT)
        alone = generate(context, prompt, Sampling(temperature=0), None, 16)
        for _ in range(2):
            drafter = drafts.drafter()
            assert drafter is not None
            assert drafts.drafter() is None
            assert generate(context, prompt, Sampling(temperature=0), drafter, 16) == alone
        assert drafts.step_time > 0
    finally:
        drafts.close()


def test_a_drafter_follows_a_text_that_goes_another_way(tiny_path: Callable[..., Path], model: Model) -> None:
    drafts = DraftModel(tiny_path(), model, ModelSettings(), n_ctx=512, n_sequences=2)
    try:
        drafter, fresh = drafts.drafter(), drafts.drafter()
        assert drafter is not None and fresh is not None
        prompt = model.tokenize("The capital of France is Paris. " * 40)[:300]
        drafter.extend(prompt)
        assert drafter.propose(4) == []  # More than one step's share of reading.
        guess = drafter.propose(4)
        assert len(guess) == 4
        way = [*guess[:1], *model.tokenize(" of course, he said, and")]
        drafter.extend(way)
        fresh.extend([*prompt, *way])
        assert fresh.propose(4) == []
        assert drafter.propose(4) == fresh.propose(4) != []
        drafter.extend([1] * 600)
        for _ in range(4):
            assert drafter.propose(4) == []  # The draft model's context is full.
    finally:
        drafts.close()


def test_vocabularies_must_agree(tiny_path: Callable[..., Path], model: Model) -> None:
    class Other:
        """A model that differs in one respect."""

        def __init__(self, **changes: object) -> None:
            self._changes = changes

        def __getattr__(self, name: str) -> object:
            return self._changes.get(name, getattr(model, name))

    def difference(**changes: object) -> str:
        return vocabulary_difference(model, Other(**changes))  # type: ignore[arg-type]

    assert difference() == ""
    assert difference(n_vocab=model.n_vocab - 64) == ""
    assert "cut back" in difference(is_recurrent=True)
    assert "differ in kind" in difference(vocab_type=99)
    assert "tokens" in difference(n_vocab=model.n_vocab - 200)
    assert "special tokens" in difference(eos=model.eos + 1)
    assert "in the other" in difference(token_text=lambda token: "x")
    with pytest.raises(ModelError, match="cannot draft"):
        DraftModel(tiny_path(), Other(eos=7), ModelSettings(), n_ctx=64, n_sequences=1)  # type: ignore[arg-type]
