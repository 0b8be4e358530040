"""Files as attachments: text is read here, off the event loop; what kind of file it is, is told by its first bytes."""

from __future__ import annotations

import enum
import mimetypes
import zipfile
from pathlib import Path

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QImage

from app.composer.text_encoding import decode
from engine.errors import Code, RequestError
from engine.store.chat_values import Attachment

MAX_TEXT_BYTES = 4_000_000
MAX_FILE_BYTES = 100_000_000
"""Of documents and pictures."""
_HEAD_BYTES = 1024
_OLE = bytes.fromhex("d0cf11e0a1b11ae1")
_PICTURES = {
    b"\x89PNG\r\n": "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF8": "image/gif", b"BM": "image/bmp",
    b"II*\0": "image/tiff", b"MM\0*": "image/tiff",
}  # fmt: skip
translate = QCoreApplication.translate


class FileKind(enum.Enum):
    TEXT = "text"
    PDF = "pdf"
    WORD = "docx"
    PICTURE = "picture"


def refusal(message: str, advice: str) -> RequestError:
    """A file that cannot be attached, in the user's language."""
    return RequestError(Code.BAD_REQUEST, message, advice)


def kind_of(path: Path) -> FileKind:
    """What kind of file this is. Raises RequestError for what cannot be read at all."""
    name = path.name
    try:
        if not path.is_file():
            raise refusal(
                translate("attachments", "{name} is not a file.").format(name=name),
                translate("attachments", "Attach the files in it one by one."),
            )
        with path.open("rb") as file:
            head = file.read(_HEAD_BYTES)
    except OSError as error:
        raise unreadable(path, error) from error
    kind, size = _kind(path, head), file_size(path)
    limit = MAX_TEXT_BYTES if kind is FileKind.TEXT else MAX_FILE_BYTES
    if size > limit:
        raise refusal(
            translate("attachments", "{name} has {size} MB; at most {limit} MB can be attached.").format(
                name=name, size=round(size / 1e6), limit=round(limit / 1e6)
            ),
            translate("attachments", "Attach the part of it that matters."),
        )
    return kind


def read_text(path: Path) -> Attachment:
    """Read a text file in whatever encoding it is. Raises RequestError with a sentence for what is no text."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise unreadable(path, error) from error
    if (text := decode(raw)) is None:
        raise refusal(
            translate("attachments", "{name} is not a text file, so the model cannot read it.").format(name=path.name),
            translate("attachments", "Text, source code, PDF and Word files (.docx) can be read."),
        )
    mime = mimetypes.guess_type(path.name)[0] or ""
    mime = mime if not mime.startswith("image/") else "text/plain"
    return Attachment(name=path.name, mime=mime or "text/plain", text=text, n_bytes=len(raw), path=str(path))


def picture(path: Path) -> Attachment:
    """A picture, which no model here can see yet: it is kept with the message by its name. Raises RequestError."""
    try:
        with path.open("rb") as file:
            mime = _picture_type(file.read(_HEAD_BYTES))
    except OSError as error:
        raise unreadable(path, error) from error
    return Attachment(name=path.name, mime=mime, n_bytes=file_size(path), path=str(path))


def file_size(path: Path) -> int:
    """Bytes. Raises RequestError."""
    try:
        return path.stat().st_size
    except OSError as error:
        raise unreadable(path, error) from error


def pasted(text: str, name: str) -> Attachment:
    """A long pasted text."""
    return Attachment(name=name, text=text, n_bytes=len(text.encode("utf-8", "replace")))


def pasted_picture(image: QImage, name: str) -> Attachment:
    """A picture from the clipboard; as with one from a file, no model here sees it and only its name is kept."""
    return Attachment(name=name, mime="image/png", n_bytes=image.sizeInBytes())


def unreadable(path: Path, error: OSError) -> RequestError:
    return refusal(
        translate("attachments", "{name} could not be read ({reason}).").format(name=path.name, reason=error.strerror),
        translate("attachments", "Check that it still exists and that you may read it."),
    )


def _kind(path: Path, head: bytes) -> FileKind:
    if b"%PDF-" in head:
        return FileKind.PDF
    if _picture_type(head):
        return FileKind.PICTURE
    is_word = head.startswith(b"PK") and zipfile.is_zipfile(path) and _is_word_archive(path)
    if is_word or (head.startswith(_OLE) and path.suffix.lower() in (".doc", ".docx", ".docm", ".dot", ".dotx")):
        return FileKind.WORD
    # A damaged one is told apart from a file that is no text by its name.
    by_name = {".pdf": FileKind.PDF, ".docx": FileKind.WORD, ".docm": FileKind.WORD}
    return by_name.get(path.suffix.lower(), FileKind.TEXT) if b"\0" in head else FileKind.TEXT


def _is_word_archive(path: Path) -> bool:
    try:
        with zipfile.ZipFile(path) as archive:
            return "word/document.xml" in archive.namelist()
    except (zipfile.BadZipFile, OSError, ValueError):
        return False


def _picture_type(head: bytes) -> str:
    """The MIME type of a picture; empty for everything else. SVG is text, and read as such."""
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    if head[4:12] in (b"ftypheic", b"ftypheix", b"ftypmif1", b"ftypavif"):
        return "image/heic" if b"hei" in head[8:12] else "image/avif"
    return next((mime for mark, mime in _PICTURES.items() if head.startswith(mark)), "")
