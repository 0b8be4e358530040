"""The KV snapshots on disk, as far as they can be handled without a worker: found by their chat, and deleted."""

from __future__ import annotations

import contextlib
import hashlib
from pathlib import Path


def chat_prefix(chat_id: str) -> str:
    """What the names of a chat's snapshots begin with; a worker names them so."""
    return hashlib.sha256(chat_id.encode()).hexdigest()[:16] + "-"


def delete_snapshots(folder: Path, chat_id: str = "") -> int:
    """Delete a chat's snapshots of every model, or all of them; returns how many."""
    pattern = f"*/{chat_prefix(chat_id)}*.kv" if chat_id else "*/*.kv"
    count = 0
    for path in folder.glob(pattern):
        # One that a worker deletes at the same moment is gone as well.
        with contextlib.suppress(FileNotFoundError):
            path.unlink()
            count += 1
    return count
