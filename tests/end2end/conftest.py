"""Fixtures of the end-to-end tests: the real command line, host and worker with the starter model."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.__main__ import main
from engine.commands.host_session import Session
from engine.commands.options import load_with
from engine.settings import Folders, Models, Settings

N_CTX = 6144


@pytest.fixture(scope="module")
def session(starter: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    """One host and one loaded model for all tests of a module; a single thread, so that tests can run side by side."""
    root = tmp_path_factory.mktemp("home")
    places = Folders(config=root / "config", data=root / "data", cache=root / "cache")
    settings = load_with(
        Settings(models=Models(last_model="starter")), "starter", n_ctx=N_CTX, n_threads=1, n_threads_batch=1
    )
    with Session(settings, places) as made:
        yield made


@pytest.fixture
def cli(capfd: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Run the command line in this process: exit code, stdout, stderr."""

    def run(*arguments: object) -> tuple[int, str, str]:
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as error:
            code = int(error.code or 0)
        captured = capfd.readouterr()
        return code, captured.out, captured.err

    assert "FIRSTLIGHT_WORKER" not in os.environ
    return run
