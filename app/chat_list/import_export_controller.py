"""Chats in from other programs and out to files: asks which, works in a thread, shows how far it is, and reports."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec
from PySide6.QtCore import QObject, QTimer, Signal

from app.core.chat_database import ChatDatabase
from app.core.settings_store import SettingsStore, free_name
from app.core.tasks import run_blocking, spawn
from app.ui.file_dialog import ask_for_files, ask_for_folder, ask_where_to_save
from app.ui.notice_bar import NoticeBar
from app.ui.progress_dialog import ProgressDialog
from app.ui.quantities import format_bytes, format_count
from app.ui.theme import Theme
from engine.errors import FirstlightError
from engine.settings import Preset
from engine.store.chats import ChatStore

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from app.chat_list.export_format import ExportFormat
    from engine.store.exchange.import_report import Character, ImportProgress, ImportReport

_T = TypeVar("_T")
_LOOK_MS = 100
"""How often the progress of the thread is shown."""


class ImportExportController(QObject):
    """Signals: `failed(Failure)`, `imported(ImportReport)`, `exported(list[Path])`, `chats_changed`,
    `undone(chat_ids)`.
    """

    failed = Signal(object)
    imported = Signal(object)
    exported = Signal(object)
    chats_changed = Signal()
    undone = Signal(object)

    def __init__(
        self, parent: QWidget, theme: Theme, notices: NoticeBar, database: ChatDatabase, settings_store: SettingsStore
    ) -> None:
        """Dialogs are opened over `parent`."""
        super().__init__(parent)
        self._parent, self._theme, self._notices = parent, theme, notices
        self._database, self._settings_store = database, settings_store

    def ask_import_file(self) -> None:
        chats = self.tr("Chats and characters (*.json *.jsonl *.zip *.chat *.png *.charx)")
        ask_for_files(
            self._theme, self._parent, self.tr("Import chats from a file"), self.import_from,
            filters=(chats, self.tr("All files (*)")),
        )  # fmt: skip

    def ask_import_folder(self) -> None:
        title = self.tr("Import chats from a folder")
        ask_for_folder(self._theme, self._parent, title, lambda folder: self.import_from([folder]))

    def ask_export(self, chat_ids: Sequence[str] = ()) -> None:
        """Ask which chats, and as what; `chat_ids` are those to choose from where not all are meant."""
        self._do(partial(self._show_export, frozenset(chat_ids)))

    def ask_file(self, chat_id: str, title: str) -> None:
        """Ask for a file for one chat, whose ending says the format."""
        from app.chat_list.export_format import ExportFormat, suggested_name

        kinds = {
            self.tr("Markdown (*.md)"): ExportFormat.MARKDOWN.value,
            self.tr("Web page (*.html)"): ExportFormat.HTML.value,
            self.tr("PDF (*.pdf)"): ExportFormat.PDF.value,
            self.tr("JSON, complete (*.json)"): ExportFormat.JSON.value,
        }

        def accept(file: Path) -> None:
            ending = file.suffix.lower().removeprefix(".")
            form = next((each for each in ExportFormat if each.value == ending), ExportFormat.MARKDOWN)
            self.export_to([chat_id], file, form)

        name = suggested_name(title, ExportFormat.MARKDOWN)
        ask_where_to_save(self._theme, self._parent, self.tr("Export chat"), name, accept, kinds=kinds)

    def import_from(self, paths: Sequence[Path]) -> None:
        """Take in what these files and folders hold, one after the other."""
        for path in paths:
            self._do(partial(self._import, path))

    def export_to(self, chat_ids: Sequence[str], target: Path, form: ExportFormat) -> None:
        """Write these chats."""
        self._do(partial(self._export, chat_ids, target, form))

    def undo(self, report: ImportReport) -> None:
        """Take an import back; its chats can be restored like any deleted one."""
        self._do(partial(self._undo, report))

    def add_presets(self, characters: Sequence[Character]) -> None:
        """Keep characters as presets."""
        settings = self._settings_store.settings
        for each in characters:
            name = free_name(each.name, settings)
            added = Preset(name=name, is_named=True, system_prompt=each.system_prompt)
            settings = msgspec.structs.replace(settings, presets=(*settings.presets, added))
        self._settings_store.replace(settings)

    async def _import(self, path: Path) -> None:
        # Imported when it is needed: ten formats are nothing for a start.
        from engine.store.exchange.importer import import_chats

        store = await self._database.store()
        latest: list[ImportProgress] = []

        def show(dialog: ProgressDialog) -> None:
            if latest:
                now = latest[-1]
                fraction = now.done_bytes / now.total_bytes if now.total_bytes else None
                words = self.tr("{n} chats, {done} of {total} read", None, now.n_chats).format(
                    n=format_count(now.n_chats), done=format_bytes(now.done_bytes), total=format_bytes(now.total_bytes)
                )
                dialog.set_progress(fraction, words)

        def work(stop: threading.Event) -> ImportReport:
            def on_progress(progress: ImportProgress) -> None:
                latest[:] = [progress]

            return import_chats(store, path, on_progress=on_progress, is_cancelled=stop.is_set)

        report = await self._with_progress(self.tr("Importing {name}").format(name=path.name), work, show)
        self.chats_changed.emit()
        self._show_report(report)
        self.imported.emit(report)

    async def _export(self, chat_ids: Sequence[str], target: Path, form: ExportFormat) -> None:
        from app.chat_list.export_format import export

        store = await self._database.store()
        latest: list[tuple[int, int]] = []

        def show(dialog: ProgressDialog) -> None:
            if latest:
                done, total = latest[-1]
                words = self.tr("{n} of {total} chats written", None, total)
                dialog.set_progress(done / total, words.format(n=format_count(done), total=format_count(total)))

        def work(stop: threading.Event) -> list[Path]:
            def on_exported(done: int, total: int) -> None:
                latest[:] = [(done, total)]

            return export(store, chat_ids, target, form, on_exported=on_exported, is_cancelled=stop.is_set)

        files = await self._with_progress(self.tr("Exporting chats"), work, show)
        if files:
            where = files[0] if len(files) == 1 else target
            text = self.tr("Exported to {file}.").format(file=where)
            self._notices.show_notice(text, key="export", lasts_ms=8000)
        self.exported.emit(files)

    async def _with_progress(
        self, title: str, work: Callable[[threading.Event], _T], show: Callable[[ProgressDialog], None]
    ) -> _T:
        """Run work in a thread beside a dialog that can stop it."""
        stop = threading.Event()
        dialog = ProgressDialog(self._theme, title, self._parent)
        dialog.cancelled.connect(stop.set)
        look = QTimer(dialog)
        look.timeout.connect(lambda: None if stop.is_set() else show(dialog))
        look.start(_LOOK_MS)
        try:
            return await run_blocking(work, stop)
        finally:
            # A window that closes cancels this task: the thread must not go on without it.
            stop.set()
            dialog.finish()

    async def _undo(self, report: ImportReport) -> None:
        store = await self._database.store()

        def work() -> None:
            with store.together():
                for chat_id in report.chat_ids:
                    store.delete_chat(chat_id)

        await run_blocking(work)
        self.undone.emit(report.chat_ids)
        n = len(report.chat_ids)
        text = self.tr("The import was undone: {n} chats are gone.", None, n).format(n=format_count(n))
        self._notices.show_notice(text, key="import", lasts_ms=8000)

    def _show_report(self, report: ImportReport) -> None:
        from app.chat_list.import_report_dialog import ImportReportDialog

        dialog = ImportReportDialog(report, self._theme, self._parent)
        dialog.undo_requested.connect(lambda: self.undo(report))
        dialog.presets_requested.connect(self.add_presets)
        dialog.open()

    async def _show_export(self, meant: frozenset[str]) -> None:
        from app.chat_list.export_dialog import ExportDialog

        chats = [chat for chat in await self._database.call(ChatStore.chats) if not meant or chat.id in meant]
        if not chats:
            self._notices.show_notice(self.tr("There are no chats to export yet."), key="export", lasts_ms=8000)
            return
        dialog = ExportDialog(chats, self._parent)
        titles = {chat.id: chat.title for chat in chats}
        dialog.export_requested.connect(
            lambda ids, form: self._ask_target(ids, form, titles[ids[0]] if len(ids) == 1 else "")
        )
        dialog.open()

    def _ask_target(self, chat_ids: Sequence[str], form: ExportFormat, title: str) -> None:
        from app.chat_list.export_format import suggested_name

        def accept(target: Path) -> None:
            self.export_to(chat_ids, target, form)

        if form.is_one_file or len(chat_ids) == 1:
            name = suggested_name(title, form)
            ask_where_to_save(self._theme, self._parent, self.tr("Export chats to a file"), name, accept)
        else:
            ask_for_folder(self._theme, self._parent, self.tr("Export chats to"), accept, is_without_files=True)

    def _do(self, work: Callable[[], Awaitable[None]]) -> None:
        async def guarded() -> None:
            try:
                await work()
            except FirstlightError as error:
                self.failed.emit(error.failure)

        spawn(guarded(), owner=self, name="import or export chats")
