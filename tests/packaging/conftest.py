"""Makes the set-up's modules importable: packaging/ is a folder of scripts, not a package."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

PACKAGING = Path(__file__).resolve().parent.parent.parent / "packaging"
sys.path.insert(0, str(PACKAGING))

from setup_steps import Console, Places  # noqa: E402


@pytest.fixture
def places(tmp_path: Path) -> Places:
    """An empty checkout with its own cache."""
    (tmp_path / "checkout" / "packaging").mkdir(parents=True)
    return Places(tmp_path / "checkout", tmp_path / "checkout" / ".venv", tmp_path / "cache")


@pytest.fixture
def output() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
def console(output: io.StringIO) -> Console:
    """A console that is no terminal and whose clock stands still."""
    return Console(stream=output, is_live=False, clock=lambda: 5.0)
