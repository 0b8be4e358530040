"""Settings: the user's own data, in and out, and where everything lies."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QLabel, QPushButton

from app.core.settings_store import SettingsStore
from app.settings.settings_form import SettingsPage, in_row
from app.ui.quantities import format_bytes
from app.ui.theme import Theme


class DataPage(SettingsPage):
    """Signals: `import_requested`, `import_folder_requested`, `export_requested`, `backup_requested`,
    `snapshots_clear_requested`.
    """

    import_requested = Signal()
    import_folder_requested = Signal()
    export_requested = Signal()
    backup_requested = Signal()
    snapshots_clear_requested = Signal()

    def __init__(self, store: SettingsStore, theme: Theme, places: Sequence[tuple[str, Path]]) -> None:
        super().__init__(store, theme)
        self.set_title(self.tr("Data"), self.tr("All of it lies on this computer. Nothing is sent anywhere."))
        self.add_heading(self.tr("Chats"))
        self._buttons(
            self.tr("Import"),
            self.tr(
                "From Firstlight, ChatGPT, Claude, LM Studio, Jan, GPT4All, Open WebUI, SillyTavern, and lists of "
                "messages. A file can also be dropped onto the list of chats."
            ),
            (self.tr("A file…"), self.import_requested),
            (self.tr("A folder…"), self.import_folder_requested),
        )
        self._buttons(
            self.tr("Export"),
            self.tr("As Markdown, HTML, PDF, or JSON, which holds everything, branches and figures included."),
            (self.tr("Export chats…"), self.export_requested),
        )
        self._buttons(
            self.tr("Backup"),
            self.tr("A copy of the database as it is now; chats go on meanwhile."),
            (self.tr("Back up…"), self.backup_requested),
        )
        self.add_heading(self.tr("KV snapshots"))
        self._size = QLabel(self.tr("…"))
        self._clear = QPushButton(self.tr("Clear"))
        self._clear.setAccessibleName(self.tr("Clear the KV snapshots"))
        self._clear.clicked.connect(self.snapshots_clear_requested)
        self.add_row(
            self.tr("On disk"),
            in_row(self._size, self._clear),
            self.tr("Without them, opening an old chat costs one prefill again."),
            is_wide=True,
        )
        self.add_heading(self.tr("Where files are kept"))
        for title, path in places:
            self._place(title, path)

    def set_snapshot_bytes(self, size: int) -> None:
        """How much the snapshots take on disk."""
        self._size.setText(format_bytes(size) if size else self.tr("none"))
        self._clear.setEnabled(size > 0)

    def _buttons(self, label: str, hint: str, *buttons: tuple[str, object]) -> None:
        made = []
        for text, signal in buttons:
            button = QPushButton(text)
            button.setAccessibleName(self.tr("{what}: {how}").format(what=label, how=text))
            button.clicked.connect(signal)
            made.append(button)
        self.add_row(label, in_row(*made), hint, is_wide=True)

    def _place(self, title: str, path: Path) -> None:
        where = QLabel(str(path))
        where.setObjectName("dim")
        where.setWordWrap(True)
        where.setTextFormat(Qt.TextFormat.PlainText)
        where.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        show = QPushButton(self.tr("Show folder"))
        show.setAccessibleName(self.tr("Show the folder of: {place}").format(place=title))
        show.setAccessibleDescription(str(path))
        show.clicked.connect(lambda: _show_folder(path))
        self.add_row(title, in_row(where, show, wide=where), is_wide=True)


def _show_folder(path: Path) -> None:
    """Open a place in the file manager: the nearest folder that exists."""
    folder = path
    while not folder.is_dir() and folder != folder.parent:
        folder = folder.parent
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))
