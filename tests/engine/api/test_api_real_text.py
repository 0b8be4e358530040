"""What a real worker says over real HTTP: whole characters whatever their bytes, and the refusal of what cannot fit."""

from __future__ import annotations

import json

import httpx2
import pytest

from engine.settings import folders
from tests.tiny_models import write_tiny_model

SAID = "👩‍👧 你好 é \u2028 🇩🇪"
PATHS = {"/v1/chat/completions": {"messages": [{"role": "user", "content": "Hi"}]}, "/v1/completions": {"prompt": "Hi"}}


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch, home: object) -> str:
    """The name of a model in the library that can really be loaded."""
    monkeypatch.delenv("FIRSTLIGHT_WORKER")
    folders().models.mkdir(parents=True)
    write_tiny_model(folders().models / "tiny.gguf")
    return "tiny"


async def events_of(response: httpx2.Response) -> list[dict]:  # type: ignore[type-arg]
    """The stream by its own rules: bytes, lines that end with a line feed, an empty one after each event."""
    content = b"".join([piece async for piece in response.aiter_raw()])
    lines = [event.removeprefix(b"data: ") for event in content.split(b"\n\n") if event]
    assert lines.pop() == b"[DONE]"
    return [json.loads(line.decode("utf-8", "strict")) for line in lines]


@pytest.mark.parametrize("path", PATHS)
async def test_every_event_holds_whole_characters(script: object, client: httpx2.AsyncClient, path: str) -> None:
    schema = {"type": "json_schema", "json_schema": {"name": "said", "schema": {"const": SAID}}}
    body = PATHS[path] | {"response_format": schema, "temperature": 0}
    whole = (await client.post(path, json=body)).json()["choices"][0]
    async with client.stream("POST", path, json=body | {"stream": True}) as response:
        choices = [event["choices"][0] for event in await events_of(response)]
    pieces = [choice.get("text") or choice.get("delta", {}).get("content") or "" for choice in choices]
    assert len([piece for piece in pieces if piece]) > 5
    assert not [piece for piece in pieces if "\ufffd" in piece]
    assert json.loads("".join(pieces)) == SAID
    assert json.loads(whole.get("text") or whole["message"]["content"]) == SAID


@pytest.mark.parametrize("is_streamed", [True, False])
@pytest.mark.parametrize("path", PATHS)
async def test_what_cannot_fit_is_refused_with_numbers(
    script: object, client: httpx2.AsyncClient, path: str, is_streamed: bool
) -> None:
    long = "the thing " * 4000
    body = {"messages": [{"role": "user", "content": long}]} if "chat" in path else {"prompt": long}
    response = await client.post(path, json=body | {"stream": is_streamed})
    assert response.status_code == 400
    error = response.json()["error"]
    assert (error["code"], error["type"]) == ("context_full", "invalid_request_error")
    assert "the context holds 4,096" in error["message"]
