"""What is written is never lost: drafts of new chats, early keys, messages that cannot be kept, files of a draft."""

from __future__ import annotations

import asyncio
import types
from typing import Any

import psutil
import pytest
from app_scene import FAKE_HOST, Run, ask, emitted, qapp, shown, until, window, write
from PySide6.QtCore import QSize
from PySide6.QtTest import QTest

from app.application import Application
from app.chat.prompt_dialog import PromptDialog
from app.composer.draft_controller import is_on_battery
from app.startup.first_window import Look, show_window
from engine.errors import Code, StorageError
from engine.folders import folders
from engine.protocol import Prewarm, RenderPrompt
from engine.settings import Preset, Settings
from engine.store.chat_values import Attachment
from engine.store.chats import ChatStore
from engine.store.drafts_and_summaries import NEW_CHAT


def keep_draft(text: str, *attachments: Attachment) -> None:
    """As the app of the last time did."""
    folders().data.mkdir(parents=True, exist_ok=True)
    store = ChatStore(folders().chats_file)
    store.set_draft(NEW_CHAT, text, attachments)
    store.close()


def test_what_was_sent_is_no_draft_of_the_next_chat(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            write(app, "hello", enter=False)
            app.drafts.save()
            await ask(app, "")
            assert shown(app)[0] == "hello"
            assert await app.database.call(ChatStore.draft, NEW_CHAT) == await app.database.call(
                ChatStore.draft, "none"
            )

    run(scene())


def test_keys_before_the_draft_is_read_go_on_behind_it(run: Run) -> None:
    keep_draft("from yesterday")

    async def scene() -> None:
        first = show_window(qapp(), folders(), Look("light", "en", QSize(900, 700)))
        QTest.keyClicks(first.composer.edit, "early")
        app = Application(first, Settings(), folders(), host_command=FAKE_HOST)
        running = asyncio.ensure_future(app.run())
        await until(lambda: app.composer.text == "from yesterday\nearly")
        app.quit()
        await running

    run(scene())


def test_a_message_that_cannot_be_kept_is_given_back(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise StorageError(Code.DISK_FULL, "The disk is full.")

    async def scene() -> None:
        async with window() as app:
            file = Attachment(name="a.txt", text="a file", n_bytes=6)
            app.composer.files.add(file)
            monkeypatch.setattr(ChatStore, "add_message", full)
            failed = asyncio.ensure_future(emitted(app.chats.failed))
            await asyncio.sleep(0)
            write(app, "hello")
            await failed
            assert app.composer.text == "hello"
            assert [each.text for each in app.composer.attachments] == ["a file"]
            assert app.window.notices.texts == ["The disk is full."]
            monkeypatch.undo()
            await ask(app, "")
            assert app.window.notices.texts == []

    run(scene())


def test_a_chat_does_not_open_with_the_count_of_the_one_before(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            await ask(app, "hello")
            await until(lambda: "prepared" in app.composer._counts.text())
            app.chats.new_chat()
            assert (app.composer._counts.text(), app.composer._counts.accessibleName()) == ("", "")
            await until(lambda: app.composer._counts.text().startswith("0 of"))

    run(scene())


def test_files_of_a_draft_are_counted_once_the_model_is_there(run: Run) -> None:
    keep_draft("", Attachment(name="book.txt", text="four words a line\n" * 5_000, n_bytes=90_000))

    async def scene() -> None:
        async with window() as app:
            await until(lambda: bool(app.composer.files.chips) and bool(app.composer.files.chips[0].n_tokens))
            await until(lambda: app.composer.size_of_draft.excess > 0)
            app.composer.files.chips[0].set_tokens(None)
            app.composer.overflow.button.click()
            await until(lambda: app.parts.dialog is not None)
            assert [each.name for each in app.composer.attachments] == ["book.txt"]

    run(scene())


def test_words_written_while_a_message_is_added_stay(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            write(app, "a fact", enter=False)
            app.actions["add_message"].trigger()
            app.actions["add_message"].trigger()
            write(app, " and more", enter=False)
            await until(lambda: len(shown(app)) == 1)
            assert (shown(app), app.composer.text) == (["a fact"], "a fact and more")

    run(scene())


def test_the_count_follows_what_is_done_with_the_chat(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            await ask(app, "one two three")
            await until(lambda: app.composer._counts.text().startswith("8 of "))
            app.versions.delete(app.conversation.item(1).id)
            await until(lambda: app.composer._counts.text().startswith("3 of "))
            app.chats.new_chat()
            assert app.composer._counts.text() == ""  # That of another chat says nothing here.
            await until(lambda: app.composer._counts.text().startswith("0 of "))

    run(scene())


def test_what_is_typed_is_prepared_by_the_chat_s_own_preset(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene() -> None:
        brisk = Preset(name="Brisk", template_options={"enable_thinking": False})
        async with window(settings=Settings(presets=(Preset(name="Default"), brisk))) as app:
            app.chats.change_chat(preset="Brisk")
            assert app.top_bar._preset.text() == "Brisk"
            sent: list[Any] = []
            send = app.client._write
            monkeypatch.setattr(app.client, "_write", lambda command: sent.append(command) or send(command))
            write(app, "hello", enter=False)
            await until(lambda: any(isinstance(each, Prewarm) and each.draft == "hello" for each in sent))
            prepared = next(each for each in sent if isinstance(each, Prewarm) and each.draft == "hello")
            assert prepared.template_options == {"enable_thinking": False}
            app.menu.show_prompt()
            await until(lambda: any(isinstance(each, RenderPrompt) for each in sent))
            rendered = next(each for each in sent if isinstance(each, RenderPrompt))
            assert rendered.template_options == prepared.template_options
            await until(lambda: bool(app.window.findChildren(PromptDialog)))
            app.window.findChild(PromptDialog).close()

    run(scene())


def test_the_count_follows_the_chat_and_is_gone_while_it_cannot_be_true(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            counts: list[int | None] = []
            app.drafts.counted.connect(lambda n_tokens, *_: counts.append(n_tokens))
            write(app, "hello", enter=False)
            await until(lambda: bool(app.composer._counts.text()))
            await ask(app, "")
            assert None in counts
            await until(lambda: bool(app.composer._counts.text()))
            before = counts[-1]
            app.chats.change_chat(system_prompt="You are a pirate of few words.")
            await until(lambda: counts[-1] not in (None, before))
            app.chats.new_chat()
            assert app.composer._counts.text() == ""

    run(scene())


def test_what_is_sent_before_it_is_counted_and_does_not_fit_is_neither_stored_nor_lost(run: Run) -> None:
    paste = Attachment(name="pasted.txt", text="a line\n" * 20_000, n_bytes=140_000)

    async def scene() -> None:
        async with window() as app:
            submitted: list[str] = []
            opened: list[Attachment] = []
            app.composer.submitted.connect(lambda text, _attachments: submitted.append(text))
            app.composer.part_requested.connect(opened.append)
            app.composer.files.add(paste)
            write(app, "sum this up")
            assert app.composer._counts.text() == "Counting…"
            await until(lambda: bool(opened) and app.composer.overflow.isVisible())
            assert app.composer.text == "sum this up"
            await until(lambda: bool(opened))  # The count of the pause may come first, and only says so.
            assert submitted == ["sum this up"]
            assert [each.text for each in opened] == [paste.text]
            assert [each.text for each in app.composer.attachments] == [paste.text]
            assert shown(app) == [] and not app.chats.choices.id
            assert await app.database.call(ChatStore.chats) == []

    run(scene())


def test_what_is_long_but_fits_is_counted_and_sent(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            app.composer.set_text("characters " * 1_000)  # Of more bytes than the context has tokens.
            await ask(app, "")
            assert shown(app)[0] == ("characters " * 1_000).strip()
            assert app.composer.text == ""

    run(scene())


def test_who_goes_on_writing_while_it_is_counted_has_not_sent_it(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            app.composer.set_text("characters " * 1_000)
            write(app, "")
            write(app, "more", enter=False)
            await until(lambda: bool(app.composer.size_of_draft.room))
            assert app.composer.text.endswith("more")
            assert shown(app) == []

    run(scene())


def test_an_unknown_battery_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    for battery, expected in (
        (types.SimpleNamespace(power_plugged=False), True),
        (types.SimpleNamespace(power_plugged=True), False),
        (types.SimpleNamespace(power_plugged=None), False),
        (None, False),
    ):
        monkeypatch.setattr(psutil, "sensors_battery", lambda found=battery: found, raising=False)
        assert is_on_battery() is expected
