"""Tells in the sidebar of downloads that go on, and of one that stopped; quiet while there are none."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject

from app.chat_list.sidebar import Sidebar
from app.core.engine_texts import failure_text
from app.core.host_client import HostClient, HostState
from app.models.download_line import DownloadLine
from app.models.model_status import display_name
from app.ui.quantities import format_bytes, format_bytes_of, format_seconds, format_share
from engine.protocol.events import PullFinished, PullProgress
from engine.protocol.records import Pull

_GOING_ON = ("queued", "running", "verifying")


class DownloadLineController(QObject):
    """`open_downloads` is called when the line is clicked."""

    def __init__(self, client: HostClient, sidebar: Sidebar, open_downloads: Callable[[], None]) -> None:
        super().__init__(sidebar)
        self._pulls: dict[str, Pull] = {}
        self.line = DownloadLine(sidebar.theme, sidebar)
        self.line.clicked.connect(open_downloads)
        self.line.clicked.connect(self._forget_stopped)
        sidebar.add_line(self.line)
        client.subscribe(PullProgress, self._on_pull)
        client.subscribe(PullFinished, self._on_pull)
        client.state_changed.connect(self._on_host_state)

    def _on_pull(self, event: PullProgress | PullFinished) -> None:
        pull = event.pull
        if pull.state in (*_GOING_ON, "failed"):
            self._pulls[pull.pull_id] = pull
        else:
            self._pulls.pop(pull.pull_id, None)
        self._show()

    def _on_host_state(self, state: HostState) -> None:
        """A new host tells anew of what it goes on with."""
        if state is not HostState.READY:
            self._pulls.clear()
            self._show()

    def _forget_stopped(self) -> None:
        """It was seen; the page of the downloads says more."""
        self._pulls = {key: pull for key, pull in self._pulls.items() if pull.state in _GOING_ON}
        self._show()

    def _show(self) -> None:
        going_on = [pull for pull in self._pulls.values() if pull.state in _GOING_ON]
        if going_on:
            self._show_progress(going_on)
        elif self._pulls:
            pull = next(reversed(self._pulls.values()))
            failure = failure_text(pull.failure) if pull.failure is not None else ""
            self.line.show_state(_name(pull), self.tr("stopped"), None, failure)
        else:
            self.line.clear()

    def _show_progress(self, pulls: list[Pull]) -> None:
        done, total = (sum(getattr(pull, field) for pull in pulls) for field in ("done_bytes", "total_bytes"))
        fraction = done * 100 // total / 100 if total else 0.0
        facts = ["{} / {}".format(*format_bytes_of(done, total))] if total else []
        if rate := sum(pull.rate for pull in pulls if pull.state == "running"):
            facts.append(self.tr("{rate}/s").format(rate=format_bytes(rate)))
        if left := max((pull.seconds_left or 0.0 for pull in pulls), default=0.0):
            facts.append(self.tr("{time} left").format(time=format_seconds(left)))
        is_checked = all(pull.state == "verifying" for pull in pulls)
        self.line.show_state(
            _name(pulls[0]) if len(pulls) == 1 else self.tr("{n} downloads", None, len(pulls)).format(n=len(pulls)),
            self.tr("verifying") if is_checked else format_share(fraction),
            fraction,
            "\n".join([*(_name(pull) for pull in pulls), " · ".join(facts)]).strip(),
        )


def _name(pull: Pull) -> str:
    return display_name(pull.files[0])
