"""JSON Schema to GBNF, judged by llama.cpp's own grammar: what fits is accepted, what does not is not."""

from __future__ import annotations

import json
import math
import random
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import Code, RequestError
from engine.worker.llama.model import Model
from engine.worker.llama.sampling import Candidates, Chain
from engine.worker.sampling.grammar import check_gbnf
from engine.worker.sampling.json_patterns import integer_range, number_range
from engine.worker.sampling.json_schema import gbnf_of_schema
from tests.engine.worker.conftest import LoadTiny


@pytest.fixture
def model(load_tiny: LoadTiny) -> Model:
    return load_tiny().model


class Matcher:
    """Feeds text to llama.cpp's grammar."""

    def __init__(self, model: Model, gbnf: str) -> None:
        check_gbnf(gbnf)
        self._model = model
        self._chain = Chain()
        assert self._chain.add_grammar(model.vocab, gbnf), gbnf
        self._all = Candidates(model.n_vocab)

    def allowed(self, tokens: np.ndarray[Any, np.dtype[np.intp]]) -> np.ndarray[Any, np.dtype[np.bool_]]:
        self._all.fill(np.zeros(self._model.n_vocab, np.float32), tokens)
        self._chain.apply(self._all)
        return self._all.logits > -math.inf

    def accepts(self, text: str) -> bool:
        """The whole text and then the end are allowed."""
        for token in self._model.tokenize(text):
            if not self.allowed(np.array([token]))[0]:
                return False
            self._chain.accept(token)
        return bool(self.allowed(np.array([self._model.eos]))[0])

    def invent(self, seed: int) -> str:
        """A random text of the grammar; the longer it gets the more it is drawn to its end."""
        numbers = random.Random(seed)
        ids = np.arange(self._model.n_vocab)
        text = b""
        for step in range(400):
            open_ids = ids[self.allowed(ids)]
            closing = [t for t in open_ids if self._model.piece(int(t)) in (b'"', b"}", b"]", b"")]
            token = int(numbers.choice(closing if closing and numbers.random() < step / 60 else list(open_ids)))
            if token == self._model.eos or self._model.is_eog(token):
                return text.decode("utf-8", "replace")  # A token may hold half a character.
            self._chain.accept(token)
            text += self._model.piece(token)
        return text.decode("utf-8", "replace")

    def close(self) -> None:
        self._chain.close()


def accepts(model: Model, schema: Any, value: str) -> bool:
    matcher = Matcher(model, gbnf_of_schema(json.dumps(schema)))
    try:
        return matcher.accepts(value)
    finally:
        matcher.close()


TREE = {
    "$ref": "#/$defs/node",
    "$defs": {
        "node": {
            "type": "object",
            "properties": {
                "value": {"type": "integer"},
                "children": {"type": "array", "items": {"$ref": "#/$defs/node"}},
            },
            "required": ["value"],
        }
    },
}
OPTIONAL = {
    "type": "object",
    "properties": {"a": {"type": "integer"}, "b": {"type": "string"}, "c": {"type": "boolean"}},
    "required": ["b"],
}
MORE = {"type": "object", "properties": {"ab": {}}, "required": ["ab"], "additionalProperties": {"type": "integer"}}
FEW = {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 3}
BOTH = {"allOf": [{"properties": {"a": {"type": "integer"}}, "required": ["a"]}, {"properties": {"b": {}}}]}


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        ({}, ['{"a": [1, -2.5e3, null, true, "x\\n\\u00e9"]}', "0", '""'], ["{", "01", "tru", "'x'", '"\n"']),
        ({"type": "object"}, ["{}", '{ "a": 1 }'], ["[]", '{"a"}', '{"a": 1,}']),
        (OPTIONAL, ['{"b": ""}', '{"a": 1, "b": "x"}', '{"a": 1, "b": "x", "c": true}'], ["{}", '{"a": 1}', '{"b":1}']),
        (OPTIONAL, ['{"b":"x","c":false}', '{\n  "b": "x"\n}'], ['{"b":"x","d":1}', '{"b":"x","a":1}', '{"b":"x",}']),
        ({**OPTIONAL, "required": []}, ["{}", '{"c":true}', '{"a":1,"c":true}'], ['{"c":true,"a":1}']),
        (MORE, ['{"ab":1}', '{"ab":[],"a":1,"abc":2}', '{"ab":0,"":1}'], ['{"ab":1,"ab":2}', '{"x":1}']),
        (MORE, ['{"ab":1, "x":2}'], ['{"ab":1,"x":"y"}']),
        ({"type": "array"}, ["[]", "[1, [2]]"], ["[1,]"]),
        (FEW, ["[1,2]", "[1, 2, 3]"], ["[1]", "[1,2,3,4]"]),
        ({"type": "array", "items": {"type": "null"}, "maxItems": 1}, ["[]", "[null]"], ["[null,null]"]),
        ({"type": "array", "maxItems": 0}, ["[]"], ["[1]"]),
        ({"prefixItems": [{"type": "integer"}, {"type": "string"}], "items": False}, ['[1,"x"]'], ["[1]", '["x",1]']),
        ({"enum": ["red", "a\"b", 3, None]}, ['"red"', '"a\\"b"', "3", "null"], ['"blue"', "33"]),
        ({"const": {"a": 1}}, ['{"a": 1}'], ['{"a": 2}']),
        ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, ['"x"', "-3"], ["true", "1.5"]),
        ({"type": ["string", "null"], "maxLength": 2}, ['"ab"', "null"], ['"abc"', "1"]),
        (BOTH, ['{"a":1,"b":2}'], ['{"b":2}']),
        ({"type": "string", "minLength": 2, "maxLength": 3}, ['"ab"', '"é\\n"', '"abc"'], ['"a"', '"abcd"']),
        ({"type": "string", "pattern": "^[A-Z]{2}-\\d+$"}, ['"AB-1"', '"XY-007"'], ['"ab-1"', '"AB-"', '"AB-1x"']),
        ({"type": "string", "pattern": "(cat|dog)s?"}, ['"cats"', '"my dog."'], ['"bird"']),
        ({"type": "string", "pattern": "^[^a-c\"]\\.\\w\\\\?$"}, ['"z.k"', '"z.k\\\\"'], ['"a.k"', '"zzk"']),
        ({"type": "string", "format": "date"}, ['"2026-02-28"'], ['"2026-13-01"', '"today"']),
        ({"type": "string", "format": "date-time"}, ['"2026-02-28T10:00:00Z"'], ['"2026-02-28"']),
        ({"type": "string", "format": "ipv4"}, ['"10.0.0.255"'], ['"10.0.0.256"', '"10.0.0"']),
        ({"type": "string", "format": "uuid"}, ['"123e4567-e89b-12d3-a456-426614174000"'], ['"123"']),
        ({"type": "string", "format": "unheard-of"}, ['"x"'], ["1"]),
        ({"type": "integer", "minimum": 1, "maximum": 120}, ["1", "99", "120"], ["0", "121", "-1", "1.0", "007"]),
        ({"type": "number", "minimum": 0, "exclusiveMaximum": 1}, ["0", "0.5", "0.001"], ["1", "1.5", "-0.5"]),
        ({"type": "number"}, ["1", "-0.5", "1e-9", "12.5E+3"], ["+1", ".5", "1."]),
        (TREE, ['{"value":1}', '{"value":1,"children":[{"value":2,"children":[]}]}'], ['{"children":[]}']),
        ({"items": {"$ref": "#"}, "type": "array"}, ["[]", "[[],[[]]]"], ["[1]"]),
    ],
)  # fmt: skip
def test_what_fits_is_accepted_and_nothing_else(model: Model, schema: Any, good: list[str], bad: list[str]) -> None:
    assert [text for text in good if not accepts(model, schema, text)] == []
    assert [text for text in bad if accepts(model, schema, text)] == []


@pytest.mark.parametrize("schema", [{}, OPTIONAL, MORE, TREE, {"type": "string", "format": "date-time"}])
@pytest.mark.parametrize("seed", range(2))
def test_any_text_of_the_grammar_is_json(model: Model, schema: Any, seed: int) -> None:
    matcher = Matcher(model, gbnf_of_schema(json.dumps(schema)))
    try:
        value = json.loads(matcher.invent(seed))
    finally:
        matcher.close()
    if "required" in schema:
        assert set(schema["required"]) <= value.keys()


def matches(gbnf: str, text: str) -> bool:
    """Number grammars are regular, and read the same as regular expressions once spaces and quotes are gone."""
    pattern = gbnf.replace(" ", "").replace('"."', "[.]").replace('"', "")
    return re.fullmatch(pattern, text) is not None


BOUND = st.one_of(st.none(), st.integers(-1200, 1200))


@given(BOUND, BOUND, st.integers(-1500, 1500))
def test_integer_ranges_hold_exactly_the_integers_between(low: int | None, high: int | None, value: int) -> None:
    expected = (low is None or value >= low) and (high is None or value <= high)
    assert matches(integer_range(low, high), str(value)) == expected


@given(BOUND, BOUND, st.booleans(), st.booleans(), st.integers(-15000, 15000))
def test_number_ranges_hold_exactly_the_numbers_between(
    low: int | None, high: int | None, is_low_open: bool, is_high_open: bool, tenths: int
) -> None:
    value = tenths / 10
    text = str(int(value)) if value == int(value) else str(value)
    is_above = low is None or value > low or (value == low and not is_low_open)
    is_below = high is None or value < high or (value == high and not is_high_open)
    gbnf = number_range(low, high, is_low_open=is_low_open, is_high_open=is_high_open)
    assert matches(gbnf, text) == (is_above and is_below)


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ('{"type": "object"', "is not JSON"),
        ('{"not": {}}', "uses not at root"),
        ('{"type": "array", "uniqueItems": true}', "uses uniqueItems at root"),
        ('{"properties": {"a": {"type": "integer", "multipleOf": 5}}}', "uses multipleOf at root.a"),
        ('{"if": {}, "then": {}}', "uses if at root"),
        ('{"type": "thing"}', "unknown type 'thing'"),
        ('{"$ref": "https://example.com/s"}', "only references inside the schema"),
        ('{"$ref": "#/$defs/x"}', "does not exist"),
        ('{"$ref": "#"}', "refers to nothing but itself"),
        ('{"$ref": "#/$defs/x", "minimum": 3, "$defs": {"x": {}}}', "minimum beside"),
        ('{"anyOf": []}', "root.anyOf is empty"),
        ('{"enum": 3}', "root.enum is not a list"),
        ('{"type": "string", "pattern": "(?=x)"}', "looks ahead"),
        ('{"type": "string", "pattern": "(x"}', "not closed"),
        ('{"type": "string", "pattern": "x)"}', "unmatched"),
        ('{"type": "string", "pattern": "\\\\bword"}', "cannot be enforced"),
        ('{"type": "string", "maxLength": 100000}', "up to 1000"),
        ('{"type": "string", "minLength": 5, "maxLength": 2}', "above"),
        ('{"type": "integer", "minimum": 5, "maximum": 2}', "no number fits"),
        ('{"type": "number", "minimum": 0.5}', "only whole numbers"),
        ('{"allOf": [{"type": "string"}, {"type": "integer"}]}', "disagree about type"),
        ('{"allOf": [{"$ref": "#/a"}], "a": {"$ref": "#/a"}}', "uses a at root"),
        ("[1]", "root is not a schema"),
        ("[" * 100000, "nested too deep"),
        (" " * 300000, "more than"),
    ],
)
def test_what_cannot_be_enforced_is_named(schema: str, words: str) -> None:
    with pytest.raises(RequestError) as caught:
        gbnf_of_schema(schema)
    assert words in str(caught.value.failure.message)
    assert caught.value.code is Code.BAD_REQUEST
    assert caught.value.failure.advice
