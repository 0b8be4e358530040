"""Speculation in the running scheduler: the same text with and without, and a draft model that does not fit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from engine.protocol.commands import Generate
from engine.protocol.events import Event, GenerationFinished, TokenDelta
from engine.protocol.values import Sampling, Speculative
from engine.worker.decode.draft_choice import make_speculator, open_draft_model
from engine.worker.decode.speculative import StepCosts
from engine.worker.engine_core import EngineCore
from engine.worker.outbox import Outbox
from tests.engine.worker.conftest import LoadTiny
from tests.tiny_models import Kind

PROMPT = "fee fie foe fee fie foe fee fie"
"""How it goes on does not hang on rounding: the likeliest token always leads by 0.07."""


class Collector(Outbox):
    """Keeps events instead of writing them."""

    def __init__(self) -> None:
        super().__init__(2)
        self.events: list[Event] = []

    def put(self, event: Event) -> None:
        self.events.append(event)


def answer(bench: EngineCore, outbox: Collector, sampling: Sampling) -> tuple[str, GenerationFinished]:
    outbox.events.clear()
    bench.handle(Generate(request_id="a", prompt=PROMPT, sampling=sampling, max_tokens=40, reuse_cache=False))
    while bench.is_busy:
        bench.step()
    end = outbox.events[-1]
    assert isinstance(end, GenerationFinished)
    return "".join(event.text for event in outbox.events if isinstance(event, TokenDelta)), end


@pytest.mark.parametrize(
    "sampling", [Sampling(temperature=0), Sampling(seed=5, temperature=1.0)], ids=["greedy", "sampled"]
)
def test_the_text_is_the_same_with_every_kind_of_drafts(
    load_tiny: LoadTiny, tiny_path: Callable[..., Path], sampling: Sampling
) -> None:
    texts = {}
    for kind in Speculative:
        outbox = Collector()
        bench = EngineCore(load_tiny(speculative=kind, draft_path=str(tiny_path())), outbox)
        for _ in range(3):
            text, end = answer(bench, outbox, sampling)
            assert texts.setdefault(0, text) == text
        assert end.metrics.n_accepted <= end.metrics.n_drafted
        assert end.effective is not None and end.effective.speculative is kind
        bench.close()


def test_a_draft_model_that_does_not_fit_is_replaced_by_lookup(
    load_tiny: LoadTiny, tiny_path: Callable[..., Path], tmp_path: Path
) -> None:
    for path in (tiny_path(Kind.GQA, vocabulary="spm"), tiny_path(Kind.RECURRENT), tmp_path / "missing.gguf"):
        loaded = load_tiny(speculative=Speculative.DRAFT, draft_path=str(path))
        assert open_draft_model(loaded) is None
        assert loaded.effective.speculative is Speculative.LOOKUP
        assert loaded.effective.notices[-1].code == "draft_refused"


def test_drafts_come_from_where_the_request_says(load_tiny: LoadTiny, tiny_path: Callable[..., Path]) -> None:
    loaded = load_tiny(speculative=Speculative.DRAFT, draft_path=str(tiny_path()), n_parallel=1)
    drafts = open_draft_model(loaded)
    assert drafts is not None
    costs = StepCosts()
    assert make_speculator(Speculative.OFF, loaded, costs, drafts, can_cut=True) is None
    assert make_speculator(Speculative.LOOKUP, loaded, costs, drafts, can_cut=False) is None
    drafting = make_speculator(Speculative.DRAFT, loaded, costs, drafts, can_cut=True)
    assert drafting is not None
    assert drafts.drafter() is None
    drafting.close()
    drafting.close()
    assert drafts.drafter() is not None
    drafts.close()
