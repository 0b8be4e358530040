"""Steps of the set-up: what one is, how it shows its progress, and how a failed one explains itself."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

HEARTBEAT_SECONDS = 20.0
"""How often a long step gives a sign of life where no terminal can redraw a line."""


class StepFailed(Exception):
    """A step could not be carried out: what failed, and the way out. Shown to the user as it is."""

    def __init__(self, what: str, advice: str = "Run the same command again: it continues where it stopped.") -> None:
        super().__init__(what)
        self.what = what
        self.advice = advice


@dataclass(frozen=True)
class Places:
    """Where the set-up puts things. `cache` is shared by all checkouts of this user."""

    root: Path
    venv: Path
    cache: Path

    @property
    def python(self) -> Path:
        return venv_python(self.venv)

    @property
    def logs(self) -> Path:
        return self.root / ".cache" / "logs"

    @property
    def models(self) -> Path:
        return self.root / ".cache" / "models"

    @property
    def lock(self) -> Path:
        return self.root / "packaging" / "requirements.lock"

    @property
    def build_lock(self) -> Path:
        return self.root / "packaging" / "build.lock"


def venv_python(venv: Path) -> Path:
    """The interpreter of a virtual environment."""
    return venv / "Scripts" / "python.exe" if os.name == "nt" else venv / "bin" / "python"


def pip_command(python: Path, verb: str, *arguments: str | Path) -> list[str]:
    """A call of an environment's pip that asks nothing and bears a weak connection."""
    network = [] if verb == "wheel" or "--no-index" in arguments else ["--retries", "5"]
    return [str(python), "-m", "pip", verb, "--disable-pip-version-check", "--no-input", *network, *map(str, arguments)]


def user_cache(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Path:
    """The cache folder of this user: the same that the engine uses, so FIRSTLIGHT_HOME moves both."""
    if home := environment.get("FIRSTLIGHT_HOME"):
        return Path(home) / "cache"
    if platform == "darwin":
        return Path.home() / "Library" / "Caches" / "firstlight"
    if platform == "win32":
        return Path(environment.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "firstlight" / "Cache"
    return Path(environment.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "firstlight"


@dataclass
class Console:
    """Prints one line for each step, with the seconds running along on a terminal."""

    stream: object = field(default_factory=lambda: sys.stdout)
    is_live: bool = field(default_factory=lambda: sys.stdout.isatty() and os.environ.get("TERM") != "dumb")
    clock: Callable[[], float] = time.monotonic

    def note(self, text: str) -> None:
        """A line of its own."""
        self._write(f"  {text}\n")

    def step(self, title: str) -> Progress:
        return Progress(self, title)

    def _write(self, text: str) -> None:
        print(text, end="", file=self.stream, flush=True)  # type: ignore[call-overload]


class Progress:
    """The line of one step: `with console.step("…") as progress`, which stops its clock however the step ends."""

    def __init__(self, console: Console, title: str) -> None:
        self._console = console
        self._title = title
        self._detail = ""
        self._result = ""
        self._end = threading.Event()
        self._ticker = threading.Thread(target=self._tick, daemon=True)
        self._started = 0.0

    def __enter__(self) -> Progress:
        self._started = self._console.clock()
        if not self._console.is_live:
            self._console._write(f"  … {self._title}\n")
        self._ticker.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        self._end.set()
        self._ticker.join()
        mark = "✓" if kind is None else "✗"
        self._print(f"{mark} {self._title}", self._result if kind is None else "", is_last=True)

    def detail(self, text: str) -> None:
        """What the step is doing right now, such as 57/193."""
        self._detail = text

    def result(self, text: str) -> None:
        """What the finished line says behind the title."""
        self._result = text

    @property
    def seconds(self) -> float:
        return self._console.clock() - self._started

    def _tick(self) -> None:
        interval = 0.2 if self._console.is_live else HEARTBEAT_SECONDS
        while not self._end.wait(interval):
            self._print(f"… {self._title}", self._detail, is_last=False)

    def _print(self, head: str, tail: str, *, is_last: bool) -> None:
        text = f"  {head}{': ' if tail else ''}{tail} ({self.seconds:.1f} s)"
        if self._console.is_live:
            width = max(20, os.get_terminal_size().columns - 1) if sys.stdout.isatty() else 119
            self._console._write("\r\x1b[K" + (text if is_last else text[:width]) + ("\n" if is_last else ""))
        else:
            self._console._write(text + "\n")


_COUNTER = re.compile(r"^\s*\[(\d+)/(\d+)\]")
_LOUD = re.compile(r"error|fatal|no space left|not found|killed|denied|unable|could not", re.IGNORECASE)


def run_logged(
    command: Sequence[str | Path],
    *,
    log: Path,
    progress: Progress | None = None,
    cwd: Path | None = None,
    environment: Mapping[str, str] | None = None,
    label: str = "",
) -> str:
    """Run a command, keep its output in `log`, show the counter `[n/m]` of a build, and return the output.

    Raises StepFailed with the lines that matter when it ends with an error.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    lines: list[str] = []
    try:
        with (
            log.open("w", encoding="utf-8") as file,
            subprocess.Popen(
                [str(part) for part in command],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                cwd=cwd,
                env=None if environment is None else {**os.environ, **environment},
                text=True,
                encoding="utf-8",
                errors="replace",
            ) as process,
        ):
            assert process.stdout is not None
            for line in process.stdout:
                file.write(line)
                lines.append(line)
                if progress and (counter := _COUNTER.match(line)):
                    progress.detail(f"{label}{counter[1]} of {counter[2]}")
            status = process.wait()
    except FileNotFoundError as error:
        raise StepFailed(f"The program {command[0]} is missing.") from error
    if status != 0:
        raise StepFailed(
            f"{Path(command[0]).name} ended with status {status}.\n{_excerpt(lines)}",
            f"The whole output is in {log}. Run the same command again to continue.",
        )
    return "".join(lines)


def _excerpt(lines: Sequence[str], limit: int = 8) -> str:
    """The last lines that speak of an error, or else the last lines at all."""
    loud = [line for line in lines if _LOUD.search(line) and len(line) < 400]
    return "".join(f"      {line.rstrip()}\n" for line in (loud or list(lines))[-limit:]).rstrip("\n")
