"""The chat: window, sidebar, transcript, composer."""

from __future__ import annotations

import texts
from app_scene import emitted, until
from chats import DAY, chat, library, short_chat
from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu
from stage import Stage, ask, close_dialogs, opened, send

from app.application import Application
from app.composer.documents.reader_messages import PagesRead
from app.core.tool_markup import join_tool_call
from app.transcript.link_question import open_link
from app.transcript.message_card import MessageCard
from app.transcript.transcript_view import Transcript
from engine.folders import folders
from engine.protocol.events import PrefillProgress
from engine.protocol.values import ContextPolicy, Role, Section
from engine.settings import Preset, Settings
from engine.store.chat_values import Attachment, MessageState


def transcript_of(app: Application) -> Transcript:
    assert app.transcript is not None
    return app.transcript


async def show(app: Application, chat_id: str, *, at: str = "", top: bool = False) -> Transcript:
    """Open a chat, and wait for its messages."""
    opening = emitted(app.chats.chat_opened)
    app.chats.open_chat(chat_id, at=at)
    await opening
    transcript = transcript_of(app)
    if top:
        transcript.area.scroll_to_row(0)
    else:
        transcript.scroll_to_end()
    return transcript


def card_of(app: Application, row: int) -> MessageCard:
    return transcript_of(app).area.scroll_to_row(row)


async def first_window(stage: Stage) -> None:
    """A new installation: loading, ready, and with a narrow window."""
    async with stage.app() as app:
        await stage.shot(app.window, "first-window")
        app.window.toggle_sidebar()
        await stage.shot(app.window, "first-window-no-sidebar")
        app.window.toggle_sidebar()
        app.window.resize(QSize(620, 460))
        await stage.shot(app.window, "first-window-small")


async def sidebar(stage: Stage) -> None:
    with stage.store() as store:
        library(store, is_chinese=stage.is_chinese)
    async with stage.app() as app:
        await until(lambda: bool(app.chat_list.chats))
        await show(app, app.chat_list.chats[1].id)
        await stage.shot(app.window, "sidebar")
        listed = app.sidebar.list
        row = app.chat_list.row_of_chat(app.chat_list.chats[2].id)
        assert row is not None
        place = listed.visualRect(app.chat_list.index(row)).center()
        menu = app.sidebar.menu_for(app.chat_list.chats[2])
        menu.popup(listed.viewport().mapToGlobal(place))
        await stage.shot(app.window, "sidebar-menu")
        folder_menu = next(action.menu() for action in menu.actions() if action.menu())
        assert isinstance(folder_menu, QMenu)
        folder_menu.popup(menu.mapToGlobal(QPoint(menu.width(), 60)))
        await stage.shot(app.window, "sidebar-menu-folders")
        folder_menu.close()
        menu.close()
        menu = app.sidebar.folder_menu(app.chat_list.folders[0].id)
        menu.popup(listed.viewport().mapToGlobal(QPoint(60, 300)))
        await stage.shot(app.window, "sidebar-folder-menu")
        menu.close()
        app.sidebar.rename_requested.emit(app.chat_list.chats[1].id)
        await stage.shot(app.window, "sidebar-rename")
        close_dialogs(app)
        app.sidebar.folder_create_requested.emit()
        await stage.shot(app.window, "sidebar-new-folder")
        close_dialogs(app)
        app.chat_list_controller.delete((app.chat_list.chats[2].id,))
        await emitted(app.chat_list_controller.undo_offered)
        await stage.shot(app.window, "sidebar-undo")
        app.window.activateWindow()
        await stage.rest()
        listed.setFocus(Qt.FocusReason.TabFocusReason)
        QTest.keyClick(listed, Qt.Key.Key_Down)
        await stage.shot(app.window, "sidebar-focus")
        chosen = tuple(chat.id for chat in app.chat_list.chats[1:4])
        listed.choose(chosen)
        menu = app.sidebar.menu_for_several(chosen)
        menu.popup(listed.viewport().mapToGlobal(QPoint(60, 200)))
        await stage.shot(app.window, "sidebar-several")
        menu.close()
        app.sidebar.show_archive()
        await stage.shot(app.window, "sidebar-archive")
        await show(app, app.chat_list.archived[0].id)
        await stage.shot(app.window, "archived-chat-opened")
        app.sidebar.show_archive(False)
        app.sidebar.search.setText("里斯本" if stage.is_chinese else "Lisbon")
        await until(lambda: app.chat_list.is_searching)
        await stage.shot(app.window, "search-hits")
        app.sidebar.search.setText("zebra")
        await until(lambda: not app.chat_list.rowCount())
        await stage.shot(app.window, "search-nothing")


async def empty_archive(stage: Stage) -> None:
    async with stage.app() as app:
        app.sidebar.show_archive()
        await stage.shot(app.window, "archive-empty")


async def markdown(stage: Stage) -> None:
    body = texts.MARKDOWN_ZH if stage.is_chinese else texts.MARKDOWN
    question = "把 Markdown 的一切都用一遍。" if stage.is_chinese else "Use everything that Markdown has."
    local = folders().data / "window.png"
    with stage.store() as store:
        picture = QImage(320, 160, QImage.Format.Format_RGB32)
        picture.fill("#6fb8a8")
        picture.save(str(local))
        made = {
            "markdown": chat(store, "Markdown", {"content": question}, {"content": body}),
            "code": chat(store, "Code", {"content": "Code?"}, {"content": texts.CODE}),
            "math": chat(store, "Math", {"content": "Math?"}, {"content": texts.MATH}),
            "pictures": chat(
                store, "Pictures", {"content": "Pictures?"},
                {"content": texts.PICTURES.replace("{local}", str(local))},
            ),
            "right-to-left": chat(store, "RTL", {"content": "ما هي ذاكرة KV؟"}, {"content": texts.ARABIC}),
            "long-question": chat(store, "Log", {"content": texts.LONG_QUESTION}, {"content": "…"}),
        }  # fmt: skip
    async with stage.app() as app:
        for name, (chat_id, *_) in made.items():
            await show(app, chat_id, top=True)
            await stage.shot(app.window, name)
            if name == "markdown":
                transcript_of(app).scroll_to_end()
                await stage.shot(app.window, "markdown-end")
        app.settings_store.change("general", font_size=20)
        await show(app, made["markdown"][0], top=True)
        await stage.shot(app.window, "markdown-large")


async def reasoning(stage: Stage) -> None:
    thought = texts.REASONING_ZH if stage.is_chinese else texts.REASONING
    said = (
        "一个固定大小的数组加两个计数器就够了。" if stage.is_chinese else "A fixed array and two counters are enough."
    )
    question = "写一个环形缓冲区。" if stage.is_chinese else "Write a ring buffer."
    with stage.store() as store:
        chat_id, *_ = chat(
            store, question, {"content": question}, {"content": said, "reasoning": thought, "reasoning_seconds": 1.8},
            {"content": question}, {"content": said, "reasoning": thought, "reasoning_seconds": 64.0},
        )  # fmt: skip
        tools, *_ = chat(store, "Tools", {"content": "Weather?"}, {"content": join_tool_call("", texts.TOOL_CALL)})
    async with stage.app() as app:
        await show(app, chat_id)
        card = card_of(app, 1)
        card._fold.click()
        card_of(app, 0)
        await stage.shot(app.window, "reasoning-closed-and-open")
        await show(app, tools)
        await stage.shot(app.window, "tool-call-kept")
        app.chats.new_chat()
        send(app, "hang")
        await until(lambda: app.conversation.rowCount() == 2 and "hang" in app.conversation.item(1).content)
        item = app.conversation.item(1)
        app.conversation.replace_item(1, type(item)(id=item.id, role=item.role, is_streaming=True))
        await stage.shot(app.window, "answer-waited-for")
        for piece in thought[:150].split(" "):
            app.conversation.append_text(1, piece + " ", Section.REASONING)
        await stage.shot(app.window, "reasoning-streaming")
        app.conversation.append_text(1, said + "\n\n```python\nclass Ring", Section.ANSWER, reasoning_seconds=1.8)
        await stage.shot(app.window, "code-streaming")
        app.conversation.append_text(1, "\n```\n", Section.ANSWER)
        app.conversation.append_text(1, texts.TOOL_CALL[:60], Section.TOOL_CALL)
        await stage.shot(app.window, "tool-call-streaming")
        app.chats.stop()
        await emitted(app.chats.answer_finished)
        await stage.shot(app.window, "stopped-by-you")


async def turns(stage: Stage) -> None:
    """What is done with messages: versions, editing, menus, selection, find, links, the context's beginning."""
    texts_of = _TURNS_ZH if stage.is_chinese else _TURNS
    stopped = "已由您停止。" if stage.is_chinese else "Stopped by you."
    with stage.store() as store:
        chat_id, *ids = chat(
            store, texts_of[0], {"content": texts_of[0]}, {"content": texts_of[1]}, {"content": texts_of[2]},
            {"content": texts_of[3], "parent": 2}, {"content": texts_of[4], "parent": 2, "role": Role.ASSISTANT},
            {"content": texts_of[0], "role": Role.USER},
            {
                "content": texts_of[3], "state": MessageState.PARTIAL, "note": stopped,
                "role": Role.ASSISTANT, "finish_reason": "cancelled",
            },
        )  # fmt: skip
    async with stage.app() as app:
        transcript = await show(app, chat_id, top=True)
        card = card_of(app, 2)
        card.setFocus(Qt.FocusReason.TabFocusReason)
        transcript.area.scroll_to_row(0)
        await stage.shot(app.window, "turns")
        card = card_of(app, 3)
        transcript.area.scroll_to_row(0)
        card.show_menu(card.mapToGlobal(QPoint(420, 10)))
        await stage.shot(app.window, "message-menu")
        opened(QMenu).close()
        card = card_of(app, 2)
        card.show_menu(card.mapToGlobal(QPoint(420, 10)))
        await stage.shot(app.window, "question-menu")
        opened(QMenu).close()
        transcript.start_edit(ids[2])
        await stage.shot(app.window, "edit-question")
        card_of(app, 2).cancel_edit()
        transcript.start_edit(ids[4])
        await stage.shot(app.window, "edit-answer")
        card_of(app, 3).cancel_edit()
        card_of(app, 1).interaction.select_all()
        await stage.shot(app.window, "selection")
        transcript.clear_match()
        app.actions["find"].trigger()
        app.find_bar.field.setText("KV")
        await stage.shot(app.window, "chat-find")
        QTest.keyClick(app.find_bar.field, Qt.Key.Key_Return)
        await stage.shot(app.window, "chat-find-match")
        app.find_bar.field.setText("zebra")
        await stage.shot(app.window, "chat-find-nothing")
        app.find_bar.close_bar()
        open_link("https://example.org/a/page?with=parameters", "a link", app.window)
        await stage.shot(app.window, "link-question")
        close_dialogs(app)
        app.conversation.set_context_start(2)
        await stage.shot(app.window, "context-marker")
        app.conversation.set_context_start(2, app.chats.tr("earlier turns summarised"))
        await stage.shot(app.window, "context-marker-summary")
        app.versions.delete(ids[5])
        await emitted(app.chats.undo_offered)
        transcript.area.scroll_to_row(0)
        await stage.shot(app.window, "message-deleted")


_TURNS = (
    "What is a KV cache?",
    "It keeps the keys and values of every layer, so that a new token costs one step. See [the paper](https://arxiv.org).",
    "And how large is a KV cache with 8,192 tokens?",
    "About 96 MB with f16, and 51 MB with q8_0.",
    "It depends on layers, heads and the type: about 96 MB with f16.",
)
_TURNS_ZH = (
    "什么是 KV 缓存？",
    "它保存每一层的键和值，这样每个新 token 只需一步计算。参见[论文](https://arxiv.org)。",
    "8,192 个 token 的 KV 缓存有多大？",
    "f16 约 96 MB，q8_0 约 51 MB。",
    "取决于层数、头数和类型：f16 约 96 MB。",
)


async def running(stage: Stage) -> None:
    """What runs: a prompt that is read, an answer in another chat, stopping."""
    with stage.store() as store:
        short_chat(store, "里斯本的雨" if stage.is_chinese else "Rain in Lisbon", DAY)
    async with stage.app() as app:
        await ask(app, "你好" if stage.is_chinese else "Hello")
        await stage.shot(app.window, "answered")
        send(app, "slow")
        await until(lambda: app.conversation.rowCount() == 4 and bool(app.conversation.item(3).content))
        item = app.conversation.item(3)
        app.conversation.replace_item(
            3,
            type(item)(
                id=item.id, role=item.role, is_streaming=True,
                prefill=PrefillProgress(n_done=3120, n_total=8000, n_cached=1000, seconds_left=4.1),
            ),
        )  # fmt: skip
        await stage.shot(app.window, "prefill")
        await show(app, app.chat_list.chats[-1].id)
        await stage.shot(app.window, "answer-in-another-chat")


async def composer(stage: Stage) -> None:
    settings = Settings(
        presets=(Preset(name="Default"), Preset(name="Coding")),
    )
    with stage.store() as store:
        chat_id = short_chat(store, "里斯本的雨" if stage.is_chinese else "Rain in Lisbon", DAY)
    async with stage.app(settings=settings) as app:
        await show(app, chat_id)
        box = app.composer
        box.set_text("这份数据手册的第四节怎么说？" if stage.is_chinese else "What does section 4 of the sheet say?")
        await stage.shot(app.window, "composer-text")
        box.files.add(Attachment(name="notes.md", text="# Notes\n" + "word " * 900, n_bytes=4508))
        box.files.add(Attachment(name="board-photo.jpg", mime="image/jpeg", n_bytes=2_400_000))
        box.files.add(_document(stage))
        reading = box.files.begin_reading("年度报告 2025.pdf" if stage.is_chinese else "annual-report-2025.pdf")
        reading.set_progress(PagesRead(41, 120))
        await stage.shot(app.window, "composer-attachments")
        box.files.end_reading(reading)
        box.files.add(Attachment(name="manual.txt", text="word " * 12_000, n_bytes=60_000))
        await until(lambda: bool(box.size_of_draft.excess))
        await stage.shot(app.window, "composer-too-long")
        box.part_requested.emit(box.attachments[-1])
        await stage.shot(app.window, "part-of-text")
        close_dialogs(app)
        box.part_requested.emit(box.attachments[-2])
        await stage.shot(app.window, "part-of-document")
        close_dialogs(app)
        box.clear()
        app.composer.set_text("\n".join(f"{n}. line of a long message" for n in range(1, 40)))
        await stage.shot(app.window, "composer-tall")


async def full_chat(stage: Stage) -> None:
    strict = Settings(presets=(Preset(name="Default", context_policy=ContextPolicy.STOP),))
    with stage.store() as store:
        chat_id, *_ = chat(
            store, "KV", {"content": "word " * 8300}, {"content": "好。" if stage.is_chinese else "Yes."}
        )
    async with stage.app(settings=strict) as app:
        await show(app, chat_id)
        app.composer.set_text("那现在呢？" if stage.is_chinese else "and now?")
        await until(lambda: app.composer.size_of_draft.is_chat_full)
        app.composer.overflow.button.click()
        await stage.shot(app.window, "composer-chat-full")
        opened(QMenu).close()


def _document(stage: Stage) -> Attachment:
    line = "缓存保存每一层的键和值。" if stage.is_chinese else "The cache keeps keys and values of every layer."
    pages = [f"{n}\n" + "\n".join([line] * (8 + n % 20)) + "\n\n" for n in range(1, 65)]
    starts = [sum(map(len, pages[:n])) for n in range(64)]
    name = "数据手册-修订版C.pdf" if stage.is_chinese else "datasheet-rev-C.pdf"
    return Attachment(name=name, mime="application/pdf", text="".join(pages), pages=tuple(starts), n_bytes=800_000)


SCENES = (first_window, sidebar, empty_archive, markdown, reasoning, turns, running, composer, full_chat)
