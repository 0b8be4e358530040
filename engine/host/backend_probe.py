"""What llama.cpp sees on this machine, asked of a worker that loads nothing; and the build that was installed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec

from engine.errors import EngineError
from engine.host.crash_policy import engine_missing
from engine.host.worker_process import worker_command
from engine.protocol.values import EngineDescription, Value
from engine.translatable import reason_of, sentence

BACKEND_RECORD = "firstlight-backend.json"
UNCHOSEN = "llama-cpp-python was installed without Firstlight's set-up"
"""The reason for a build that nobody chose."""
DESCRIBE_TIMEOUT = 60.0

_PROJECT = Path(__file__).resolve().parents[2]


class BackendRecord(Value, frozen=True, kw_only=True):
    """Which build of llama.cpp the set-up chose, and why."""

    backend: str = ""
    reason: str = ""
    advice: str = ""
    version: str = ""
    flags: tuple[str, ...] = ()
    patches: tuple[str, ...] = ()
    """Those applied to llama.cpp's source; none in builds of others."""
    requested: str = "auto"
    fallbacks: tuple[dict[str, Any], ...] = ()
    """Builds that were tried before: backend and error, and the state, which is failed or kept."""


def describe_engine() -> EngineDescription:
    """Blocks for about a second. Raises EngineError when the engine cannot run."""
    try:
        done = subprocess.run(
            [*worker_command(), "--describe"],
            capture_output=True,
            cwd=_PROJECT,
            stdin=subprocess.DEVNULL,
            timeout=DESCRIBE_TIMEOUT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        why = sentence("it did not answer within {seconds:g} s", seconds=DESCRIBE_TIMEOUT)
    except OSError as error:
        why = reason_of(error)
    else:
        try:
            return msgspec.json.decode(done.stdout, type=EngineDescription)
        except msgspec.DecodeError:
            lines = done.stderr.decode(errors="replace").strip().splitlines()
            last = lines[-1][:300].rstrip(".") if lines else ""
            why = last or sentence("it ended with exit code {code}", code=done.returncode)
    failure = engine_missing(why)
    raise EngineError(failure.code, failure.message, failure.advice)


def read_backend_record() -> BackendRecord | None:
    """What the set-up wrote into this environment; None when Firstlight was installed in another way."""
    try:
        return msgspec.json.decode((Path(sys.prefix) / BACKEND_RECORD).read_bytes(), type=BackendRecord)
    except (OSError, msgspec.DecodeError):
        return None
