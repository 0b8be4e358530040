"""A chat as a PDF: the page of HTML drawn by Qt, with formulas as pictures sharp enough for print."""

from __future__ import annotations

import contextlib
import errno
import os
import unicodedata
from html import escape
from pathlib import Path

from PySide6.QtCore import QMarginsF, QPointF, Qt, QUrl
from PySide6.QtGui import (
    QColor,
    QFont,
    QImage,
    QPageLayout,
    QPageSize,
    QPainter,
    QPdfWriter,
    QTextBlockFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextTable,
    QTextTableFormat,
)

from app.widgets.markdown.formulas import Outline
from app.widgets.markdown.typeset import typeset
from engine.settings import storage_error

_POINTS = 10
_DOTS = 96
"""Pixels an inch that the page's HTML counts in."""
_SHARPNESS = 5
"""Dots of a formula's picture for each of these pixels."""
_STRONG = ("L", "R", "AL")
"""Bidirectional classes that decide a direction."""
_SHALLOW = 0.3
"""A formula that reaches no deeper, in font sizes, stands on the line; others are centred on it."""
_STYLE = """
body { font-family: Inter, sans-serif; } pre, code { font-family: "JetBrains Mono", monospace; }
"""
"""What Qt needs told otherwise than a browser."""


class FormulaPictures:
    """Makes a picture of each formula, for a page that names it."""

    def __init__(self) -> None:
        self._pictures: dict[str, QImage] = {}

    def html(self, latex: str, is_display: bool) -> str:
        """The picture in HTML; empty where the LaTeX cannot be set."""
        outline = Outline.of(typeset(latex, is_display=is_display))
        if outline is None:
            return ""
        size = _POINTS * _DOTS / 72
        width, height = outline.width * size + 2, (outline.ascent + outline.descent) * size + 2
        picture = QImage(round(width * _SHARPNESS), round(height * _SHARPNESS), QImage.Format.Format_ARGB32)
        picture.fill(QColor(0, 0, 0, 0))
        painter = QPainter(picture)
        painter.scale(_SHARPNESS, _SHARPNESS)
        outline.paint(painter, QPointF(1, 1 + outline.ascent * size), size, QColor("black"))
        painter.end()
        name = f"formula:{len(self._pictures)}"
        self._pictures[name] = picture
        return (
            f'<img src="{name}" alt="{escape(latex)}" width="{width:.0f}" height="{height:.0f}" '
            f'style="vertical-align: {"baseline" if outline.descent < _SHALLOW else "middle"}">'
        )

    def add_to(self, document: QTextDocument) -> None:
        """Give the pictures to the document that shows the page."""
        for name, picture in self._pictures.items():
            document.addResource(QTextDocument.ResourceType.ImageResource.value, QUrl(name), picture)


def write_pdf(html: str, pictures: FormulaPictures, target: Path, *, title: str) -> None:
    """Draw a page of HTML as a PDF in A4; it appears when it is complete. Raises StorageError."""
    unfinished = target.with_name(f".{target.name}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with unfinished.open("wb"):
            # Opened first for the reason when it cannot be written: Qt tells none.
            pass
        writer = QPdfWriter(str(unfinished))
        writer.setTitle(title)
        writer.setCreator("Firstlight")
        writer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
        # The document leaves margins of its own, of 2 cm.
        writer.setPageMargins(QMarginsF(0, 0, 0, 0), QPageLayout.Unit.Millimeter)
        document = QTextDocument()
        font = QFont("Inter")
        font.setPointSize(_POINTS)
        document.setDefaultFont(font)
        pictures.add_to(document)
        document.setHtml(html.replace("</style>", f"{_STYLE}</style>", 1))
        _tidy(document)
        document.print_(writer)
        del writer
        if not unfinished.read_bytes().rstrip().endswith(b"%%EOF"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))  # Qt writes on where the disk is full.
        unfinished.replace(target)
    except OSError as error:
        raise storage_error(error, target.parent) from error
    finally:
        with contextlib.suppress(OSError):
            unfinished.unlink(missing_ok=True)


def _tidy(document: QTextDocument) -> None:
    """What HTML cannot tell Qt: each paragraph's direction, lines of code without gaps, and a table's lines."""
    for frame in document.rootFrame().childFrames():
        if isinstance(frame, QTextTable):
            grid = frame.format().toTableFormat()
            grid.setBorder(1)
            grid.setBorderCollapse(True)
            grid.setBorderBrush(QColor("#c8c8cc"))
            grid.setBorderStyle(QTextTableFormat.BorderStyle.BorderStyle_Solid)
            grid.setCellPadding(5)
            frame.setFormat(grid)
    leftwards, close = QTextBlockFormat(), QTextBlockFormat()
    leftwards.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    close.setLineHeight(100, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
    block = document.begin()
    while block.isValid():
        strong = next((kind for kind in map(unicodedata.bidirectional, block.text()) if kind in _STRONG), "L")
        if block.blockFormat().hasProperty(QTextFormat.Property.BackgroundBrush):
            QTextCursor(block).mergeBlockFormat(close)
        elif strong != "L":
            QTextCursor(block).mergeBlockFormat(leftwards)
        block = block.next()
