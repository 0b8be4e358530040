"""The typist of the benchmarks has drafts counted and read at the ends of words, as the window does."""

from __future__ import annotations

import threading

import pytest

from engine.commands import typing_simulator
from engine.commands.typing_simulator import Typist


class Clock:
    """Time that passes only while somebody waits for it."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now

    def wait(self, moment: float) -> None:
        self.now = max(self.now, moment)


def test_drafts_are_read_behind_words(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(typing_simulator, "time", clock)
    monkeypatch.setattr(typing_simulator, "_wait", clock.wait)
    read: list[str] = []
    somebody = Typist(lambda draft: None, read.append)
    monkeypatch.setattr(threading.Thread, "start", threading.Thread.run)
    # Each thread does its work on the spot.
    somebody.type("a paste", "\n\nWhat is it?")
    typed = ["", "\n", "\n\n", "\n\nWhat ", "\n\nWhat is ", "\n\nWhat is it?"]
    assert read == [f"a paste{each}" for each in typed]
    assert clock.now - 100.0 == pytest.approx(14 * typing_simulator.KEY_SECONDS)


def test_what_is_out_of_date_when_it_is_counted_is_not_read() -> None:
    read: list[str] = []
    somebody = Typist(lambda draft: somebody.__setattr__("_newest", "newer"), read.append)
    somebody._change("older")
    somebody.wait()
    assert read == []
