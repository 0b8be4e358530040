"""What opens over the chat: menus, lists, dialogs of import and export."""

from __future__ import annotations

from app_scene import emitted, until
from chats import DAY, chat, library
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QDialog, QMenu
from stage import Stage, close_dialogs, opened

from app.chat_list.import_report_dialog import ImportReportDialog
from app.models.model_status import ModelState, ModelStatus
from app.ui.command_palette import CommandPalette
from app.ui.progress_dialog import ProgressDialog
from engine.errors import Code, Failure
from engine.protocol.values import ContextPolicy
from engine.settings import Preset, PromptTemplate, Settings
from engine.store.chats import ChatStore
from engine.store.exchange.import_report import Character, ImportReport, Loss
from engine.translatable import sentence


async def menus(stage: Stage) -> None:
    settings = Settings(presets=(Preset(name="Default"), Preset(name="写代码" if stage.is_chinese else "Coding")))
    with stage.store() as store:
        library(store, is_chinese=stage.is_chinese)
    async with stage.app(settings=settings) as app:
        await until(lambda: bool(app.chat_list.chats))
        app.chats.open_chat(app.chat_list.chats[1].id)
        await emitted(app.chats.chat_opened)
        bar = app.top_bar
        bar.menu.popup(bar.mapToGlobal(QPoint(bar.width() - 300, bar.height() - 6)))
        await stage.shot(app.window, "window-menu")
        policies = next(action.menu() for action in bar.menu.actions() if action.menu())
        assert isinstance(policies, QMenu)
        policies.popup(bar.mapToGlobal(QPoint(bar.width() - 560, 90)))
        await stage.shot(app.window, "context-policies")
        policies.close()
        bar.menu.close()
        bar._presets.popup(bar.mapToGlobal(QPoint(bar.width() - 200, bar.height() - 6)))
        await stage.shot(app.window, "preset-menu")
        bar._presets.close()


async def lists(stage: Stage) -> None:
    """Command palette, keys, models, prompts."""
    async with stage.app() as app:
        app.actions["palette"].trigger()
        await stage.shot(app.window, "command-palette")
        opened(CommandPalette).field.setText("对话" if stage.is_chinese else "chat")
        await stage.shot(app.window, "command-palette-typed")
        opened(CommandPalette).field.setText("zebra")
        await stage.shot(app.window, "command-palette-nothing")
        opened(CommandPalette).close()
        app.actions["shortcuts"].trigger()
        await stage.shot(app.window, "shortcuts-help")
        opened(CommandPalette).close()
        app.models.refresh()
        await emitted(app.models.models_listed)
        await stage.shot(app.window, "model-picker")
        opened(CommandPalette).close()
        app.prompt_library.show()
        await stage.shot(app.window, "prompts-none")
        opened(CommandPalette).close()
        app.prompt_library.add("Summarise in three sentences:")
        await stage.shot(app.window, "prompt-added")


async def prompts(stage: Stage) -> None:
    blanks = "翻译成{{语言}}：\n\n{{文本}}" if stage.is_chinese else "Into {{language}}:\n\n{{text}}"
    settings = Settings(
        prompts=(
            PromptTemplate(name="翻译" if stage.is_chinese else "Translate", text=blanks),
            PromptTemplate(name="总结" if stage.is_chinese else "Summarise", text="Summarise in three sentences:"),
        ),
    )
    async with stage.app(settings=settings) as app:
        app.prompt_library.show()
        await stage.shot(app.window, "prompts")
        opened(CommandPalette).close()
        app.prompt_library.insert(blanks)
        await stage.shot(app.window, "prompt-form")
        close_dialogs(app)


async def chat_dialogs(stage: Stage) -> None:
    """What the model sees, the system prompt, the summary of earlier turns."""
    said = ("里斯本五月下雨吗？", "很少。") if stage.is_chinese else ("Does it rain in Lisbon in May?", "Rarely.")
    system = "请简短回答。" if stage.is_chinese else "Answer briefly."
    turns = [{"content": said[number % 2]} for number in range(6)]
    with stage.store() as store:
        chat_id, *ids = chat(
            store, said[0], *turns, system_prompt=system, context_policy=ContextPolicy.SUMMARISE, age=DAY
        )
        store.add_summary(chat_id, "用户询问里斯本的天气。" if stage.is_chinese else "Rain in Lisbon in May.", ids[1])
    async with stage.app() as app:
        app.chats.open_chat(chat_id)
        await emitted(app.chats.chat_opened)
        await stage.shot(app.window, "earlier-turns-summarised")
        app.menu.show_prompt()
        await until(lambda: any(each.isVisible() for each in app.window.findChildren(QDialog)))
        await stage.shot(app.window, "what-the-model-sees")
        close_dialogs(app)
        app.menu.edit_system_prompt()
        await stage.shot(app.window, "system-prompt")
        close_dialogs(app)
        app.menu.edit_summary()
        await stage.shot(app.window, "summary-edited")
        close_dialogs(app)


async def import_export(stage: Stage) -> None:
    """Import with its report, export, and how far they are."""
    with stage.store() as store:
        library(store, is_chinese=stage.is_chinese)
    async with stage.app() as app:
        report = ImportReport(
            n_chats=12, n_messages=340, n_duplicates=2, n_skipped=1, chat_ids=("a",),
            problems=(
                sentence(Loss.IMAGES, n=14),
                sentence("{name} could not be read ({reason}).", name="trip.json", reason="Permission denied"),
            ),
            characters=(Character(name="Ada", system_prompt="x"), Character(name="Bob", system_prompt="y")),
        )  # fmt: skip
        app.import_export._show_report(report)
        await stage.shot(app.window, "import-report-full")
        opened(ImportReportDialog).reject()
        app.import_export._show_report(ImportReport(n_chats=1, n_messages=2, chat_ids=("a",)))
        await stage.shot(app.window, "import-report-short")
        opened(ImportReportDialog).reject()
        progress = ProgressDialog(app.theme, app.import_export.tr("Exporting chats"), app.window)
        words = app.import_export.tr("{n} chats, {done} of {total} read", None, 120).format(
            n=120, done="31 MB", total="84 MB"
        )
        progress.set_progress(0.37, words)
        progress.open()
        await stage.shot(app.window, "import-progress")
        progress.finish()
        app.import_export.ask_export()
        await until(lambda: any(each.isVisible() for each in app.window.findChildren(QDialog)))
        await stage.shot(app.window, "export-dialog")
        close_dialogs(app)
        chats = await app.database.call(ChatStore.chats)
        app.import_export.ask_file(chats[0].id, chats[0].title)
        await stage.shot(app.window, "export-file")
        close_dialogs(app)


async def model_states(stage: Stage) -> None:
    """The welcome of an empty chat in each of the model's states."""
    async with stage.app() as app:
        failure = Failure(code=Code.OUT_OF_MEMORY, message="Not enough memory.", advice="Choose a smaller one.")
        for name, status in (
            ("model-loading", ModelStatus(ModelState.LOADING, name="SmolLM2 135M", fraction=0.4)),
            ("model-cold", ModelStatus()),
            ("model-failed", ModelStatus(ModelState.FAILED, name="Qwen3 8B", failure=failure)),
        ):
            app._on_model_status(status)
            await stage.shot(app.window, name)


SCENES = (menus, lists, prompts, chat_dialogs, import_export, model_states)
