"""Real answers of the starter model through the whole engine: host, worker, llama.cpp."""

from __future__ import annotations

import pytest

from engine.commands.host_session import Session
from engine.metrics import CacheSource, FinishReason
from engine.protocol import (
    ChatMessage,
    Event,
    Generate,
    GenerationFinished,
    PrefillProgress,
    RequestFailed,
    Role,
    Sampling,
    TokenDelta,
)

pytestmark = pytest.mark.model
GREEDY = Sampling(temperature=0, seed=1)
ENDLESS = Sampling(temperature=0, logit_bias={0: -1e9, 2: -1e9})
"""Never the end of an answer: only a cancel ends it before the context is full."""


def say(*texts: str) -> tuple[ChatMessage, ...]:
    """User and assistant in turn, beginning with the user."""
    return tuple(
        ChatMessage(role=(Role.USER, Role.ASSISTANT)[number % 2], content=text) for number, text in enumerate(texts)
    )


SURE = "1, 2, 3, 4, 5, 6, 7, 8,"
"""How it goes on does not hang on how sums are rounded, which differs with the number of tokens in a step."""


def ask(session: Session, *texts: str, **fields: object) -> tuple[str, GenerationFinished]:
    fields.setdefault("max_tokens", 12)
    command = Generate(
        request_id=session.new_request_id(),
        model_id="starter",
        messages=say(*texts),
        sampling=GREEDY,
        **fields,  # type: ignore[arg-type]
    )
    events = list(session.events(command))
    end = events[-1]
    assert isinstance(end, GenerationFinished)
    return "".join(event.text for event in events if isinstance(event, TokenDelta)), end


def test_a_greedy_answer_is_repeatable_and_its_figures_add_up(session: Session) -> None:
    text, end = ask(session, SURE, reuse_cache=False)
    again, _ = ask(session, SURE, reuse_cache=False)
    assert text.strip()
    assert text == again
    metrics = end.metrics
    parts = metrics.queued_time + metrics.load_time + metrics.template_time + metrics.cache_restore_time
    parts += metrics.prefill_time
    assert metrics.ttft == pytest.approx(parts, abs=1e-3)
    assert metrics.e2e_latency == pytest.approx(parts + metrics.decode_time, abs=1e-3)
    assert end.effective is not None
    assert end.effective.n_threads == 1


def test_a_second_turn_prefills_only_what_is_new(session: Session) -> None:
    text, first = ask(session, "Name a colour.", chat_id="colours")
    _, second = ask(session, "Name a colour.", text, "Another one.", chat_id="colours")
    shared = first.metrics.n_prompt_tokens + first.metrics.n_decoded - 1
    assert second.metrics.n_cached_tokens >= shared
    assert second.metrics.cache_source is CacheSource.SLOT


@pytest.mark.parametrize("phase", [PrefillProgress, TokenDelta])
def test_cancel_ends_soon(session: Session, phase: type[Event]) -> None:
    """In the middle of reading and of writing; a benchmark measures how many milliseconds later."""
    prompt = "Tell me more about rivers. " * (600 if phase is PrefillProgress else 1)
    command = Generate(
        request_id=session.new_request_id(), model_id="starter", messages=say(prompt), reuse_cache=False,
        sampling=ENDLESS,
    )  # fmt: skip
    for event in session.events(command):
        if isinstance(event, phase):
            session.cancel(command.request_id)
    assert isinstance(event, GenerationFinished)
    assert event.finish_reason is FinishReason.CANCELLED
    assert (event.metrics.n_decoded == 0) == (phase is PrefillProgress)
    # Nothing is left of it that the next answer would feel.
    assert ask(session, SURE, reuse_cache=False)[0] == ask(session, SURE, reuse_cache=False)[0]


def test_too_long_a_prompt_is_refused_with_numbers(session: Session) -> None:
    command = Generate(request_id=session.new_request_id(), model_id="starter", messages=say("word " * 7000))
    end = list(session.events(command))[-1]
    assert isinstance(end, RequestFailed)
    assert "7,0" in str(end.failure.message) or "70" in str(end.failure.message)
    assert end.failure.advice
