"""python -m engine chat, with a scripted worker."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import fakes
import gguf_files
import pytest

from engine import __version__
from engine.__main__ import COMMANDS, main
from engine.metrics import RequestMetrics
from engine.protocol import EffectiveSettings

PROJECT = Path(__file__).resolve().parents[3]
Script = Callable[..., None]


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Script:
    def choose(**fields: object) -> None:
        monkeypatch.setenv("FIRSTLIGHT_FAKE", fakes.script_json(**fields))

    monkeypatch.setenv("FIRSTLIGHT_WORKER", fakes.fake_command())
    choose()
    return choose


@pytest.fixture
def model(script: Script, tmp_path: Path) -> str:
    path = tmp_path / "tiny.gguf"
    path.write_bytes(gguf_files.chat_bytes())
    return str(path)


def test_text_goes_to_stdout_and_figures_to_stderr(model: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["chat", "--model", model, "--prompt", "Hi"]) == 0
    out, err = capfd.readouterr()
    assert out == "Hello from the fake.\n"
    assert "5 tokens" in err
    assert "prompt 7 (4 cached)" in err


@pytest.mark.parametrize(
    ("encoding", "shown"),
    [("utf-8", "👩\u200d👧 你好 café\n"), ("latin-1", "??? ?? café\n"), ("ascii", "??? ?? caf?\n")],
)
def test_a_terminal_that_lacks_a_character_shows_a_mark(script: Script, model: str, encoding: str, shown: str) -> None:
    script(tokens=("👩", "\u200d👧", " 你好", " café"))
    command = [sys.executable, "-m", "engine", "chat", "--model", model, "--prompt", "Hi"]
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    result = subprocess.run(command, cwd=PROJECT, env=environment, check=False, capture_output=True)
    assert result.stdout.decode(encoding) == shown
    assert result.returncode == 0
    assert b"Traceback" not in result.stderr


def test_json_has_every_figure_by_its_name(model: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["chat", "--model", model, "--prompt", "Hi", "--json", "--max-tokens", "2", "--seed", "7"]) == 0
    out, err = capfd.readouterr()
    answer = json.loads(out)
    assert err == ""
    assert answer["text"] == "Hello from"
    assert answer["finish_reason"] == "stop"
    assert set(answer["metrics"]) == set(RequestMetrics.__struct_fields__)
    assert set(answer["effective"]) == set(EffectiveSettings.__struct_fields__)
    assert answer["metrics"]["load_time"] > 0
    assert answer["metrics"]["itl"] is None


def test_options_reach_the_worker(model: str, capfd: pytest.CaptureFixture[str]) -> None:
    main(["chat", "--model", model, "--prompt", "Hi", "--json", "--ctx", "512", "--threads", "1"])
    effective = json.loads(capfd.readouterr().out)["effective"]
    assert (effective["n_ctx"], effective["n_threads"]) == (512, 1)


@pytest.mark.parametrize("arguments", [["--prompt", "-"], []])
def test_the_prompt_can_come_from_stdin(model: str, capfd, monkeypatch, arguments: list[str]) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr(sys, "stdin", io.StringIO("Hi\n"))
    assert main(["chat", "--model", model, *arguments]) == 0
    assert capfd.readouterr().out == "Hello from the fake.\n"


def test_reasoning_is_kept_apart(model: str, script: Script, capfd: pytest.CaptureFixture[str]) -> None:
    script(is_reasoning=True)
    main(["chat", "--model", model, "--prompt", "Hi", "--json"])
    answer = json.loads(capfd.readouterr().out)
    assert (answer["reasoning"], answer["text"]) == ("Hello", " from the fake.")
    main(["chat", "--model", model, "--prompt", "Hi"])
    assert capfd.readouterr().out == " from the fake.\n"


def test_a_conversation_goes_on_after_an_error(model: str, capfd, script: Script, monkeypatch, tmp_path) -> None:  # type: ignore[no-untyped-def]
    script(fault="decode", act="kill", fault_once=str(tmp_path / "once"))
    lines: Iterator[str] = iter(["Hi", "", "Again"])

    def read(_: str) -> str:
        try:
            return next(lines)
        except StopIteration:
            raise EOFError from None

    class Keyboard(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stdin", Keyboard())
    monkeypatch.setattr("builtins.input", read)
    assert main(["chat", "--model", model]) == 0
    out, err = capfd.readouterr()
    assert out.splitlines() == ["Hello", "Hello from the fake.", ""]
    assert "SIGKILL" in err
    assert "tokens" in err


def test_ctrl_c_cancels_and_still_tells_the_figures(model: str, script: Script, tmp_path: Path) -> None:
    (tmp_path / "decode.hold").touch()
    script(hold=str(tmp_path))
    command = [sys.executable, "-m", "engine", "chat", "--model", model, "--prompt", "Hi"]
    with subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stderr
        assert process.stdout.read(5) == b"Hello"
        process.send_signal(signal.SIGINT)
        err = process.stderr.read().decode()
        assert process.wait(60) == 130
    assert "cancelled" in err
    assert "Traceback" not in err


def test_failures_are_one_sentence(script: Script, model: str, capfd: pytest.CaptureFixture[str]) -> None:
    script(fault="load", act="refuse")
    assert main(["chat", "--model", model, "--prompt", "Hi", "--json"]) == 1
    out, err = capfd.readouterr()
    assert (out, err) == ("", "There is no memory for it. Use less.\n")


def test_the_overview_and_unknown_commands(capfd: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert main(["--help"]) == 0
    overview = capfd.readouterr().out
    assert all(name in overview for name in COMMANDS)
    assert main(["--version"]) == 0
    assert __version__ in capfd.readouterr().out
    assert main(["dance"]) == 2
    assert "There is no command dance" in capfd.readouterr().err


def test_the_command_line_starts_without_heavy_imports() -> None:
    heavy = "{'llama_cpp', 'PySide6', 'huggingface_hub', 'uvicorn', 'starlette', 'jinja2', 'numpy'}"
    code = f"import sys, engine.commands.chat; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_embed_prints_a_vector_a_line(model: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["embed", "--model", model, "one", "two"]) == 0
    assert capfd.readouterr().out == "1 0.5\n1 0.5\n"
    assert main(["embed", "--model", model, "--json", "one"]) == 0
    assert json.loads(capfd.readouterr().out) == {"vectors": [[1.0, 0.5]], "n_tokens": 2}
