"""A local hub with one repository of tiny models, and a home without any model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hub_server import HubServer, serve
from manager_scene import FILES, REPO


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[HubServer]:
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    monkeypatch.setenv("FIRSTLIGHT_STARTER", str(tmp_path / "none.gguf"))
    with serve() as running:
        running.add(REPO).files = dict(FILES)
        yield running
