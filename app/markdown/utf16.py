"""Offsets in Python count characters, in Qt UTF-16 units: an emoji is one of the former and two of the latter."""

from __future__ import annotations

import bisect


class Units:
    """Converts offsets of one text; free for texts without characters beyond the first 65,536."""

    def __init__(self, text: str) -> None:
        self._wide = [] if text.isascii() else [at for at, character in enumerate(text) if character > "\uffff"]
        self._wide_units = [at + index for index, at in enumerate(self._wide)]

    def of(self, offset: int) -> int:
        """Qt's position for a character offset."""
        return offset + bisect.bisect_left(self._wide, offset) if self._wide else offset

    def offset(self, position: int) -> int:
        """The character offset for Qt's position."""
        return position - bisect.bisect_left(self._wide_units, position) if self._wide else position
