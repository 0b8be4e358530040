"""Tool calls of answers: kept as what they are, shown alike while and after they stream, given to the model bare."""

from __future__ import annotations

import asyncio

import pytest
from app_scene import Run, ask, emitted, qapp, window

from app.core.conversation_model import MessageItem
from app.core.tool_markup import called_tool, join_tool_call, split_tool_call, without_fence
from engine.store.chats import ChatStore

CALL = '{"name": "sum"}'


@pytest.mark.parametrize("content", ["", "Let me add.", "Two lines\n\nand a fence\n```\n```"])
@pytest.mark.parametrize("call", [CALL, "```\n", "several\n\nlines"])
def test_what_was_joined_comes_apart_again(content: str, call: str) -> None:
    stored = join_tool_call(content, call)
    assert split_tool_call(stored) == (content, call)
    assert join_tool_call(*split_tool_call(stored)) == stored
    assert without_fence(stored) == (f"{content}\n\n{call}" if content else call)


@pytest.mark.parametrize(
    "text", ["", "plain\n", "```python\nx\n```", "```tool_call\n{}\n```", "a ````````tool_call\n{}"]
)
def test_a_text_without_a_call_stays_as_it_is(text: str) -> None:
    assert split_tool_call(text) == (text, "")
    assert without_fence(text) == text


def test_a_call_is_a_section_while_it_streams_afterwards_and_when_it_is_opened_again(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            seen: list[MessageItem] = []
            app.conversation.text_appended.connect(lambda row, *_: seen.append(app.conversation.item(row)))
            answer = await ask(app, "call")
            after = app.conversation.item(1)
            await app.chats.show(answer.chat_id)
            again = app.conversation.item(1)
            texts = {(each.content.strip(), each.tool_call) for each in (seen[-1], after, again)}
            assert texts == {("You said: call", CALL)}
            stored = await app.database.call(ChatStore.message, answer.id)
            assert split_tool_call(stored.content)[1] == CALL
            assert app.chats.prompt[-1].content.endswith(f"\n\n{CALL}")
            app.commands.copy_last()
            assert CALL in qapp().clipboard().text()

    run(scene())


def test_a_call_that_was_cut_is_continued_as_a_call(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            answer = await ask(app, "call")
            finished = asyncio.ensure_future(emitted(app.chats.answer_finished))
            await asyncio.sleep(0)
            app.chats.continue_answer(answer.id)
            _, longer = await finished
            said, call = split_tool_call(longer.content)
            assert said == split_tool_call(answer.content)[0]
            assert call.startswith(f"{CALL}You said:")
            assert app.conversation.item(1).tool_call == call

    run(scene())


@pytest.mark.parametrize(
    ("call", "name"),
    [
        ('<tool_call>\n{"name": "get_weather", "arguments": {"name": "x"}}\n</tool_call>', "get_weather"),
        ("<tool_call>\n<function=get_weather>\n<parameter=city>", "get_weather"),
        ('[TOOL_CALLS]get_weather{"city": "Lisbon"}', "get_weather"),
        ('<tool_call>\n{"na', ""),
        ("something else", ""),
    ],
)
def test_the_tool_that_is_called_has_a_name(call: str, name: str) -> None:
    assert called_tool(call) == name
