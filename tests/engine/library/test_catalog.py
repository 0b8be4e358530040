"""The catalogue: the built-in list, the user's own, and what is recommended for a computer."""

from __future__ import annotations

import pytest

from engine.library.catalog import CAUTIOUS_BANDWIDTH, expected_tps, own_file, read_catalog, recommend
from engine.settings import folders

GB = 10**9


def test_the_built_in_list_is_complete_and_ordered() -> None:
    entries, notice = read_catalog(folders())
    assert notice == ""
    assert [entry.size_bytes for entry in entries] == sorted(entry.size_bytes for entry in entries)
    assert len({entry.repo for entry in entries}) == len(entries) >= 12
    for entry in entries:
        assert entry.repo.count("/") == 1
        assert entry.licence
        assert entry.good_at
        assert entry.checked_on >= "2026-11-29"
        bits = entry.size_bytes * 8 / entry.n_params
        assert 4.0 < bits < 9.0, f"{entry.name}: {bits:.1f} bits per weight is no {entry.quantization}"


def test_own_entries_come_along_and_replace() -> None:
    path = own_file(folders())
    path.parent.mkdir(parents=True)
    path.write_text(
        '[{"name": "Mine", "repo": "me/Mine-GGUF", "n_params": 1000, "size_bytes": 700},'
        '{"name": "Other words", "repo": "Qwen/Qwen3-8B-GGUF", "n_params": 8190000000, "size_bytes": 5030000000}]'
    )
    entries, notice = read_catalog(folders())
    assert notice == ""
    assert (entries[0].name, entries[0].is_own) == ("Mine", True)
    assert [entry.name for entry in entries if entry.repo == "Qwen/Qwen3-8B-GGUF"] == ["Other words"]


@pytest.mark.parametrize("content", [b"", b"{}", b'[{"name": "x"}]', b"\xff\xfe"])
def test_a_damaged_own_file_is_told_and_the_built_in_list_stays(content: bytes) -> None:
    path = own_file(folders())
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    entries, notice = read_catalog(folders())
    assert len(entries) >= 12
    assert "catalog.json" in str(notice)


@pytest.mark.parametrize(
    ("room", "bandwidth", "wanted"),
    [
        (23 * GB, 900e9, "Qwen3 30B A3B Instruct 2507"),
        (12 * GB, 350e9, "Qwen3 14B"),
        (8 * GB, 250e9, "Qwen3.5 9B"),
        (80 * GB, 2000e9, "gpt-oss 120B"),
        (16 * GB, 60e9, "gpt-oss 20B"),
        (16 * GB, 12e9, "Qwen3 0.6B"),
        (4 * GB, None, "Qwen3.5 4B"),
    ],
)
def test_the_largest_that_fits_and_is_fluent_is_recommended(room: int, bandwidth: float | None, wanted: str) -> None:
    best, reason = recommend(read_catalog(folders())[0], room, bandwidth)
    assert best is not None
    assert best.name == wanted
    assert reason
    rate = expected_tps(best, bandwidth)
    assert (rate is None) == (bandwidth is None)


def test_an_unmeasured_processor_is_not_asked_too_much() -> None:
    entries, _ = read_catalog(folders())
    best, reason = recommend(entries, 30 * GB, None, trusted=CAUTIOUS_BANDWIDTH)
    assert best is not None
    assert best.size_bytes < 2 * GB
    assert "tok/s" not in str(reason)


def test_nothing_is_recommended_where_nothing_fits() -> None:
    assert recommend(read_catalog(folders())[0], GB // 2, 10e9) == (None, "")
