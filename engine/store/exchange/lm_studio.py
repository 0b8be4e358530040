"""LM Studio's conversation files: messages in a row, each with versions, answers with their readings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from engine.metrics import RequestMetrics
from engine.protocol.values import Role
from engine.store.chat_values import Attachment, StoredMessage
from engine.store.exchange.chat_builder import made_chat, role_of, source_of
from engine.store.exchange.import_report import ChatFormat, Loss, Losses, ReadChat
from engine.store.exchange.json_fields import count, items, mapping, mappings, moment, number, text

_FINISH_REASONS = {
    "eosFound": "stop",
    "stopStringFound": "stop",
    "contextLengthReached": "length",
    "maxPredictedTokensReached": "length",
    "userStopped": "cancelled",
}
_SYSTEM_PROMPT = "llm.prediction.systemPrompt"


def read(raw: dict[str, Any], losses: Losses, modified_at: float, name: str = "", folder: str = "") -> ReadChat:
    """One conversation; versions of a message become versions here, and what follows follows the selected one."""
    messages: list[StoredMessage] = []
    parent: str | None = None
    for i, message in enumerate(mappings(raw.get("messages"))):
        versions = mappings(message.get("versions"))
        made = [_version(each, f"{i}.{j}", parent, losses) for j, each in enumerate(versions)]
        messages += made
        if made:
            parent = made[min(count(message.get("currentlySelected")), len(made) - 1)].id
    return made_chat(
        messages,
        title=text(raw.get("name")),
        created_at=moment(raw.get("createdAt")),
        updated_at=moment(raw.get("assistantLastMessagedAt")) or moment(raw.get("userLastMessagedAt")),
        source=source_of(ChatFormat.LM_STUDIO, raw.get("createdAt") and f"{raw['createdAt']}:{name}"),
        head_id=parent,
        fallback_at=modified_at,
        folder=folder.removeprefix("conversations").strip("/").split("/")[0],
        system_prompt=_system_prompt(raw),
        is_pinned=bool(raw.get("pinned")),
    )


def _system_prompt(raw: dict[str, Any]) -> str:
    fields = mappings(mapping(raw.get("perChatPredictionConfig")).get("fields"))
    own = next((text(each.get("value")) for each in fields if each.get("key") == _SYSTEM_PROMPT), "")
    return own or text(raw.get("systemPrompt"))


def _version(raw: dict[str, Any], key: str, parent: str | None, losses: Losses) -> StoredMessage:
    role = role_of(raw.get("role")) or Role.USER
    base = StoredMessage(id=key, parent_id=parent, role=role, created_at=0.0)
    steps = mappings(raw.get("steps"))
    if not steps:
        content, attachments = _content(raw, losses)
        return msgspec.structs.replace(base, content=content, attachments=attachments)
    answer: list[str] = []
    thinking: list[str] = []
    generation: dict[str, Any] = {}
    for step in steps:
        if step.get("type") != "contentBlock":
            losses[Loss.TOOLS] += step.get("type") == "toolStatus"
            continue
        is_thinking = mapping(step.get("style")).get("type") == "thinking"
        (thinking if is_thinking else answer).append(_content(step, losses)[0])
        generation = mapping(step.get("genInfo")) or generation
    stats = mapping(generation.get("stats"))
    sender = text(mapping(raw.get("senderInfo")).get("senderName"))
    return msgspec.structs.replace(
        base,
        content="\n\n".join(filter(None, answer)),
        reasoning="\n\n".join(filter(None, thinking)),
        model_name=text(generation.get("identifier")) or sender,
        metrics=_metrics(stats) if stats else None,
        finish_reason=_FINISH_REASONS.get(text(stats.get("stopReason"))),
    )


def _content(raw: dict[str, Any], losses: Losses) -> tuple[str, tuple[Attachment, ...]]:
    found = list(_pieces(raw, losses))
    files = tuple(each for each in found if isinstance(each, Attachment))
    return "".join(each for each in found if isinstance(each, str)), files


def _pieces(raw: dict[str, Any], losses: Losses) -> Iterator[str | Attachment]:
    for part in items(raw.get("content")):
        if isinstance(part, str):
            yield text(part)
            continue
        found = mapping(part)
        if found.get("type") == "file":
            losses[Loss.FILES] += 1
            name = text(found.get("fileIdentifier")) or text(found.get("name")) or "file"
            yield Attachment(name=name, mime="application/octet-stream", n_bytes=count(found.get("sizeBytes")))
        elif found.get("type") in ("toolCallRequest", "toolCallResult"):
            losses[Loss.TOOLS] += 1
        elif found.get("isStructural") is not True:
            yield text(found.get("text"))


def _metrics(stats: dict[str, Any]) -> RequestMetrics:
    """The readings that LM Studio gives the same meaning as we do."""
    rate = number(stats.get("tokensPerSecond"))
    return RequestMetrics(
        ttft=number(stats.get("timeToFirstTokenSec")),
        decode_tps=rate,
        tpot=1 / rate if rate else None,
        e2e_latency=number(stats.get("totalTimeSec")) or 0.0,
        n_prompt_tokens=count(stats.get("promptTokensCount")),
        n_decoded=count(stats.get("predictedTokensCount")),
    )
