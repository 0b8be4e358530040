"""A window, its host and its worker that start on a full disk: an answer all the same, and nothing is lost."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from engine.protocol import Role
from engine.settings import folders
from engine.store.chats import open_store

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.model


def fill_the_disk() -> None:
    """From now on this process and those that it starts cannot write one byte to any file."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))


def test_the_window_starts_and_answers(starter: Path) -> None:
    store, _ = open_store(folders().chats_file)
    chat = store.create_chat(title="Before")
    store.add_message(chat.id, Role.USER, "kept")
    store.close()
    result = subprocess.run(
        [sys.executable, "-m", "app", "--smoke", "Say hello."], cwd=ROOT, check=False, capture_output=True, text=True,
        env={**os.environ, "FIRSTLIGHT_STARTER": str(starter)}, preexec_fn=fill_the_disk,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["text"].strip()
    assert "Traceback" not in result.stderr
    store, notice = open_store(folders().chats_file)
    assert notice == ""
    assert [message.content for each in store.chats() for message in store.path(each.id)] == ["kept"]
    store.close()
