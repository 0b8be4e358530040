"""The model manager's window: three pages under one heading that says what this machine has."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QFileDialog, QFrame, QHBoxLayout, QLabel, QStackedWidget, QTabBar, QVBoxLayout, QWidget

from app.models.downloads_model import DownloadsModel
from app.models.downloads_page import DownloadsPage
from app.models.find_page import FindPage
from app.models.local_page import LocalPage
from app.ui.file_dialog import file_dialog
from app.ui.notice_bar import NoticeBar
from app.ui.quantities import format_bytes, format_bytes_of
from app.ui.theme import Theme

LOCAL, FIND, DOWNLOADS = range(3)


class ModelManager(QWidget):
    """Holds the pages; the controllers fill them. `folder_chosen(path)` is one with models."""

    folder_chosen = Signal(str)

    def __init__(self, theme: Theme, downloads: DownloadsModel, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setObjectName("modelManager")
        self.setWindowTitle(self.tr("Models"))
        self.resize(1340, 820)
        self.theme = theme
        self.local = LocalPage(theme)
        self.search = FindPage(theme, downloads)
        self.downloads = DownloadsPage(theme, downloads)
        for found_empty in (self.local, self.downloads):
            found_empty.find_requested.connect(lambda: self.show_page(FIND))
        self.local.folder_requested.connect(self._choose_folder)
        self._title = QLabel(self.tr("Models"))
        self._machine = QLabel()
        self._machine.setObjectName("dim")
        head = QHBoxLayout()
        head.addWidget(self._title)
        head.addStretch(1)
        head.addWidget(self._machine)
        self._tabs = QTabBar()
        self._tabs.setObjectName("tabs")
        self._tabs.setDrawBase(False)
        self._tabs.setExpanding(False)
        self._tabs.setAccessibleName(self.tr("Pages"))
        self._pages = QStackedWidget()
        for page, name in (
            (self.local, self.tr("On this computer")),
            (self.search, self.tr("Find")),
            (self.downloads, self.tr("Downloads")),
        ):
            self._pages.addWidget(page)
            self._tabs.addTab(name)
        self._tabs.currentChanged.connect(self._pages.setCurrentIndex)
        self._tabs.currentChanged.connect(self._on_page)
        self.notices = NoticeBar(theme)
        line = QFrame()
        line.setObjectName("line")
        line.setFixedHeight(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(28, 22, 28, 22)
        column.setSpacing(0)
        column.addLayout(head)
        column.addSpacing(16)
        column.addWidget(self._tabs)
        column.addWidget(line)
        column.addWidget(self.notices)
        column.addSpacing(18)
        column.addWidget(self._pages, 1)
        QShortcut(QKeySequence.StandardKey.Close, self, self.close)
        theme.changed.connect(self._restyle)
        self._restyle()

    def show_page(self, page: int) -> None:
        """Open at LOCAL, FIND or DOWNLOADS."""
        self._tabs.setCurrentIndex(page)
        self.show()
        self.raise_()
        self.activateWindow()

    def set_counts(self, n_models: int, n_pulls: int) -> None:
        """The numbers beside the pages' names."""
        local, downloads = self.tr("On this computer"), self.tr("Downloads")
        for tab, name, n in ((LOCAL, local, n_models), (DOWNLOADS, downloads, n_pulls)):
            text = f"{name} · {n}" if n else name
            if text != self._tabs.tabText(tab):  # The same text would be laid out anew.
                self._tabs.setTabText(tab, text)

    def set_machine(
        self, device: str, free_bytes: int, total_bytes: int, bandwidth: float | None, disk_free_bytes: int
    ) -> None:
        """One line: device, free memory, bandwidth, free disk."""
        facts = [device] if device else []
        if total_bytes:
            free, total = format_bytes_of(free_bytes, total_bytes)
            facts.append(self.tr("{free} of {total} free").format(free=free, total=total))
        if bandwidth:
            facts.append(self.tr("{rate}/s").format(rate=format_bytes(bandwidth)))
        if disk_free_bytes:
            facts.append(self.tr("{size} free on disk").format(size=format_bytes(disk_free_bytes)))
        self._machine.setText(" · ".join(facts))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape takes a search back, or closes the window; what runs here goes on without it."""
        if event.key() != Qt.Key.Key_Escape:
            super().keyPressEvent(event)
        elif self.search.field.hasFocus() and self.search.field.text():
            self.search.clear_search()
        else:
            self.close()

    def _choose_folder(self) -> None:
        dialog = file_dialog(self.theme, self, self.tr("Add a folder with models"))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.fileSelected.connect(self.folder_chosen)
        dialog.open()

    def _on_page(self, page: int) -> None:
        if page == FIND:
            self.search.field.setFocus()

    def _restyle(self) -> None:
        tokens = self.theme.tokens
        # A window of its own takes neither palette nor font from its parent.
        self.setPalette(self.theme.palette())
        self.setFont(self.theme.font(-1))
        self._title.setFont(self.theme.font(4, is_bold=True))
        self._machine.setFont(self.theme.font(0))
        self._tabs.setFont(self.theme.font(0))
        self.setStyleSheet(
            f"#modelManager {{ background: {tokens.bg}; }} #line {{ background: {tokens.line}; border: none; }}"
            f"#modelCard {{ background: {tokens.card}; border: 1px solid {tokens.line}; border-radius: 10px; }}"
            "QTabBar::tab { background: transparent; border: none; border-bottom: 2px solid transparent;"
            f" padding: 8px 0; margin-right: 22px; color: {tokens.dim}; }}"
            f"QTabBar::tab:selected {{ color: {tokens.ink}; border-bottom-color: {tokens.accent}; }}"
            f"QTabBar::tab:focus {{ color: {tokens.accent}; }}"
            "#filter { padding: 3px 2px 3px 8px; border-radius: 7px; } #filter::drop-down { width: 18px; }"
            "#quantizations { selection-background-color: transparent; }"
            f"#quantizations, #quantizations QHeaderView {{ background: {tokens.card}; border: none; }}"
            f"#quantizations QHeaderView::section {{ background: {tokens.card}; color: {tokens.faint}; border: none;"
            f" border-bottom: 1px solid {tokens.line}; padding: 6px 8px; font-weight: normal;"
            f" font-size: {self.theme.font_size - 2}px; }}"
            f"QSlider::groove:horizontal {{ height: 4px; border-radius: 2px; background: {tokens.p6}; }}"
            f"QSlider::sub-page:horizontal {{ background: {tokens.accent}; border-radius: 2px; }}"
            f"QSlider::handle:horizontal {{ background: {tokens.card}; border: 2px solid {tokens.accent};"
            " width: 10px; height: 10px; margin: -5px 0; border-radius: 7px; }"
            f"QSlider::handle:horizontal:focus {{ background: {tokens.accent}; }}"
            f"#choice {{ background: transparent; color: {tokens.ink}; border: 1px solid {tokens.line};"
            " border-radius: 13px; padding: 4px 13px; }"
            f"#choice:checked {{ color: {tokens.accent}; border-color: {tokens.accent}; }}"
            f"#choice:focus {{ border-color: {tokens.ink}; }}"
        )
