"""Files that are dropped onto the window: attached to the message, offered as models, or imported as chats."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QPoint, QRect

from app.chat_list.import_export_controller import ImportExportController
from app.core.settings_store import SettingsStore
from app.models.model_controller import ModelController
from app.models.model_status import display_name
from app.window.drop_overlay import DropOverlay
from app.window.main_window import MainWindow

_OFFERED_MS = 30_000


class FileDrops(QObject):
    """Over the chats files are chats; anywhere else they are for the message, and GGUF files are models."""

    def __init__(
        self,
        window: MainWindow,
        models: ModelController,
        settings_store: SettingsStore,
        import_export: ImportExportController,
    ) -> None:
        super().__init__(window)
        self._window, self._models, self._settings_store = window, models, settings_store
        theme, sidebar, edit = window.theme, window.sidebar, window.composer.edit
        self.over_chats = DropOverlay(
            theme, window, sidebar, sidebar.list.viewport(),
            area=self._sidebar_area, say=lambda _paths: self.tr("Drop to import chats"),
        )  # fmt: skip
        self.over_window = DropOverlay(theme, window, window, edit, edit.viewport(), area=self._area, say=self._say)
        self.over_chats.dropped.connect(import_export.import_from)
        self.over_window.dropped.connect(self._take)

    def _sidebar_area(self) -> QRect:
        sidebar = self._window.sidebar
        return QRect(sidebar.mapTo(self._window, QPoint()), sidebar.size())

    def _area(self) -> QRect:
        """All of the window but the chats."""
        whole = self._window.rect()
        if self._window.sidebar.isVisible():
            whole.setLeft(self._sidebar_area().right() + 1)
        return whole

    def _say(self, paths: list[Path]) -> str:
        is_model = all(map(_is_model, paths))
        return self.tr("Drop to use this model") if is_model else self.tr("Drop to attach to the message")

    def _take(self, paths: list[Path]) -> None:
        for path in filter(_is_model, paths):
            text = self.tr("{name} is a model. It can be loaded from where it is, and its folder joins your models.")
            self._window.notices.show_notice(
                text.format(name=path.name), action=self.tr("Load it"), on_action=partial(self._load, path),
                lasts_ms=_OFFERED_MS,
            )  # fmt: skip
        if files := [path for path in paths if not _is_model(path)]:
            self._window.composer.files_offered.emit(files)
        self._window.activateWindow()
        self._window.composer.setFocus()

    def _load(self, path: Path) -> None:
        known = self._settings_store.settings.models.folders
        if str(path.parent) not in known:
            self._settings_store.change("models", folders=(*known, str(path.parent)))
        self._models.load(str(path), name=display_name(path.name))


def _is_model(path: Path) -> bool:
    return path.suffix.lower() == ".gguf"
