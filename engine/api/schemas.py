"""Bodies of the OpenAI-compatible API, as far as a local model can serve them; unknown fields are ignored."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

from engine.errors import Code, RequestError
from engine.metrics import FinishReason, RequestMetrics
from engine.protocol.values import ChatMessage, ContextPolicy, Priority, Role, Sampling

_T = TypeVar("_T")

_SAMPLING = (
    "temperature", "top_p", "top_k", "min_p", "typical_p", "repeat_penalty", "frequency_penalty", "presence_penalty",
    "seed",
)  # fmt: skip
_ROLES = {"developer": Role.SYSTEM, "function": Role.TOOL}


class ContentPart(msgspec.Struct, frozen=True):
    """One piece of a message's content."""

    type: str
    text: str = ""


class Message(msgspec.Struct, frozen=True):
    role: str
    content: str | list[ContentPart] | None = None
    reasoning_content: str | None = None

    def chat_message(self) -> ChatMessage:
        try:
            role = _ROLES.get(self.role) or Role(self.role)
        except ValueError:
            raise bad_request(f"There is no role {self.role}.") from None
        return ChatMessage(role=role, content=self._text(), reasoning=self.reasoning_content or "")

    def _text(self) -> str:
        if not isinstance(self.content, list):
            return self.content or ""
        for part in self.content:
            if part.type != "text":
                raise bad_request(f"Content of type {part.type} is not supported: this server reads text.")
        return "".join(part.text for part in self.content)


class JsonSchema(msgspec.Struct, frozen=True):
    schema: dict[str, Any] = {}


class ResponseFormat(msgspec.Struct, frozen=True):
    type: str = "text"
    json_schema: JsonSchema | None = None


class StreamOptions(msgspec.Struct, frozen=True):
    include_usage: bool | None = None


class GenerationBody(msgspec.Struct, frozen=True, kw_only=True):
    """What chat and text completions have in common."""

    model: str = ""
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    max_tokens: int | None = None
    max_completion_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    min_p: float | None = None
    typical_p: float | None = None
    repeat_penalty: float | None = None
    frequency_penalty: float | None = None
    presence_penalty: float | None = None
    seed: int | None = None
    stop: str | list[str] | None = None
    logit_bias: dict[str, float] | None = None
    response_format: ResponseFormat | None = None
    grammar: str = ""
    n: int | None = None
    logprobs: bool | int | None = None
    tool_choice: str | dict[str, Any] | None = None
    priority: Priority = Priority.API
    """Ours: interactive, api or batch."""
    cache_prompt: bool = True
    """As llama-server has it: reuse what is cached of the prompt."""
    context_policy: ContextPolicy = ContextPolicy.STOP
    """Ours."""

    def check(self) -> None:
        """Raises RequestError for what cannot be served."""
        if self.n not in (None, 1):
            raise bad_request("Only one answer for each request is supported: n must be 1.")
        if self.tool_choice not in (None, "none", "auto"):
            raise bad_request("A tool cannot be forced: this server answers with text.")
        if self.logprobs:
            raise bad_request("Log probabilities are not supported.")

    @property
    def answer_limit(self) -> int:
        """max_tokens; 0 for none."""
        return max(0, self.max_completion_tokens or self.max_tokens or 0)

    @property
    def stops(self) -> tuple[str, ...]:
        return (self.stop,) if isinstance(self.stop, str) else tuple(self.stop or ())

    def sampling(self) -> Sampling:
        given = {name: value for name in _SAMPLING if (value := getattr(self, name)) is not None}
        return msgspec.structs.replace(
            Sampling(), **given, grammar=self.grammar, json_schema=self._schema(), logit_bias=self._biases()
        )

    def _schema(self) -> str:
        form = self.response_format
        if form is None or form.type == "text":
            return ""
        if form.type == "json_object":
            return '{"type": "object"}'
        if form.type == "json_schema" and form.json_schema is not None:
            return msgspec.json.encode(form.json_schema.schema).decode()
        raise bad_request(f"The response format {form.type} is not supported.")

    def _biases(self) -> dict[int, float]:
        try:
            return {int(token): bias for token, bias in (self.logit_bias or {}).items()}
        except ValueError:
            raise bad_request("logit_bias maps token ids to numbers.") from None


class ChatBody(GenerationBody, frozen=True, kw_only=True):
    messages: list[Message]
    chat_template_kwargs: dict[str, bool | int | str] = {}


class CompletionBody(GenerationBody, frozen=True, kw_only=True):
    prompt: str | list[str]
    echo: bool | None = None
    suffix: str | None = None

    def check(self) -> None:
        super().check()
        if self.echo or self.suffix:
            raise bad_request("Neither echo nor suffix is supported: only what follows the prompt is answered.")

    def text(self) -> str:
        if isinstance(self.prompt, str):
            return self.prompt
        if len(self.prompt) != 1:
            raise bad_request("Only one prompt for each request is supported.")
        return self.prompt[0]


class EmbeddingBody(msgspec.Struct, frozen=True, kw_only=True):
    input: str | list[str]
    model: str = ""
    encoding_format: str = "float"


class PromptDetails(msgspec.Struct, frozen=True):
    cached_tokens: int


class Usage(msgspec.Struct, frozen=True):
    prompt_tokens: int
    completion_tokens: int
    total_tokens: int
    prompt_tokens_details: PromptDetails


def usage_of(metrics: RequestMetrics) -> Usage:
    return Usage(
        prompt_tokens=metrics.n_prompt_tokens,
        completion_tokens=metrics.n_decoded,
        total_tokens=metrics.n_prompt_tokens + metrics.n_decoded,
        prompt_tokens_details=PromptDetails(metrics.n_cached_tokens),
    )


def finish_reason_of(reason: FinishReason) -> str:
    """OpenAI knows no cancelled answer; who cancels is not there to read it either."""
    return "length" if reason is FinishReason.LENGTH else "stop"


def parse(body: bytes, kind: type[_T]) -> _T:
    """Raises RequestError with what is wrong in the body."""
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise bad_request(f"The body cannot be read: {error}.") from error


def bad_request(message: str) -> RequestError:
    return RequestError(Code.BAD_REQUEST, message)
