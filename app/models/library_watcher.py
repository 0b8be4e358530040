"""Notices that models came, went or were copied to their end, without asking again and again."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal

QUIET_MS = 800
"""After the last change: a copy is one change, not thousands."""


class LibraryWatcher(QObject):
    """`changed` once things are quiet again."""

    changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._watcher = QFileSystemWatcher(self)
        self._quiet = QTimer(self)
        self._quiet.setSingleShot(True)
        self._quiet.setInterval(QUIET_MS)
        self._quiet.timeout.connect(self.changed)
        self._watcher.directoryChanged.connect(lambda _path: self._quiet.start())
        self._watcher.fileChanged.connect(lambda _path: self._quiet.start())

    def set_paths(self, paths: Sequence[str]) -> None:
        """Watch exactly these folders and files."""
        before = {*self._watcher.directories(), *self._watcher.files()}
        wanted = set(paths)
        if gone := sorted(before - wanted):
            self._watcher.removePaths(gone)
        if new := sorted(wanted - before):
            self._watcher.addPaths(new)
