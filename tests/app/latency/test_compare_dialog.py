"""The compare dialog: groups and single answers as sides, verdicts, and nothing to compare."""

from __future__ import annotations

import random

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from app.latency.compare_dialog import CompareDialog, IntervalAxis
from app.ui.theme import Theme
from engine.metrics import RequestMetrics
from engine.protocol import LoggedRequest


@pytest.fixture
def dialog(qtbot: QtBot) -> CompareDialog:
    made = CompareDialog(Theme("light"))
    qtbot.addWidget(made)
    return made


def answers(settings: str, tpot: float, count: int) -> list[LoggedRequest]:
    generator = random.Random(settings)
    made = []
    for number in range(count):
        value = tpot * generator.uniform(0.97, 1.03)
        metrics = RequestMetrics(ttft=0.1, tpot=value, decode_tps=1 / value, n_decoded=100, e2e_latency=1.0)
        made.append(
            LoggedRequest(
                request_id=f"{settings}{number}", at=1.8e9, model="SmolLM2", settings=settings, metrics=metrics
            )
        )
    return made


def texts(dialog: CompareDialog) -> list[str]:
    return [label.text() for label in dialog.findChildren(QLabel)]


def test_two_settings_with_a_real_difference(dialog: CompareDialog) -> None:
    dialog.set_answers(answers("KV f16", 0.021, 8) + answers("KV q8_0", 0.017, 8))
    row = next(row for row in dialog.rows if row.name == "tpot")
    assert row.exceeds_noise
    assert row.is_better
    assert "better" in texts(dialog)


def test_the_differences_can_be_checked_by_the_figures_beside_them(dialog: CompareDialog) -> None:
    """8.46 ms and 10.5 ms are 24 % apart; 8.5 and 11 would be 29 %."""
    fast, slow = (
        LoggedRequest(
            request_id=name, at=1.8e9, model="SmolLM2", settings=name,
            metrics=RequestMetrics(ttft=0.037, tpot=tpot, decode_tps=1 / tpot, e2e_latency=314 * tpot),
        )
        for name, tpot in (("KV q8_0", 0.00846), ("KV f16", 0.0105))
    )  # fmt: skip
    dialog.set_answers([fast, slow])
    shown = texts(dialog)
    assert [text for text in shown if text[:1].isdigit() and ":" not in text] == [
        "37.0 ms", "37.0 ms", "8.46 ms", "10.5 ms", "118", "95.2", "2.66 s", "3.30 s",
    ]  # fmt: skip
    assert "+24.1 %" in shown


def test_an_interval_is_spoken_of_where_there_is_one(dialog: CompareDialog) -> None:
    dialog.set_answers(answers("KV f16", 0.021, 8) + answers("KV q8_0", 0.017, 8))
    assert "95 % interval" in texts(dialog)
    assert "bootstrap" in dialog._note.text()
    axis = dialog.findChild(IntervalAxis)
    assert axis is not None
    assert axis.accessibleName().startswith("from −")
    dialog._b.setCurrentIndex(2)
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert "95 % interval" not in texts(dialog)
    assert dialog._note.text() == "Medians of both sides' answers (8 and 1)."


def test_two_single_answers_get_no_verdict(dialog: CompareDialog) -> None:
    dialog.set_answers(answers("KV f16", 0.021, 2))
    dialog._a.setCurrentIndex(1)
    dialog._b.setCurrentIndex(2)
    assert [row.exceeds_noise for row in dialog.rows] == [None] * len(dialog.rows) != []


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (0, "Nothing has been measured yet: ask something, or try two settings below."),
        (1, "Choose two different sides."),
    ],
)
def test_nothing_to_compare_is_said(dialog: CompareDialog, count: int, said: str) -> None:
    dialog.set_answers(answers("KV f16", 0.02, count))
    dialog._a.setCurrentIndex(0)
    dialog._b.setCurrentIndex(0)
    assert dialog.rows == []
    assert said in texts(dialog)


def test_failed_answers_are_no_runs(dialog: CompareDialog) -> None:
    failed = LoggedRequest(request_id="f", at=1.8e9, model="SmolLM2", settings="KV f16", error_code="engine_crashed")
    dialog.set_answers([failed, *answers("KV f16", 0.02, 3)])
    assert len(dialog._choices[0].runs) == 3
