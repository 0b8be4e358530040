"""Reading fields of foreign JSON without trusting it: what is missing or of another kind becomes an empty value."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

MAX_TITLE_CHARS = 60
_EARLIEST = 631_152_000.0
_LATEST = 4_102_444_800.0
"""1990 and 2100: a number outside is not seconds."""
_SILLY_TAVERN = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})\s*@\s*(\d{1,2})h\s*(\d{1,2})m\s*(\d{1,2})s")


def text(value: object) -> str:
    """A string, or empty; characters that cannot be stored are replaced."""
    if not isinstance(value, str):
        return ""
    return value.encode("utf-8", "replace").decode() if not value.isascii() else value


def mapping(value: object) -> dict[str, Any]:
    """An object, or an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: object) -> list[Any]:
    """An array, or an empty one."""
    return value if isinstance(value, list) else []


def mappings(value: object) -> list[dict[str, Any]]:
    """The objects in an array."""
    return [each for each in items(value) if isinstance(each, dict)]


def number(value: object) -> float | None:
    """A finite number, or None; a bool is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        found = float(value)
    except OverflowError:
        return None
    return found if math.isfinite(found) else None


def count(value: object) -> int:
    """A whole number that is not negative, or 0."""
    found = number(value)
    return int(found) if found is not None and found > 0 else 0


def moment(value: object) -> float | None:
    """Seconds since 1970 from what programs write: seconds, milli-, micro-, nanoseconds, ISO 8601 and kin, or None."""
    if isinstance(value, str):
        stripped = value.strip()
        try:
            return moment(float(stripped))
        except ValueError:
            return _in_range(_written_moment(stripped))
    found = number(value)
    while found is not None and found > _LATEST:
        found /= 1000
    return _in_range(found)


def _in_range(seconds: float | None) -> float | None:
    return seconds if seconds is not None and _EARLIEST <= seconds <= _LATEST else None


def _written_moment(written: str) -> float | None:
    if match := _SILLY_TAVERN.match(written):
        try:
            return datetime(*map(int, match.groups())).timestamp()  # type: ignore[arg-type]
        except ValueError:
            return None
    try:
        return datetime.fromisoformat(written).timestamp()
    except (ValueError, OverflowError, OSError):
        pass
    for form in ("%B %d, %Y %I:%M%p", "%B %d, %Y %I:%M %p", "%d %B %Y %H:%M"):
        try:
            return datetime.strptime(written, form).timestamp()
        except (ValueError, OverflowError, OSError):
            continue
    return None


def first_words(texts: Iterable[str]) -> str:
    """A title from the first text that has words: its first line, cut at a word."""
    for each in texts:
        line = " ".join(each.split("\n", 1)[0].split()) or " ".join(each[:500].split())
        if not line:
            continue
        if len(line) <= MAX_TITLE_CHARS:
            return line
        cut = line[:MAX_TITLE_CHARS]
        return (cut.rsplit(" ", 1)[0] if " " in cut[20:] else cut) + "…"
    return ""


def day(seconds: float) -> str:
    """The UTC day of a moment, as 2026-03-01."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d")
