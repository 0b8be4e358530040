"""What holds the cards of the transcript: a class of its own, so that screen readers can be given their order."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QFocusEvent, QPalette
from PySide6.QtWidgets import QFrame, QWidget

_TALLER_THAN_SCREENS = 1 << 14


class Viewport(QWidget):
    """Filled like the window; a bar at its edge tells that `area` has the keyboard, unless the mouse gave it that."""

    def __init__(self, area: QWidget) -> None:
        super().__init__(area)
        self.setBackgroundRole(QPalette.ColorRole.Window)
        self._bar = QFrame(self)
        self._bar.setObjectName("focusBar")
        self._bar.hide()
        self._bar.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._bar.setGeometry(0, 0, 2, _TALLER_THAN_SCREENS)
        area.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Look at the area's focus; nothing is taken from it."""
        if isinstance(event, QFocusEvent):
            self._bar.setVisible(event.gotFocus() and event.reason() is not Qt.FocusReason.MouseFocusReason)
        return False
