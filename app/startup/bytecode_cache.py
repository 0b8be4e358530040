"""Keeps the bytecode of modules that PySide compiles from source at each start."""

from __future__ import annotations

import builtins
import contextlib
import marshal
import os
import zlib
from typing import Any

_PYSIDE = "shibokensupport/"


class BytecodeCache:
    """Stands in for compile(), and keeps what it makes of PySide's modules in a file, by their names and checksums."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._compile = builtins.compile
        self._codes: dict[str, tuple[int, Any]] = {}
        self._has_new = False
        # What is missing, damaged or of another PySide is compiled again.
        with contextlib.suppress(OSError, ValueError, EOFError, TypeError), open(path, "rb") as file:  # noqa: PTH123
            self._codes = dict(marshal.load(file))

    def __enter__(self) -> BytecodeCache:
        builtins.compile = self
        return self

    def __exit__(self, *_: object) -> None:
        builtins.compile = self._compile
        if self._has_new:
            self._save()

    def __call__(self, source: Any, filename: Any, *arguments: Any, **options: Any) -> Any:
        if not (isinstance(source, bytes) and isinstance(filename, str) and filename.startswith(_PYSIDE)):
            return self._compile(source, filename, *arguments, **options)
        checksum = zlib.crc32(source)
        kept = self._codes.get(filename)
        if kept is None or kept[0] != checksum:
            kept = self._codes[filename] = checksum, self._compile(source, filename, *arguments, **options)
            self._has_new = True
        return kept[1]

    def _save(self) -> None:
        """A folder that cannot be written costs the time again."""
        own = f"{self._path}.{os.getpid()}"
        with contextlib.suppress(OSError):
            with open(own, "wb") as file:  # noqa: PTH123
                marshal.dump(self._codes, file)
            os.replace(own, self._path)  # noqa: PTH105
