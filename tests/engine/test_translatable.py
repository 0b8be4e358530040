"""What the engine says: templates with values, across the border and in English, and every one of them extractable."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest

from engine.errors import Code, Failure, HubError, ModelError
from engine.protocol.codec import decode_event, encode
from engine.protocol.events import RequestFailed
from engine.protocol.values import KvType
from engine.translatable import Sentence, joined, listed, phrase, sentence

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "packaging"))
import translations  # noqa: E402


def test_a_sentence_keeps_its_template_and_says_itself_in_english() -> None:
    said = sentence("{name} has {n:,} parts of {kind}: {why}.", name=Path("a/b"), n=1234, kind=KvType.F16, why="{odd}")
    assert isinstance(said, Sentence)
    assert str(said) == f"{said}" == "a/b has 1,234 parts of f16: {odd}."
    assert said.values == {"name": "a/b", "n": 1234, "kind": "f16", "why": "{odd}"}


def test_a_sentence_without_values_is_a_string() -> None:
    assert sentence("All is well.") == "All is well."
    assert sentence("All is {well}.") == "All is {well}."
    assert sentence("All is well.", unused=1) == "All is well."


def test_sentences_are_put_together() -> None:
    first = sentence("{n} were lost.", n=2)
    assert str(joined(first, "Look again.")) == "2 were lost. Look again."
    assert joined(first, "") is first
    assert str(listed([first, "b", "c"])) == "2 were lost., b, c"


def test_a_failure_crosses_the_border_with_its_values() -> None:
    error = ModelError(Code.MODEL_DAMAGED, "{name} lacks {n:,} bytes.", "Fetch {name} again.", name="m", n=5000)
    assert str(error) == "m lacks 5,000 bytes."
    event = decode_event(encode(RequestFailed(request_id="a", failure=error.failure)))
    assert isinstance(event, RequestFailed)
    assert event.failure == error.failure
    assert event.failure.sentence() == "m lacks 5,000 bytes. Fetch m again."


def test_a_failure_passed_on_keeps_its_values() -> None:
    failure = HubError(Code.OFFLINE, "{name} is away.", "Wait.", name="hub").failure
    assert HubError(failure.code, failure.message, failure.advice).failure == failure


def test_words_of_others_are_no_template() -> None:
    assert Failure(code=Code.INTERNAL, message="a {brace} and }").sentence() == "a {brace} and }"
    assert HubError(Code.OFFLINE, "a {brace} and }").failure.sentence() == "a {brace} and }"


def calls() -> Iterator[tuple[str, ast.Call, list[ast.expr]]]:
    for file in sorted((ROOT / "engine").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and (parts := translations.sentence_parts(node)):
                yield f"{file.relative_to(ROOT)}:{node.lineno}", node, parts


def test_no_value_is_written_into_a_sentence() -> None:
    """An f-string would be a new sentence for each value, and none of them could be translated."""
    made = (ast.JoinedStr, ast.BinOp)
    assert not [place for place, _, parts in calls() if any(isinstance(part, made) for part in parts)]


def test_every_place_of_a_sentence_is_given_a_value() -> None:
    missing = []
    for place, call, parts in calls():
        if isinstance(call.func, ast.Name) and call.func.id in ("phrase", "Failure", "Notice"):
            continue
        given = {keyword.arg for keyword in call.keywords}
        if not given:
            continue
        for part in parts:
            for text in translations.literals(part):
                wanted = {name for _, name, _, _ in Formatter().parse(text) if name is not None}
                missing += [f"{place}: {name}" for name in wanted - given]
    assert not missing


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('ModelError(Code.X, "a {n}", "b", n=1)', ["a {n}", "b"]),
        ('HubError(Code.X, "a" if x else "b")', ["a", "b"]),
        ('Failure(code=Code.X, message=phrase("c"))', []),
        ('sentence("d {n}", n=1)', ["d {n}"]),
        ('ProtocolError("e")', ["e"]),
        ('ValueError("not for the user")', []),
    ],
)
def test_sentences_are_found_in_the_sources(source: str, found: list[str]) -> None:
    call = ast.parse(source, mode="eval").body
    assert isinstance(call, ast.Call)
    assert [text for part in translations.sentence_parts(call) for text in translations.literals(part)] == found


def test_a_phrase_stays_itself() -> None:
    assert phrase("some words") == "some words"
