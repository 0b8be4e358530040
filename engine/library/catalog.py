"""The catalogue: a short list of models worth starting with, known without a connection, and the user's own entries."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from engine.protocol.records import CatalogEntry
from engine.settings import Folders
from engine.translatable import Translatable, phrase, reason_of, sentence

BUILT_IN = Path(__file__).resolve().parents[2] / "resources" / "catalog.json"
ROOM_SHARE = 0.85
"""Part of the free memory that a recommended model may take: the rest is for its cache, its buffers and surprises."""
CACHE_BYTES = 600_000_000
"""Room for a chat of 8,000 tokens and the compute buffers, of a typical model."""
COMFORTABLE_TPS = 20.0
"""An answer at this rate is fluid to read."""
_BANDWIDTH_SHARE = 0.8
CAUTIOUS_BANDWIDTH = 40e9
"""Bytes per second that a computer without a GPU is trusted with until it was measured: two channels of DDR4."""


def own_file(folders: Folders) -> Path:
    """Where the user keeps entries of his own, in the built-in list's format."""
    return folders.config / "catalog.json"


def read_catalog(folders: Folders) -> tuple[list[CatalogEntry], Translatable]:
    """The entries from small to large, and a sentence when the user's own file could not be read.

    An own entry replaces the built-in one of its repository.
    """
    entries = {entry.repo: entry for entry in _read(BUILT_IN)}
    notice: Translatable = ""
    path = own_file(folders)
    try:
        entries |= {entry.repo: msgspec.structs.replace(entry, is_own=True) for entry in _read(path)}
    except FileNotFoundError:
        notice = ""
    except (OSError, msgspec.DecodeError) as error:
        notice = sentence(
            "Your own catalogue {name} cannot be read ({error}), so only the built-in one is shown.",
            name=path.name,
            error=reason_of(error),
        )
    return sorted(entries.values(), key=lambda entry: (entry.size_bytes, entry.name)), notice


def expected_tps(entry: CatalogEntry, bandwidth: float | None) -> float | None:
    """About how fast it answers where `bandwidth` bytes per second can be read; None where that is unknown."""
    if not bandwidth:
        return None
    active = (entry.n_active_params or entry.n_params) / entry.n_params
    return bandwidth * _BANDWIDTH_SHARE / (entry.size_bytes * active)


def fits(entry: CatalogEntry, room_bytes: int) -> bool:
    """Whether it fits well into this much free memory."""
    return entry.size_bytes + CACHE_BYTES <= room_bytes * ROOM_SHARE


def recommend(
    entries: Sequence[CatalogEntry], room_bytes: int, bandwidth: float | None, *, trusted: float | None = None
) -> tuple[CatalogEntry | None, Translatable]:
    """The largest all-round model that fits well and answers fluently here, and why; the fastest where none does.

    `trusted` stands in for a bandwidth that was not measured yet; no rate is told from it.
    """
    usable = [entry for entry in entries if fits(entry, room_bytes) and not entry.is_special]
    if not usable:
        return None, ""
    fluent = [e for e in usable if (rate := expected_tps(e, bandwidth or trusted)) is None or rate >= COMFORTABLE_TPS]
    if fluent:
        best = max(fluent, key=lambda entry: entry.size_bytes)
        reason = phrase("the largest that fits well")
    else:
        best = max(usable, key=lambda entry: expected_tps(entry, bandwidth or trusted) or 0.0)
        reason = phrase("the fastest on this computer")
    rate = expected_tps(best, bandwidth)
    return best, sentence("{what}, about {tps:.0f} tok/s", what=reason, tps=rate) if rate else reason


def _read(path: Path) -> list[CatalogEntry]:
    return msgspec.json.decode(path.read_bytes(), type=list[CatalogEntry])
