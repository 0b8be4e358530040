"""A newcomer gets a model and its first token, through the interface only: real window, host, worker and hub client."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
import qasync
from first_download import FILE, REPO, first_start, play
from hub_server import serve
from PySide6.QtWidgets import QApplication

from app.core import tasks
from engine.metrics import FinishReason

PATIENCE = 300.0
HEADER_BYTES = 4_000_000
"""What may be read of a file before it is downloaded, to know its shape."""


def test_from_first_start_to_the_first_token_of_a_downloaded_model(
    qapp: QApplication, starter: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    steps: list[str] = []

    async def scene() -> None:
        async with first_start() as application:
            answer = await play(application, lambda name, _widget: steps.append(name))
            assert answer.effective is not None
            assert Path(answer.effective.model_path).name == FILE
            assert answer.content.strip()
            assert answer.finish_reason in (FinishReason.CANCELLED, FinishReason.STOP)
            assert answer.perceived_ttft is not None

    with serve() as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        server.add(REPO).files = {FILE: starter.read_bytes()}
        with qasync.QEventLoop(qapp) as loop:
            asyncio.set_event_loop(loop)
            try:
                loop.run_until_complete(asyncio.wait_for(scene(), PATIENCE))
                loop.run_until_complete(tasks.cancel_all())
            finally:
                asyncio.set_event_loop(None)
        assert server.sent[FILE] < starter.stat().st_size + HEADER_BYTES
    assert len(steps) == 8
