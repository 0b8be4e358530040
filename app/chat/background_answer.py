"""A short answer that nobody watches: a title or a summary, at the lowest priority."""

from __future__ import annotations

from app.core.host_client import HostClient
from engine.protocol import ChatMessage, Event, Generate, GenerationFinished, Priority, Sampling, Section, TokenDelta


async def background_answer(client: HostClient, messages: tuple[ChatMessage, ...], max_tokens: int) -> str:
    """The greedy answer without its reasoning; empty when it failed. Cancelling the task cancels it."""
    command = Generate(
        messages=messages,
        sampling=Sampling(temperature=0.0),
        max_tokens=max_tokens,
        priority=Priority.BATCH,
        template_options={"enable_thinking": False},
    )
    pieces: list[str] = []
    last: Event | None = None
    async for event in client.stream(command):
        last = event
        if isinstance(event, TokenDelta) and event.section is Section.ANSWER:
            pieces.append(event.text)
    return "".join(pieces) if isinstance(last, GenerationFinished) else ""
