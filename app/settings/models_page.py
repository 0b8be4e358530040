"""Settings: where models lie, and how the hub is reached."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QLineEdit, QPushButton

from app.core.settings_store import SettingsStore
from app.settings.settings_form import SettingsPage, in_row
from app.settings.text_list import TextList
from app.ui.announcement import announce
from app.ui.file_dialog import ask_for_folder
from app.ui.theme import Theme

_FOLDERS = ("models", "folders")
_DOWNLOADS = ("models", "download_folder")


class ModelsPage(SettingsPage):
    """`token_changed(str)`: keep this hub token, or forget it when it is empty."""

    token_changed = Signal(str)

    def __init__(self, store: SettingsStore, theme: Theme) -> None:
        super().__init__(store, theme)
        self.set_title(self.tr("Models"))
        self.add_heading(self.tr("On this computer"))
        self.folders = TextList(theme, name=self.tr("Folders with models"), add_text=self.tr("Add a folder…"))
        self.folders.set_placeholder(self.tr("None beside Firstlight's own, the hub cache, LM Studio's and Ollama's."))
        self.bind(self.folders, _FOLDERS, self.folders.set_texts)
        self.folders.changed.connect(lambda texts: self.write(texts, _FOLDERS))
        self.folders.add_requested.connect(lambda: self._ask_folder(self.tr("Folder with models"), self.folders.add))
        hint = self.tr("Models there are used in place.")
        self.add_row(self.tr("More folders"), self.folders, hint, is_wide=True, is_high=True)
        self._add_download_folder()
        self.add_heading(self.tr("The hub"))
        self.add_switch(
            ("models", "is_offline"), self.tr("Stay offline"), self.tr("Nothing is searched or downloaded.")
        )
        self.add_line(
            ("models", "hub_endpoint"),
            self.tr("Address"),
            self.tr("A mirror, such as https://hub.example.org; empty for the public hub."),
            placeholder=self.tr("The public hub"),
        )
        self.add_line(
            ("models", "proxy"),
            self.tr("Proxy"),
            self.tr("Empty: as the system."),
            placeholder="http://proxy.example.org:3128",
        )
        self._add_token()

    def show_token_result(self, text: str, *, is_warning: bool = False) -> None:
        """Whether the token was kept, in a sentence that may stand below what is seen of the page."""
        self._token_note.setText(text)
        color = self.theme.tokens.warn if is_warning else self.theme.tokens.dim
        self._token_note.setStyleSheet(f"color: {color};")
        self.show_part(self._token_note)
        announce(self, text)

    def _add_download_folder(self) -> None:
        folder = QLineEdit()
        folder.setPlaceholderText(self.tr("Firstlight's data folder"))
        folder.setAccessibleName(self.tr("Download to"))
        choose = QPushButton(self.tr("Choose…"))
        choose.setAccessibleName(self.tr("Choose the folder to download to"))
        self.bind(folder, _DOWNLOADS, folder.setText)
        folder.editingFinished.connect(lambda: self.write(folder.text().strip(), _DOWNLOADS))
        choose.clicked.connect(
            lambda: self._ask_folder(self.tr("Download to"), lambda text: self.write(text, _DOWNLOADS))
        )
        self.add_row(self.tr("Download to"), in_row(folder, choose, wide=folder), is_wide=True)

    def _add_token(self) -> None:
        self.token = QLineEdit()
        self.token.setEchoMode(QLineEdit.EchoMode.Password)
        self.token.setAccessibleName(self.tr("Token"))
        self.token.setPlaceholderText(self.tr("Paste a token"))
        keep, forget = QPushButton(self.tr("Keep")), QPushButton(self.tr("Forget"))
        keep.setEnabled(False)
        keep.setAccessibleName(self.tr("Keep the token"))
        forget.setAccessibleName(self.tr("Forget the token"))
        self.token.textChanged.connect(lambda text: keep.setEnabled(bool(text.strip())))
        keep.clicked.connect(self._keep_token)
        self.token.returnPressed.connect(self._keep_token)
        forget.clicked.connect(lambda: self.token_changed.emit(""))
        self.add_row(
            self.tr("Token"),
            in_row(self.token, keep, forget, wide=self.token),
            self.tr("For models whose licence has to be accepted first. It is kept in the system's keyring only."),
            is_wide=True,
        )
        self._token_note = QLabel()
        self._token_note.setObjectName("dim")
        self._token_note.setTextFormat(Qt.TextFormat.PlainText)
        self._token_note.setWordWrap(True)
        self.add_row("", self._token_note, is_wide=True)

    def _keep_token(self) -> None:
        if text := self.token.text().strip():
            self.token.clear()
            self.token_changed.emit(text)

    def _ask_folder(self, title: str, accept: Callable[[str], object]) -> None:
        ask_for_folder(self.theme, self, title, lambda folder: accept(str(folder)), is_without_files=True)
