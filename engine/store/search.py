"""Full-text search over titles and messages, for words of any script and for any piece of CJK text."""

from __future__ import annotations

import re
from typing import Any

from engine.protocol.values import Role
from engine.store.chat_values import SearchHit
from engine.store.database import Database
from engine.store.row_mapping import now
from engine.store.search_query import Query, parse, snippet

MAX_CANDIDATES = 1000
"""Of a word that is found everywhere, only the latest messages are ranked, so that any search is quick."""
MAX_SCANNED = 15_000
"""A query without a letter, such as an arrow or an emoji, is not in the index: this many messages are read for it."""
MAX_TITLES = 10
_RECENT_DAYS = 30.0

_MESSAGES = """
SELECT m.number, f.score, m.created_at
FROM (
    SELECT rowid, bm25(message_index) AS score FROM message_index
    WHERE message_index MATCH ? ORDER BY rowid DESC LIMIT ?
) f
JOIN messages m ON m.number = f.rowid
JOIN chats c ON c.id = m.chat_id
WHERE m.deletion_id IS NULL AND c.deleted_at IS NULL
"""
_AS_IT_IS = """
SELECT m.number, -1.0, m.created_at
FROM messages m JOIN chats c ON c.id = m.chat_id
WHERE m.number > (SELECT max(number) FROM messages) - ? AND instr(m.content, ?)
    AND m.deletion_id IS NULL AND c.deleted_at IS NULL
ORDER BY m.number DESC LIMIT ?
"""
_TITLES = """
SELECT c.id, c.title, c.updated_at, f.score, c.is_archived
FROM (
    SELECT rowid, bm25(title_index) AS score FROM title_index
    WHERE title_index MATCH ? ORDER BY rowid DESC LIMIT ?
) f
JOIN chats c ON c.number = f.rowid
WHERE c.deleted_at IS NULL
"""
_HIT = """
SELECT m.id, m.role, m.created_at, m.content, c.id, c.title, c.is_archived
FROM messages m JOIN chats c ON c.id = m.chat_id WHERE m.number = ?
"""


class SearchStore:
    """The part of the chat store that finds. Every method raises StorageError."""

    _db: Database

    def search(self, text: str, *, limit: int = 50) -> list[SearchHit]:
        """Titles and then messages that hold every word of `text`, the best and latest first.

        Words match their beginnings, case and accents do not matter, "quoted text" is looked for as it stands.
        """
        query = parse(text)
        if not query.text:
            return []
        titles = self._title_hits(query)
        return [*titles, *self._message_hits(query, limit - len(titles))]

    def _title_hits(self, query: Query) -> list[SearchHit]:
        if not query.parts:
            return []
        pattern = query.pattern()
        rows = self._db.rows(_TITLES, query.match, MAX_CANDIDATES)
        return [
            _hit(
                pattern, title, chat_id=chat_id, chat_title=title, created_at=updated_at, is_archived=bool(is_archived)
            )
            for chat_id, title, updated_at, _, is_archived in _ranked(rows, score=3, at=2)[:MAX_TITLES]
        ]

    def _message_hits(self, query: Query, limit: int) -> list[SearchHit]:
        pattern = query.pattern()
        with self._db.locked():
            if query.parts:
                rows = self._db.rows(_MESSAGES, query.match, MAX_CANDIDATES)
            else:
                rows = self._db.rows(_AS_IT_IS, MAX_SCANNED, query.text, limit)
            found = [self._db.row(_HIT, row[0]) for row in _ranked(rows, score=1, at=2)[:limit]]
        return [
            _hit(
                pattern, content, chat_id=chat_id, chat_title=title, message_id=message_id, role=Role(role),
                created_at=created_at, is_archived=bool(is_archived),
            )
            for message_id, role, created_at, content, chat_id, title, is_archived in filter(None, found)
        ]  # fmt: skip


def _hit(pattern: re.Pattern[str], text: str, **fields: Any) -> SearchHit:
    line, highlights = snippet(text, pattern)
    return SearchHit(snippet=line, highlights=highlights, **fields)


def _ranked(rows: list[Any], *, score: int, at: int) -> list[Any]:
    """The best and latest first; `score` and `at` are the columns of bm25 and of the time."""
    moment = now()
    return sorted(rows, key=lambda row: _rank(row[score], row[at], moment))


def _rank(score: float, at: float, moment: float) -> float:
    """FTS5's bm25, which is negative and lower for better, up to doubled for what is new."""
    age_days = max(0.0, moment - at) / 86_400
    return score * (1 + 1 / (1 + age_days / _RECENT_DAYS))
