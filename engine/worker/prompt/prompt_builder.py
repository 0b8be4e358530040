"""Messages to tokens: the template's text, the answers' own tokens, user text that cannot pose as control tokens."""

from __future__ import annotations

import functools
import re
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec

from engine.errors import Code, RequestError
from engine.protocol.values import ChatMessage, Notice, Role
from engine.worker.cache.generated_token_cache import GeneratedAnswer, GeneratedTokenCache
from engine.worker.llama.model import Model
from engine.worker.prompt.chat_template import ChatTemplate

_CACHE_CHARACTERS = 4 << 20
_MARK = "\ue000"
"""The first character of the area that Unicode leaves to private use."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What the model will see."""

    tokens: list[int]
    text: str
    opens_reasoning: bool = False
    notices: tuple[Notice, ...] = ()
    border: int = 0
    """Tokens before the last user message: where an edited turn begins to differ."""
    answers: tuple[GeneratedAnswer, ...] = ()
    """The answers whose own tokens it holds."""


@dataclass(frozen=True, slots=True)
class _Segment:
    """A run of prompt text that is tokenized on its own."""

    text: str
    answer: GeneratedAnswer | None = None
    tokens: tuple[int, ...] = ()
    is_plain: bool = False
    """Written by a user and looking like control tokens: read as plain text."""


class _Veil:
    """Stands in for the contents of messages while the template runs."""

    def __init__(self, messages: Sequence[ChatMessage]) -> None:
        said = "".join(message.content + message.reasoning for message in messages)
        self._mark = next(chr(code) for code in range(ord(_MARK), 0xF900) if chr(code) not in said)
        self.messages: dict[int, ChatMessage] = {}
        """The veiled ones by number."""
        self._contents: dict[int, str] = {}

    def hide(self, number: int, message: ChatMessage) -> None:
        content = message.content.strip()
        self._contents[number] = content
        veiled = message.content.replace(content, f"{self._mark}{number}{self._mark}", 1)
        self.messages[number] = msgspec.structs.replace(message, content=veiled)

    def lifted(self, text: str) -> tuple[str, dict[int, int]]:
        """The text with the contents in their places, and where they begin, by number."""
        made, done = "", 0
        places: dict[int, int] = {}
        for match in re.finditer(f"{self._mark}([0-9]+){self._mark}", text) if self._contents else ():
            made += text[done : match.start()]
            done = match.end()
            number = int(match[1])
            places.setdefault(number, len(made))
            made += self._contents[number]
        return made + text[done:], places


class PromptBuilder:
    """Builds prompts for one model. Safe from every thread."""

    def __init__(self, model: Model, template: ChatTemplate, answers: GeneratedTokenCache) -> None:
        self._model = model
        self._template = template
        self._answers = answers
        self._cache: OrderedDict[tuple[str, bool, bool], list[int]] = OrderedDict()
        self._n_cached = 0
        self._lock = threading.Lock()
        self._last: tuple[object, Prompt | None] = (None, None)
        """What was asked for last, and what came of it."""

    def chat(
        self,
        messages: Sequence[ChatMessage],
        *,
        add_generation_prompt: bool = True,
        continue_answer: bool = False,
        options: Mapping[str, bool | int | str] | None = None,
    ) -> Prompt:
        """The prompt of a chat. Raises RequestError for a template that refuses it or a chat without text.

        The last one is remembered: what is typed is counted, then read ahead, then sent.
        """
        asked = (tuple(messages), add_generation_prompt, continue_answer, dict(options or {}), self._answers.version)
        known, prompt = self._last
        if prompt is None or known != asked:
            prompt = self._build(messages, add_generation_prompt, continue_answer, options or {})
            if not self._template.tells_date:
                self._last = asked, prompt
        return prompt

    def _build(
        self,
        messages: Sequence[ChatMessage],
        add_generation_prompt: bool,
        continue_answer: bool,
        options: Mapping[str, bool | int | str],
    ) -> Prompt:
        if not any(message.content or message.reasoning for message in messages):
            raise RequestError(
                Code.PROMPT_EMPTY, "There is nothing to answer: the chat has no text.", "Write something."
            )
        veiled = self._veiled(messages)
        rendered = self._template.render(
            [veiled.messages.get(number, message) for number, message in enumerate(messages)],
            add_generation_prompt=add_generation_prompt,
            continue_answer=continue_answer,
            options=options,
        )
        text, plain = veiled.lifted(rendered.text)
        segments, border_text = self._segments(text, messages, plain)
        tokens: list[int] = []
        border = 0
        n_characters = 0
        for segment in segments:
            if n_characters <= border_text:
                border = len(tokens)
            if segment.answer is not None:
                tokens.extend(segment.tokens)
            else:
                tokens.extend(self._tokenize(segment.text, is_plain=segment.is_plain, is_first=not n_characters))
            n_characters += len(segment.text)
        answers = tuple(segment.answer for segment in segments if segment.answer)
        return Prompt(tokens, text, rendered.opens_reasoning, rendered.notices, border, answers)

    def raw(self, text: str) -> Prompt:
        """The prompt of a raw text: special tokens in it are parsed, BOS is added where the vocabulary wants it."""
        if not text:
            raise RequestError(
                Code.PROMPT_EMPTY, "There is nothing to answer: the prompt is empty.", "Write something."
            )
        tokens = self._model.tokenize(text, add_special=True, parse_special=True)
        if self._model.adds_eos and tokens and tokens[-1] == self._model.eos:
            tokens.pop()
        return Prompt(tokens, text)

    def count(self, text: str) -> int:
        """Tokens of just this text."""
        return len(self._model.tokenize(text))

    def _veiled(self, messages: Sequence[ChatMessage]) -> _Veil:
        """The messages that look like control tokens, hidden: in the template's text those could be its own."""
        veil = _Veil(messages)
        for number, message in enumerate(messages):
            if message.role is not Role.ASSISTANT and self._poses_as_control(message.content.strip()):
                veil.hide(number, message)
        return veil

    def _segments(
        self, text: str, messages: Sequence[ChatMessage], plain: Mapping[int, int]
    ) -> tuple[list[_Segment], int]:
        """The text cut where tokens are known or must be plain, and the offset at which the last user turn begins.

        `plain` says where the messages stand that must be plain, by number.
        """
        found: list[tuple[int, _Segment]] = []
        search = 0
        last_user = 0
        for number, message in enumerate(messages):
            segment: _Segment | None
            if number in plain:
                start, segment = plain[number], _Segment(message.content.strip(), is_plain=True)
            else:
                start, segment = self._find(text, search, message)
            if start < 0:
                continue
            if message.role is Role.USER:
                last_user = start
            if segment is not None:
                found.append((start, segment))
            search = start + (len(segment.text) if segment else len(message.content.strip()))
        return _cut(text, found), last_user

    def _find(self, text: str, search: int, message: ChatMessage) -> tuple[int, _Segment | None]:
        """Where a message stands in the text, -1 for nowhere, and its own tokens where they are known."""
        content = message.content
        if message.role is Role.ASSISTANT and (answer := self._answers.find(content)):
            for known, tokens in ((answer.text, answer.tokens), (answer.content, answer.content_tokens)):
                # A word of the template itself, such as a role, would be taken for the answer.
                if tokens and known not in self._frame and (start := text.find(known, search)) >= 0:
                    return start, _Segment(known, answer, tokens)
        trimmed = content.strip()
        return text.find(trimmed, search) if trimmed else -1, None

    @functools.cached_property
    def _frame(self) -> str:
        """What the template writes around the messages of a chat."""
        talk = [
            ChatMessage(role=role, content=_MARK)
            for role in (Role.SYSTEM, Role.USER, Role.ASSISTANT, Role.USER, Role.ASSISTANT, Role.USER)
        ]
        try:
            return self._template.render(talk, options={}).text
        except RequestError:
            return ""

    def _poses_as_control(self, text: str) -> bool:
        """Whether the tokenizer would read control tokens out of a user's text."""
        if "<" not in text and "[" not in text:
            return False
        parsed = self._tokenize(text, is_plain=False, is_first=True)
        return any(self._model.is_control(token) for token in set(parsed))

    def _tokenize(self, text: str, *, is_plain: bool, is_first: bool) -> list[int]:
        key = (text, is_plain, is_first)
        with self._lock:
            known = self._cache.get(key)
            if known is not None:
                self._cache.move_to_end(key)
                return known
        if is_first:
            tokens = self._model.tokenize(text, parse_special=not is_plain)
        else:
            tokens = self._model.tokenize_continuation(text, parse_special=not is_plain)
        with self._lock:
            self._cache[key] = tokens
            self._n_cached += len(text)
            while self._n_cached > _CACHE_CHARACTERS and len(self._cache) > 1:
                (gone, _, _), _ = self._cache.popitem(last=False)
                self._n_cached -= len(gone)
        return tokens


def _cut(text: str, known: list[tuple[int, _Segment]]) -> list[_Segment]:
    """The whole text in segments: the known ones at their offsets, the first of those that overlap, and the rest."""
    segments: list[_Segment] = []
    done = 0
    # Not always in the order of the messages: a template may put the system prompt before the last one.
    for start, segment in sorted(known, key=lambda item: item[0]):
        if start < done:
            continue
        if start > done:
            segments.append(_Segment(text[done:start]))
        segments.append(segment)
        done = start + len(segment.text)
    if done < len(text):
        segments.append(_Segment(text[done:]))
    return segments
