"""python -m engine chat: one prompt, or a conversation, in the terminal."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Sequence

import msgspec

from engine.commands.host_session import Session
from engine.commands.options import add_model_options, settings_with
from engine.commands.terminal_answer import AnswerPrinter, PrintedAnswer, answer_json, metrics_line
from engine.errors import Code, FirstlightError, RequestError
from engine.metrics import FinishReason
from engine.protocol.commands import Generate
from engine.protocol.values import ChatMessage, ContextPolicy, Priority, Role, Sampling
from engine.settings import folders, load_settings

CHAT_ID = "terminal"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_model_options(parser)
    parser.add_argument("--prompt", help="answer this and end; - reads it from stdin")
    parser.add_argument("--system", default="", help="system prompt")
    parser.add_argument("--json", action="store_true", help="print one object with text, metrics and settings")
    parser.add_argument("--max-tokens", type=int, default=0, help="longest answer (default: until the model stops)")
    parser.add_argument("--seed", type=int, help="the same seed gives the same answer")
    parser.add_argument("--temperature", type=float, help="0 is greedy")
    parser.add_argument("--top-p", type=float)
    parser.add_argument("--top-k", type=int)
    parser.add_argument("--min-p", type=float)
    parser.add_argument("--stop", action="append", default=[], help="end the answer before this text; may be repeated")


def run(arguments: argparse.Namespace) -> int:
    settings, notice = load_settings(folders().settings_file)
    if notice:
        print(notice, file=sys.stderr)
    model_id, settings = settings_with(arguments, settings)
    prompt = _prompt(arguments)
    with Session(settings, folders()) as session:
        chat = Conversation(session, model_id, arguments)
        if prompt is None:
            return chat.converse()
        return chat.answer_once(prompt)


class Conversation:
    """One conversation with its history."""

    def __init__(self, session: Session, model_id: str, arguments: argparse.Namespace) -> None:
        self._session = session
        self._model_id = model_id
        self._is_json = arguments.json
        self._max_tokens = arguments.max_tokens
        self._terminal = AnswerPrinter(is_quiet=arguments.json)
        self._stop = tuple(arguments.stop)
        self._sampling = _sampling(arguments)
        self._history: list[ChatMessage] = []
        if arguments.system:
            self._history.append(ChatMessage(role=Role.SYSTEM, content=arguments.system))

    def answer_once(self, prompt: str) -> int:
        answer = self._answer(prompt)
        if self._is_json:
            print(answer_json(answer))
        return 130 if answer.finished.finish_reason is FinishReason.CANCELLED else 0

    def converse(self) -> int:
        """Turn by turn, until the end of input or Ctrl+C at the prompt."""
        with contextlib.suppress(ImportError):
            __import__("readline")
        while True:
            try:
                prompt = input("> ")
            except EOFError:
                print()
                return 0
            if not prompt.strip():
                continue
            try:
                self._answer(prompt)
            except FirstlightError as error:
                self._history.pop()
                print(error.failure.sentence(), file=sys.stderr)

    def _answer(self, prompt: str) -> PrintedAnswer:
        self._history.append(ChatMessage(role=Role.USER, content=prompt))
        command = Generate(
            model_id=self._model_id,
            messages=tuple(self._history),
            chat_id=CHAT_ID if not self._is_json else "",
            sampling=self._sampling,
            max_tokens=self._max_tokens,
            stop=self._stop,
            priority=Priority.INTERACTIVE,
            context_policy=ContextPolicy.STOP if len(self._history) <= 2 else ContextPolicy.SLIDE,
        )
        answer = self._terminal.show(self._session.events(command))
        self._history.append(ChatMessage(role=Role.ASSISTANT, content=answer.text, reasoning=answer.reasoning))
        if not self._is_json:
            print(metrics_line(answer.finished), file=sys.stderr)
        return answer


def _prompt(arguments: argparse.Namespace) -> str | None:
    prompt: str | None = arguments.prompt
    if prompt == "-" or (prompt is None and (arguments.json or not sys.stdin.isatty())):
        prompt = sys.stdin.read()
    if prompt is not None and not prompt.strip():
        raise RequestError(Code.PROMPT_EMPTY, "The prompt is empty.", "Write something to answer.")
    return prompt


def _sampling(arguments: argparse.Namespace) -> Sampling:
    names: Sequence[str] = ("temperature", "top_p", "top_k", "min_p", "seed")
    given = {name: value for name in names if (value := getattr(arguments, name)) is not None}
    return msgspec.structs.replace(Sampling(), **given)
