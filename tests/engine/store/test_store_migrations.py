"""Databases of earlier versions are brought up to date, with what is in them."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

from engine.store import migrations
from engine.store.chats import open_store
from engine.store.search_query import grams


def test_the_chats_of_the_first_version_are_kept_and_follow_the_settings_for_formulas(tmp_path: Path) -> None:
    path = tmp_path / "chats.sqlite3"
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as old:
        old.create_function("grams", 1, grams, deterministic=True)
        migrations.m001_initial(old)
        old.execute("PRAGMA user_version = 1")
        old.execute("INSERT INTO chats (id, title, created_at, updated_at) VALUES ('c', 'Lisbon', 1.0, 2.0)")
    store, notice = open_store(path)
    with contextlib.closing(store):
        assert (notice, store.chat("c").title, store.chat("c").is_math_on) == ("", "Lisbon", None)
        assert [store.update_chat("c", is_math_on=value).is_math_on for value in (False, True, None)] == [
            False,
            True,
            None,
        ]
    with contextlib.closing(sqlite3.connect(path)) as now:
        assert now.execute("PRAGMA user_version").fetchone()[0] == migrations.version()
