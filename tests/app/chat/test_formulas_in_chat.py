"""Formulas in one chat: drawn or as LaTeX, kept with the chat, and back to what the settings say."""

from __future__ import annotations

from app_scene import Run, ask, until, window
from PySide6.QtWidgets import QMenu

from app.application import Application
from engine.protocol import Role
from engine.store.chats import ChatStore


def is_drawn(app: Application) -> bool:
    assert app.transcript is not None
    return app.transcript._is_math_on


def choices(app: Application) -> dict[str, bool]:
    """The entries of the chat's menu, and which of them is marked."""
    menu = QMenu()
    app.menu.add_formula_choices(menu)
    return {action.text(): action.isChecked() for action in menu.actions()}


def choose(app: Application, text: str) -> None:
    menu = QMenu()
    app.menu.add_formula_choices(menu)
    next(action for action in menu.actions() if action.text() == text).trigger()


def test_a_chat_keeps_its_own_choice_and_goes_back_to_the_settings(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            chat_id = (await ask(app, "so $x^2$ is")).chat_id
            other = await app.database.call(ChatStore.create_chat, title="another")
            await app.database.call(ChatStore.add_message, other.id, Role.USER, "$y$")
            await until(lambda: app.transcript is not None)
            assert choices(app) == {"As in the settings: drawn": True, "Drawn": False, "As LaTeX": False}
            choose(app, "As LaTeX")
            await until(lambda: not is_drawn(app))
            app.chats.open_chat(other.id)
            await until(lambda: is_drawn(app))
            app.chats.open_chat(chat_id)
            await until(lambda: not is_drawn(app))
            assert choices(app) == {"As in the settings: drawn": False, "Drawn": False, "As LaTeX": True}
        async with window() as app:
            app.chats.open_chat(chat_id)
            await until(lambda: app.transcript is not None and not is_drawn(app))
            app.actions["formulas"].trigger()
            await until(lambda: is_drawn(app))
            app.settings_store.change("general", is_math_on=False)
            assert is_drawn(app)
            choose(app, "As in the settings: as LaTeX")
            await until(lambda: not is_drawn(app))
            app.settings_store.change("general", is_math_on=True)
            assert is_drawn(app)

    run(scene())


def test_a_new_chat_takes_the_choice_with_it(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            await until(lambda: app.transcript is not None)
            app.actions["formulas"].trigger()
            assert not is_drawn(app)
            chat_id = (await ask(app, "hello")).chat_id
            assert (await app.database.call(ChatStore.chat, chat_id)).is_math_on is False
            app.chats.new_chat()
            assert is_drawn(app)

    run(scene())
