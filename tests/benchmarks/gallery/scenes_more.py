"""The chat, further: versions, other models, added messages, undo, dragging, spelling, drafts, titles."""

from __future__ import annotations

from pathlib import Path
from unittest import mock

from app_scene import emitted, until
from chats import DAY, chat, library, short_chat
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QContextMenuEvent, QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu
from scenes_chat import card_of, show, transcript_of
from stage import Stage, ask, close_dialogs, opened, send

from app.chat_list.chat_list_model import RowKind
from app.composer import spelling
from app.core.settings_store import LOAD
from app.settings.settings_dialog import SettingsDialog
from app.ui.command_palette import CommandPalette
from app.ui.text_dialog import TextDialog
from engine.folders import folders
from engine.metrics import FinishReason
from engine.protocol.values import Role, Sampling
from engine.settings import General, Preset, Settings
from engine.store.chat_values import MessageState

MORE = "--more-models"
_COPY, _BUTTON, _NO_KEY = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


def _question(stage: Stage) -> str:
    return "里斯本五月下雨吗？" if stage.is_chinese else "Does it rain in Lisbon in May?"


async def versions(stage: Stage) -> None:
    """Three versions of an answer; others by another model, which is loaded for it; a chat that branches off."""
    said = (
        ("很少，一个月里平均只有七天。", "五月是干季的开始。", "有时会下，通常是短时阵雨。")
        if stage.is_chinese
        else ("Rarely: on seven days on average.", "May begins the dry season.", "Sometimes, in short showers.")
    )
    answers = [{"content": text, "parent": 0, "role": Role.ASSISTANT} for text in said]
    thanks = {"content": "谢谢！" if stage.is_chinese else "Thank you!", "parent": 2, "role": Role.USER}
    settings = Settings(
        presets=(Preset(name="Default"), Preset(name="写代码" if stage.is_chinese else "Coding", max_tokens=64))
    )
    with stage.store() as store:
        chat_id, *ids = chat(store, _question(stage), {"content": _question(stage)}, *answers, thanks)
    async with stage.app(MORE, settings=settings) as app:
        transcript = await show(app, chat_id, top=True)
        await stage.shot(app.window, "versions")
        transcript.version_requested.emit(ids[2], 2)
        await until(lambda: app.conversation.item(1).content == said[2])
        await stage.shot(app.window, "version-last")
        app.actions["regenerate_with"].trigger()
        await until(lambda: any(each.isVisible() for each in app.window.findChildren(CommandPalette)))
        await stage.shot(app.window, "regenerate-with")
        opened(CommandPalette).chosen.emit("model:stuck")
        opened(CommandPalette).close()
        await until(lambda: bool(app.window.notices.texts) and "50" in app.window.notices.texts[-1])
        await stage.shot(app.window, "other-model-loading")
        app.chats.stop()
        await until(lambda: not app.window.notices.texts)
        app.actions["regenerate_with"].trigger()
        await until(lambda: any(each.isVisible() for each in app.window.findChildren(CommandPalette)))
        finished = emitted(app.chats.answer_finished)
        opened(CommandPalette).chosen.emit("model:other")
        opened(CommandPalette).close()
        await finished
        await stage.shot(app.window, "other-model-answered")
        transcript.branch_requested.emit(app.conversation.item(1).id)
        await emitted(app.chats.chat_opened)
        await stage.shot(app.window, "branched")


async def cut_answers(stage: Stage) -> None:
    """An answer that was cut, gone on with by the model that began it and by another one."""
    begun = "五月的里斯本" if stage.is_chinese else "In May, Lisbon"
    cut = {
        "content": begun, "state": MessageState.PARTIAL, "finish_reason": FinishReason.LENGTH,
        "note": "已达到最长回答长度。" if stage.is_chinese else "The longest answer was reached.",
    }  # fmt: skip
    with stage.store() as store:
        gone, *_ = chat(store, "A", {"content": _question(stage)}, {**cut, "model_name": "Gone 7B", "effective": None})
    async with stage.app(MORE) as app:
        await show(app, gone)
        await stage.shot(app.window, "answer-cut")
        finished = emitted(app.chats.answer_finished)
        transcript_of(app).continue_requested.emit(app.conversation.item(1).id)
        await finished
        await stage.shot(app.window, "answer-continued")


async def added(stage: Stage) -> None:
    """Messages that are added without an answer: the user's own, and what the model is to have said."""
    async with stage.app() as app:
        app.composer.set_text(_question(stage))
        app.actions["add_message"].trigger()
        await until(lambda: app.conversation.rowCount() == 1)
        await stage.shot(app.window, "message-added")
        app.composer.set_text("很少。" if stage.is_chinese else "Rarely.")
        app.actions["add_answer"].trigger()
        await until(lambda: app.conversation.rowCount() == 2)
        await stage.shot(app.window, "answer-added")
        card = card_of(app, 1)
        card.show_menu(card.mapToGlobal(QPoint(420, 10)))
        await stage.shot(app.window, "added-menu")
        opened(QMenu).close()


async def undone(stage: Stage) -> None:
    """What can be taken back, each kind once, and what is told of what was done."""
    with stage.store() as store:
        made = library(store, is_chinese=stage.is_chinese)
    async with stage.app() as app:
        await until(lambda: bool(app.chat_list.chats))
        ids = [each.id for each in app.chat_list.chats]
        for name, act in (
            ("undo-archived", lambda: app.chat_list_controller.archive((ids[1],), True)),
            ("undo-archived-several", lambda: app.chat_list_controller.archive(ids[2:4], True)),
            ("undo-deleted-several", lambda: app.chat_list_controller.delete(ids[4:7])),
            ("undo-folder", lambda: app.chat_list_controller.delete_folder(made["work"].id)),
        ):
            told = emitted(app.chat_list_controller.undo_offered)
            act()
            await told
            await stage.shot(app.window, name)
        app.window.notices.dismiss("undo")
        app.settings.open()
        dialog = opened(SettingsDialog)
        dialog.show_page(dialog.presets)
        dialog.presets.add_preset(Preset(name="写代码" if stage.is_chinese else "Coding"))
        dialog.presets.remove()
        await stage.shot(dialog, "undo-preset")
        dialog.show_page(dialog.prompts)
        await stage.shot(dialog, "settings-prompts-none")
        dialog.prompts.add_prompt()
        await stage.shot(dialog, "settings-prompt-new")
        dialog.prompts.remove()
        await stage.shot(dialog, "undo-prompt")
        dialog.reject()


async def drags(stage: Stage) -> None:
    """Files over the window, over the chats, and a model's; chats over a folder."""
    note, model = Path("note.txt"), Path("Qwen3-8B-Instruct-2507-Q4_K_M.gguf")
    with stage.store() as store:
        library(store, is_chinese=stage.is_chinese)
    async with stage.app() as app:
        await until(lambda: bool(app.chat_list.chats))
        await show(app, app.chat_list.chats[1].id)
        drops = app.file_drops
        for name, place, hint, file in (
            ("drag-chats", app.sidebar, drops.over_chats, note),
            ("drag-file", app.window, drops.over_window, note),
            ("drag-model", app.window, drops.over_window, model),
        ):
            files = _files(file)
            event = QDragEnterEvent(place.rect().center(), _COPY, files, _BUTTON, _NO_KEY)
            QApplication.sendEvent(place, event)
            await stage.shot(app.window, name)
            hint.hide()
        files = _files(model)
        drop = QDropEvent(QPointF(500, 300), _COPY, files, _BUTTON, _NO_KEY)
        QApplication.sendEvent(app.window, drop)
        await stage.shot(app.window, "model-dropped")
        app.window.notices.dismiss(next(iter(app.window.notices.buttons)))
        rows, listed = app.chat_list, app.sidebar.list
        folder = next(n for n in range(rows.rowCount()) if rows.row(n).kind is RowKind.FOLDER)
        over = listed.visualRect(rows.index(folder)).center()
        dragged = rows.mimeData([rows.index(rows.row_of_chat(rows.chats[1].id) or 0)])
        for kind in (QDragEnterEvent, QDragMoveEvent):
            event = kind(over, _COPY, dragged, _BUTTON, _NO_KEY)
            QApplication.sendEvent(listed.viewport(), event)
        await stage.shot(app.window, "drag-into-folder")
        QApplication.sendEvent(listed.viewport(), QDropEvent(QPointF(over), _COPY, dragged, _BUTTON, _NO_KEY))
        await emitted(app.chat_list.modelReset)
        await stage.shot(app.window, "dropped-into-folder")


def _files(path: Path) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(folders().data / path))])
    return data


class _Words:
    """A dictionary, as a system's checker gives it."""

    def check(self, word: str) -> bool:
        return word.lower() not in ("cahce", "hodls", "kyes")

    def suggest(self, word: str) -> list[str]:
        return ["caches", "cashed", "cachet"] if word == "cahce" else ["holds"]

    def add(self, word: str) -> None:
        """Nothing is kept here."""


async def spelled(stage: Stage) -> None:
    """Misspelt words in the composer, their menu, and the settings where the system has a checker."""
    text = (
        "请解释：The cahce hodls the kyes of every layer。"
        if stage.is_chinese
        else "The cahce hodls the kyes of each layer."
    )
    known = mock.patch.object(spelling, "dictionary", lambda _language: _Words())
    listed = mock.patch.object(spelling, "languages", lambda: ["en_GB", "en_US"])
    with known, listed, mock.patch("app.settings.general_page.languages", lambda: ["en_GB", "en_US"]):
        settings = Settings(general=General(is_spelling_on=True, spelling_language="en_US"))
        async with stage.app(settings=settings) as app:
            edit = app.composer.edit
            app.composer.set_text(text + " ")
            await until(lambda: len(edit.extraSelections()) == 3)
            await stage.shot(app.window, "spelling-marks")
            marks = edit.extraSelections()  # Else the cursor in it would go away.
            place = edit.cursorRect(marks[0].cursor).center() - QPoint(8, 0)
            over = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, edit.viewport().mapToGlobal(place))
            QApplication.sendEvent(edit.viewport(), over)
            await until(lambda: any("cachet" in each.text() for each in opened(QMenu).actions()))
            await stage.shot(app.window, "spelling-menu")
            opened(QMenu).close()
            app.settings.open()
            await stage.shot(app.settings.dialog or app.window, "spelling-settings")
            close_dialogs(app)


async def drafts(stage: Stage) -> None:
    """What stands in the composer: counted and prepared while typed, an earlier message, a draft that was kept."""
    with stage.store() as store:
        first = short_chat(store, "里斯本的雨" if stage.is_chinese else "Rain in Lisbon", 60.0)
        second = short_chat(store, "行李清单" if stage.is_chinese else "Packing list", DAY)
    async with stage.app() as app:
        await show(app, first)
        app.composer.set_text(_question(stage))
        await until(lambda: bool(app.composer._counts.text()))
        app.composer.set_counts(1204, 8192, 1180)
        await stage.shot(app.window, "draft-prepared")
        app.composer.set_text("")
        QTest.keyClick(app.composer.edit, Qt.Key.Key_Up)
        await stage.shot(app.window, "draft-from-history")
        app.composer.set_text(_question(stage))
        await show(app, second)
        await show(app, first)
        await until(lambda: app.composer.text == _question(stage))
        await stage.shot(app.window, "draft-kept")


async def far_up(stage: Stage) -> None:
    """Reading far above the newest text, while an answer is being written below."""
    line = "缓存保存每一层的键和值。" if stage.is_chinese else "The cache keeps keys and values of every layer."
    turns = [{"content": " ".join([line] * (1 + 9 * (n % 2)))} for n in range(16)]
    with stage.store() as store:
        chat_id, *_ = chat(store, "KV", *turns)
    async with stage.app() as app:
        await show(app, chat_id)
        send(app, "hang")
        await until(lambda: app.conversation.rowCount() == 18 and "hang" in app.conversation.item(17).content)
        transcript_of(app).area.scroll_to_row(4)
        await stage.shot(app.window, "jump-to-end")
        app.chats.stop()
        await emitted(app.chats.answer_finished)


async def titled(stage: Stage) -> None:
    """A new chat that has got its title; one that is answered, with another one open."""
    async with stage.app() as app:
        await ask(app, "long title " + _question(stage))
        await stage.shot(app.window, "title-awaited")
        app.titles.cancel()
        chat_id = app.chats.choices.id
        named = "里斯本的天气" if stage.is_chinese else "Weather in Lisbon"
        app.chat_list_controller.rename(chat_id, named, lambda _fault: None)
        await until(lambda: app.chat_list_controller.title_of(chat_id) == named)
        app.chats.new_chat()
        await stage.shot(app.window, "titled")


async def defaults(stage: Stage) -> None:
    """Settings of a single model, before and after a change; a preset with everything changed, and its menu."""
    async with stage.app(MORE) as app:
        app.models.settings_wanted.emit("other", "Other 4B")
        dialog = opened(SettingsDialog)
        await until(lambda: len(dialog.loading.plan.texts) > 1)
        await stage.shot(dialog, "model-follows-all")
        dialog.loading.write(4096, (*LOAD, "n_ctx"))
        await stage.shot(dialog, "model-has-own")
        dialog.show_page(dialog.presets)
        sampling = Sampling(temperature=0.2, top_k=20, mirostat=2)
        dialog.presets.add_preset(Preset(name="写代码" if stage.is_chinese else "Coding", sampling=sampling))
        dialog.presets.make_default()
        menu = dialog.presets._more.menu()
        menu.popup(dialog.presets._more.mapToGlobal(QPoint(0, 30)))
        await stage.shot(dialog, "preset-more")
        menu.close()
        dialog.presets._ask_name()
        await stage.shot(dialog, "preset-rename")
        opened(TextDialog).reject()
        dialog.reject()


SCENES = (versions, cut_answers, added, undone, drags, spelled, drafts, far_up, titled, defaults)
