"""Words that others wrote: Qt takes what looks like HTML for a page, and would fetch the pictures that it names."""

from __future__ import annotations

from PySide6 import QtGui


def plain_tip(text: str) -> str:
    """`text` as a tool tip that shows it as it is."""
    return QtGui.Qt.convertFromPlainText(text) if QtGui.Qt.mightBeRichText(text) else text
