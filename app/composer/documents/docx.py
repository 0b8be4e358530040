"""The text of a Word file (.docx): headings, lists, tables and footnotes, in Markdown's signs."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from app.composer.documents.docx_parts import Numbering, attribute, child, heading_levels, list_styles, part, tag
from app.composer.documents.reader_messages import MAX_CHARACTERS, DocumentError, Extracted, Problem

_OLE = bytes.fromhex("d0cf11e0a1b11ae1")
"""How Word's old format begins, and the envelope of an encrypted file of the new one."""
_TEXT = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_LEFT_OUT = frozenset({"del", "moveFrom", "pPr", "rPr", "Fallback", "instrText", "delText"})
"""Deleted text, looks, the second form of a drawing for old readers, and field codes."""
_DAMAGES = (
    zipfile.BadZipFile, zlib.error, ElementTree.ParseError, EOFError, ValueError, OSError, NotImplementedError,
    RecursionError,
)  # fmt: skip


def read_docx(path: Path, report: Callable[[int, int], None]) -> Extracted:
    """Read the document's body and its notes. Raises DocumentError."""
    with path.open("rb") as file:
        if file.read(len(_OLE)) == _OLE:
            is_encrypted = "EncryptedPackage".encode("utf-16-le") in file.read()
            raise DocumentError(Problem.ENCRYPTED if is_encrypted else Problem.OLD_FORMAT)
    report(0, 1)
    try:
        with zipfile.ZipFile(path) as archive:
            text = "\n\n".join(_Reader(archive).blocks())
    except _DAMAGES as error:
        raise DocumentError(Problem.DAMAGED) from error
    except MemoryError as error:
        raise DocumentError(Problem.TOO_BIG) from error
    except RuntimeError as error:  # An archive that asks for a password.
        raise DocumentError(Problem.ENCRYPTED) from error
    if not text.strip():
        raise DocumentError(Problem.NO_TEXT)
    return Extracted(text[:MAX_CHARACTERS], is_cut=len(text) > MAX_CHARACTERS)


class _Reader:
    """Walks through one document."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        document = part(archive, "word/document.xml")
        body = child(document, "body")
        if body is None:
            raise DocumentError(Problem.DAMAGED)
        self._body = body
        styles = part(archive, "word/styles.xml")
        self._headings, self._list_styles = heading_levels(styles), list_styles(styles)
        self._numbering = Numbering(part(archive, "word/numbering.xml"))
        self._notes = {
            kind: {attribute(note, "id"): note for note in notes}
            for kind in ("footnote", "endnote")
            if (notes := part(archive, f"word/{kind}s.xml")) is not None
        }
        self._cited: list[Element] = []

    def blocks(self) -> Iterator[str]:
        """Paragraphs, lists as one block each, tables, and at the end the notes that are referred to."""
        yield from self._joined(self._blocks(self._body))
        for number, note in enumerate(self._cited, 1):
            yield f"[^{number}]: " + " ".join(text for text, _ in self._blocks(note)).strip()

    def _joined(self, blocks: Iterator[tuple[str, bool]]) -> Iterator[str]:
        items: list[str] = []
        for text, is_item in blocks:
            if is_item:
                items.append(text)
                continue
            if items:
                yield "\n".join(items)
                items = []
            yield text
        if items:
            yield "\n".join(items)

    def _blocks(self, element: Element) -> Iterator[tuple[str, bool]]:
        """Texts, and whether each is a list item."""
        for each in element:
            match tag(each):
                case "p":
                    if (paragraph := self._paragraph(each))[0].strip():
                        yield paragraph
                case "tbl":
                    yield self._table(each), False
                case name if name not in _LEFT_OUT:
                    yield from self._blocks(each)

    def _paragraph(self, element: Element) -> tuple[str, bool]:
        text = "".join(self._runs(element)).strip("\n")
        looks = child(element, "pPr")
        style = attribute(child(looks, "pStyle"), "val")
        level = self._headings.get(style, 0)
        if level and text.strip():
            return f"{'#' * min(level, 6)} {text.strip()}", False
        own = child(looks, "numPr")
        marker = self._numbering.marker(own if own is not None else self._list_styles.get(style))
        return marker + text, bool(marker)

    def _runs(self, element: Element) -> Iterator[str]:
        for each in element:
            name = tag(each)
            if name == "t":
                yield each.text or ""
            elif name in _TEXT:
                yield _TEXT[name]
            elif name in ("footnoteReference", "endnoteReference"):
                yield self._cite(name.removesuffix("Reference"), attribute(each, "id"))
            elif name == "txbxContent":
                yield "\n" + "\n".join(text for text, _ in self._blocks(each)) + "\n"
            elif name not in _LEFT_OUT:
                yield from self._runs(each)

    def _cite(self, kind: str, number: str) -> str:
        note = self._notes.get(kind, {}).get(number)
        if note is None:
            return ""
        self._cited.append(note)
        return f"[^{len(self._cited)}]"

    def _table(self, element: Element) -> str:
        rows = [[self._cell(cell) for cell in _parts(row, "tc")] for row in _parts(element, "tr")]
        rows = [row for row in rows if row]
        if not rows:
            return ""
        lines = [f"| {' | '.join(row)} |" for row in rows]
        return "\n".join([lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]])

    def _cell(self, element: Element) -> str:
        texts = (text for text, _ in self._blocks(element))
        return " ".join(" ".join(texts).split()).replace("|", "\\|")


def _parts(element: Element, name: str) -> Iterator[Element]:
    """Rows of a table or cells of a row, also those inside a content control; not those of a table in a cell."""
    for each in element:
        if tag(each) == name:
            yield each
        elif tag(each) in ("sdt", "sdtContent", "customXml"):
            yield from _parts(each, name)
