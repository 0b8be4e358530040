"""Downloads: a view of the DownloadsModel, with progress, speed and time left, and what can be done with each."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.core.engine_texts import failure_text
from app.models.downloads_model import DownloadsModel
from app.models.empty_page import EmptyPage
from app.models.line_list import LineList
from app.ui.announcement import announce
from app.ui.icon_button import IconButton
from app.ui.quantities import format_bytes
from app.ui.theme import Theme


class DownloadsPage(QWidget):
    """Signals carry the pull_id."""

    pause_requested = Signal(str)
    resume_requested = Signal(str)
    cancel_requested = Signal(str)
    chat_requested = Signal(str)
    """Load what has arrived, and go to the chat."""
    find_requested = Signal()
    """Show where models are searched."""
    clean_requested = Signal()
    """Delete the parts that belong to no download."""

    def __init__(self, theme: Theme, downloads: DownloadsModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = downloads
        self._answering: Collection[str] = ()
        self.list = LineList(theme, self.tr("Downloads"), downloads, has_bars=True)
        self.list.selected.connect(lambda _key: self._show_actions())
        self.list.opened.connect(lambda _key: self._open())
        self._empty = EmptyPage(theme, self.tr("Nothing is being downloaded."))
        self._empty.add_button(self.tr("Find a model")).clicked.connect(self.find_requested)
        self._theme = theme
        self._sentence = QLabel()
        self._sentence.setWordWrap(True)
        self._sentence.setTextFormat(Qt.TextFormat.PlainText)
        theme.changed.connect(self._restyle)
        self._restyle()
        self.chat_button = IconButton(theme, "", self.tr("Load and chat"), kind="primary")
        self._pause = IconButton(theme, "", self.tr("Pause"), kind="plain")
        self._resume = IconButton(theme, "", self.tr("Resume"), kind="plain")
        self._cancel = IconButton(theme, "", self.tr("Cancel"), kind="plain")
        for button, signal in (
            (self.chat_button, self.chat_requested),
            (self._pause, self.pause_requested),
            (self._resume, self.resume_requested),
            (self._cancel, self.cancel_requested),
        ):
            button.clicked.connect(lambda _checked=False, told=signal: told.emit(self.list.current_key))
        actions = QHBoxLayout()
        for widget in (self.chat_button, self._pause, self._resume, self._cancel):
            actions.addWidget(widget)
        actions.addStretch(1)
        self._left = QLabel()
        self._left.setObjectName("dim")
        self._clean = IconButton(theme, "", self.tr("Remove them"), kind="link", size_delta=-1)
        self._clean.clicked.connect(self.clean_requested)
        leftovers = QHBoxLayout()
        leftovers.addWidget(self._left)
        leftovers.addWidget(self._clean)
        leftovers.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(10)
        column.addWidget(self._empty, 1)
        column.addWidget(self.list, 1)
        column.addWidget(self._sentence)
        column.addLayout(actions)
        column.addLayout(leftovers)
        self.set_leftovers(0)
        downloads.changed.connect(self._on_downloads_changed)
        self._on_downloads_changed()

    def set_answering(self, paths: Collection[str]) -> None:
        """The files on this computer that can answer: the others are parts of a model, or gone."""
        self._answering = paths
        self._show_actions()

    def set_leftovers(self, n_bytes: int) -> None:
        """What lies around of downloads that were given up."""
        text = self.tr("{size} of downloads that were given up are left in the models' folder.")
        self._left.setText(text.format(size=format_bytes(n_bytes)))
        self._left.setVisible(n_bytes > 0)
        self._clean.setVisible(n_bytes > 0)

    def _on_downloads_changed(self) -> None:
        pulls = self._model.pulls
        self._empty.setVisible(not pulls)
        self.list.setVisible(bool(pulls))
        if pulls and not self.list.current_key:
            self.list.select(pulls[0].pull_id)
        self._show_actions()

    def _open(self) -> None:
        if not self.chat_button.isHidden():
            self.chat_button.click()

    def _show_actions(self) -> None:
        pull = self._model.pull(self.list.current_key)
        state = pull.state if pull is not None else ""
        self.chat_button.setVisible(state == "finished" and pull is not None and pull.path in self._answering)
        self._pause.setVisible(state in ("queued", "running"))
        self._resume.setVisible(state in ("paused", "failed"))
        self._resume.setText(self.tr("Try again") if state == "failed" else self.tr("Resume"))
        self._cancel.setVisible(state in ("queued", "running", "paused", "failed"))
        sentence = failure_text(pull.failure) if pull is not None and pull.failure is not None else ""
        if sentence != self._sentence.text():
            announce(self, sentence)
        self._sentence.setText(sentence)
        self._sentence.setVisible(bool(sentence))

    def _restyle(self) -> None:
        self._sentence.setStyleSheet(f"color: {self._theme.tokens.warn};")
