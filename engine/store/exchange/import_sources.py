"""Where an import comes from: a file, a folder, or a zip archive that is read in place and never unpacked."""

from __future__ import annotations

import contextlib
import io
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import BinaryIO

import msgspec

from engine.errors import Code, StorageError
from engine.translatable import Translatable, phrase, reason_of

MAX_MEMBERS = 100_000
MAX_RATIO = 200
"""Text is packed about tenfold; an archive that claims more than this for a large file is a bomb."""
_RATIO_COUNTS_FROM_BYTES = 64 << 20
UNREADABLE = (OSError, EOFError, zipfile.BadZipFile, zlib.error, NotImplementedError)
"""What reading a file or a member of an archive may raise."""
AGAIN = phrase("Download or copy the file again.")
_READABLE = {".json", ".jsonl", ".png", ".charx", ".chat"}


class Member(msgspec.Struct, frozen=True):
    """One file of a source."""

    name: str
    """Path inside the source, with slashes."""
    n_bytes: int
    modified_at: float
    open: Callable[[], contextlib.AbstractContextManager[BinaryIO]]
    """May raise what is in UNREADABLE while it is read."""

    @property
    def suffix(self) -> str:
        return PurePosixPath(self.name).suffix.lower()

    @property
    def stem(self) -> str:
        return PurePosixPath(self.name).stem

    @property
    def folder(self) -> str:
        """The path of the folder it lies in; empty at the top."""
        parent = str(PurePosixPath(self.name).parent)
        return "" if parent == "." else parent


@contextlib.contextmanager
def members(path: Path) -> Iterator[list[Member]]:
    """The files in `path` that may hold chats, in the order of their names.

    Raises StorageError with a sentence when there is nothing to read.
    """
    try:
        if path.is_dir():
            yield _of_folder(path)
        elif path.suffix.lower() == ".zip" or (zipfile.is_zipfile(path) and path.suffix.lower() != ".png"):
            with zipfile.ZipFile(path) as archive:
                yield _of_archive(archive, path)
        else:
            yield [_of_file(path, path.name)]
    except (OSError, zipfile.BadZipFile) as error:
        raise StorageError(
            Code.IMPORT_FAILED,
            "{name} could not be read ({reason}).",
            AGAIN,
            path=path,
            name=path.name,
            reason=why_unreadable(error),
        ) from error


def why_unreadable(error: Exception) -> Translatable:
    """The reason for one of UNREADABLE: what libraries say of archives is for programmers, and English."""
    if isinstance(error, OSError):
        return reason_of(error)
    if isinstance(error, NotImplementedError):
        return phrase("it is packed in a way that is not known here")
    return phrase("the archive is damaged")


def sibling(among: list[Member], member: Member, name: str) -> Member | None:
    """The file called `name` in the same folder of the source."""
    wanted = f"{member.folder}/{name}".lstrip("/")
    return next((each for each in among if each.name == wanted), None)


def _of_file(path: Path, name: str) -> Member:
    status = path.stat()
    return Member(name, status.st_size, status.st_mtime, lambda: path.open("rb"))


def _of_folder(path: Path) -> list[Member]:
    found: list[Member] = []
    for each in sorted(path.rglob("*")):
        name = each.relative_to(path).as_posix()
        if each.suffix.lower() in _READABLE and not _is_litter(name) and each.is_file():
            found.append(_of_file(each, name))
        if len(found) > MAX_MEMBERS:
            raise StorageError(
                Code.IMPORT_FAILED,
                "{name} holds more than {limit:,} files.",
                "Choose the folder that holds only the chats.",
                name=path.name,
                limit=MAX_MEMBERS,
            )
    return found


def _of_archive(archive: zipfile.ZipFile, path: Path) -> list[Member]:
    infos = archive.infolist()
    if len(infos) > MAX_MEMBERS:
        raise StorageError(
            Code.IMPORT_FAILED, "{name} holds {files:,} files, which no export does.", name=path.name, files=len(infos)
        )
    found: list[Member] = []
    for info in sorted(infos, key=lambda each: each.filename):
        name = info.filename.replace("\\", "/").lstrip("/")
        if info.is_dir() or _is_litter(name) or PurePosixPath(name).suffix.lower() not in _READABLE:
            continue
        if info.flag_bits & 1:
            raise StorageError(
                Code.IMPORT_FAILED,
                "{name} is locked with a password.",
                "Unpack it first, then import the folder.",
                name=path.name,
            )
        if info.file_size > max(_RATIO_COUNTS_FROM_BYTES, info.compress_size * MAX_RATIO):
            raise StorageError(
                Code.IMPORT_FAILED,
                "{member} in {name} would unpack to {size:,} MB from {packed:,} kB, "
                "which no export does; nothing was read.",
                member=info.filename,
                name=path.name,
                size=info.file_size >> 20,
                packed=info.compress_size >> 10,
            )
        found.append(Member(name, info.file_size, path.stat().st_mtime, _opener(archive, info)))
    return found


def _opener(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo
) -> Callable[[], contextlib.AbstractContextManager[BinaryIO]]:
    # Buffered, because zipfile inflates anew for every short read.
    return lambda: io.BufferedReader(archive.open(info), 1 << 20)  # type: ignore[type-var]


def _is_litter(name: str) -> bool:
    """What macOS and others leave in archives and folders."""
    return any(part == "__MACOSX" or (part.startswith(".") and part != "..") for part in name.split("/"))
