"""Chooses where a request's drafts come from."""

from __future__ import annotations

from pathlib import Path

import msgspec

from engine.errors import ModelError
from engine.protocol.values import Notice, Speculative
from engine.translatable import joined, phrase
from engine.worker.decode.draft_model import DraftModel
from engine.worker.decode.speculative import DraftSource, Lookup, Speculator, StepCosts
from engine.worker.loading.loader import Loaded


def open_draft_model(loaded: Loaded) -> DraftModel | None:
    """The draft model that the settings name; None where there is none.

    One that does not fit is left out with a notice in the effective settings, and prompt lookup takes its place.
    """
    settings, effective = loaded.settings, loaded.effective
    if effective.speculative is not Speculative.DRAFT:
        return None
    threads = {"n_threads": effective.n_threads, "n_threads_batch": effective.n_threads_batch}
    try:
        return DraftModel(
            Path(settings.draft_path),
            loaded.model,
            msgspec.structs.replace(settings, **threads),
            n_ctx=loaded.context.n_ctx,
            n_sequences=effective.n_parallel,
        )
    except ModelError as error:
        message = joined(error.failure.message, phrase("Prompt lookup is used instead."))
        notice = Notice(code="draft_refused", message=message, is_warning=True)
        loaded.effective = msgspec.structs.replace(
            effective, speculative=Speculative.LOOKUP, notices=(*effective.notices, notice)
        )
        return None


def make_speculator(
    kind: Speculative, loaded: Loaded, costs: StepCosts, draft_model: DraftModel | None, *, can_cut: bool
) -> Speculator | None:
    """A speculator for one request, or None: off, or the model's cache cannot be cut back to what was right."""
    if kind is Speculative.OFF or not can_cut:
        return None
    source: DraftSource | None = None
    if kind is Speculative.DRAFT and draft_model is not None:
        source = draft_model.drafter()
    return Speculator(source or Lookup(), costs, loaded.settings.n_draft_max)
