"""What is known about the model of the window: the value that the chip and the picker show."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from engine.errors import Failure
    from engine.protocol.values import EffectiveSettings

STARTER = "starter"
"""The model that comes with the set-up; its file's own name says how it was trained."""


class ModelState(enum.Enum):
    COLD = "cold"
    """No model is loaded."""
    LOADING = "loading"
    WARM = "warm"
    BUSY = "busy"
    FAILED = "failed"


class ModelStatus(NamedTuple):
    """`effective` is what the engine reports, never what was asked for; None unless a model is warm or busy."""

    state: ModelState = ModelState.COLD
    model_id: str = ""
    name: str = ""
    fraction: float = 0.0
    """Of the loading, 0 to 1."""
    effective: EffectiveSettings | None = None
    failure: Failure | None = None
    step: str = ""
    """What the loading is at: open, weights, context or warmup."""


def display_name(model_id: str) -> str:
    """A model's name for people where nothing but its id is known: the file's without its ending."""
    if model_id == STARTER:
        return "SmolLM2 135M"
    return model_id.replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".gguf")


def written_by(model_id: str, effective: EffectiveSettings) -> str:
    """What the model of an answer is called elsewhere in the app: the name in its file is often that of a training."""
    if model_id == STARTER:
        return display_name(STARTER)
    return display_name(effective.model_path) or effective.model_name
