"""Values as Qt's QDataStream writes them (big-endian, Qt 6), read from a file that is not trusted."""

from __future__ import annotations

import struct
from typing import Any, BinaryIO

from engine.store.exchange.json_elements import MAX_ELEMENT_BYTES, Unreadable
from engine.translatable import phrase, sentence

_NULL = 0xFFFFFFFF
_LONG = 0xFFFFFFFE
"""Marks a length of 64 bits, which follows."""
_SKIP_BYTES = 1 << 20
_VARIANTS = {1: "?", 2: "i", 3: "I", 4: "q", 5: "Q", 6: "d"}
"""QMetaType numbers of plain values: bool, int, uint, qlonglong, qulonglong, double."""
_VARIANT_TEXT = 10


class QtStream:
    """Reads forward. Raises Unreadable where the file ends too early or cannot be what it claims, and OSError."""

    def __init__(self, stream: BinaryIO, n_bytes: int) -> None:
        """`n_bytes` is all that the file holds: no length beyond it is believed."""
        self._stream, self._left, self._room = stream, n_bytes, MAX_ELEMENT_BYTES

    def number(self, form: str) -> Any:
        """One value by its letter in the struct module."""
        (value,) = struct.unpack(f">{form}", self._take(struct.calcsize(form)))
        return value

    def flag(self) -> bool:
        return bool(self.number("B"))

    def integer(self) -> int:
        return int(self.number("i"))

    def long(self) -> int:
        return int(self.number("q"))

    def blob(self) -> bytes:
        """A QByteArray; a null one is empty."""
        return self._keep(self._length())

    def text(self) -> str:
        """A QString; a null one is empty."""
        return self._keep(self._length()).decode("utf-16-be", "replace")

    def texts(self) -> list[str]:
        """A list of QStrings."""
        return [self.text() for _ in range(self.number("I"))]

    def skip(self, n_bytes: int) -> None:
        """Pass over what is not wanted, without holding it."""
        while n_bytes > 0:
            n_bytes -= len(self._take(min(n_bytes, _SKIP_BYTES)))

    def skip_blob(self) -> None:
        """Pass over a QByteArray."""
        self.skip(self._length())

    def skip_variant(self) -> None:
        """Pass over a QVariant of a plain value or a text."""
        kind, _is_null = self.number("I"), self.flag()
        if kind == _VARIANT_TEXT:
            self.text()
        elif kind in _VARIANTS:
            self.number(_VARIANTS[kind])
        elif kind:
            raise Unreadable(phrase("it holds a value of an unknown kind"))

    def _length(self) -> int:
        length: int = self.number("I")
        if length == _LONG:
            length = self.number("Q")
        return 0 if length == _NULL else length

    def _keep(self, n_bytes: int) -> bytes:
        """For what is held in memory, as opposed to what is passed over: of one chat no more than other formats may."""
        self._room -= n_bytes
        if n_bytes <= self._left and self._room < 0:
            raise Unreadable(sentence("one of its chats is larger than {mb} MB", mb=MAX_ELEMENT_BYTES >> 20))
        return self._take(n_bytes)

    def _take(self, n_bytes: int) -> bytes:
        taken = self._stream.read(n_bytes) if n_bytes <= self._left else b""
        if len(taken) < n_bytes:
            raise Unreadable(phrase("it ends too early"))
        self._left -= n_bytes
        return taken
