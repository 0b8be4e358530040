"""What a worker's process is started with: huge pages are wished for, and what the user has set stays."""

from __future__ import annotations

import sys

import pytest

from engine.host.worker_process import worker_environment


@pytest.mark.parametrize(
    ("own", "wanted"),
    [
        (None, "glibc.malloc.hugetlb=1"),
        ("glibc.malloc.tcache_count=4", "glibc.malloc.tcache_count=4:glibc.malloc.hugetlb=1"),
        ("glibc.malloc.hugetlb=0", "glibc.malloc.hugetlb=0"),
    ],
)
def test_huge_pages_are_wished_for(monkeypatch: pytest.MonkeyPatch, own: str | None, wanted: str) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delenv("GLIBC_TUNABLES", raising=False)
    if own is not None:
        monkeypatch.setenv("GLIBC_TUNABLES", own)
    monkeypatch.setenv("FIRSTLIGHT_HOME", "somewhere")
    environment = worker_environment()
    assert environment["GLIBC_TUNABLES"] == wanted
    assert environment["FIRSTLIGHT_HOME"] == "somewhere"


def test_other_systems_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.delenv("GLIBC_TUNABLES", raising=False)
    assert "GLIBC_TUNABLES" not in worker_environment()
