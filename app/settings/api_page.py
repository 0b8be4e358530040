"""Settings: the local API, for other programs on this computer."""

from __future__ import annotations

import secrets

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QLineEdit, QPushButton

from app.core.settings_store import SettingsStore
from app.settings.settings_form import SettingsPage, in_row
from app.ui.announcement import announce
from app.ui.theme import Theme

_TOKEN = ("api", "token")


class ApiPage(SettingsPage):
    def __init__(self, store: SettingsStore, theme: Theme) -> None:
        super().__init__(store, theme)
        self.set_title(
            self.tr("Local API"),
            self.tr(
                "Lets other programs use your models the way they use OpenAI's: chat, completions, embeddings, the "
                "list of models, and a page of figures for Prometheus. It is there while Firstlight is open; "
                "“python -m engine serve” serves the same without a window."
            ),
        )
        self.add_switch(("api", "is_on"), self.tr("Serve the API"))
        self._status = QLabel()
        self._status.setWordWrap(True)
        self._status.setTextFormat(Qt.TextFormat.PlainText)
        self._status.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._status.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.copy_button = QPushButton(self.tr("Copy"))
        self.copy_button.setAccessibleName(self.tr("Copy the address"))
        self.copy_button.clicked.connect(lambda: QGuiApplication.clipboard().setText(self._address))
        self.add_row(self.tr("State"), in_row(self._status, self.copy_button, wide=self._status), is_wide=True)
        self.add_line(
            ("api", "host"),
            self.tr("Address"),
            self.tr("127.0.0.1 is this computer only. Any other lets the network in, and then needs a token."),
        )
        self.add_whole(("api", "port"), self.tr("Port"), 1, 65535).setGroupSeparatorShown(False)
        self._add_token()
        self.set_state("", "")

    @property
    def status(self) -> str:
        return self._status.text()

    def set_state(self, address: str, problem: str) -> None:
        """Where it is served, or why it is not; both empty when it is off."""
        self._address = f"{address}/v1" if address else ""
        text = problem or self._address or self.tr("Off")
        if text != self._status.text():
            announce(self, text)
        self._status.setText(text)
        self._status.setStyleSheet(f"color: {self.theme.tokens.warn};" if problem else "")
        self.copy_button.setVisible(bool(address))

    def _add_token(self) -> None:
        token = QLineEdit()
        token.setAccessibleName(self.tr("Token"))
        token.setPlaceholderText(self.tr("None is asked for"))
        make = QPushButton(self.tr("Make one"))
        make.setAccessibleName(self.tr("Make a token"))
        make.clicked.connect(lambda: self.write(secrets.token_urlsafe(24), _TOKEN))
        self.bind(token, _TOKEN, token.setText)
        token.editingFinished.connect(lambda: self.write(token.text().strip(), _TOKEN))
        self.add_row(
            self.tr("Token"),
            in_row(token, make, wide=token),
            self.tr("Programs send it as Authorization: Bearer TOKEN."),
            is_wide=True,
        )
