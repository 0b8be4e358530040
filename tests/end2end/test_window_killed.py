"""A window that is killed in the middle of a download: the next one goes on with it, and asks for nothing twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from gguf_files import chat_bytes
from hub_server import serve

from engine.library.transfer import CHUNK_BYTES
from engine.settings import Models, Settings, folders, save_settings

ROOT = Path(__file__).resolve().parents[2]
REPO, FILE = "owner/Long-GGUF", "long-Q8_0.gguf"
CONTENT = chat_bytes() + bytes(range(256)) * 12_000
STALLED_AT = 1 << 20


def window() -> subprocess.Popen[str]:
    driver = str(ROOT / "tests" / "download_window.py")
    return subprocess.Popen([sys.executable, driver, REPO], cwd=ROOT, stdout=subprocess.PIPE, text=True)


def test_a_killed_window_loses_no_download(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    monkeypatch.setenv("FIRSTLIGHT_STARTER", str(tmp_path / "none.gguf"))
    with serve() as server:
        save_settings(Settings(models=Models(hub_endpoint=server.url, last_model="")), folders().settings_file)
        server.add(REPO).files = {FILE: CONTENT}
        server.fail("stall", path=FILE, after=STALLED_AT, is_download=True)
        with window() as first:
            assert first.stdout is not None
            for line in first.stdout:
                if " · 1 of" in str(json.loads(line).get("shown")):
                    os.kill(first.pid, signal.SIGKILL)
                    break
        with window() as second:
            assert second.stdout is not None
            last = [json.loads(line) for line in second.stdout][-1]
        assert last == {"end": True}
        assert (folders().models / REPO / FILE).read_bytes() == CONTENT
        assert len(server.starts) == 2
        assert server.sent[FILE] - len(CONTENT) <= CHUNK_BYTES
