"""Messages to prompt text, by the model's own Jinja template, or by ChatML where there is none."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import jinja2
import msgspec

from engine.errors import Code, RequestError
from engine.protocol.values import ChatMessage, Notice, Role
from engine.translatable import Translatable, phrase, sentence
from engine.worker.prompt.section_parser import Family, open_reasoning, reasoning_family
from engine.worker.prompt.template_sandbox import Sandbox, TemplateLimit

CHATML = (
    "{% for message in messages %}"
    "{{ '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>\n' }}"
    "{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)

_PROBE = "firstlight probe"
_QUESTION = ChatMessage(role=Role.USER, content="hello")
_RESERVED = frozenset({"messages", "add_generation_prompt", "bos_token", "eos_token", "tools", "documents"})


@dataclass(frozen=True, slots=True)
class Rendered:
    """A prompt as the model sees it; tokenize it with special tokens parsed and none added."""

    text: str
    opens_reasoning: bool = False
    """The prompt ends inside a think tag."""
    notices: tuple[Notice, ...] = ()
    """What had to be done to the messages so that the template takes them."""


class ChatTemplate:
    """One model's template, compiled once. Rendering is bounded in time and size."""

    def __init__(self, source: str | None, bos_text: str, eos_text: str, *, adds_bos: bool = False) -> None:
        """`source` is the GGUF's template, or None. `adds_bos`: the vocabulary wants BOS even without a template."""
        self._bos = bos_text
        self._eos = eos_text
        self._adds_bos = adds_bos and bool(bos_text)
        self._sandbox = Sandbox()
        self._lock = threading.Lock()
        self._fixed: dict[str, Any] = {}
        self._source = source or ""
        self.notices: list[Notice] = []
        """What is to be known about the template itself."""
        self._family: Family | None = None
        self._template = self._usable()
        self._takes_system = self._shows_system()
        if self.tells_date:
            self.notices.append(_notice("template_date", phrase("The template writes today's date into the prompt.")))

    @property
    def has_template(self) -> bool:
        """The model's own template is in use."""
        return bool(self._source)

    @property
    def tells_date(self) -> bool:
        """The same messages make another prompt the next day."""
        return "strftime_now" in self._source

    @property
    def supports_reasoning(self) -> bool:
        """The template knows a marker for thinking."""
        return self._family is not None

    def render(
        self,
        messages: Sequence[ChatMessage],
        *,
        add_generation_prompt: bool = True,
        continue_answer: bool = False,
        options: Mapping[str, bool | int | str] | None = None,
    ) -> Rendered:
        """The prompt for these messages.

        With `continue_answer` the last message is an assistant's, and the prompt ends inside it. Raises RequestError
        with TEMPLATE_FAILED when the template fails on the messages, however they are arranged.
        """
        if continue_answer and messages and messages[-1].role is Role.ASSISTANT:
            begun = self.render(messages[:-1], options=options)
            return self._continued(begun, messages[-1])
        failure: Exception | None = None
        for arranged, notices in self._arrangements(messages):
            try:
                text = self._run(arranged, add_generation_prompt, options or {})
            except jinja2.TemplateError as error:
                failure = failure or error
                if isinstance(error, TemplateLimit):
                    break
                continue
            is_open = add_generation_prompt and open_reasoning(text) is not None
            return Rendered(self._with_one_bos(text), is_open, notices)
        raise RequestError(
            Code.TEMPLATE_FAILED,
            "The model's chat template does not take this chat: {failure}.",
            "Start a new chat, or choose another model.",
            failure=failure,
        ) from failure

    def _usable(self) -> jinja2.Template:
        """The model's own template when it can answer a simple question, else ChatML with a notice."""
        if not self._source.strip():
            self._source = ""
            why = phrase("The file has no chat template, so the common ChatML format is used.")
            self.notices.append(_notice("template_missing", why))
            return self._sandbox.compile_source(CHATML)
        try:
            template = self._sandbox.compile_source(self._source)
            self._fixed = self._tools_for(template)
        except jinja2.TemplateError as error:
            self._source = ""
            refusal = sentence(
                "The model's chat template cannot be used ({error}), so the common ChatML format is used.", error=error
            )
            self.notices.append(_notice("template_broken", refusal, is_warning=True))
            return self._sandbox.compile_source(CHATML)
        return template

    def _tools_for(self, template: jinja2.Template) -> dict[str, Any]:
        """How to tell this template that there are no tools: most want None, some an empty list."""
        failure: jinja2.TemplateError | None = None
        choices: tuple[list[str] | None, ...] = (None, [])
        for value in choices:
            fixed = {"tools": value, "documents": value}
            try:
                text = self._sandbox.render(template, fixed | self._variables([_QUESTION], True), 0)
            except TemplateLimit:
                raise
            except jinja2.TemplateError as error:
                failure = failure or error
            else:
                self._family = reasoning_family(self._source) or open_reasoning(text)
                return fixed
        assert failure is not None
        raise failure

    def _shows_system(self) -> bool:
        """False when the template takes a system message and silently leaves it out."""
        probe = [ChatMessage(role=Role.SYSTEM, content=_PROBE), _QUESTION]
        try:
            return _PROBE in self._run(probe, True, {})
        except jinja2.TemplateError:
            return True  # What it says about the real messages decides.

    def _arrangements(self, messages: Sequence[ChatMessage]) -> Iterator[tuple[list[ChatMessage], tuple[Notice, ...]]]:
        """The messages as they are, then ever more changed, each with its notices."""
        given = list(messages)
        folded = fold_system(given)
        if self._takes_system:
            yield given, ()
            merged = merge_turns(given)
            if merged != given:
                yield merged, (_MERGED,)
        base: tuple[Notice, ...] = (_FOLDED,) if folded != given else ()
        if folded != given or not self._takes_system:
            yield folded, base
        merged = merge_turns(folded)
        if merged != folded:
            yield merged, (*base, _MERGED)
        if merged and merged[0].role is not Role.USER:
            yield [ChatMessage(role=Role.USER, content=""), *merged], (*base, _OPENED)

    def _run(self, messages: Sequence[ChatMessage], add_generation_prompt: bool, options: Mapping[str, Any]) -> str:
        n_given = sum(len(message.content) + len(message.reasoning) + 64 for message in messages)
        own = {key: value for key, value in options.items() if key not in _RESERVED}
        variables = own | self._fixed | self._variables(messages, add_generation_prompt)
        with self._lock:
            return self._sandbox.render(self._template, variables, n_given)

    def _variables(self, messages: Sequence[ChatMessage], add_generation_prompt: bool) -> dict[str, Any]:
        return {
            "messages": [_as_dict(message) for message in messages],
            "add_generation_prompt": add_generation_prompt,
            "bos_token": self._bos,
            "eos_token": self._eos,
        }

    def _with_one_bos(self, text: str) -> str:
        if not self._bos:
            return text
        has_bos = text.startswith(self._bos)
        while text.startswith(self._bos):
            text = text.removeprefix(self._bos)
        return self._bos + text if has_bos or self._adds_bos else text

    def _continued(self, begun: Rendered, answer: ChatMessage) -> Rendered:
        """The prompt plus what was said of the answer, written as the model wrote it, so that its cache is reused."""
        family = open_reasoning(begun.text) or self._family
        if family is None:
            return replace(begun, text=begun.text + answer.content)
        answer_opens = family.answer_opens if family.answer_opens in self._source else ""
        if not (begun.opens_reasoning or answer.reasoning):
            return replace(begun, text=begun.text + answer_opens + answer.content)
        opening = "" if begun.opens_reasoning else family.opens[0] + family.lead
        text = begun.text + opening + answer.reasoning
        if not answer.content:
            return replace(begun, text=text, opens_reasoning=True)
        text += family.closes[0] + family.resume + answer_opens + answer.content
        return replace(begun, text=text, opens_reasoning=False)


def fold_system(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """System messages moved into the next user turn, or made one where none follows."""
    folded: list[ChatMessage] = []
    pending: list[str] = []
    for message in messages:
        if message.role is Role.SYSTEM:
            pending.append(message.content)
        elif pending and message.role is Role.USER:
            content = "\n\n".join([*pending, message.content])
            folded.append(msgspec.structs.replace(message, content=content))
            pending = []
        else:
            folded.append(message)
    if pending:
        folded.append(ChatMessage(role=Role.USER, content="\n\n".join(pending)))
    return folded


def merge_turns(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """Neighbouring turns of one role made one."""
    merged: list[ChatMessage] = []
    for message in messages:
        if merged and merged[-1].role is message.role:
            content = f"{merged[-1].content}\n\n{message.content}"
            reasoning = "\n\n".join(part for part in (merged[-1].reasoning, message.reasoning) if part)
            merged[-1] = msgspec.structs.replace(merged[-1], content=content, reasoning=reasoning)
        else:
            merged.append(message)
    return merged


def _as_dict(message: ChatMessage) -> dict[str, Any]:
    made: dict[str, Any] = {"role": str(message.role), "content": message.content}
    if message.reasoning:
        made["reasoning_content"] = message.reasoning
    return made


def _notice(code: str, message: Translatable, *, is_warning: bool = False) -> Notice:
    return Notice(code=code, message=message, is_warning=is_warning)


_FOLDED = _notice(
    "system_folded",
    phrase("This model has no place for a system prompt, so it stands at the beginning of the first message."),
)
_MERGED = _notice("turns_merged", phrase("This model wants turns to alternate, so neighbouring messages were joined."))
_OPENED = _notice(
    "turn_added", phrase("This model wants a chat to begin with the user, so an empty message was put first.")
)
