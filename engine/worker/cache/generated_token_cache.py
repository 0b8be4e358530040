"""The answers' own sampled tokens, so that the next turn finds them in the cache.

Text tokenized again may give other tokens than those that were sampled; everything after the first difference would be
prefilled again. So the tokens of an answer are remembered under its text and put back where a prompt contains it.
"""

from __future__ import annotations

import codecs
import threading
from collections import OrderedDict
from collections.abc import Sequence

import msgspec

from engine.worker.llama.model import Model

MAX_TOKENS = 1 << 20
"""Tokens kept over all answers, oldest answers forgotten first: 4 MiB of ids."""


class GeneratedAnswer(msgspec.Struct, frozen=True, array_like=True):
    """One answer as it was sampled; a snapshot's file holds it as an array."""

    text: str
    """Everything that was generated, markers of reasoning and tools included, as a template would write it."""
    tokens: tuple[int, ...]
    content: str
    """The visible answer: what the chat sends back as the message's content."""
    content_tokens: tuple[int, ...]
    """The tokens of just the content; empty when its borders fall inside tokens."""


class GeneratedTokenCache:
    """Answers by their visible text. Safe from every thread."""

    def __init__(self, max_tokens: int = MAX_TOKENS) -> None:
        self._max_tokens = max_tokens
        self._n_tokens = 0
        self._answers: OrderedDict[str, GeneratedAnswer] = OrderedDict()
        self._lock = threading.Lock()
        self.version = 0
        """Another one after every change."""

    def remember(self, answer: GeneratedAnswer) -> None:
        """Keep an answer; a newer one with the same visible text replaces it."""
        if not answer.content or not answer.tokens:
            return
        with self._lock:
            self.version += 1
            old = self._answers.pop(answer.content, None)
            self._n_tokens += len(answer.tokens) - (len(old.tokens) if old else 0)
            self._answers[answer.content] = answer
            while self._n_tokens > self._max_tokens and len(self._answers) > 1:
                _, gone = self._answers.popitem(last=False)
                self._n_tokens -= len(gone.tokens)

    def find(self, content: str) -> GeneratedAnswer | None:
        with self._lock:
            answer = self._answers.get(content)
            if answer:
                self._answers.move_to_end(content)
            return answer

    def forget(self) -> None:
        with self._lock:
            self.version += 1
            self._answers.clear()
            self._n_tokens = 0


def make_answer(model: Model, tokens: Sequence[int], content: str) -> GeneratedAnswer:
    """An answer from its sampled tokens (the end-of-generation token left out) and its visible text.

    Where the visible text ends inside the tokens (a stop string, a cancel) only the tokens before count, and the rest
    of the text is tokenized.
    """
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    text = ""
    borders = {0: 0}
    """Number of tokens before a place in the text, where no character is open."""
    for count, token in enumerate(tokens, 1):
        text += decoder.decode(model.special_piece(token))
        if not decoder.getstate()[0]:
            borders.setdefault(len(text), count)
    start = text.rfind(content) if content else -1
    if start < 0:
        return GeneratedAnswer("", (), content, ())
    end = start + len(content)
    kept_end = max(place for place in borders if place <= end)
    kept = tokens[: borders[kept_end]]
    whole = (*kept, *model.tokenize_continuation(text[kept_end:end]))
    is_aligned = start in borders and start <= kept_end
    return GeneratedAnswer(
        text=text[:end], tokens=whole, content=content, content_tokens=whole[borders[start] :] if is_aligned else ()
    )
