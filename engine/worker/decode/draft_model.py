"""A small model that drafts for a large one: the same vocabulary, a context of its own, greedy guesses."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from engine.errors import Code, ModelError
from engine.protocol.values import ModelSettings
from engine.worker.llama import Batch, Context, ContextOptions, DecodeResult, Model
from engine.worker.llama.sampling import LogitsReader

_SIZE_DIFFERENCE_MAX = 128
"""Tokens by which vocabularies may differ at their end: padding, unused special tokens."""
_FIRST_COMPARED = 5
_N_SAMPLES = 512
_WEIGHT = 0.1
_CHUNK = 256
"""Tokens that the draft model reads in one step at most."""


def vocabulary_difference(target: Model, draft: Model) -> str:
    """Why a model cannot draft for another, as the end of a sentence; empty when it can."""
    if draft.is_recurrent or draft.is_hybrid:
        return "its cache cannot be cut back after a wrong guess"
    if target.vocab_type != draft.vocab_type:
        return f"their tokenizers differ in kind ({target.vocab_type} and {draft.vocab_type})"
    if abs(target.n_vocab - draft.n_vocab) > _SIZE_DIFFERENCE_MAX:
        return f"their vocabularies have {target.n_vocab} and {draft.n_vocab} tokens"
    for name in ("bos", "eos", "adds_bos", "adds_eos"):
        if getattr(target, name) != getattr(draft, name):
            return f"they use different special tokens ({name} is {getattr(target, name)} and {getattr(draft, name)})"
    n_common = min(target.n_vocab, draft.n_vocab)
    for token in range(_FIRST_COMPARED, n_common, max(1, n_common // _N_SAMPLES)):
        if target.token_text(token) != draft.token_text(token):
            return f"token {token} is {target.token_text(token)!r} in one and {draft.token_text(token)!r} in the other"
    return ""


class DraftModel:
    """The draft model's weights and context; one sequence of it for each of the target's."""

    def __init__(self, path: Path, target: Model, settings: ModelSettings, *, n_ctx: int, n_sequences: int) -> None:
        """Raises ModelError when the file cannot be loaded or its vocabulary is another."""
        self._model = Model(path, settings, lambda fraction: True)
        try:
            if difference := vocabulary_difference(target, self._model):
                raise ModelError(
                    Code.BAD_SETTINGS,
                    "{name} cannot draft for this model: {difference}.",
                    "Choose a smaller model of the same family, or prompt lookup.",
                    name=path.name,
                    difference=difference,
                )
            n_ubatch = min(512, n_ctx)
            options = ContextOptions(
                n_ctx=n_ctx * n_sequences,
                n_batch=n_ubatch,
                n_ubatch=n_ubatch,
                n_sequences=n_sequences,
                n_outputs_max=n_sequences,  # llama.cpp aborts for fewer than one for each sequence.
                n_threads=max(1, settings.n_threads),
                n_threads_batch=max(1, settings.n_threads_batch or settings.n_threads),
            )
            self._context = Context(self._model, options)
        except BaseException:
            self._model.close()
            raise
        self._batch = Batch(n_ubatch)
        self._reader = LogitsReader(self._model.n_vocab)
        self._free = list(range(n_sequences))
        self.n_vocab = min(target.n_vocab, self._model.n_vocab)
        self.step_time = 0.0
        """Seconds of one drafted token, learned; 0 while unknown."""

    def close(self) -> None:
        """Free the context and the weights; further calls do nothing."""
        self._context.close()
        self._model.close()

    def drafter(self) -> Drafter | None:
        """A source of drafts for one sequence; None when all are taken. Release it when the sequence ends."""
        return Drafter(self, self._free.pop()) if self._free else None

    def release(self, index: int) -> None:
        self._context.remove(index, 0)
        self._free.append(index)

    def follow(self, index: int, tokens: Sequence[int], start: int) -> bool:
        """Evaluate `tokens` from position `start` on, after forgetting what stood there; False when it cannot."""
        if not self._context.remove(index, start):
            return False
        while tokens:
            part, tokens = list(tokens[: self._batch.capacity]), tokens[self._batch.capacity :]
            self._batch.clear()
            self._batch.extend(part, start, index, output_last=not tokens)
            if self._context.decode(self._batch) is not DecodeResult.OK:
                return False
            start += len(part)
        return True

    def guess(self, index: int, position: int, n_max: int) -> list[int]:
        """The likeliest continuation after the last evaluated token, which stood before `position`."""
        drafts: list[int] = []
        row = self._batch.n_tokens - 1
        started = time.monotonic()
        while True:
            token = int(self._reader.read(self._context, row)[: self.n_vocab].argmax())
            drafts.append(token)
            if len(drafts) == n_max or self._model.is_eog(token):
                break
            self._batch.clear()
            row = self._batch.add(token, position, index, output=True)
            position += 1
            if self._context.decode(self._batch) is not DecodeResult.OK:
                break
        if len(drafts) > 1:
            seconds = (time.monotonic() - started) / (len(drafts) - 1)
            self.step_time += (seconds - self.step_time) * (_WEIGHT if self.step_time else 1.0)
        return drafts


class Drafter:
    """Drafts for one sequence, for `speculative.Speculator`."""

    is_free = False
    confidence = 0

    def __init__(self, model: DraftModel, index: int) -> None:
        self._model = model
        self._index = index
        self._tokens: list[int] = []
        self._n_evaluated = 0
        """Of the sequence's tokens, how many the draft model has read."""
        self._ahead: list[int] = []
        """Its own guesses that it has read after them."""
        self._has_ended = False

    def extend(self, tokens: Sequence[int]) -> None:
        self._tokens.extend(tokens)
        for token in self._tokens[self._n_evaluated :]:
            if not self._ahead or self._ahead.pop(0) != token:
                self._ahead = []
                break
            self._n_evaluated += 1

    def propose(self, n_max: int) -> list[int]:
        # The last token is read again where needed: its logits are the first guess.
        start = min(self._n_evaluated, len(self._tokens) - 1)
        missing = self._tokens[start:][:_CHUNK]
        if self._has_ended or not missing or n_max < 1:
            return []
        if not self._model.follow(self._index, missing, start):
            # Its context is full, and every further try would cost a step for nothing.
            self._has_ended = True
            return []
        self._n_evaluated, self._ahead = start + len(missing), []
        if self._n_evaluated < len(self._tokens):
            return []  # A long prompt is read over several steps, so that none of them halts.
        drafts = self._model.guess(self._index, len(self._tokens), n_max)
        self._ahead = drafts[:-1]
        return drafts

    def cost(self, n_drafts: int) -> float:
        return n_drafts * self._model.step_time

    def close(self) -> None:
        """Give the sequence back; further calls do nothing."""
        if self._index >= 0:
            self._model.release(self._index)
            self._index = -1
