"""What the user is told when a worker dies, and whether it is started again."""

from __future__ import annotations

from engine.errors import Code, Failure
from engine.folders import IS_CHECKOUT
from engine.host.worker_process import WorkerExit
from engine.translatable import Translatable, joined, phrase, sentence

MAX_RESTARTS = 1
"""Deaths in a row that are answered by a new start; the next one is explained instead."""

_MEMORY_ADVICE = phrase(
    "Load the model with a smaller context or fewer layers on the GPU, or choose a smaller quantization of it."
)


def may_restart(n_deaths: int) -> bool:
    """Whether the n-th death in a row (1 for the first) is answered by a new start."""
    return n_deaths <= MAX_RESTARTS


def crash_failure(outcome: WorkerExit, model_id: str, *, was_loading: bool, n_deaths: int) -> Failure:
    """The failure that each open request of a dead worker ends with."""
    if "No module named 'llama_cpp'" in outcome.stderr_tail:
        return engine_missing(phrase("llama-cpp-python is not installed"))
    what = outcome.describe()
    if may_restart(n_deaths):
        advice = phrase("It is being started again: repeat the request in a moment.")
        return Failure(code=Code.ENGINE_CRASHED, message=what, advice=advice)
    loading = phrase("It has died {deaths} times in a row while loading {model}, so it is not started again by itself.")
    answering = phrase(
        "It has died {deaths} times in a row while answering with {model}, so it is not started again by itself."
    )
    ending = sentence(loading if was_loading else answering, deaths=n_deaths, model=model_id)
    return Failure(code=Code.ENGINE_CRASHED, message=joined(what, ending), advice=_MEMORY_ADVICE)


def engine_missing(reason: Translatable) -> Failure:
    """The worker's program cannot run at all."""
    return Failure(
        code=Code.ENGINE_MISSING,
        message=sentence("The engine could not be started: {reason}.", reason=reason),
        advice=phrase("Run python3 packaging/bootstrap.py run, which installs and builds it.")
        if IS_CHECKOUT
        else phrase("Install Firstlight again with pip or pipx, which brings and builds it."),
    )
