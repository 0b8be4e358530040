"""Small exports of other programs, written by hand in the shapes that those programs write."""

from __future__ import annotations

import json
import struct
import zipfile
import zlib
from base64 import b64encode
from pathlib import Path
from typing import Any

AT = 1_750_000_000.0


def node(key: str, parent: str | None, children: list[str], message: dict[str, Any] | None) -> dict[str, Any]:
    return {"id": key, "message": message and {"id": key, **message}, "parent": parent, "children": children}


def said(role: str, *parts: Any, at: float | None = AT, **fields: Any) -> dict[str, Any]:
    return {
        "author": {"role": role, "name": None, "metadata": {}},
        "create_time": at,
        "content": {"content_type": "text", "parts": list(parts)},
        "status": "finished_successfully",
        "weight": 1.0,
        "metadata": {},
        "recipient": "all",
        **fields,
    }


CHATGPT: dict[str, Any] = {
    "title": "Rain in Lisbon",
    "create_time": AT,
    "update_time": AT + 90,
    "conversation_id": "conv-1",
    "current_node": "a2",
    "default_model_slug": "gpt-4o",
    "is_archived": True,
    "mapping": {
        "client-created-root": node("client-created-root", None, ["s"], None),
        "s": node("s", "client-created-root", ["u1"], said("system", "", weight=0)),
        "u1": node("u1", "s", ["a1", "t"], said("user", "Does it rain?", at=AT + 1)),
        "a1": node("a1", "u1", [], said("assistant", "Sometimes.", at=AT + 2, metadata={"model_slug": "gpt-4"})),
        "t": node(
            "t",
            "u1",
            ["call"],
            {
                **said("assistant", at=AT + 3),
                "content": {"content_type": "thoughts", "thoughts": [{"summary": "Weather", "content": "Check it."}]},
            },
        ),
        "call": node("call", "t", ["result"], said("assistant", "search()", at=AT + 4, recipient="web")),
        "result": node("result", "call", ["a2"], said("tool", "sunny", at=AT + 5)),
        "a2": node(
            "a2",
            "result",
            [],
            said("assistant", "Rarely \ue200cite\ue202turn0\ue201in July【3†source】. 【好】", at=None),
        ),
        "odd": node("odd", "a1", [], {**said("user", at=AT + 6), "content": {"content_type": "new_thing", "data": 7}}),
        "pic": node(
            "pic",
            "a1",
            [],
            {
                **said("user", at=AT + 7),
                "content": {
                    "content_type": "multimodal_text",
                    "parts": [
                        {
                            "content_type": "image_asset_pointer",
                            "asset_pointer": "file-service://file-X",
                            "size_bytes": 9,
                        },
                        "What is this?",
                    ],
                },
            },
        ),
    },
}

CLAUDE: dict[str, Any] = {
    "uuid": "c-1",
    "name": "",
    "created_at": "2025-06-15T15:06:40.123456Z",
    "updated_at": "2025-06-15T15:08:00Z",
    "account": {"uuid": "me"},
    "chat_messages": [
        {
            "uuid": "m1",
            "sender": "human",
            "text": "Summarise this file, please",
            "content": [{"type": "text", "text": "Summarise this file, please", "citations": []}],
            "created_at": "2025-06-15T15:06:41Z",
            "attachments": [
                {"file_name": "notes.txt", "file_size": 11, "file_type": "txt", "extracted_content": "hello notes"}
            ],
            "files": [{"file_name": "photo.png"}],
        },
        {
            "uuid": "m2",
            "sender": "assistant",
            "text": "flattened",
            "content": [
                {"type": "thinking", "thinking": "It is short."},
                {"type": "tool_use", "name": "search", "input": {}},
                {"type": "tool_result", "name": "search", "content": []},
                {"type": "text", "text": "It says hello."},
            ],
            "created_at": "2025-06-15T15:06:50Z",
            "attachments": [],
            "files": [],
        },
    ],
}

LM_STUDIO: dict[str, Any] = {
    "name": "Poems",
    "pinned": True,
    "createdAt": int(AT * 1000),
    "systemPrompt": "",
    "perChatPredictionConfig": {"fields": [{"key": "llm.prediction.systemPrompt", "value": "You are a poet."}]},
    "messages": [
        {
            "versions": [{"type": "singleStep", "role": "user", "content": [{"type": "text", "text": "A poem"}]}],
            "currentlySelected": 0,
        },
        {
            "versions": [
                {
                    "type": "multiStep",
                    "role": "assistant",
                    "senderInfo": {"senderName": "qwen"},
                    "steps": [{"type": "contentBlock", "content": [{"type": "text", "text": "First try"}]}],
                },
                {
                    "type": "multiStep",
                    "role": "assistant",
                    "senderInfo": {"senderName": "qwen"},
                    "steps": [
                        {
                            "type": "contentBlock",
                            "style": {"type": "thinking", "ended": True},
                            "content": [
                                {"type": "text", "text": "<think>", "isStructural": True},
                                {"type": "text", "text": "Rhyme."},
                            ],
                        },
                        {"type": "toolStatus", "statusState": {"status": {"type": "toolCallSucceeded"}}},
                        {
                            "type": "contentBlock",
                            "content": [{"type": "text", "text": "Roses"}, {"type": "text", "text": " are red"}],
                            "genInfo": {
                                "identifier": "qwen3-4b",
                                "stats": {
                                    "stopReason": "contextLengthReached",
                                    "tokensPerSecond": 50.0,
                                    "timeToFirstTokenSec": 0.25,
                                    "totalTimeSec": 1.0,
                                    "promptTokensCount": 12,
                                    "predictedTokensCount": 30,
                                },
                            },
                        },
                    ],
                },
            ],
            "currentlySelected": 1,
        },
        {
            "versions": [{"type": "singleStep", "role": "user", "content": [{"type": "text", "text": "Thanks"}]}],
            "currentlySelected": 0,
        },
    ],
}

JAN_THREAD: dict[str, Any] = {
    "id": "jan-1",
    "object": "thread",
    "title": "Jan chat",
    "created": AT,
    "updated": AT + 5,
    "assistants": [{"assistant_id": "jan", "instructions": "Be kind.", "model": {"id": "gemma-3"}}],
}
JAN_MESSAGES: list[dict[str, Any]] = [
    {
        "id": "j1",
        "object": "thread.message",
        "thread_id": "jan-1",
        "role": "user",
        "content": [{"type": "text", "text": {"value": "Hi Jan", "annotations": []}}],
        "status": "ready",
        "created_at": AT * 1000,
    },
    {
        "id": "j2",
        "object": "thread.message",
        "thread_id": "jan-1",
        "role": "assistant",
        "content": [
            {"type": "reasoning", "text": {"value": "Greet.", "annotations": []}},
            {"type": "text", "text": {"value": "Hello!", "annotations": []}},
            {"type": "tool_call", "tool_name": "x"},
        ],
        "status": "stopped",
        "created_at": AT * 1000 + 2000,
    },
]

OPEN_WEBUI: dict[str, Any] = {
    "id": "ow-1",
    "user_id": "u",
    "title": "Colours",
    "created_at": int(AT),
    "updated_at": int(AT) + 60,
    "archived": False,
    "pinned": True,
    "chat": {
        "title": "Colours",
        "models": ["llama3"],
        "params": {"system": "Name colours."},
        "history": {
            "currentId": "gone",
            "messages": {
                "q": {
                    "id": "q",
                    "parentId": None,
                    "childrenIds": ["x", "y"],
                    "role": "user",
                    "content": "A colour?",
                    "timestamp": int(AT),
                    "files": [{"type": "file", "name": "c.txt", "file": {"data": {"content": "red"}}}],
                },
                "x": {
                    "id": "x",
                    "parentId": "q",
                    "childrenIds": [],
                    "role": "assistant",
                    "content": "Blue",
                    "model": "a",
                },
                "y": {
                    "id": "y",
                    "parentId": "q",
                    "childrenIds": ["no such"],
                    "role": "assistant",
                    "modelName": "Llama 3",
                    "content": '<details type="reasoning" done="true" duration="4">\n<summary>Thought</summary>\n'
                    "&gt; Pick one.\n</details>\nGreen",
                },
            },
        },
    },
}

SILLY_TAVERN: list[dict[str, Any]] = [
    {
        "user_name": "Me",
        "character_name": "Ada",
        "create_date": "2025-06-15@21h14m02s",
        "chat_metadata": {"integrity": "st-1"},
    },
    {"name": "Ada", "is_user": False, "send_date": "June 15, 2025 9:14pm", "mes": "Hello, I am Ada."},
    {"name": "Me", "is_user": True, "send_date": "2025-06-15T21:15:00Z", "mes": "Tell me more"},
    {"name": "note", "is_user": False, "is_system": True, "send_date": 1, "mes": "hidden"},
    {
        "name": "Ada",
        "is_user": False,
        "send_date": 1750022200000,
        "mes": "Edited by hand",
        "swipes": ["One", "Two"],
        "swipe_id": 1,
        "swipe_info": [{"send_date": 1750022100000, "extra": {"model": "m1"}}, {"extra": {"model": "m2"}}],
        "extra": {"model": "m3", "reasoning": "Hm", "reasoning_duration": 1500},
    },
    {"name": "Me", "is_user": True, "mes": "Good"},
]

CARD_V2: dict[str, Any] = {
    "spec": "chara_card_v2",
    "spec_version": "2.0",
    "data": {
        "name": "Ada",
        "description": "{{char}} likes engines.",
        "personality": "curious",
        "scenario": "{{user}} visits.",
        "first_mes": "Hello, {{user}}.",
        "alternate_greetings": ["Good day."],
        "mes_example": "<START>\n{{Char}}: Indeed.",
        "system_prompt": "",
        "post_history_instructions": "Stay {{char}}.",
        "creator_notes": "Never for the model.",
        "tags": [],
        "extensions": {"other/tool": {"x": 1}},
    },
}

OPENAI: dict[str, Any] = {
    "model": "gpt-x",
    "messages": [
        {"role": "system", "content": "Be brief."},
        {
            "role": "user",
            "content": [{"type": "text", "text": "Look"}, {"type": "image_url", "image_url": {"url": "x"}}],
        },
        {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]},
        {"role": "tool", "content": "42"},
        {"role": "assistant", "content": "It is 42."},
    ],
}
SHAREGPT: dict[str, Any] = {
    "id": "sg",
    "conversations": [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Hello"}],
}


def write_json(path: Path, value: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def write_lines(path: Path, values: list[dict[str, Any]], extra: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(map(json.dumps, values)) + "\n" + extra, encoding="utf-8")
    return path


def write_zip(path: Path, files: dict[str, object]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, value in files.items():
            archive.writestr(name, value if isinstance(value, str | bytes) else json.dumps(value))
    return path


def png_with(texts: dict[str, object]) -> bytes:
    """A PNG of one pixel with these cards in its text chunks."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    made = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    for key, value in texts.items():
        made += chunk(b"tEXt", key.encode() + b"\0" + b64encode(json.dumps(value).encode()))
    return made + chunk(b"IDAT", zlib.compress(b"\0\0")) + chunk(b"IEND", b"")
