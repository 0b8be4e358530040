"""What a message contains that can be opened or copied by itself: links, code, plain text; as menu entries."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

from PySide6.QtCore import QCoreApplication, SignalInstance
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QMenu

from app.markdown.blocks import Block, CodeBlock, Heading, Inline, Mark, Paragraph, Table
from app.transcript.message_sections import MessageSections

_MAX_ENTRIES = 20
_MAX_LABEL = 48

translate = QCoreApplication.translate


def content_actions(sections: MessageSections, menu: QMenu, link_activated: SignalInstance) -> list[QAction]:
    """Entries that do by keyboard what a click on a link or a code block's button does, and one for the plain text.

    `link_activated(target, shown)` is emitted for a link.
    """
    blocks = list(sections.body.document.blocks())
    found: list[QMenu] = []
    if links := list(itertools.islice(_links(blocks), _MAX_ENTRIES)):
        found.append(QMenu(translate("MessageCard", "Open link"), menu))
        for target, shown in links:
            label = shown if shown == target else f"{shown} ({target})"
            action = found[-1].addAction(_short(label))
            action.triggered.connect(lambda _=False, link=(target, shown): link_activated.emit(*link))
    if codes := [block for block in blocks if isinstance(block, CodeBlock)][:_MAX_ENTRIES]:
        found.append(QMenu(translate("MessageCard", "Copy code"), menu))
        for code in codes:
            first = code.text.strip().partition("\n")[0]
            action = found[-1].addAction(_short(f"{code.language}: {first}" if code.language else first))
            action.triggered.connect(lambda _=False, text=code.text: QGuiApplication.clipboard().setText(text))
    plain = QAction(translate("MessageCard", "Copy as plain text"), menu)
    plain.triggered.connect(lambda: QGuiApplication.clipboard().setText(sections.body.document.text()))
    return [*(each.menuAction() for each in found), plain]


def _links(blocks: Iterable[Block]) -> Iterator[tuple[str, str]]:
    """Target and shown text of each link, in order."""
    for inline in itertools.chain.from_iterable(map(_inlines, blocks)):
        for span in inline.spans:
            if span.marks & Mark.LINK:
                yield span.target, inline.text[span.start : span.end]


def _inlines(block: Block) -> Iterable[Inline]:
    match block:
        case Paragraph(inline=inline) | Heading(inline=inline):
            return (inline,)
        case Table(rows=rows):
            return itertools.chain.from_iterable(rows)
        case _:
            return ()


def _short(label: str) -> str:
    """What fits a menu; an ampersand would mark a key there."""
    cut = label if len(label) <= _MAX_LABEL else f"{label[: _MAX_LABEL - 1]}…"
    return cut.replace("&", "&&")
