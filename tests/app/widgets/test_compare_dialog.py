"""The compare dialog: groups and single answers as sides, verdicts, and nothing to compare."""

from __future__ import annotations

import random

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.theme import Theme
from app.widgets.hud.compare_dialog import CompareDialog
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
