"""How steps show themselves and how a failed command explains itself."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
from setup_steps import Console, StepFailed, pip_command, run_logged, user_cache, venv_python


def test_a_step_prints_its_start_and_its_end(console: Console, output: io.StringIO) -> None:
    with console.step("Engine") as progress:
        progress.result("compiled")
    assert output.getvalue().splitlines() == ["  … Engine", "  ✓ Engine: compiled (0.0 s)"]


def test_a_failed_step_is_marked(console: Console, output: io.StringIO) -> None:
    with pytest.raises(StepFailed), console.step("Engine") as progress:
        progress.result("never shown")
        raise StepFailed("no")
    assert output.getvalue().splitlines()[-1] == "  ✗ Engine (0.0 s)"


def test_a_terminal_redraws_one_line(output: io.StringIO) -> None:
    with Console(stream=output, is_live=True, clock=lambda: 1.0).step("Engine"):
        pass
    assert output.getvalue().endswith("\r\x1b[K  ✓ Engine (0.0 s)\n")
    assert output.getvalue().count("\n") == 1


def test_a_build_counter_is_shown(console: Console, tmp_path: Path) -> None:
    code = "print('[1/3] cc a'); print('[2/3] cc b')"
    with console.step("Engine") as progress:
        text = run_logged([sys.executable, "-c", code], log=tmp_path / "log", progress=progress, label="compiling, ")
        assert progress._detail == "compiling, 2 of 3"
    assert text == (tmp_path / "log").read_text() == "[1/3] cc a\n[2/3] cc b\n"


def test_a_failed_command_shows_the_lines_that_matter(tmp_path: Path) -> None:
    code = "print('all fine'); print('x.cpp:1: error: no such type'); print('bye'); raise SystemExit(3)"
    with pytest.raises(StepFailed, match="status 3") as caught:
        run_logged([sys.executable, "-c", code], log=tmp_path / "logs" / "build.log")
    assert "no such type" in caught.value.what
    assert "all fine" not in caught.value.what
    assert str(tmp_path / "logs" / "build.log") in caught.value.advice


def test_a_failed_command_without_error_words_shows_its_end(tmp_path: Path) -> None:
    code = "print(*range(20), sep='\\n'); raise SystemExit(1)"
    with pytest.raises(StepFailed) as caught:
        run_logged([sys.executable, "-c", code], log=tmp_path / "log")
    assert "19" in caught.value.what
    assert " 3\n" not in caught.value.what


def test_a_missing_program_is_named(tmp_path: Path) -> None:
    with pytest.raises(StepFailed, match="no-such-program is missing"):
        run_logged(["no-such-program"], log=tmp_path / "log")


def test_environment_is_added(tmp_path: Path) -> None:
    code = "import os; print(os.environ['ADDED'], 'PATH' in os.environ)"
    text = run_logged([sys.executable, "-c", code], log=tmp_path / "log", environment={"ADDED": "yes"})
    assert text.split() == ["yes", "True"]


@pytest.mark.parametrize(
    ("environment", "platform", "expected"),
    [
        ({"FIRSTLIGHT_HOME": "/f"}, "linux", Path("/f/cache")),
        ({"XDG_CACHE_HOME": "/x"}, "linux", Path("/x/firstlight")),
        ({}, "linux", Path.home() / ".cache" / "firstlight"),
        ({}, "darwin", Path.home() / "Library" / "Caches" / "firstlight"),
        ({"LOCALAPPDATA": "/l"}, "win32", Path("/l/firstlight/Cache")),
    ],
)
def test_the_cache_is_the_engines(environment: dict[str, str], platform: str, expected: Path) -> None:
    assert user_cache(environment, platform) == expected


def test_pip_retries_only_on_the_network() -> None:
    python = venv_python(Path("venv"))
    assert "--retries" in pip_command(python, "download", "x")
    assert "--retries" not in pip_command(python, "install", "--no-index", "x.whl")
    assert "--retries" not in pip_command(python, "wheel", "x")
