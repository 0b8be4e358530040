"""Chooses where a request's drafts come from."""

from __future__ import annotations

from engine.protocol.values import Speculative
from engine.worker.loader import Loaded
from engine.worker.speculative import Lookup, Speculator, StepCosts


def make_speculator(kind: Speculative, loaded: Loaded, costs: StepCosts, *, can_cut: bool) -> Speculator | None:
    """A speculator for one request, or None: off, or the model's cache cannot be cut back to what was right."""
    if kind is Speculative.OFF or not can_cut:
        return None
    return Speculator(Lookup(), costs, loaded.settings.n_draft_max)
