"""Figures as people read them."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QLocale

from app.ui.quantities import (
    format_bytes,
    format_bytes_of,
    format_change,
    format_context,
    format_count,
    format_gaps,
    format_list,
    format_ms,
    format_params,
    format_rate,
    format_rate_finely,
    format_seconds,
    format_seconds_finely,
    format_sentences,
    format_share,
    format_tenths,
)


@pytest.fixture(autouse=True)
def english() -> None:
    QLocale.setDefault(QLocale("en"))


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.0041, "4.1 ms"), (0.0413, "41 ms"), (0.999, "999 ms"), (0.9996, "1.0 s"), (1.94, "1.9 s"), (12.4, "12 s"),
     (59.6, "1 min 0 s"), (75, "1 min 15 s")],
)  # fmt: skip
def test_seconds(seconds: float, text: str) -> None:
    assert format_seconds(seconds) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.00846, "8.46 ms"), (0.0105, "10.5 ms"), (0.1104, "110 ms"), (0.9996, "1.00 s"), (1.736, "1.74 s"),
     (12.44, "12.4 s"), (59.96, "1 min 0 s")],
)  # fmt: skip
def test_seconds_to_reckon_with(seconds: float, text: str) -> None:
    assert format_seconds_finely(seconds) == text


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 B"), (999, "999 B"), (23_000_000, "23 MB"), (1_500_000, "1.5 MB"), (5_120_000_000, "5.1 GB"),
     (999_600_000, "1 GB"), (2.5e12, "2.5 TB")],
)  # fmt: skip
def test_bytes(size: float, text: str) -> None:
    assert format_bytes(size) == text


def test_two_sizes_share_the_larger_unit() -> None:
    assert format_bytes_of(512_000_000, 24_000_000_000) == ("0.5", "24 GB")


def test_counts_rates_gaps_and_contexts() -> None:
    assert format_count(1204) == "1,204"
    assert (format_rate(9.34), format_rate(148.2), format_rate(1204)) == ("9.3", "148", "1,204")
    assert [format_rate_finely(rate) for rate in (9.342, 88.24, 148.2, 1204)] == ["9.34", "88.2", "148", "1,204"]
    assert (format_tenths(12.44), format_tenths(124.3)) == ("12.4", "124")
    assert (format_ms(0.0083), format_ms(0.1244)) == ("8.3", "124")
    assert (format_context(8192), format_context(1000), format_context(131072)) == ("8k", "1,000", "128k")
    assert [format_params(n) for n in (135_000_000, 999_900_000, 1_700_000_000)] == ["135 M", "1.0 B", "1.7 B"]


def test_shares_changes_and_lists() -> None:
    assert (format_share(0.784), format_share(0.014, 1)) == ("78 %", "1.4 %")
    assert (format_change(0.241), format_change(-0.186, 1), format_change(0)) == ("+24 %", "−18.6 %", "+0 %")
    assert format_list(("code", "", "long texts")) == "code, long texts"
    assert format_rate(0) == "0"
    assert format_sentences(("It fits.", "It is fast.")) == "It fits. It is fast."


@pytest.mark.parametrize(
    ("middle", "tail", "texts"),
    [(0.0083, 0.124, ("8.3", "124 ms")), (0.132, 66.03, ("132 ms", "1 min 6 s")), (0.5, 1.0, ("500 ms", "1.0 s"))],
)
def test_gaps_have_units_that_people_read(middle: float, tail: float, texts: tuple[str, str]) -> None:
    assert format_gaps(middle, tail) == texts
