"""The downloads of models as a Qt model: their only record in the window, which everything that tells of one shows."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QObject, Signal

from app.core.host_client import HostClient, HostState
from app.core.throttle import Throttle
from app.models.line_list import Line, LineModel
from app.ui.quantities import format_bytes, format_bytes_of, format_seconds
from engine.protocol.events import PullFinished, PullProgress
from engine.protocol.records import Pull

GOING_ON = frozenset(("queued", "running", "verifying"))
"""States of a download that needs nobody to go on."""
_SHOWN_MS = 100


class DownloadsModel(LineModel):
    """One row a download, the latest first.

    However many reports come, what is shown changes at most ten times a second, and the last report is always shown; a
    download that is new, or in another state than before, is shown at once.
    """

    changed = Signal(object)
    """After a change: the downloads that it was of, a tuple of Pull."""
    state_changed = Signal(object)
    """A report of a Pull that is new, or in another state than before."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pulls: dict[str, Pull] = {}
        """As shown, by pull_id, the latest last."""
        self._reported: dict[str, Pull] = {}
        """What is to be shown."""
        self._throttle = Throttle(_SHOWN_MS, self._show_reported, self)

    def follow(self, client: HostClient) -> None:
        """Take every report of the host from now on."""
        client.subscribe(PullProgress, self._on_report)
        client.subscribe(PullFinished, self._on_report)
        client.state_changed.connect(self._on_host_state)

    @property
    def pulls(self) -> tuple[Pull, ...]:
        """As shown, the latest first."""
        return tuple(reversed(self._pulls.values()))

    def pull(self, pull_id: str) -> Pull | None:
        """One of those that are shown."""
        return self._pulls.get(pull_id)

    def pull_of(self, repo: str, files: tuple[str, ...]) -> Pull | None:
        """The latest download of just these files."""
        return next((pull for pull in self.pulls if (pull.repo, pull.files) == (repo, files)), None)

    def set_pulls(self, pulls: Iterable[Pull]) -> None:
        """All downloads that the host knows, the latest last, in place of what was reported before."""
        before = self.pulls
        self._reported.clear()
        self._pulls = {pull.pull_id: pull for pull in pulls}
        self._show((*before, *self.pulls))

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
        self._pulls |= reported
        self._show(tuple(reported.values()))

    def _show(self, changed: tuple[Pull, ...]) -> None:
        self.set_lines([self._line(pull) for pull in self.pulls])
        self.changed.emit(changed)

    def _line(self, pull: Pull) -> Line:
        done, total = format_bytes_of(pull.done_bytes, max(pull.total_bytes, 1))
        facts = [pull.repo, self.tr("{done} of {total}").format(done=done, total=total) if pull.total_bytes else ""]
        if pull.state == "running" and pull.rate > 0:
            facts.append(self.tr("{rate}/s").format(rate=format_bytes(pull.rate)))
            if pull.seconds_left is not None:
                facts.append(self.tr("{time} left").format(time=format_seconds(pull.seconds_left)))
        state, color = {
            "queued": (self.tr("waiting"), "dim"), "running": (self.tr("downloading"), "accent"),
            "paused": (self.tr("paused"), "note"), "verifying": (self.tr("verifying"), "accent"),
            "finished": (self.tr("ready"), "good"), "failed": (self.tr("stopped"), "warn"),
            "cancelled": (self.tr("cancelled"), "dim"),
        }[pull.state]  # fmt: skip
        fraction = pull.done_bytes / pull.total_bytes if pull.total_bytes else 0.0
        is_open = pull.state not in ("finished", "cancelled")
        name = pull.files[0].rsplit("/", 1)[-1]
        facts_text = " · ".join(fact for fact in facts if fact)
        return Line(pull.pull_id, name, facts_text, state, color, fraction if is_open else None)

    def _on_report(self, event: PullProgress | PullFinished) -> None:
        self.report(event.pull)

    def _on_host_state(self, state: HostState) -> None:
        """A host that is gone downloads nothing; a new one tells anew of what it goes on with."""
        if state is not HostState.READY:
            self.set_pulls([pull for pull in self._pulls.values() if pull.state not in GOING_ON])
