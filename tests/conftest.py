"""Fixtures that every test shares: an offscreen window system and folders of its own."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import hypothesis
import pytest

from app.startup.garbage_collection import collect_what_is_due
from engine.host.model_resolver import STARTER_FILE

# A busy machine is no failure, and neither is chance: each run tries the same examples.
for name, n_examples in (("short", 50), ("thorough", 300)):
    hypothesis.settings.register_profile(
        name,
        max_examples=n_examples,
        deadline=None,
        derandomize=True,
        suppress_health_check=[hypothesis.HealthCheck.too_slow],
    )

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

# As in the app: a thread that collects would take down Qt's objects that earlier tests left behind.
gc.disable()

STARTER = Path(__file__).resolve().parent.parent / ".cache" / "models" / STARTER_FILE


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--thorough", action="store_true", help="six times the examples of each property test, as in CI")


def pytest_configure(config: pytest.Config) -> None:
    hypothesis.settings.load_profile("thorough" if config.getoption("--thorough") else "short")


def pytest_runtest_teardown() -> None:
    collect_what_is_due()


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh FIRSTLIGHT_HOME, so that no test sees another's settings, chats or caches."""
    folder = tmp_path / "home"
    monkeypatch.setenv("FIRSTLIGHT_HOME", str(folder))
    return folder


@pytest.fixture(scope="session")
def starter() -> Path:
    """The starter model, which packaging/bootstrap.py brings; its absence is a failure, never a skip."""
    if not STARTER.exists():
        pytest.fail("The starter model is missing: run python3 packaging/bootstrap.py test.")
    return STARTER
