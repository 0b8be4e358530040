"""Files and long pastes as attachments: read off the event loop, refused in one sentence when they are not text."""

from __future__ import annotations

import mimetypes
from pathlib import Path

from engine.errors import Code, RequestError
from engine.store.values import Attachment

MAX_BYTES = 4_000_000
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def read_attachment(path: Path) -> Attachment:
    """Read a text file. Raises RequestError with a sentence for what cannot be attached."""
    try:
        size = path.stat().st_size
        if not path.is_file():
            raise RequestError(Code.BAD_REQUEST, f"{path.name} is not a file.", "Attach the files in it one by one.")
        if size > MAX_BYTES:
            raise RequestError(
                Code.BAD_REQUEST,
                f"{path.name} has {size / 1e6:.0f} MB; at most {MAX_BYTES / 1e6:.0f} MB can be attached.",
                "Attach the part of it that matters.",
            )
        raw = path.read_bytes()
    except OSError as error:
        raise RequestError(
            Code.BAD_REQUEST, f"{path.name} could not be read ({error.strerror}).", "Check that it still exists."
        ) from error
    mime = mimetypes.guess_type(path.name)[0] or "text/plain"
    return Attachment(name=path.name, mime=mime, text=_decode(raw, path.name), n_bytes=size, path=str(path))


def paste_attachment(text: str, name: str) -> Attachment:
    """A long pasted text."""
    return Attachment(name=name, text=text, n_bytes=len(text.encode()))


def _decode(raw: bytes, name: str) -> str:
    encoding = "utf-16" if raw[:2] in _UTF16_MARKS else "utf-8-sig"
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError:
        text = "\0" if b"\0" in raw else raw.decode("cp1252", errors="replace")
    if "\0" in text:
        raise RequestError(
            Code.BAD_REQUEST, f"{name} is not a text file, so the model cannot read it.", "Attach text or source code."
        )
    return text
