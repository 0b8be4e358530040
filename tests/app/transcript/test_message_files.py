"""The files that went with a message: all of them are shown, and without a word there is no bubble."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from app.core.conversation_model import ConversationModel, MessageItem
from app.transcript.card_painting import attachments_height
from app.transcript.message_card import MARGIN, MessageCard
from app.transcript.transcript_view import Transcript
from engine.protocol.values import Role
from engine.store.chat_values import Attachment

Settle = Callable[[], None]


@pytest.fixture
def show(transcript: Transcript, model: ConversationModel, settle: Settle) -> Callable[..., MessageCard]:
    def run(content: str, files: tuple[Attachment, ...]) -> MessageCard:
        model.set_items([MessageItem(id="a", content=content, role=Role.USER, attachments=files)])
        settle()
        return transcript.area.visible_cards()[0]

    return run


def test_all_files_of_a_message_are_shown_in_as_many_lines_as_they_need(show: Callable[..., MessageCard]) -> None:
    files = tuple(Attachment(name=f"chapter {n} of the book.pdf", n_tokens=1_000) for n in range(5))
    few = show("read", files[:1]).height()
    many = show("read", files)
    theme = many.styles.theme
    lines = attachments_height(files, many.width() - 2 * MARGIN, theme) / attachments_height(files[:1], 500, theme)
    assert lines > 1
    assert many.height() - few == (lines - 1) * attachments_height(files[:1], 500, theme)


def test_files_that_go_without_a_word_have_no_empty_bubble(show: Callable[..., MessageCard]) -> None:
    files = (Attachment(name="notes.txt", n_tokens=27),)

    def has_bubble(card: MessageCard) -> bool:
        pixels, ground = card.grab().toImage(), card.styles.theme.color("user").rgb()
        return any(pixels.pixel(card.width() - MARGIN - 10, y) == ground for y in range(pixels.height()))

    card = show("read", files)
    height = card.height()
    assert has_bubble(card)
    card = show("", files)
    assert card.height() < height
    assert not has_bubble(card)
