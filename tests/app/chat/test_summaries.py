"""Under `summarise` the oldest turns are condensed while the model is idle: shown, editable, sent instead of them."""

from __future__ import annotations

import asyncio

from app_scene import Run, ask, emitted, until, window
from PySide6.QtWidgets import QInputDialog

from app.application import Application
from engine.protocol import ContextPolicy, Role
from engine.settings import Preset, Settings
from engine.store.chats import ChatStore

SUMMARISE = Settings(presets=(Preset(name="Default", context_policy=ContextPolicy.SUMMARISE),))
LONG = " ".join(["word"] * 1500)
"""The scripted host counts words, has 8,192 tokens, and repeats what was said: each turn takes about 3,000."""


async def fill(app: Application, n_turns: int = 3) -> None:
    """Turns until three quarters of the context are full; the last one's summary is waited for."""
    for n in range(n_turns):
        made = asyncio.ensure_future(emitted(app.chats.summaries.changed)) if n == n_turns - 1 else None
        await asyncio.sleep(0)
        answered = asyncio.ensure_future(emitted(app.chats.answer_finished))
        await asyncio.sleep(0)
        app.chats.send(f"turn {n} {LONG}")
        await answered
        if made is not None:
            await made


def test_the_oldest_turns_are_condensed_and_marked(run: Run) -> None:
    async def scene() -> None:
        async with window(settings=SUMMARISE) as app:
            await fill(app)
            summary = app.chats.summary
            assert summary is not None
            assert summary.text.startswith("You said: ")
            assert "turn 0" in summary.text
            assert summary.covers_to == app.chats.path[1].id
            assert app.conversation.context_start_row == 2
            assert app.conversation.context_note == "earlier turns summarised"
            prompt = app.chats.prompt
            assert prompt[0].role is Role.SYSTEM
            assert summary.text in prompt[0].content
            assert [message.content.split()[:2] for message in prompt[1::2]] == [["turn", "1"], ["turn", "2"]]
            stored = await app.database.call(ChatStore.summaries, summary.chat_id)
            assert stored == [summary]

    run(scene())


def test_what_the_user_writes_takes_its_place(run: Run) -> None:
    async def scene() -> None:
        async with window(settings=SUMMARISE) as app:
            await fill(app)
            app.menu.edit_summary()
            dialog = app.window.findChild(QInputDialog)
            assert dialog is not None
            dialog.setTextValue("They spoke of words.")
            changed = asyncio.ensure_future(emitted(app.chats.summaries.changed))
            await asyncio.sleep(0)
            dialog.accept()
            await changed
            summary = app.chats.summary
            assert summary is not None
            assert (summary.text, summary.is_edited) == ("They spoke of words.", True)
            assert "They spoke of words." in app.chats.prompt[0].content

    run(scene())


def test_another_policy_sees_the_turns_themselves(run: Run) -> None:
    async def scene() -> None:
        async with window(settings=SUMMARISE) as app:
            await fill(app)
            app.chats.change_chat(context_policy=ContextPolicy.SLIDE)
            await until(lambda: app.chats.summary is None)
            assert app.conversation.context_start_row == 0
            assert [message.content.split()[:2] for message in app.chats.prompt[::2]] == [
                ["turn", "0"], ["turn", "1"], ["turn", "2"],
            ]  # fmt: skip

    run(scene())


def test_a_short_chat_is_left_alone(run: Run) -> None:
    async def scene() -> None:
        async with window(settings=SUMMARISE) as app:
            await ask(app, "hello")
            await ask(app, "again")
            await until(lambda: app.chats.summaries.is_idle)
            assert app.chats.summary is None
            assert app.conversation.context_start_row == 0

    run(scene())
