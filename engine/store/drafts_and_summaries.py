"""What belongs to a chat but is no message: drafts of the composer, and summaries of its beginning."""

from __future__ import annotations

import msgspec

from engine.errors import Code, StorageError
from engine.store.chat_values import Attachment, Draft, Summary
from engine.store.database import Database
from engine.store.row_mapping import attachments_of, column_value, new_id, now, record_of

NEW_CHAT = ""
"""Stands for the id of a chat that does not exist yet, in drafts."""


class NoteStore:
    """The part of the chat store that deals with drafts and summaries. Every method raises StorageError."""

    _db: Database

    def draft(self, chat_id: str = NEW_CHAT) -> Draft:
        """The unsent text of a chat; an empty draft when there is none."""
        row = self._db.row("SELECT text, attachments FROM drafts WHERE chat_id = ?", chat_id)
        return Draft() if row is None else Draft(text=row["text"], attachments=attachments_of(row["attachments"]))

    def set_draft(self, chat_id: str, text: str, attachments: tuple[Attachment, ...] = ()) -> None:
        """Keep the unsent text of a chat; nothing to keep removes it."""
        if not text and not attachments:
            self._db.write("DELETE FROM drafts WHERE chat_id = ?", chat_id)
            return
        self._db.write(
            "INSERT INTO drafts VALUES (?, ?, ?) ON CONFLICT (chat_id) DO UPDATE "
            "SET text = excluded.text, attachments = excluded.attachments",
            chat_id,
            column_value(text),
            column_value(attachments),
        )

    def drafts(self) -> dict[str, Draft]:
        """All drafts by chat id, for marking chats that have one."""
        rows = self._db.rows("SELECT chat_id, text, attachments FROM drafts")
        return {row["chat_id"]: Draft(text=row["text"], attachments=attachments_of(row["attachments"])) for row in rows}

    def summaries(self, chat_id: str) -> list[Summary]:
        """All summaries of a chat, oldest first. The one to use is the last whose covers_to is shown."""
        rows = self._db.rows("SELECT * FROM summaries WHERE chat_id = ? ORDER BY created_at, rowid", chat_id)
        return [record_of(row, Summary) for row in rows]

    def add_summary(self, chat_id: str, text: str, covers_to: str) -> Summary:
        """Keep a summary of everything up to the message `covers_to`; an earlier one to there is replaced."""
        summary = Summary(id=new_id(), chat_id=chat_id, text=text, covers_to=covers_to, created_at=now())
        with self._db.transaction():
            self._db.write("DELETE FROM summaries WHERE chat_id = ? AND covers_to = ?", chat_id, covers_to)
            self._insert_summary(summary)
        return summary

    def edit_summary(self, summary_id: str, text: str) -> Summary:
        """Change a summary's text by hand."""
        with self._db.transaction():
            self._db.write("UPDATE summaries SET text = ?, is_edited = 1 WHERE id = ?", column_value(text), summary_id)
            row = self._db.row("SELECT * FROM summaries WHERE id = ?", summary_id)
        if row is None:
            raise StorageError(Code.BAD_REQUEST, "This summary no longer exists.", "It is made anew when it is needed.")
        return record_of(row, Summary)

    def _insert_summary(self, summary: Summary) -> None:
        values = [column_value(value) for value in msgspec.structs.astuple(summary)]
        self._db.write(
            "INSERT INTO summaries (id, chat_id, text, covers_to, created_at, is_edited) VALUES (?, ?, ?, ?, ?, ?)",
            *values,
        )
