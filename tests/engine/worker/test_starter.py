"""The starter model in a real worker process: real text, real reuse."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.worker.test_worker_process import WorkerProcess

pytestmark = pytest.mark.model
QUESTION = "What is the capital of France? Answer in one sentence."
GREEDY = {"temperature": 0.0}


@pytest.fixture
def worker() -> Iterator[WorkerProcess]:
    made = WorkerProcess()
    yield made
    made.close()


def text_of(worker: WorkerProcess, request: str) -> str:
    return "".join(
        event.get("text", "")
        for event in worker.events
        if event["type"] == "TokenDelta" and event["request_id"] == request
    )


def test_a_chat_of_two_turns(worker: WorkerProcess, starter: Path) -> None:
    loaded = worker.load(starter, n_ctx=1024)
    assert loaded["effective"]["quantization"] == "Q8_0"
    first = worker.generate(QUESTION, chat_id="a", sampling=GREEDY, max_tokens=40)
    one = worker.end(first)
    answer = text_of(worker, first)
    assert "Paris" in answer
    assert one["finish_reason"] == "stop"
    messages = [
        {"role": "user", "content": QUESTION},
        {"role": "assistant", "content": answer},
        {"role": "user", "content": "And of Germany?"},
    ]
    second = worker.send("Generate", messages=messages, chat_id="a", sampling=GREEDY, max_tokens=20)
    two = worker.end(second)
    assert "Berlin" in text_of(worker, second) or "Germany" in text_of(worker, second)
    assert two["metrics"]["n_cached_tokens"] == one["metrics"]["n_prompt_tokens"] + one["metrics"]["n_decoded"]
    assert two["metrics"]["cache_source"] == "slot"


@pytest.mark.parametrize("kv_type", ["f16", "q8_0", "q4_0"])
def test_the_text_is_the_same_with_and_without_reuse(kv_type: str, worker: WorkerProcess, starter: Path) -> None:
    worker.load(starter, n_ctx=512, type_k=kv_type, type_v=kv_type)
    texts = []
    for reuse in (True, True, False):
        request = worker.generate(QUESTION, chat_id="a", sampling=GREEDY, max_tokens=24, reuse_cache=reuse)
        worker.end(request)
        texts.append(text_of(worker, request))
    assert texts[0] == texts[1] == texts[2]
