"""The dialog with a repository's own description of its model; nothing in it is fetched, pictures neither."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QUrl
from PySide6.QtGui import (
    QDesktopServices,
    QFont,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFrameFormat,
    QTextTable,
    QTextTableFormat,
)
from PySide6.QtWidgets import QDialog, QTextBrowser, QVBoxLayout, QWidget

from app.ui.theme import Theme

_GAP, _INDENT = 8, 22
"""Pixels below a paragraph, and of a level of a list."""
_HEADINGS = {1: 8, 2: 4, 3: 1}
"""Pixels by which headings are larger than the base size."""


class _Text(QTextBrowser):
    def loadResource(self, _kind: int, _name: QUrl | str) -> object:
        return None


class ModelCardDialog(QDialog):
    """Shows Markdown; its links to the web open in the browser, others lead nowhere."""

    def __init__(self, theme: Theme, title: str, card: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setPalette(theme.palette())
        self.resize(720, 640)
        self.text = _Text()
        self.text.setFont(theme.font(-1))
        self.text.setPalette(theme.palette())
        self.text.setFrameShape(QTextBrowser.Shape.NoFrame)
        self.text.setOpenLinks(False)
        self.text.anchorClicked.connect(_open)
        self.text.setAccessibleName(title)
        self.text.document().setDocumentMargin(24)
        self.text.setMarkdown(card)
        _lay_out(self.text.document(), theme)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.text)


def _open(link: QUrl) -> None:
    if link.scheme() in ("http", "https"):
        QDesktopServices.openUrl(link)


def _lay_out(document: QTextDocument, theme: Theme) -> None:
    """Markdown comes without distances, and with sizes, borders and links that are not the app's."""
    document.setIndentWidth(_INDENT)
    for frame in document.rootFrame().childFrames():
        if isinstance(frame, QTextTable):
            _lay_out_table(frame, theme)
    for start, end in reversed(list(_code(document))):
        cursor = QTextCursor(document)
        cursor.setPosition(start)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        cursor.mergeCharFormat(_char_format(theme.mono_font(-2)))
        cursor.insertFrame(_code_frame(theme))
    block = document.begin()
    while block.isValid():
        QTextCursor(block).mergeBlockFormat(_distances(block))
        level = block.blockFormat().headingLevel()
        for fragment in [piece.fragment() for piece in block]:  # type: ignore[attr-defined]
            look = fragment.charFormat()
            if level:
                look.clearProperty(QTextFormat.Property.FontSizeAdjustment)
                look.merge(_char_format(theme.font(_HEADINGS.get(level, 0), is_bold=True)))
            if look.isAnchor():
                look.setForeground(theme.color("accent"))
            if level or look.isAnchor():
                cursor = QTextCursor(block)
                cursor.setPosition(fragment.position())
                cursor.setPosition(fragment.position() + fragment.length(), QTextCursor.MoveMode.KeepAnchor)
                cursor.setCharFormat(look)
        block = block.next()


def _char_format(font: QFont) -> QTextCharFormat:
    look = QTextCharFormat()
    look.setFont(font)
    return look


def _code(document: QTextDocument) -> Iterator[tuple[int, int]]:
    """Where code begins and ends; its lines are blocks of their own."""
    block, start = document.begin(), None
    while block.isValid():
        is_code = block.blockFormat().hasProperty(QTextFormat.Property.BlockCodeFence)
        if is_code and start is None:
            start = block.position()
        if start is not None and not block.next().blockFormat().hasProperty(QTextFormat.Property.BlockCodeFence):
            yield start, block.position() + block.length() - 1
            start = None
        block = block.next()


def _distances(block: QTextBlock) -> QTextBlockFormat:
    """What stands around a block: nothing in a table and in code."""
    spaced, cursor = QTextBlockFormat(), QTextCursor(block)
    if not block.text():  # What a frame leaves before it.
        spaced.setLineHeight(1, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
        return spaced
    if cursor.currentTable() is not None or cursor.currentFrame() is not block.document().rootFrame():
        return spaced
    spaced.setLineHeight(125, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
    spaced.setTopMargin(14 if block.blockFormat().headingLevel() and block.position() else 0)
    spaced.setBottomMargin(2 if block.textList() and block.next().textList() else _GAP)
    return spaced


def _lay_out_table(table: QTextTable, theme: Theme) -> None:
    """Thin lines, and room in the cells."""
    look = QTextTableFormat(table.format().toTableFormat())
    look.setBorderCollapse(True)
    look.setBorder(1)
    look.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
    look.setBorderBrush(theme.color("line"))
    look.setCellSpacing(0)
    look.setCellPadding(6)
    look.setBottomMargin(_GAP)
    table.setFormat(look)


def _code_frame(theme: Theme) -> QTextFrameFormat:
    look = QTextFrameFormat()
    look.setBackground(theme.color("code"))
    look.setBorder(1)
    look.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
    look.setBorderBrush(theme.color("line"))
    look.setPadding(10)
    look.setBottomMargin(_GAP)
    return look
