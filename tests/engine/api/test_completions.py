"""The OpenAI-compatible completions, over real HTTP, with a scripted worker."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest

from engine.host.host import Host
from engine.host.requests import Emit
from engine.metrics import FinishReason
from engine.protocol import Command, GenerationFinished, TokenDelta

HELLO = [{"role": "user", "content": "Hi"}]
TEXT = "Hello from the fake."


async def chunks_of(response: httpx2.Response) -> list[dict]:  # type: ignore[type-arg]
    lines = [line async for line in response.aiter_lines() if line]
    assert all(line.startswith("data: ") for line in lines)
    assert lines[-1] == "data: [DONE]"
    return [json.loads(line.removeprefix("data: ")) for line in lines[:-1]]


async def stream(client: httpx2.AsyncClient, path: str, body: dict) -> list[dict]:  # type: ignore[type-arg]
    async with client.stream("POST", path, json=body | {"stream": True}) as response:
        assert response.status_code == 200
        assert response.headers["content-type"].startswith("text/event-stream")
        return await chunks_of(response)


async def test_a_whole_answer_with_usage(client: httpx2.AsyncClient) -> None:
    response = await client.post("/v1/chat/completions", json={"messages": HELLO, "model": "tiny"})
    assert response.status_code == 200
    answer = response.json()
    assert answer["object"] == "chat.completion"
    assert answer["model"] == "tiny"
    assert answer["choices"] == [
        {"index": 0, "message": {"role": "assistant", "content": TEXT}, "finish_reason": "stop"}
    ]
    assert answer["usage"] == {
        "prompt_tokens": 7,
        "completion_tokens": 5,
        "total_tokens": 12,
        "prompt_tokens_details": {"cached_tokens": 4},
    }
    assert answer["firstlight"]["n_decoded"] == 5


async def test_a_stream_begins_with_the_role_and_ends_with_usage(client: httpx2.AsyncClient) -> None:
    chunks = await stream(
        client, "/v1/chat/completions", {"messages": HELLO, "stream_options": {"include_usage": True}}
    )
    assert chunks[0]["choices"][0]["delta"] == {"role": "assistant", "content": ""}
    deltas = [chunk["choices"][0]["delta"] for chunk in chunks[1:-1]]
    assert "".join(delta.get("content", "") for delta in deltas) == TEXT
    assert chunks[-2]["choices"][0] == {"index": 0, "delta": {}, "finish_reason": "stop"}
    assert chunks[-1]["choices"] == []
    assert chunks[-1]["usage"]["total_tokens"] == 12
    assert len({chunk["id"] for chunk in chunks}) == 1
    assert {chunk["object"] for chunk in chunks} == {"chat.completion.chunk"}


async def test_reasoning_has_its_own_field(client: httpx2.AsyncClient, script) -> None:  # type: ignore[no-untyped-def]
    script(is_reasoning=True)
    chunks = await stream(client, "/v1/chat/completions", {"messages": HELLO})
    assert chunks[1]["choices"][0]["delta"] == {"reasoning_content": "Hello"}
    whole = (await client.post("/v1/chat/completions", json={"messages": HELLO})).json()
    assert whole["choices"][0]["message"] == {
        "role": "assistant",
        "content": " from the fake.",
        "reasoning_content": "Hello",
    }


async def test_text_completions(client: httpx2.AsyncClient) -> None:
    whole = (await client.post("/v1/completions", json={"prompt": "Once", "max_tokens": 2})).json()
    assert whole["object"] == "text_completion"
    assert whole["choices"][0]["text"] == "Hello from"
    chunks = await stream(client, "/v1/completions", {"prompt": ["Once"]})
    assert "".join(chunk["choices"][0]["text"] for chunk in chunks) == TEXT


@pytest.mark.parametrize("is_streamed", [True, False])
@pytest.mark.parametrize(
    ("body", "refusal"),
    [
        ({"messages": []}, (400, "prompt_empty", "empty")),
        ({"messages": HELLO, "model": "nobody"}, (404, "model_not_found", "no model called nobody")),
        ({"messages": HELLO, "n": 2}, (400, "bad_request", "n must be 1")),
        ({"messages": HELLO, "tools": [{}], "tool_choice": "required"}, (400, "bad_request", "cannot be forced")),
        ({"messages": HELLO, "logprobs": True}, (400, "bad_request", "Log probabilities")),
        ({"messages": [{"role": "king", "content": "Hi"}]}, (400, "bad_request", "no role king")),
        ({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}, (400, "bad_request", "image_url")),
        ({"messages": HELLO, "temperature": "hot"}, (400, "bad_request", "temperature")),
        ({"messages": HELLO, "response_format": {"type": "xml"}}, (400, "bad_request", "xml")),
        ({"messages": HELLO, "logit_bias": {"the": 1}}, (400, "bad_request", "token ids")),
        ({}, (400, "bad_request", "messages")),
    ],
)
async def test_bad_requests_say_what_is_wrong(client, body, refusal, is_streamed):  # type: ignore[no-untyped-def]
    status, code, part = refusal
    response = await client.post("/v1/chat/completions", json=body | {"stream": is_streamed})
    assert response.status_code == status
    error = response.json()["error"]
    assert error["code"] == code
    assert part in error["message"]
    assert error["type"] == "invalid_request_error"


async def test_what_a_client_leaves_empty_is_as_if_left_out(client: httpx2.AsyncClient) -> None:
    names = ("n", "stream", "stop", "seed", "max_tokens", "temperature", "logprobs", "logit_bias", "tool_choice")
    response = await client.post("/v1/chat/completions", json={"messages": HELLO} | dict.fromkeys(names))
    assert response.json()["choices"][0]["message"]["content"] == TEXT
    body = {"messages": HELLO, "tools": [{}], "tool_choice": "auto", "stream_options": {"include_usage": None}}
    assert "usage" not in (await stream(client, "/v1/chat/completions", body))[-1]


@pytest.mark.parametrize("fields", [{"echo": True}, {"suffix": "."}])
async def test_a_text_is_only_continued(client: httpx2.AsyncClient, fields: dict[str, object]) -> None:
    response = await client.post("/v1/completions", json={"prompt": "Once"} | fields)
    assert response.status_code == 400
    assert "only what follows" in response.json()["error"]["message"]


async def test_a_request_is_timed_from_its_first_byte(client: httpx2.AsyncClient) -> None:
    await client.post("/v1/completions", json={"prompt": "Once"})
    moments = [time.monotonic()]

    async def body() -> AsyncIterator[bytes]:
        yield b'{"prompt": '
        for _ in range(2):
            # Answered by a server that has read what was sent before.
            await client.get("/health")
            moments.append(time.monotonic())
        yield b'"Once"}'

    answer = await client.post("/v1/completions", content=body())
    waited = answer.json()["firstlight"]["queued_time"]
    assert moments[2] - moments[1] <= waited <= time.monotonic() - moments[0]


async def test_a_body_that_is_no_json(client: httpx2.AsyncClient) -> None:
    response = await client.post("/v1/chat/completions", content=b"\xff{")
    assert response.status_code == 400
    assert "cannot be read" in response.json()["error"]["message"]
    assert (await client.get("/v1/nothing")).json()["error"]["code"] == "not_found"
    assert (await client.get("/v1/chat/completions")).status_code == 405


async def test_an_engine_that_dies_in_the_stream_is_told_in_it(client: httpx2.AsyncClient, script, tmp_path) -> None:  # type: ignore[no-untyped-def]
    script(fault="decode", act="kill", fault_once=str(tmp_path / "once"))
    chunks = await stream(client, "/v1/chat/completions", {"messages": HELLO})
    assert chunks[1]["choices"][0]["delta"] == {"content": "Hello"}
    assert chunks[-1]["error"]["code"] == "engine_crashed"
    assert chunks[-1]["error"]["type"] == "server_error"
    assert (await client.post("/v1/chat/completions", json={"messages": HELLO})).status_code == 200


@pytest.mark.parametrize("is_streamed", [True, False])
async def test_a_client_that_goes_away_cancels(client, host: Host, script, tmp_path: Path, is_streamed: bool) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "decode.hold").touch()
    script(hold=str(tmp_path))
    handle, begun = host.handle, asyncio.Event()

    def handle_and_tell(command: Command, emit: Emit, *, accepted: float) -> None:
        handle(command, lambda event: (emit(event), begun.set() if isinstance(event, TokenDelta) else None))

    host.handle = handle_and_tell  # type: ignore[method-assign, assignment]
    ended: asyncio.Future[GenerationFinished] = asyncio.get_running_loop().create_future()
    host.observe(lambda command, event, effective: ended.set_result(event))  # type: ignore[arg-type]
    asking = asyncio.create_task(client.post("/v1/chat/completions", json={"messages": HELLO, "stream": is_streamed}))
    async with asyncio.timeout(120):
        await begun.wait()
        asking.cancel()
        event = await ended
    assert isinstance(event, GenerationFinished)
    assert event.finish_reason is FinishReason.CANCELLED
    (warm,) = host.pool
    assert warm.is_idle
