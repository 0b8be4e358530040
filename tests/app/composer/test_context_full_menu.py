"""A chat that is full and leaves nothing out: what is said, and each way on with what is written."""

from __future__ import annotations

import pytest
from app_scene import Run, until, window, write

from app.application import Application
from engine.protocol import ContextPolicy, Role
from engine.settings import Preset, Settings
from engine.store.chats import ChatStore

STRICT = Settings(presets=(Preset(name="Default", context_policy=ContextPolicy.STOP),))


async def fill(app: Application) -> None:
    """A turn with nearly the whole context of 8,192 tokens, and a second message that does not fit behind it."""
    chat = await app.database.call(ChatStore.create_chat, title="Full")
    await app.database.call(ChatStore.add_message, chat.id, Role.USER, "word " * 8189)
    await app.database.call(ChatStore.add_message, chat.id, Role.ASSISTANT, "Yes.")
    app.chats.open_chat(chat.id)
    await until(lambda: app.chats.choices.id == chat.id)
    write(app, "and now?", enter=False)
    await until(lambda: app.composer.size_of_draft.is_chat_full)


def take(app: Application, way: str) -> None:
    dict(app.context_full_menu.ways())[way]()


@pytest.mark.parametrize(
    ("way", "policy"),
    [
        ("Leave out the oldest turns", ContextPolicy.SLIDE),
        ("Summarise the oldest turns", ContextPolicy.SUMMARISE),
    ],
)
def test_turns_may_give_way_from_now_on(run: Run, way: str, policy: ContextPolicy) -> None:
    async def scene() -> None:
        async with window(settings=STRICT) as app:
            await fill(app)
            assert not app.composer.send.isEnabled()
            take(app, way)
            await until(lambda: app.composer.size_of_draft.drops_turns)
            assert app.chats.policy(app.chats.chat) is policy
            assert (app.composer.text, app.composer.send.isEnabled()) == ("and now?", True)

    run(scene())


def test_the_message_goes_into_a_new_chat(run: Run) -> None:
    async def scene() -> None:
        async with window(settings=STRICT) as app:
            await fill(app)
            full = app.chats.choices.id
            take(app, "New chat with this message")
            assert (app.chats.choices.id, app.composer.text) == ("", "and now?")
            await until(lambda: app.composer.size_of_draft.n_tokens == 2)
            assert app.composer.send.isEnabled()
            app.chats.open_chat(full)
            await until(lambda: app.chats.choices.id == full)
            assert app.composer.text == ""

    run(scene())


def test_the_context_can_be_made_larger(run: Run) -> None:
    async def scene() -> None:
        async with window(settings=STRICT) as app:
            await fill(app)
            take(app, "Larger context…")
            dialog = app.settings.dialog
            assert dialog is not None
            assert dialog.loading.isVisible()
            # What is asked of the engine then has to be asked before the window closes.
            await until(lambda: bool(dialog.loading.devices.known) and not dialog.loading._pause.isActive())
            assert app.composer.text == "and now?"

    run(scene())
