"""A load that may begin: which file, with which settings, and what it should take and reach."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from engine.protocol.commands import LoadModel
from engine.protocol.values import EffectiveSettings, MemoryUse, ModelSettings, Notice

_COMPUTE_SHARE = 0.15
"""Context and buffers beside the weights, where nothing better is known."""


def _unknown(_effective: EffectiveSettings) -> float:
    return 0.0


class ModelKey(NamedTuple):
    """What makes two loads the same load: the file, and the settings as they were asked for."""

    path: Path
    asked: ModelSettings


@dataclasses.dataclass(frozen=True, slots=True)
class LoadPlan:
    """A load that may begin."""

    key: ModelKey
    model_id: str
    settings: ModelSettings
    """As asked for, with what was left to the engine filled in."""
    estimate: tuple[MemoryUse, ...] = ()
    """What it should take on each device; empty where that cannot be foretold."""
    file_bytes: int = 0
    notices: tuple[Notice, ...] = ()
    """What was chosen differently from what was asked for."""
    room: Mapping[str, int] = dataclasses.field(default_factory=dict)
    """Bytes on each device that it and the models beside it may take; devices that are not used have none."""
    weight_bytes: int = 0
    """Weights that one step reads."""
    n_active_params: int = 0
    """Parameters that take part in one token."""
    bandwidth: Callable[[EffectiveSettings], float] = _unknown
    """Bytes per second that a loaded model's devices can read; 0 where that was not measured."""
    prefill_flops: Callable[[EffectiveSettings], float] = _unknown
    """Operations per second that they reach in a prefill; 0 where that was not measured."""

    @property
    def estimated_bytes(self) -> int:
        """Over all devices."""
        if self.estimate:
            return sum(use.total_bytes for use in self.estimate)
        return int(self.file_bytes * (1 + _COMPUTE_SHARE))

    def prefill_limit(self, effective: EffectiveSettings) -> float:
        """Tokens per second at which a prompt can be read at best; 0 where that is not known."""
        return self.prefill_flops(effective) / (2 * self.n_active_params) if self.n_active_params else 0.0

    def command(self, request_id: str) -> LoadModel:
        return LoadModel(request_id=request_id, model_id=self.model_id, path=str(self.key.path), settings=self.settings)
