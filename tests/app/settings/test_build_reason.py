"""Every reason that the set-up writes down is known to the app, so that it can be told in another language."""

from __future__ import annotations

import re

import pytest
from PySide6.QtCore import QCoreApplication

from app.settings import build_reason as module
from app.settings.build_reason import build_reason

REASONS = (
    "it was asked for",
    "no GPU was found",
    "this is a Mac, whose GPU is reached through Metal",
    "found NVIDIA H200, NVIDIA T4 with NVIDIA's driver",
    "found an NVIDIA card with NVIDIA's driver",
    "found a GPU by AMD and Intel; it is reached through Vulkan",
    "found a GPU by AMD and Intel and NVIDIA; it is reached through Vulkan",
    "found a GPU by NVIDIA, which has no NVIDIA driver here; it is reached through Vulkan",
)

WHAT = ("failed", "waits for its driver")


@pytest.mark.parametrize("reason", REASONS)
def test_known_reasons_are_translated(reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert build_reason(reason) == reason
    for what in WHAT:
        assert build_reason(f"{reason}; the cuda build {what}") == f"{reason}; the cuda build {what}"
    monkeypatch.setattr(module, "translate", lambda _context, text: f"<{QCoreApplication.translate('', text)}>")
    assert build_reason(reason).startswith("<")


@pytest.mark.parametrize("what", WHAT)
@pytest.mark.parametrize("reason", REASONS)
def test_nothing_of_a_known_reason_stays_english(reason: str, what: str, chinese: None) -> None:
    told = build_reason(f"{reason}; the cuda build {what}")
    assert not re.search("[a-z]{2,}", re.sub("cuda|Vulkan|Intel|Mac|Metal", "", told))


def test_others_stay_as_they_are() -> None:
    assert build_reason("of an older set-up") == "of an older set-up"
