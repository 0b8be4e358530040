"""The line under a message: figures of the answer on the left, version switcher and actions on the right."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QFont, QFontMetricsF, QHelpEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QMenu, QToolTip, QWidget

from app.core.conversation_model import MessageItem
from app.transcript.footer_figures import Figure, figures
from app.transcript.text_button import HEIGHT, TextButton
from app.ui.announcement import announce
from app.ui.theme import Theme
from engine.protocol.values import Role

_GAP = 14
_COPIED_MS = 1_500


class MessageFooter(QWidget):
    """Emits what was chosen; decides nothing.

    Signals:
        action_chosen(name): copy, edit, regenerate, regenerate_with, copy_markdown, continue, branch, add_prompt,
            why_slow or delete.
        version_chosen(index): another version of this message.
        menu_requested(place): the message's whole menu, below its button.
    """

    action_chosen = Signal(str)
    menu_requested = Signal(QPoint)
    version_chosen = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._item: MessageItem | None = None
        self._figures: list[Figure] = []
        self._figure_rects: list[QRectF] = []
        self._previous = TextButton(theme, "◀", self)
        self._next = TextButton(theme, "▶", self)
        self._actions = [TextButton(theme, "", self) for _ in range(5)]
        self._copy = self._actions[1]
        self._previous.clicked.connect(lambda: self._choose_version(-1))
        self._next.clicked.connect(lambda: self._choose_version(1))
        for button, name in zip(self._actions, ("continue", "copy", "edit", "regenerate", "more"), strict=True):
            button.clicked.connect(lambda _=False, name=name: self._choose(name))

    def bind(self, item: MessageItem) -> None:
        """Show this message's figures and what can be done with it."""
        self._item = item
        self._figures = figures(item)
        proceed, copy, edit, regenerate, more = self._actions
        proceed.set_label(self.tr("Continue"))
        copy.set_label(self.tr("Copy"))
        edit.set_label(self.tr("Edit"))
        regenerate.set_label(self.tr("Regenerate"))
        more.set_label("⋯", self.tr("More actions"))
        proceed.setVisible(item.is_cut)
        regenerate.setVisible(item.role is Role.ASSISTANT)
        for button, label in ((self._previous, self.tr("Previous version")), (self._next, self.tr("Next version"))):
            button.set_label(button.text(), label)
            button.setVisible(item.version_count > 1)
        self._previous.setEnabled(item.version_index > 0)
        self._next.setEnabled(item.version_index + 1 < item.version_count)
        self._place()
        self.update()

    def set_theme_changed(self) -> None:
        """Take on the theme's new fonts."""
        for button in (self._previous, self._next, *self._actions):
            button.setFont(self._theme.font(-2))
        if self._item is not None:
            self.bind(self._item)

    def height_hint(self) -> int:
        return self._actions[0].sizeHint().height()

    def menu(self) -> QMenu:
        """Everything that can be done with this message."""
        item, menu = self._item, QMenu(self)
        is_answer = item is not None and item.role is Role.ASSISTANT
        entries: list[tuple[str, str]] = [
            ("copy_markdown", self.tr("Copy as Markdown")),
            ("", ""),
            ("continue", self.tr("Continue")) if is_answer else ("regenerate", self.tr("Answer this")),
            *([("regenerate_with", self.tr("Regenerate with…"))] if is_answer else []),
            ("", ""),
            ("branch", self.tr("Duplicate chat from here")),
            ("add_prompt", self.tr("Add to prompt library")),
            *([("why_slow", self.tr("Why slow?"))] if is_answer and self._figures else []),
            ("", ""),
            ("delete", self.tr("Delete")),
        ]
        for name, label in entries:
            if not name:
                menu.addSeparator()
            else:
                menu.addAction(label).triggered.connect(lambda _=False, name=name: self.action_chosen.emit(name))
        menu.aboutToHide.connect(menu.deleteLater)
        return menu

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._place()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        plain, strong = self._theme.font(-2), self._theme.font(-2)
        strong.setWeight(QFont.Weight.Medium)
        limit = min((b.x() for b in (self._previous, *self._actions) if b.isVisibleTo(self)), default=self.width())
        x, self._figure_rects = 0.0, []
        baseline = (self.height() + QFontMetricsF(plain).ascent() - QFontMetricsF(plain).descent()) / 2
        for figure in self._figures:
            left = x
            pieces = ((figure.before, plain, "dim"), (figure.value, strong, "ink"), (figure.after, plain, "dim"))
            needed = sum(QFontMetricsF(font).horizontalAdvance(text + " ") for text, font, _ in pieces if text)
            if x + needed > limit:
                break
            for text, font, color in pieces:
                if text:
                    painter.setFont(font)
                    painter.setPen(self._theme.color(color))
                    painter.drawText(QPointF(x, baseline), text)
                    x += QFontMetricsF(font).horizontalAdvance(text + " ")
            self._figure_rects.append(QRectF(left, 0, x - left, self.height()))
            x += _GAP - 3
        if self._item is not None and self._item.version_count > 1:
            painter.setFont(plain)
            painter.setPen(self._theme.color("dim"))
            between = QRectF(self._previous.geometry().right(), 0, 0, self.height())
            between.setRight(self._next.geometry().left() + 1)
            painter.drawText(between, Qt.AlignmentFlag.AlignCenter, self._version_text())
        painter.end()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            for figure, rect in zip(self._figures, self._figure_rects, strict=False):
                if rect.contains(QPointF(event.pos())):
                    QToolTip.showText(event.globalPos(), figure.definition, self)
                    return True
        return super().event(event)

    def _version_text(self) -> str:
        return f"{self._item.version_index + 1} / {self._item.version_count}" if self._item is not None else ""

    def _place(self) -> None:
        """Put the buttons against the right edge."""
        x = self.width()
        for button in reversed(self._actions):
            if button.isVisibleTo(self):
                x -= button.width()
                button.move(x, (self.height() - button.height()) // 2)
                x -= 4
        if self._item is not None and self._item.version_count > 1:
            middle = QFontMetricsF(self._theme.font(-2)).horizontalAdvance(self._version_text())
            x -= self._next.width() + 2
            self._next.move(x, (self.height() - HEIGHT) // 2)
            x -= round(middle) + self._previous.width()
            self._previous.move(x, (self.height() - HEIGHT) // 2)

    def _choose(self, name: str) -> None:
        if name != "more":
            self.action_chosen.emit(name)
            if name == "copy":
                self._tell_copied()
            return
        button = self._actions[-1]
        self.menu_requested.emit(button.mapToGlobal(QPoint(0, button.height())))

    def _tell_copied(self) -> None:
        """For a moment, where it was pressed."""
        copied = self.tr("Copied")
        self._copy.set_label(copied)
        self._place()
        announce(self, copied)
        QTimer.singleShot(_COPIED_MS, self, lambda: self.bind(self._item) if self._item is not None else None)

    def _choose_version(self, step: int) -> None:
        if self._item is not None:
            self.version_chosen.emit(self._item.version_index + step)
