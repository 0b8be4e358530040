"""Chats for the walks: written into the store as if they had been held."""

from __future__ import annotations

import itertools
import time
from typing import Any

import msgspec
from fake_host import EFFECTIVE, METRICS

from engine.protocol.values import Role
from engine.store.chat_values import Chat, Folder, StoredMessage
from engine.store.chats import ChatStore

DAY = 86_400.0
ANSWERED: dict[str, Any] = {
    "metrics": METRICS, "effective": EFFECTIVE, "model_name": "SmolLM2 135M", "perceived_ttft": 0.068,
}  # fmt: skip
_numbers = itertools.count()


def chat(store: ChatStore, title: str, *turns: dict[str, Any], age: float = 60.0, **fields: Any) -> list[str]:
    """Add a chat whose last message is `age` seconds old; returns its id and those of its messages.

    A turn is the fields of a message. Without a role, users and answers alternate; `parent` is the number of the turn
    that it follows, where that is not the one before.
    """
    chat_id, moment = f"chat{next(_numbers):04}", time.time() - age
    ids = [f"{chat_id}m{number:03}" for number in range(len(turns))]
    messages = []
    for number, turn in enumerate(turns):
        given = dict(turn)
        before = given.pop("parent", number - 1)
        role = given.pop("role", Role.USER if number % 2 == 0 else Role.ASSISTANT)
        common: dict[str, Any] = ANSWERED if role is Role.ASSISTANT else {}
        parent_id = ids[before] if before >= 0 else None
        made = StoredMessage(id=ids[number], chat_id=chat_id, parent_id=parent_id, role=role, created_at=moment)
        messages.append(msgspec.structs.replace(made, **{**common, **given}))
    made_chat = Chat(id=chat_id, title=title, created_at=moment, updated_at=moment, head_id=ids[-1] if ids else None)
    store.add_chat(msgspec.structs.replace(made_chat, **fields), messages)
    return [chat_id, *ids]


def short_chat(store: ChatStore, title: str, age: float, **fields: Any) -> str:
    """A chat of two messages."""
    answer = f"About {title}: rain is rare there in May." if title.isascii() else f"关于“{title}”：五月很少下雨。"
    return chat(store, title, {"content": title}, {"content": answer}, age=age, **fields)[0]


def library(store: ChatStore, *, is_chinese: bool) -> dict[str, Folder]:
    """What fills a sidebar: pinned chats, folders open and closed, chats of many ages, and an archive."""
    names = ("工作", "学习") if is_chinese else ("Work", "Study")
    work, study = (store.create_folder(name) for name in names)
    store.update_folder(study.id, is_collapsed=True)
    titles = _TITLES_ZH if is_chinese else _TITLES
    short_chat(store, titles[0], 5 * DAY, is_pinned=True)
    for number, title in enumerate(titles[1:4]):
        short_chat(store, title, 60.0 + number)
    for number, title in enumerate(titles[4:7]):
        short_chat(store, title, DAY + number)
    short_chat(store, titles[7], 4 * DAY)
    short_chat(store, titles[8], 40 * DAY)
    for number, title in enumerate(titles[9:12]):
        short_chat(store, title, 20 * DAY + number, folder_id=work.id)
    short_chat(store, titles[12], 50 * DAY, folder_id=study.id)
    for number, title in enumerate(titles[13:16]):
        short_chat(store, title, (3 + 30 * number) * DAY, is_archived=True)
    return {"work": work, "study": study}


_TITLES = (
    "Release checklist",
    "Ring buffer for sensor data", "Letter to the landlord about the heater that is broken since March",
    "Rain in Lisbon",
    "用中文解释 KV 缓存", "Regex for ISO dates", "Trip notes, Lisbon",
    "Names for a cat", "Packing list",
    "Quarterly plan", "Interview questions", "Minutes of the meeting",
    "Linear algebra",
    "Old job offer", "Recipe: lentils", "Insurance claim",
)  # fmt: skip
_TITLES_ZH = (
    "发布清单",
    "传感器数据的环形缓冲区", "给房东写一封关于三月以来暖气一直坏着没人修的信", "里斯本的雨",
    "解释 KV 缓存", "匹配 ISO 日期的正则表达式", "里斯本旅行笔记",
    "给猫起名字", "行李清单",
    "季度计划", "面试问题", "会议纪要",
    "线性代数",
    "旧的录用通知", "扁豆食谱", "保险理赔",
)  # fmt: skip
