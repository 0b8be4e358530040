"""What of a model's answer can be a title."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication

from app.background_answer import background_answer
from app.chat_titles import clean_title
from app.i18n import install_language, resolve_language
from engine.metrics import FinishReason, RequestMetrics
from engine.protocol import ChatMessage, Event, Generate, GenerationFinished, Role, Section, TokenDelta


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
        def new_request_id(self) -> str:
            return "t"

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
