"""How a process of the engine ended, in a sentence."""

from __future__ import annotations

import contextlib
import signal

from engine.translatable import Translatable, phrase, sentence


def signal_name(returncode: int) -> str:
    """The signal that ended a process, or empty; `returncode` is subprocess's."""
    if returncode >= 0:
        return ""
    with contextlib.suppress(ValueError):
        return signal.Signals(-returncode).name
    return f"signal {-returncode}"


def ending(returncode: int) -> Translatable:
    """One sentence without advice."""
    name = signal_name(returncode)
    if name == "SIGKILL":
        return phrase("The engine was ended by the system (SIGKILL), which often means that memory ran out.")
    if name:
        return sentence("The engine ended by {signal}.", signal=name)
    return sentence("The engine ended with exit code {n}.", n=returncode)
