"""A chat as a PDF: the page of HTML drawn by Qt, with formulas as pictures sharp enough for print."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import unicodedata
from html import escape
from pathlib import Path

from PySide6.QtCore import QMarginsF, QPointF, Qt, QUrl
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontDatabase,
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

from app.markdown.formula_cache import Outline
from app.markdown.formula_process import typeset
from engine.files import storage_error

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
body {{ font-family: Inter, sans-serif; margin: 0; }} pre, code {{ font-family: {mono}; font-size: 9pt; }}
.who, .small {{ font-size: 9pt; }}
blockquote {{ margin-left: 18px; color: #55555a; }} pre {{ margin: 0; white-space: pre-wrap; }}
"""
"""What Qt needs told otherwise than a browser."""
_MONO = ("JetBrains Mono", "Cascadia Mono", "SF Mono", "Menlo", "DejaVu Sans Mono", "Noto Sans Mono")
_CODE = re.compile(r"<pre><code[^>]*>(.*?)</code></pre>", re.DOTALL)
_FRAMED = (
    '<table width="100%" cellpadding="7" cellspacing="0" style="margin-top: 6px; margin-bottom: 6px"><tr>'
    '<td bgcolor="#f3f3f5"><pre>{}</pre></td></tr></table>'
)
_WHO = re.compile(r'<h2 class="who">(.*?)</h2>')
_HEADING = re.compile(r"<h([1-5])>(.*?)</h\1>", re.DOTALL)
_BROWSERS_ONLY = re.compile(r"(?:@media.*?)?</style>", re.DOTALL)
"""The end of the page's style; Qt gives up all of a style sheet from @media on."""
_FOLD = re.compile(r"<details>\s*<summary>(.*?)</summary>", re.DOTALL)


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
        document.setHtml(_for_qt(html))
        _tidy(document, writer.logicalDpiX() / _DOTS)
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


def _for_qt(html: str) -> str:
    """The page without what Qt's HTML lacks: nothing is folded on paper, and only a table has room around its text."""
    html = _FOLD.sub(r'<p class="small">\1</p><blockquote>', html).replace("</details>", "</blockquote>")
    html = _WHO.sub(r'<p class="who"><b>\1</b></p>', html)
    # Their sizes are Qt's own: one less for each, under the title.
    html = _HEADING.sub(lambda found: "<h{0}>{1}</h{0}>".format(int(found[1]) + 1, found[2]), html)
    html = _CODE.sub(lambda found: _FRAMED.format(found[1]), html)
    installed = set(QFontDatabase.families())  # Qt takes a generic name for the font of the text.
    mono = [f'"{name}"' for name in _MONO if name in installed]
    style = _STYLE.format(mono=", ".join([*mono, "monospace"]))
    return _BROWSERS_ONLY.sub(lambda _found: f"{style}</style>", html, count=1)


def _tidy(document: QTextDocument, scale: float) -> None:
    """What HTML cannot tell Qt: each paragraph's direction, lines of code without gaps, and a table's lines.

    `scale` is for what Qt leaves at its size in pixels when it prints: the left margins.
    """
    for frame in document.rootFrame().childFrames():
        if isinstance(frame, QTextTable) and frame.cellAt(0, 0).format().background().style() is Qt.BrushStyle.NoBrush:
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
        if (left := block.blockFormat().leftMargin()) > 0:
            indented = QTextBlockFormat()
            indented.setLeftMargin(left * scale)
            QTextCursor(block).mergeBlockFormat(indented)
        strong = next((kind for kind in map(unicodedata.bidirectional, block.text()) if kind in _STRONG), "L")
        if block.blockFormat().hasProperty(QTextFormat.Property.BackgroundBrush):
            QTextCursor(block).mergeBlockFormat(close)
        elif strong != "L":
            QTextCursor(block).mergeBlockFormat(leftwards)
        block = block.next()
