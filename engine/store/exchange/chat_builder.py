"""Making chats out of what readers found: values with sound links, whatever the file said."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from engine.protocol.values import Role
from engine.store.chat_values import Chat, MessageState, StoredMessage
from engine.store.exchange.import_report import ChatFormat, Loss, Losses, ReadChat
from engine.store.exchange.json_fields import first_words
from engine.store.row_mapping import new_id

_MAKE_ROLE = {
    "user": Role.USER,
    "human": Role.USER,
    "prompter": Role.USER,
    "assistant": Role.ASSISTANT,
    "gpt": Role.ASSISTANT,
    "chatgpt": Role.ASSISTANT,
    "bot": Role.ASSISTANT,
    "bing": Role.ASSISTANT,
    "bard": Role.ASSISTANT,
    "model": Role.ASSISTANT,
    "ai": Role.ASSISTANT,
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
    "tool": Role.TOOL,
    "function": Role.TOOL,
    "function_call": Role.TOOL,
    "observation": Role.TOOL,
}


def role_of(name: object) -> Role | None:
    """Our role for another program's name of it; None for an unknown one."""
    return _MAKE_ROLE.get(name.lower()) if isinstance(name, str) else None


def source_of(kind: ChatFormat, foreign_id: object) -> str:
    """How an imported chat is recognised later; empty when the file gives it no identity."""
    return f"{kind}:{foreign_id}" if foreign_id else ""


def made_chat(
    messages: Sequence[StoredMessage],
    *,
    title: str,
    created_at: float | None,
    updated_at: float | None = None,
    source: str,
    head_id: str | None = None,
    fallback_at: float,
    folder: str = "",
    system_prompt: str = "",
    is_pinned: bool = False,
    is_archived: bool = False,
) -> ReadChat:
    """A chat with its times and title filled in from its messages where the file had none.

    A message whose created_at is 0 takes its predecessor's; without `head_id` the last one is shown.
    """
    start = created_at or next((each.created_at for each in messages if each.created_at), fallback_at)
    timed: list[StoredMessage] = []
    at = start
    for each in messages:
        at = each.created_at or at
        timed.append(each if each.created_at else msgspec.structs.replace(each, created_at=at))
    end = updated_at or max((each.created_at for each in timed), default=start)
    chat = Chat(
        id="",
        title=title.strip() or first_words(each.content for each in timed if each.role is Role.USER),
        created_at=start,
        updated_at=max(start, end),
        head_id=head_id,
        source=source,
        is_pinned=is_pinned,
        is_archived=is_archived,
        system_prompt=system_prompt or None,
    )
    return ReadChat(chat=chat, messages=timed, folder=folder)


def adopted(read: ReadChat, folder_id: str | None, losses: Losses, *, keeps_ids: bool = False) -> ReadChat:
    """The chat with ids of our own, every parent existing, no circles, and a head.

    `keeps_ids` keeps the ids of a chat that is our own and not here yet.
    """
    messages = list({each.id: each for each in read.messages}.values())
    parents = {each.id: each.parent_id for each in messages}
    losses[Loss.BROKEN_LINKS] += _mend_links(parents)
    ids = {each: each if keeps_ids else new_id() for each in parents}
    chat_id = read.chat.id if keeps_ids else new_id()
    made = [
        msgspec.structs.replace(
            each,
            id=ids[each.id],
            chat_id=chat_id,
            parent_id=ids.get(parents[each.id] or ""),
            state=MessageState.PARTIAL if each.state is MessageState.STREAMING else each.state,
        )
        for each in messages
    ]
    head = ids.get(read.chat.head_id or "") or (made[-1].id if made else None)
    # A chat of ours that has to take another id is recognised by its old one.
    source = read.chat.source or ("" if keeps_ids else source_of(ChatFormat.FIRSTLIGHT, read.chat.id))
    chat = msgspec.structs.replace(
        read.chat, id=chat_id, source=source, head_id=head, folder_id=folder_id, deleted_at=None
    )
    summaries = [
        msgspec.structs.replace(
            each, id=each.id if keeps_ids else new_id(), chat_id=chat_id, covers_to=ids[each.covers_to]
        )
        for each in read.summaries
        if each.covers_to in ids
    ]
    return ReadChat(chat=chat, messages=made, summaries=summaries)


def _mend_links(parents: dict[str, str | None]) -> int:
    """Cut links to what does not exist, and circles open; returns how many were cut."""
    n_cut = 0
    sound: set[str] = set()
    for start in parents:
        walked: dict[str, None] = {}
        at = start
        while at not in sound:
            walked[at] = None
            above = parents[at]
            if above is None:
                break
            if above not in parents or above in walked:
                parents[at] = None
                n_cut += 1
                break
            at = above
        sound.update(walked)
    return n_cut
