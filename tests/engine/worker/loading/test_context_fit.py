"""Memory runs out in the middle of an answer: that answer ends with what it has, and nothing else is lost."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from engine.errors import Code
from engine.protocol import events as e
from engine.worker.llama import context
from tests.engine.worker.conftest import LoadTiny
from tests.engine.worker.core_bench import CoreBench

N_STEPS = 4
"""llama.cpp's steps before memory runs out: a prefill and three tokens."""


@pytest.fixture
def bench(load_tiny: LoadTiny) -> Iterator[CoreBench]:
    made = CoreBench(load_tiny())
    yield made
    made.close()


def test_an_answer_without_memory_keeps_its_text(bench: CoreBench, monkeypatch: pytest.MonkeyPatch) -> None:
    decode, n_done = context.lib.llama_decode, 0

    def full_device(pointer: int, batch: object) -> int:
        nonlocal n_done
        n_done += 1
        return -2 if n_done > N_STEPS else int(decode(pointer, batch))

    request = bench.generate("the band", max_tokens=50)
    with monkeypatch.context() as patched:
        patched.setattr(context.lib, "llama_decode", full_device)
        events = bench.run(request)
    assert sum(event.n_tokens for event in events if isinstance(event, e.TokenDelta)) == N_STEPS
    end = events[-1]
    assert isinstance(end, e.RequestFailed)
    assert end.failure.code is Code.OUT_OF_MEMORY
    assert "so far stays" in str(end.failure.message)
    assert "shorter context" in str(end.failure.advice)
    again = bench.generate("the band", max_tokens=5)
    bench.run(again)
    assert bench.finished(again).metrics.n_decoded == 5
