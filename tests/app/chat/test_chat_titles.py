"""What of a model's answer can be a title."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from app_scene import Run
from PySide6.QtCore import QCoreApplication

from app.chat.answer import background_answer
from app.chat.chat_titles import ChatTitles, clean_title
from app.core.chat_database import ChatDatabase
from app.core.i18n import install_language, resolve_language
from engine.metrics import FinishReason, RequestMetrics
from engine.protocol import (
    ChatMessage,
    Command,
    Event,
    Generate,
    GenerationFinished,
    Priority,
    Role,
    Section,
    TokenDelta,
)
from engine.store.chat_values import Chat
from engine.store.chats import ChatStore


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ('"Ring Buffers in Python"', "Ring Buffers in Python"),
        ("**Title: KV caches**\nIt is about", "KV caches"),
        ("标题：缓存与预填充", "缓存与预填充"),
        ("<think>hm", ""),
        ("\n\n", ""),
        ("x" * 61, ""),
        ("A title.", "A title"),
    ],
)
def test_a_title_is_one_clean_line_or_nothing(said: str, title: str) -> None:
    assert clean_title(said) == title


@pytest.mark.parametrize("has_end", [True, False])
async def test_a_title_holds_nothing_of_what_the_model_thought(has_end: bool) -> None:
    asked: list[Generate] = []

    class Client:
        async def stream(self, command: Generate) -> AsyncIterator[Event]:
            asked.append(command)
            yield TokenDelta(request_id="t", text="The user wants a title", section=Section.REASONING)
            yield TokenDelta(request_id="t", text="Ring Buffers", section=Section.ANSWER)
            if has_end:
                yield GenerationFinished(request_id="t", finish_reason=FinishReason.STOP, metrics=RequestMetrics())

    client: Any = Client()
    title = await background_answer(client, (ChatMessage(role=Role.USER, content="Name it."),), 24)
    assert title == ("Ring Buffers" if has_end else "")
    assert asked[0].template_options == {"enable_thinking": False}


def test_an_unknown_language_is_english(qapp: QCoreApplication) -> None:
    assert resolve_language("zh_CN") == "zh_CN"
    assert install_language(qapp, "en") == "en"


class Engine:
    """Says the same to everybody, and keeps what it was asked."""

    def __init__(self, *said: tuple[str, Section]) -> None:
        self.said, self.asked = said, list[Command]()

    async def stream(self, command: Command) -> AsyncIterator[Event]:
        self.asked.append(command)
        for text, section in self.said:
            yield TokenDelta(request_id="r", text=text, section=section)
        yield GenerationFinished(request_id="r", finish_reason=FinishReason.STOP, metrics=RequestMetrics())


async def titled(archive: ChatDatabase, engine: Any) -> str:
    """The title of a chat after its first answer."""
    chat = await archive.create_chat("Does it rain?", Chat(id="", created_at=0.0, updated_at=0.0))
    await archive.call(ChatStore.add_message, chat.id, Role.USER, "Does it rain?")
    answer = await archive.call(ChatStore.add_message, chat.id, Role.ASSISTANT, "Rarely.")
    titles = ChatTitles(engine, archive)
    titles.answer_finished(chat, answer)
    assert titles._running is not None
    await titles._running
    return (await archive.call(ChatStore.chat, chat.id)).title


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ([("They ask for rain.", Section.REASONING), ("Rain in Lisbon", Section.ANSWER)], "Rain in Lisbon"),
        ([("They ask for rain, so", Section.REASONING)], "Does it rain?"),
        ([("<think>They ask", Section.ANSWER)], "Does it rain?"),
        ([('{"name": "weather"}', Section.TOOL_CALL)], "Does it rain?"),
        ([], "Does it rain?"),
    ],
)
def test_a_title_is_of_the_answer_alone_and_else_the_first_words(
    run: Run, tmp_path: Path, said: list[tuple[str, Section]], title: str
) -> None:
    engine = Engine(*said)

    async def scene() -> None:
        archive = ChatDatabase(tmp_path / "chats.sqlite3")
        assert await titled(archive, engine) == title
        await archive.close()

    run(scene())
    (asked,) = engine.asked  # Nothing is loaded for it.
    assert isinstance(asked, Generate)
    assert (asked.model_id, asked.priority, asked.chat_id) == ("", Priority.BATCH, "")
    assert asked.max_tokens is not None
    assert asked.max_tokens < 50
    assert not asked.template_options["enable_thinking"]


def test_a_name_that_the_user_gives_meanwhile_stays(run: Run, tmp_path: Path) -> None:
    async def scene() -> None:
        archive = ChatDatabase(tmp_path / "chats.sqlite3")

        class Slow(Engine):
            async def stream(self, command: Command) -> AsyncIterator[Event]:
                (chat,) = await archive.call(ChatStore.chats)
                await archive.call(ChatStore.update_chat, chat.id, title="Umbrellas")
                async for event in super().stream(command):
                    yield event

        assert await titled(archive, Slow(("Rain in Lisbon", Section.ANSWER))) == "Umbrellas"
        await archive.close()

    run(scene())
