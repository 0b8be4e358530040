"""The downloads of models as a Qt model: their only record in the window, which everything that tells of one shows."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from app.core.host_client import HostClient, HostState
from app.core.throttle import Throttle
from engine.protocol.events import PullFinished, PullProgress
from engine.protocol.records import Pull

PullRole = Qt.ItemDataRole.UserRole
GOING_ON = frozenset(("queued", "running", "verifying"))
"""States of a download that needs nobody to go on."""
_SHOWN_MS = 100
_Index = QModelIndex | QPersistentModelIndex


class DownloadsModel(QAbstractListModel):
    """One row a download, the latest first; PullRole is its Pull.

    However many reports come, rows change at most ten times a second, and the last report is always shown; a download
    that is new, or in another state than before, is shown at once.
    """

    changed = Signal(object)
    """After rows have changed: the downloads, a tuple of Pull, that are or were in them."""
    state_changed = Signal(object)
    """A report of a Pull that is new, or in another state than before."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pulls: list[Pull] = []
        self._reported: dict[str, Pull] = {}
        """What is to be shown, by pull_id."""
        self._throttle = Throttle(_SHOWN_MS, self._show_reported, self)

    def follow(self, client: HostClient) -> None:
        """Take every report of the host from now on."""
        client.subscribe(PullProgress, self._on_report)
        client.subscribe(PullFinished, self._on_report)
        client.state_changed.connect(self._on_host_state)

    @property
    def pulls(self) -> tuple[Pull, ...]:
        """As shown, the latest first."""
        return tuple(self._pulls)

    def pull(self, pull_id: str) -> Pull | None:
        """One of those that are shown."""
        return next((pull for pull in self._pulls if pull.pull_id == pull_id), None)

    def pull_of(self, repo: str, files: tuple[str, ...]) -> Pull | None:
        """The latest download of just these files."""
        return next((pull for pull in self._pulls if (pull.repo, pull.files) == (repo, files)), None)

    def rowCount(self, parent: _Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._pulls)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        return self._pulls[index.row()] if role == PullRole else None

    def set_pulls(self, pulls: Iterable[Pull]) -> None:
        """All downloads that the host knows, the latest last, in place of what was reported before."""
        latest_first = [*pulls][::-1]
        self._reported = {pull.pull_id: pull for pull in latest_first}
        if list(self._reported) == [pull.pull_id for pull in self._pulls]:
            self._show_reported()
            return
        before = self.pulls
        self._reported = {}
        self.beginResetModel()
        self._pulls = latest_first
        self.endResetModel()
        self.changed.emit((*before, *self._pulls))

    def report(self, pull: Pull) -> None:
        """Take what is known now of one download."""
        before = self._reported.get(pull.pull_id) or self.pull(pull.pull_id)
        self._reported[pull.pull_id] = pull
        self._throttle.trigger()
        if before is None or before.state != pull.state:
            self._throttle.flush()
            self.state_changed.emit(pull)

    def _show_reported(self) -> None:
        reported, self._reported = self._reported, {}
        rows = {pull.pull_id: row for row, pull in enumerate(self._pulls)}
        new = [pull for pull_id, pull in reported.items() if pull_id not in rows]
        for pull_id, row in rows.items():
            if (pull := reported.get(pull_id, self._pulls[row])) != self._pulls[row]:
                self._pulls[row] = pull
                self.dataChanged.emit(self.index(row), self.index(row))
        for pull in new:
            self.beginInsertRows(QModelIndex(), 0, 0)
            self._pulls.insert(0, pull)
            self.endInsertRows()
        self.changed.emit(tuple(reported.values()))

    def _on_report(self, event: PullProgress | PullFinished) -> None:
        self.report(event.pull)

    def _on_host_state(self, state: HostState) -> None:
        """A host that is gone downloads nothing; a new one tells anew of what it goes on with."""
        if state is not HostState.READY:
            self.set_pulls([pull for pull in reversed(self._pulls) if pull.state not in GOING_ON])
