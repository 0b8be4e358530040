"""Fixtures of the store's tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.store.chats import ChatStore


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ChatStore]:
    """A fresh store in a folder whose name needs care."""
    store = ChatStore(tmp_path / "my chats 聊天 😀" / "chats.sqlite3")
    yield store
    store.close()
