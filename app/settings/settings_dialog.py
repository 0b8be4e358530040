"""The settings: pages in a list on the left; every change takes effect at once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QCloseEvent, QKeyEvent
from PySide6.QtWidgets import QDialog, QHBoxLayout, QListWidget, QStackedWidget, QVBoxLayout, QWidget

from app.core.settings_store import SettingsStore
from app.settings.about_page import AboutPage
from app.settings.api_page import ApiPage
from app.settings.data_page import DataPage
from app.settings.general_page import GeneralPage
from app.settings.loading_page import LoadingPage
from app.settings.models_page import ModelsPage
from app.settings.performance_page import PerformancePage
from app.settings.presets_page import PresetsPage
from app.settings.prompts_page import PromptsPage
from app.settings.settings_form import SettingsPage
from app.settings.shortcuts_page import ShortcutsPage
from app.settings.thresholds_page import ThresholdsPage
from app.ui.theme import Theme

_LIST_WIDTH, _LIST_MARGINS = 176, 46
"""Pixels of the list of pages, which grows with larger text, and beside its items."""


class SettingsDialog(QDialog):
    """Holds the pages; opened with open(), so that the window goes on behind it."""

    def __init__(
        self, store: SettingsStore, theme: Theme, places: Sequence[tuple[str, Path]], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("settingsDialog")
        self.setWindowTitle(self.tr("Settings"))
        self.resize(860, 640)
        self.setMinimumSize(720, 420)
        self._theme = theme
        self.general = GeneralPage(store, theme)
        self.models = ModelsPage(store, theme)
        self.loading = LoadingPage(store, theme)
        self.performance = PerformancePage(store, theme)
        self.presets = PresetsPage(store, theme)
        self.prompts = PromptsPage(store, theme)
        self.thresholds = ThresholdsPage(store, theme)
        self.api = ApiPage(store, theme)
        self.shortcuts = ShortcutsPage(store, theme)
        self.data = DataPage(store, theme, places)
        self.about = AboutPage(store, theme)
        self.pages: tuple[SettingsPage, ...] = (
            self.general, self.models, self.loading, self.performance, self.presets, self.prompts, self.thresholds,
            self.api, self.shortcuts, self.data, self.about,
        )  # fmt: skip
        self._list = QListWidget()
        self._list.setObjectName("settingsPages")
        self._list.setAccessibleName(self.tr("Pages"))
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._stack = QStackedWidget()
        for page in self.pages:
            self._list.addItem(page.title)
            self._stack.addWidget(page)
        self._list.currentRowChanged.connect(self._on_page)
        right = QVBoxLayout()
        right.setContentsMargins(24, 0, 6, 0)
        right.addWidget(self._stack)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self._list)
        row.addLayout(right, 1)
        theme.changed.connect(self._restyle)
        self._restyle()
        self._list.setCurrentRow(0)

    def show_page(self, page: SettingsPage) -> None:
        self._list.setCurrentRow(self.pages.index(page))

    def done(self, result: int) -> None:
        self.flush()
        super().done(result)

    def closeEvent(self, event: QCloseEvent) -> None:
        self.flush()
        super().closeEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter ends what is typed in a field: there is no button that it could press."""
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)

    def flush(self) -> None:
        """Write what is still being typed."""
        for page in self.pages:
            page.flush()

    def _on_page(self, row: int) -> None:
        self.flush()
        self._stack.setCurrentIndex(row)

    def _restyle(self) -> None:
        tokens = self._theme.tokens
        self.setPalette(self._theme.palette())
        self.setFont(self._theme.font(-1))
        self._list.setFixedWidth(max(_LIST_WIDTH, self._list.sizeHintForColumn(0) + _LIST_MARGINS))
        self.setStyleSheet(
            f"#settingsPage, #settingsBody {{ background: {tokens.bg}; }}"
            f"#settingsPages, #settingsPages:focus {{ background: {tokens.side}; border: none;"
            f" border-right: 1px solid {tokens.line}; padding: 14px 8px; }}"
            f"#settingsPages::item {{ color: {tokens.dim}; padding: 7px 10px; border-radius: 7px; }}"
            f"#settingsPages::item:selected {{ background: {tokens.accent_soft}; color: {tokens.ink}; }}"
            f"#settingsPages::item:selected:focus {{ border: 1px solid {tokens.accent}; }}"
        )
