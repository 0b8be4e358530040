"""The line below a message: what its buttons say, and that they are seen whole."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton
from pytestqt.qtbot import QtBot

from app.core.conversation_model import ConversationModel, MessageItem
from app.transcript.message_card import MessageCard
from app.transcript.transcript_view import Transcript
from engine.protocol.values import Role

Settle = Callable[[], None]


def shown(transcript: Transcript, model: ConversationModel, settle: Settle, role: Role = Role.ASSISTANT) -> MessageCard:
    model.set_items([MessageItem(id="a", content="x", role=role)])
    settle()
    return transcript.area.visible_cards()[0]


def button(card: MessageCard, label: str) -> QAbstractButton:
    return next(b for b in card.findChildren(QAbstractButton) if label in (b.text(), b.accessibleName()))


def test_copy_says_that_it_has_copied(
    transcript: Transcript, model: ConversationModel, settle: Settle, qtbot: QtBot
) -> None:
    card = shown(transcript, model, settle)
    copy = button(card, "Copy")
    copy.click()
    assert copy.text() == "Copied"
    qtbot.waitUntil(lambda: copy.text() == "Copy")


@pytest.mark.parametrize("role", [Role.USER, Role.ASSISTANT])
def test_rings_around_the_actions_are_whole(
    transcript: Transcript, model: ConversationModel, settle: Settle, role: Role
) -> None:
    card = shown(transcript, model, settle, role)
    card.setFocus(Qt.FocusReason.TabFocusReason)
    for label in ("Copy", "More actions"):
        each = button(card, label)
        assert each.isVisible()
        assert each.visibleRegion().boundingRect() == each.rect()
