"""The text of a PDF file, page by page."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from pathlib import Path

from pypdf import PasswordType, PdfReader
from pypdf.errors import DependencyError, FileNotDecryptedError

from app.composer.documents.reader_messages import MAX_CHARACTERS, DocumentError, Extracted, Problem

_SPACES = re.compile(r"[ \t]+\n")
_GAPS = re.compile(r"\n{3,}")


def read_pdf(path: Path, report: Callable[[int, int], None]) -> Extracted:
    """Read all pages that can be read; `report(n_done, n_total)` after each. Raises DocumentError for none."""
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # It complains about files that it reads all the same.
    try:
        return _read(path, report)
    except DocumentError:
        raise
    except (FileNotDecryptedError, DependencyError) as error:
        raise DocumentError(Problem.ENCRYPTED) from error
    except MemoryError as error:
        raise DocumentError(Problem.TOO_BIG) from error
    except Exception as error:  # A broken file makes the reader raise whatever it stumbles on.
        raise DocumentError(Problem.DAMAGED) from error


def _read(path: Path, report: Callable[[int, int], None]) -> Extracted:
    reader = PdfReader(path)
    if reader.is_encrypted and reader.decrypt("") is PasswordType.NOT_DECRYPTED:
        raise DocumentError(Problem.ENCRYPTED)
    n_pages = len(reader.pages)
    pieces: list[str] = []
    starts: list[int] = []
    broken: list[int] = []
    fault: DocumentError | None = None
    length = n_blank = 0
    for number in range(1, n_pages + 1):
        if length >= MAX_CHARACTERS:
            break
        try:
            text = _page_text(reader, number)
            n_blank += not text
        except DocumentError as error:
            text, fault = "", error
            broken.append(number)
        starts.append(length)
        pieces.append(f"{text}\n\n" if text else "")
        length += len(pieces[-1])
        report(number, n_pages)
    if not length and fault is not None:
        raise fault
    if not length:
        raise DocumentError(Problem.NO_TEXT if n_pages else Problem.DAMAGED)
    return Extracted("".join(pieces), tuple(starts), n_blank, tuple(broken), n_pages, is_cut=len(starts) < n_pages)


def _page_text(reader: PdfReader, number: int) -> str:
    """The text of a page, counted from 1. Raises DocumentError for what costs this page alone."""
    try:
        return _tidy(reader.pages[number - 1].extract_text())
    except (FileNotDecryptedError, DependencyError):
        raise
    except Exception as error:
        raise DocumentError(Problem.TOO_BIG if isinstance(error, MemoryError) else Problem.DAMAGED) from error


def _tidy(text: str) -> str:
    """Without what a page's layout leaves behind: spaces at line ends, wide gaps, characters that are no text."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "").replace("\u00ad\n", "")
    text = text.encode("utf-8", "replace").decode()  # Broken fonts give halves of surrogate pairs.
    return _GAPS.sub("\n\n", _SPACES.sub("\n", text)).strip()
