"""How high the text of a plain text field is, in pixels: lines differ where a font lacks letters, as with Chinese."""

from __future__ import annotations

from PySide6.QtWidgets import QPlainTextEdit


def text_height(edit: QPlainTextEdit, limit: float) -> float:
    """The height of all lines, or of the first ones that reach `limit`: what is longer is not measured."""
    layout, block, height = edit.document().documentLayout(), edit.document().firstBlock(), 0.0
    while block.isValid() and height < limit:
        height += layout.blockBoundingRect(block).height()
        block = block.next()
    return min(height, limit)
