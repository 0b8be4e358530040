"""The window in other sizes, with long names and without entries; pointer and keyboard; files in and out."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import chat_samples as samples
import figures
import gpt4all_files
import msgspec
import texts
from app_scene import emitted, until
from chats import chat, library
from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QToolTip, QWidget
from scenes_chat import card_of, show, transcript_of
from scenes_rest import TALL, _fill, load_on_gpu
from stage import Stage, close_dialogs, opened

from app.application import Application
from app.chat_list.export_dialog import ExportDialog
from app.chat_list.export_format import ExportFormat
from app.chat_list.import_report_dialog import ImportReportDialog
from app.latency.strip_readings import StripReadings
from app.markdown.code_layout import CodeLayout
from app.settings.settings_dialog import SettingsDialog
from engine.folders import folders
from engine.protocol.events import PullProgress
from engine.protocol.records import Pull
from engine.protocol.values import Role
from engine.settings import Preset, Settings
from engine.store.chat_values import Attachment, MessageState

_SMALLEST = QSize(560, 420)


async def sizes(stage: Stage) -> None:
    """Larger text, another font, and the smallest window with everything open in it."""
    with stage.store() as store:
        library(store, is_chinese=stage.is_chinese)
    async with stage.app() as app:
        await until(lambda: bool(app.chat_list.chats))
        await show(app, app.chat_list.chats[1].id)
        app.composer.set_text("那六月呢？" if stage.is_chinese else "And in June?")
        for size in (10, 21, 24):
            app.settings_store.change("general", font_size=size)
            await stage.shot(app.window, f"text-{size}")
        app.window.toggle_panel()
        assert app.latency is not None
        assert app.latency.panel is not None
        _fill(app.latency.panel, is_gpu=True)
        await stage.shot(app.window, "text-24-panel")
        app.settings.open()
        await stage.shot(app.settings.dialog or app.window, "text-24-settings")
        close_dialogs(app)
        app.settings_store.change("general", font_size=14, font_family="Noto Serif CJK SC")
        await stage.shot(app.window, "other-font")
        app.settings_store.change("general", font_family="")
        app.window.resize(_SMALLEST)
        await stage.shot(app.window, "smallest-all")
        app.window.toggle_panel()
        await stage.shot(app.window, "smallest-chats")
        app.window.toggle_sidebar()
        app.actions["find"].trigger()
        app.find_bar.field.setText("五月" if stage.is_chinese else "May")
        await stage.shot(app.window, "smallest-find")
        app.find_bar.close_bar()
        app.actions["palette"].trigger()
        await stage.shot(app.window, "smallest-palette")


_LONG_MODEL = "Llama-3.3-70B-Instruct-with-a-name-that-goes-on-and-on-abliterated-v2"


async def long_names(stage: Stage) -> None:
    """Titles, folders, presets, models and files whose names do not fit."""
    title = "一个长得没有尽头的标题，" * 6 if stage.is_chinese else "A title that goes on and on and does not fit, " * 4
    preset = Preset(name=title[:60])
    with stage.store() as store:
        folder = store.create_folder(title[:50])
        chat_id, *_ = chat(
            store, title, {"content": "word" * 60}, {"content": "很少。" if stage.is_chinese else "Rarely."},
            {"content": "`" + "x" * 200 + "` https://example.org/" + "long/" * 40},
            {"content": "好。" if stage.is_chinese else "Yes.", "model_name": _LONG_MODEL},
            {"content": "好。", "parent": 2, "role": Role.ASSISTANT, "model_name": _LONG_MODEL},
            preset=preset.name,
        )  # fmt: skip
        chat(store, title, {"content": "?"}, {"content": "!"}, folder_id=folder.id)
    settings = Settings(presets=(Preset(name="Default"), preset))
    async with stage.app(settings=settings) as app:
        load_on_gpu(app, model_name=_LONG_MODEL, n_cpu_moe=12, n_gpu_layers=28)
        await show(app, chat_id)
        app.composer.files.add(Attachment(name=_LONG_MODEL + ".txt", text="word " * 900, n_bytes=4500))
        await stage.shot(app.window, "long-names")
        app.chat_list_controller.delete((app.chat_list.chats[1].id,))
        await emitted(app.chat_list_controller.undo_offered)
        await stage.shot(app.window, "long-name-deleted")
        app.import_export.ask_export()
        await until(lambda: any(each.isVisible() for each in app.window.findChildren(ExportDialog)))
        await stage.shot(app.window, "long-names-exported")
        close_dialogs(app)
        app.window.resize(_SMALLEST)
        await stage.shot(app.window, "long-names-smallest")
        app.settings.open(preset.name)
        dialog = opened(SettingsDialog)
        dialog.show_page(dialog.presets)
        await stage.shot(dialog, "long-names-presets")
        close_dialogs(app)


async def nothing_there(stage: Stage) -> None:
    """Lists without entries that no other scene shows."""
    with stage.store() as store:
        store.create_folder("工作" if stage.is_chinese else "Work")
    async with stage.app() as app:
        await until(lambda: bool(app.chat_list.folders))
        await stage.shot(app.window, "folder-empty")
        app.import_export.ask_export()
        await until(lambda: bool(app.window.notices.texts))
        await stage.shot(app.window, "export-nothing")


async def hints(stage: Stage) -> None:
    """What the pointer brings up: definitions of figures, names of buttons, readings of charts, a copied code block."""
    with stage.store() as store:
        chat_id, *_ = chat(
            store, "Code", {"content": "?"}, {"content": texts.CODE}, {"content": "?", "parent": 1},
            {"content": "A", "parent": 2}, {"content": "B", "parent": 2, "role": Role.ASSISTANT},
        )  # fmt: skip
    async with stage.app(size=TALL) as app:
        await show(app, chat_id, top=True)
        load_on_gpu(app)
        app.strip.set_figures(
            StripReadings(
                metrics=figures.FAST, n_context=6204, n_ctx=16384, kv_type="q8_0", hardware=figures.GPU_SAMPLE
            )
        )
        app.strip.set_alerts(figures.alerts())
        await stage.rest()
        line = app.strip
        for name, figure in (
            ("ttft", line.ttft), ("rate", line.rate), ("itl", line.itl), ("kv", line.kv), ("context", line.context),
            ("memory", line.memory), ("bandwidth", line.bandwidth), ("alerts", line.alerts),
        ):  # fmt: skip
            if figure.isVisible():
                await _point_at(stage, app, figure, f"tip-{name}")
        app.window.toggle_panel()
        assert app.latency is not None
        panel = app.latency.panel
        assert panel is not None
        _fill(panel, is_gpu=True)
        await stage.rest()
        await _point_at(stage, app, app.top_bar.chip, "tip-model")
        await _point_at(stage, app, app.composer.send, "tip-send")
        await _point_at(stage, app, app.composer._counts, "tip-tokens")
        await _point_at(stage, app, panel.gaps.timeline, "tip-timeline")
        await _point_at(stage, app, panel.percentiles.table._cells[1, 0], "tip-percentiles")
        await _point_at(stage, app, panel.ttft.bar, "tip-waterfall", QPoint(20, 5))
        card = card_of(app, 3)
        await _point_at(stage, app, card._footer, "tip-answer", QPoint(120, 8))
        card = card_of(app, 1)
        block = next(each for each in _layouts(card) if isinstance(each, CodeLayout))
        block.is_just_copied = True
        card.update()
        await stage.shot(app.window, "code-copied")
        card._footer._copy.click()
        await stage.shot(app.window, "message-copied")


def _layouts(card: Any) -> Iterator[Any]:
    for place in card.sections.shown():
        for part in place.document._parts:
            yield from part.layouts


async def _point_at(stage: Stage, app: Application, widget: QWidget, name: str, at: QPoint | None = None) -> None:
    """As when the pointer rests there."""
    at = at or widget.rect().center()
    QApplication.sendEvent(widget, QHelpEvent(QHelpEvent.Type.ToolTip, at, widget.mapToGlobal(at)))
    await stage.shot(app.window, name)
    QToolTip.hideText()


async def focus(stage: Stage) -> None:
    """Each place in the main window that Tab comes by."""
    with stage.store() as store:
        library(store, is_chinese=stage.is_chinese)
    async with stage.app(size=QSize(1180, 700)) as app:
        await until(lambda: bool(app.chat_list.chats))
        await show(app, app.chat_list.chats[1].id)
        app.window.activateWindow()
        app.composer.setFocus()
        seen: list[QWidget] = []
        while (now := QApplication.focusWidget()) is not None and now not in seen:
            seen.append(now)
            await stage.shot(app.window, f"focus-{len(seen):02}")
            QTest.keyClick(now, Qt.Key.Key_Tab)


async def menus_further(stage: Stage) -> None:
    """Menus inside of menus, of a message's contents, of the composer; formulas as they are written."""
    with stage.store() as store:
        chat_id, *_ = chat(store, "Math", {"content": "?"}, {"content": texts.MATH + "\n\n" + texts.CODE})
    async with stage.app() as app:
        await show(app, chat_id, top=True)
        bar = app.top_bar
        bar.menu.aboutToShow.emit()
        for name, text in (("formulas", app.menu.tr("Formulas in this chat")), ("colours", app.menu.tr("Colours"))):
            bar.menu.popup(bar.mapToGlobal(QPoint(bar.width() - 300, bar.height() - 6)))
            inner = next(each.menu() for each in bar.menu.actions() if each.text() == text)
            assert isinstance(inner, QMenu)
            inner.popup(bar.mapToGlobal(QPoint(bar.width() - 560, 120)))
            await stage.shot(app.window, f"menu-{name}")
            inner.close()
            bar.menu.close()
        app.actions["formulas"].trigger()
        await emitted(app.chats.chat_opened)
        transcript_of(app).area.scroll_to_row(0)
        await stage.shot(app.window, "formulas-as-written")
        app.window.activateWindow()
        app.composer.set_text("KV")
        edit = app.composer.edit
        edit.selectAll()
        menu = edit.createStandardContextMenu()
        menu.popup(edit.mapToGlobal(QPoint(20, -200)))
        await stage.shot(app.window, "composer-menu")
        menu.close()
        menu.deleteLater()


async def sources(stage: Stage) -> None:
    """Chats of other programs: what is told of them, and how they stand here afterwards."""
    folder = folders().data
    folder.mkdir(parents=True, exist_ok=True)
    async with stage.app() as app:
        for name, file in _exports_of_others(folder).items():
            imported = asyncio.ensure_future(emitted(app.import_export.imported))
            await asyncio.sleep(0)
            app.import_export.import_from([file])
            (report,) = await imported
            await stage.shot(app.window, f"source-{name}")
            opened(ImportReportDialog).reject()
            if report.chat_ids:
                await show(app, report.chat_ids[0])
                await stage.shot(app.window, f"source-{name}-chat")
        undone = emitted(app.import_export.undone)
        app.import_export.undo(report)
        await undone
        await stage.shot(app.window, "import-undone")


def _exports_of_others(folder: Path) -> dict[str, Path]:
    jan = folder / "threads"
    samples.write_json(jan / "jan-1" / "thread.json", samples.JAN_THREAD)
    samples.write_lines(jan / "jan-1" / "messages.jsonl", samples.JAN_MESSAGES)
    samples.write_json(folder / "conversations" / "Fun" / "1750.conversation.json", samples.LM_STUDIO)
    return {
        "chatgpt": samples.write_zip(folder / "chatgpt.zip", {"conversations.json": [samples.CHATGPT]}),
        "claude": samples.write_json(folder / "claude.json", [samples.CLAUDE]),
        "lm-studio": folder / "conversations", "jan": jan,
        "gpt4all": gpt4all_files.write(folder / "gpt4all-1.chat", 12),
        "open-webui": samples.write_json(folder / "open-webui.json", [samples.OPEN_WEBUI]),
        "silly-tavern": samples.write_lines(folder / "Ada.jsonl", samples.SILLY_TAVERN),
        "openai": samples.write_json(folder / "messages.json", samples.OPENAI),
        "character": samples.write_json(folder / "character.json", samples.CARD_V2),
        "sharegpt": samples.write_json(folder / "sharegpt.json", samples.SHAREGPT),
    }  # fmt: skip


async def exports(stage: Stage) -> None:
    """What an export says, and the files themselves."""
    body = "\n\n".join((texts.MARKDOWN_ZH if stage.is_chinese else texts.MARKDOWN, texts.MATH, texts.CODE))
    thought = texts.REASONING_ZH if stage.is_chinese else texts.REASONING
    title = "里斯本的天气" if stage.is_chinese else "Weather in Lisbon"
    stopped = "已由您停止。" if stage.is_chinese else "Stopped by you."
    with stage.store() as store:
        chat_id, *_ = chat(
            store, title, {"content": title, "attachments": (Attachment(name="notes.md", text="# Notes\n\n- rain"),)},
            {"content": body, "reasoning": thought, "reasoning_seconds": 1.8},
            {"content": "KV?"},
            {"content": "…", "state": MessageState.PARTIAL, "note": stopped, "finish_reason": "cancelled"},
            system_prompt="请简短回答。" if stage.is_chinese else "Answer briefly.",
        )  # fmt: skip
    async with stage.app() as app:
        await show(app, chat_id)
        for form in ExportFormat:
            written = asyncio.ensure_future(emitted(app.import_export.exported))
            await asyncio.sleep(0)
            target = folders().data / f"{title}.{form.value}"
            app.import_export.export_to([chat_id], target, form)
            await written
            stage.keep(target, f"export.{form.value}")
        await stage.shot(app.window, "exported")


async def downloading(stage: Stage) -> None:
    """The line in the sidebar while models come, and when one has stopped."""
    going = Pull(
        pull_id="a", repo="owner/Qwen3-14B-GGUF", files=("Qwen3-14B-Instruct-2507-Q4_K_M.gguf",), state="running",
        done_bytes=3_870_000_000, total_bytes=9_000_000_000, rate=48_300_000.0, seconds_left=106.0,
    )  # fmt: skip
    async with stage.app(size=QSize(1180, 560)) as app:
        tell = app.client.deliver
        tell(PullProgress(pull=going))
        await stage.shot(app.window, "download-line")
        tell(PullProgress(pull=msgspec.structs.replace(going, pull_id="b", state="verifying")))
        await stage.shot(app.window, "download-line-several")


SCENES = (
    sizes, long_names, nothing_there, hints, focus, menus_further, sources, exports, downloading,
)  # fmt: skip
