"""Texts to vectors, with a model that was loaded for embeddings."""

from __future__ import annotations

import numpy as np

from engine.errors import Code, RequestError
from engine.protocol.commands import Embed
from engine.protocol.events import Embedded
from engine.worker.llama import Batch
from engine.worker.loading.loader import Loaded


def embed(loaded: Loaded, command: Embed) -> Embedded:
    """One vector of unit length per text. Raises RequestError for a text that is empty or too long."""
    if not loaded.settings.embeddings:
        raise RequestError(
            Code.BAD_REQUEST, "This model was loaded for chatting.", "Load it again with embeddings switched on."
        )
    context, model = loaded.context, loaded.model
    limit = min(context.n_ctx, context.n_ubatch)
    batch = Batch(limit)
    vectors = []
    n_tokens = 0
    for number, text in enumerate(command.texts, 1):
        tokens = model.tokenize(text, add_special=True)
        if not tokens:
            raise RequestError(Code.PROMPT_EMPTY, "Text {number} is empty.", "Leave it out.", number=number)
        if len(tokens) > limit:
            raise RequestError(
                Code.CONTEXT_FULL,
                "Text {number} has {n_tokens:,} tokens; this model takes {limit:,} at once.",
                "Split it, or load the model with a larger n_ubatch.",
                number=number,
                n_tokens=len(tokens),
                limit=limit,
            )
        batch.clear()
        last = batch.extend(tokens, 0, 0, output_last=True)
        batch.output_all()
        if context.memory:
            context.clear_memory()
        context.decode(batch)
        vector = context.embedding(0, last)
        length = float(np.linalg.norm(vector))
        vectors.append(tuple(float(x) for x in (vector / length if length else vector)))
        n_tokens += len(tokens)
    return Embedded(request_id=command.request_id, vectors=tuple(vectors), n_tokens=n_tokens)
