"""What is known about the model of the window: the value that the chip and the picker show."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.errors import Failure
    from engine.protocol.values import EffectiveSettings


class ModelState(enum.Enum):
    COLD = "cold"
    """No model is loaded."""
    LOADING = "loading"
    WARM = "warm"
    BUSY = "busy"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class ModelStatus:
    """`effective` is what the engine reports, never what was asked for; None unless a model is warm or busy."""

    state: ModelState = ModelState.COLD
    model_id: str = ""
    name: str = ""
    fraction: float = 0.0
    """Of the loading, 0 to 1."""
    effective: EffectiveSettings | None = None
    failure: Failure | None = None
