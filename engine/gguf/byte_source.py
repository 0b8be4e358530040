"""Where the bytes of a GGUF come from: a file, memory, or byte ranges of a server; read forward in growing ranges."""

from __future__ import annotations

import struct
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from engine.translatable import sentence

RANGES = (2 << 20, 16 << 20, 64 << 20)
"""Sizes of the first, second and every later range: small vocabularies need one request, the largest known three."""
MAX_HEADER_BYTES = 256 << 20
"""A header beyond this is not read: the largest in public use hold about 20 MB."""
MAX_STRING_BYTES = 16 << 20
"""The longest string that is read; chat templates are under 1 MB."""

_LENGTH = struct.Struct("<Q")


class Fault(ValueError):
    """What is wrong with the bytes: Words, as the middle of a sentence."""


class RangeReader(Protocol):
    """Random access to a file's bytes, such as HTTP range requests."""

    size: int | None
    """The whole file's size in bytes, None while unknown."""

    def read(self, offset: int, size: int) -> bytes:
        """At most `size` bytes from `offset`; fewer only at the end of the file."""


class BytesReader:
    """A RangeReader over bytes in memory, which may be only the beginning of a file."""

    def __init__(self, content: bytes, size: int | None = None) -> None:
        self._content = content
        self.size: int | None = len(content) if size is None else size

    def read(self, offset: int, size: int) -> bytes:
        return self._content[offset : offset + size]


class FileReader:
    """A RangeReader over a file that stays open while in use as a context. Raises OSError."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("rb")
        self.size: int | None = self._file.seek(0, 2)

    def read(self, offset: int, size: int) -> bytes:
        self._file.seek(offset)
        return self._file.read(size)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()


class Cursor:
    """Reads forward through a RangeReader, holding one range at a time. Raises Fault where the bytes end too early.

    What is read is a phrase, whose place {of} stands for a name or a number; it is put together only for a Fault.
    """

    def __init__(self, source: RangeReader) -> None:
        self._source = source
        self._window = b""
        self._start = 0
        self._position = 0
        self.n_requests = 0
        self.n_fetched_bytes = 0

    @property
    def position(self) -> int:
        return self._position

    @property
    def size(self) -> int | None:
        return self._source.size

    def take(self, size: int, what: str, of: object = "") -> bytes:
        """The next `size` bytes, which hold `what`."""
        at = self._need(size, what, of)
        self._position += size
        return self._window[at : at + size]

    def scalar(self, form: struct.Struct, what: str, of: object = "") -> int | float | bool:
        """One number of a fixed form."""
        at = self._need(form.size, what, of)
        self._position += form.size
        value: int | float | bool = form.unpack_from(self._window, at)[0]
        return value

    def string(self, what: str, of: object = "", limit: int = MAX_STRING_BYTES) -> str:
        """A string with its length in front; bytes that are no UTF-8 are replaced."""
        length = int(self.scalar(_LENGTH, what, of))
        if length > limit:
            raise Fault(
                sentence(
                    "{what} claims to be {length:,} bytes long, and at most {limit:,} are possible",
                    what=sentence(what, of=of),
                    length=length,
                    limit=limit,
                )
            )
        return self.take(length, what, of).decode("utf-8", "replace")

    def skip(self, size: int, what: str, of: object = "") -> None:
        """Pass over bytes without fetching those that lie beyond the window."""
        self._check(size, what, of)
        self._position += size

    def skip_strings(self, count: int, what: str, of: object = "") -> None:
        """Pass over an array of strings; their lengths have to be read one by one."""
        unpack = _LENGTH.unpack_from
        while count:
            at = self._need(_LENGTH.size, what, of)
            window, end = self._window, len(self._window) - _LENGTH.size
            while count and at <= end:
                length = unpack(window, at)[0]
                if length > MAX_STRING_BYTES:
                    raise Fault(
                        sentence(
                            "{what} holds a text that claims to be {length:,} bytes long",
                            what=sentence(what, of=of),
                            length=length,
                        )
                    )
                at += _LENGTH.size + length
                count -= 1
            self._position = self._start + at
            self._check(0, what, of)

    def _check(self, size: int, what: str, of: object) -> None:
        end = self._position + size
        if self.size is not None and end > self.size:
            raise _ends_early(self.size, what, of)
        if end > MAX_HEADER_BYTES:
            raise Fault(
                sentence("its header is over {mb} MB, at {what}", mb=MAX_HEADER_BYTES >> 20, what=sentence(what, of=of))
            )

    def _need(self, size: int, what: str, of: object) -> int:
        """Bring `size` bytes from the position into the window; returns where in the window they begin."""
        at = self._position - self._start
        if at + size <= len(self._window):
            return at
        self._check(size, what, of)
        kept = self._window[at:]
        begin = self._position + len(kept)
        wanted = max(size - len(kept), RANGES[min(self.n_requests, len(RANGES) - 1)])
        if self.size is not None:
            wanted = min(wanted, self.size - begin)
        fetched = self._source.read(begin, wanted)
        self.n_requests += 1
        self.n_fetched_bytes += len(fetched)
        self._window = kept + fetched
        self._start = self._position
        if len(self._window) < size:
            raise _ends_early(begin + len(fetched), what, of)
        return 0


def _ends_early(size: int, what: str, of: object) -> Fault:
    return Fault(sentence("the file ends at byte {size:,}, inside {what}", size=size, what=sentence(what, of=of)))
