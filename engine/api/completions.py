"""/v1/chat/completions and /v1/completions, whole and streamed."""

from __future__ import annotations

import time
import uuid
from functools import partial
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from engine.api.error_responses import error_object, failure_response
from engine.api.event_streams import Call, RequestStream, unless_gone
from engine.api.schemas import ChatBody, CompletionBody, GenerationBody, Usage, finish_reason_of, parse, usage_of
from engine.host.host import Host
from engine.metrics import RequestMetrics
from engine.protocol.commands import Generate
from engine.protocol.events import Event, GenerationFinished, RequestFailed, TokenDelta
from engine.protocol.values import Section


class Completion(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A whole answer, or one chunk of a streamed one."""

    id: str
    object: str
    created: int
    model: str
    choices: list[dict[str, Any]]
    usage: Usage | None = None
    firstlight: RequestMetrics | None = None
    """Ours: the figures of the HUD, in the last chunk or the whole answer."""


class _Shape:
    """What differs between chat and text completions."""

    def __init__(self, *, is_chat: bool, command: Generate) -> None:
        self.is_chat = is_chat
        self._model = command.model_id
        self._id = ("chatcmpl-" if is_chat else "cmpl-") + command.request_id
        self._created = int(time.time())

    def whole(self, text: str, reasoning: str, end: GenerationFinished) -> Completion:
        if self.is_chat:
            message = {"role": "assistant", "content": text} | ({"reasoning_content": reasoning} if reasoning else {})
            choice: dict[str, Any] = {"index": 0, "message": message}
        else:
            choice = {"index": 0, "text": text, "logprobs": None}
        choice["finish_reason"] = finish_reason_of(end.finish_reason)
        kind = "chat.completion" if self.is_chat else "text_completion"
        return self._made(kind, [choice], usage=usage_of(end.metrics), firstlight=end.metrics)

    def first(self) -> Completion:
        """The chunk before any text, which says who speaks."""
        return self._chunk({"role": "assistant", "content": ""}, None)

    def piece(self, event: TokenDelta) -> Completion:
        name = "reasoning_content" if event.section is Section.REASONING else "content"
        return self._chunk({name: event.text}, None)

    def last(self, end: GenerationFinished) -> Completion:
        made = self._chunk({}, finish_reason_of(end.finish_reason))
        return msgspec.structs.replace(made, firstlight=end.metrics)

    def usage(self, end: GenerationFinished) -> Completion:
        return self._made(self._chunk_kind, [], usage=usage_of(end.metrics))

    @property
    def _chunk_kind(self) -> str:
        return "chat.completion.chunk" if self.is_chat else "text_completion"

    def _chunk(self, delta: dict[str, str], finish_reason: str | None) -> Completion:
        choice: dict[str, Any] = {"index": 0, "finish_reason": finish_reason}
        if self.is_chat:
            choice["delta"] = delta
        else:
            choice["text"] = delta.get("content") or delta.get("reasoning_content") or ""
        return self._made(self._chunk_kind, [choice])

    def _made(self, kind: str, choices: list[dict[str, Any]], **more: Any) -> Completion:
        return Completion(id=self._id, object=kind, created=self._created, model=self._model, choices=choices, **more)


async def chat_completions(request: Request) -> Response | RequestStream:
    body = parse(await request.body(), ChatBody)
    command = msgspec.structs.replace(
        _command(body, request.app.state.default_model),
        messages=tuple(message.chat_message() for message in body.messages),
        template_options=body.chat_template_kwargs,
        continue_answer=bool(body.messages) and body.messages[-1].role == "assistant",
    )
    return await _answer(request, body, command, is_chat=True)


async def text_completions(request: Request) -> Response | RequestStream:
    body = parse(await request.body(), CompletionBody)
    command = msgspec.structs.replace(_command(body, request.app.state.default_model), prompt=body.text())
    return await _answer(request, body, command, is_chat=False)


def _command(body: GenerationBody, default_model: str) -> Generate:
    body.check()
    return Generate(
        request_id=uuid.uuid4().hex,
        model_id=body.model or default_model,
        sampling=body.sampling(),
        max_tokens=body.answer_limit,
        stop=body.stops,
        priority=body.priority,
        reuse_cache=body.cache_prompt,
        context_policy=body.context_policy,
    )


async def _answer(
    request: Request, body: GenerationBody, command: Generate, *, is_chat: bool
) -> Response | RequestStream:
    host: Host = request.app.state.host
    shape = _Shape(is_chat=is_chat, command=command)
    call = Call(host, command, accepted=request.state.accepted)
    if not body.stream:
        with call:
            answer = await unless_gone(request, _whole(call, shape))
        return answer if answer is not None else Response(status_code=499)
    try:
        # A refusal still gets its status: the stream begins when the answer does.
        first = await unless_gone(request, call.first())
    except BaseException:
        call.close()
        raise
    if first is None:
        call.close()
        return Response(status_code=499)
    if isinstance(first, RequestFailed):
        return failure_response(first.failure)
    wants_usage = bool(body.stream_options is not None and body.stream_options.include_usage)
    head = [shape.first()] if is_chat else []
    return RequestStream(call, first, head, partial(_chunks, shape=shape, wants_usage=wants_usage))


def _chunks(event: Event, shape: _Shape, *, wants_usage: bool) -> list[msgspec.Struct]:
    """What of a stream an event makes."""
    match event:
        case TokenDelta() if event.text:
            return [shape.piece(event)]
        case RequestFailed():
            return [error_object(event.failure)]
        case GenerationFinished():
            return [shape.last(event), shape.usage(event)] if wants_usage else [shape.last(event)]
    return []


async def _whole(call: Call, shape: _Shape) -> Response:
    events, end = await call.end()
    if isinstance(end, RequestFailed):
        return failure_response(end.failure)
    assert isinstance(end, GenerationFinished)
    texts = {True: "", False: ""}
    for event in events:
        if isinstance(event, TokenDelta):
            texts[event.section is Section.REASONING] += event.text
    content = shape.whole(texts[False], texts[True], end)
    return Response(msgspec.json.encode(content), media_type="application/json")
