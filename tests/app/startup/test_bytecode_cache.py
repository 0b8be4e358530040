"""PySide's support modules are compiled once, not at each start; nothing depends on what is kept."""

from __future__ import annotations

import builtins
from pathlib import Path

import pytest

from app.startup.bytecode_cache import BytecodeCache

NAME = "shibokensupport/one.py"


def value(kept: Path, source: bytes = b"x = 1", name: str = NAME) -> tuple[int, int]:
    """What the source makes of x, and how often it was really compiled."""
    made, real = [], builtins.compile
    bytecode = BytecodeCache(str(kept))
    bytecode._compile = lambda *arguments, **options: (made.append(arguments), real(*arguments, **options))[1]
    place: dict[str, int] = {}
    with bytecode:
        code = builtins.compile(source, name, "exec")
    builtins.compile = real
    exec(code, place)
    return place["x"], len(made)


def test_what_was_compiled_once_is_kept(tmp_path: Path) -> None:
    assert value(tmp_path / "kept") == (1, 1)
    assert value(tmp_path / "kept") == (1, 0)
    assert [file.name for file in tmp_path.iterdir()] == ["kept"]


def test_another_source_is_compiled_again(tmp_path: Path) -> None:
    value(tmp_path / "kept")
    assert value(tmp_path / "kept", b"x = 2") == (2, 1)
    assert value(tmp_path / "kept", b"x = 2") == (2, 0)


@pytest.mark.parametrize("content", [b"", b"no bytecode", b"\xe9\x01\x00\x00\x00", b"N"])
def test_a_damaged_file_costs_only_its_use(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "kept").write_bytes(content)
    assert value(tmp_path / "kept") == (1, 1)
    assert value(tmp_path / "kept") == (1, 0)


def test_a_folder_that_is_not_there_costs_only_the_time(tmp_path: Path) -> None:
    assert value(tmp_path / "none" / "kept") == (1, 1)


def test_other_modules_are_none_of_its_business(tmp_path: Path) -> None:
    assert value(tmp_path / "kept", name="mine.py") == (1, 1)
    assert not (tmp_path / "kept").exists()
    with BytecodeCache(str(tmp_path / "kept")):
        pass
    assert isinstance(builtins.compile, type(len))
