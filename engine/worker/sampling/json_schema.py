"""JSON Schema to GBNF, so that an answer can only be JSON that fits the schema."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.errors import Code, RequestError
from engine.worker.sampling.json_patterns import FORMATS, gbnf_of_pattern, integer_range, number_range

REPEAT_MAX = 1000
"""Longest bounded repetition; llama.cpp unrolls each one."""
_RULES_MAX = 4000
_REFERENCES_MAX = 100
_SOURCE_MAX = 1 << 18

_PRIMITIVES = {
    "space": r'| " " | "\n"{1,2} [ \t]{0,20}',
    "char": r'[^"\\\x7F\x00-\x1F] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F]{4})',
    "string": r'"\"" char* "\""',
    "integer": r'"-"? ("0" | [1-9] [0-9]{0,15})',
    "number": r'integer ("." [0-9]{1,16})? ([eE] [-+]? [0-9]{1,2})?',
    "boolean": r'"true" | "false"',
    "null": r'"null"',
    "value": "object | array | string | number | boolean | null",
    "object": r'"{" space (string space ":" space value space ("," space string space ":" space value space)*)? "}"',
    "array": r'"[" space (value space ("," space value space)*)? "]"',
}
_NEEDS = {
    "string": ("char",),
    "number": ("integer",),
    "value": ("object", "array", "string", "number", "boolean", "null"),
    "object": ("space", "string", "value"),
    "array": ("space", "value"),
}
_COMMENTS = {
    "$schema", "$id", "$anchor", "$comment", "$defs", "definitions", "title", "description", "default", "examples",
    "example", "deprecated", "readOnly", "writeOnly", "contentEncoding", "contentMediaType", "strict", "name",
}  # fmt: skip
"""Keywords that say nothing about which values are valid."""
_BY_TYPE = {
    "object": {"properties", "required", "additionalProperties"},
    "array": {"items", "prefixItems", "minItems", "maxItems"},
    "string": {"minLength", "maxLength", "pattern", "format"},
    "integer": {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"},
    "number": {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"},
    "boolean": set(),
    "null": set(),
}
_ANYWHERE = {"type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref"}


def gbnf_of_schema(text: str) -> str:
    """The grammar of a schema given as JSON text. Raises RequestError for what is wrong or cannot be enforced."""
    if len(text) > _SOURCE_MAX:
        raise _mistake(f"it has {len(text)} characters, more than {_SOURCE_MAX}")
    try:
        schema = json.loads(text)
        return _Converter(schema).grammar()
    except json.JSONDecodeError as error:
        raise _mistake(f"it is not JSON (line {error.lineno}: {error.msg})") from error
    except RecursionError:
        raise _mistake("it is nested too deep") from None


@dataclass(frozen=True, slots=True)
class _Pair:
    """One property of an object: its key and value."""

    gbnf: str
    is_required: bool


class _Converter:
    """Collects rules while it walks over the schema; `path` names the place for error sentences."""

    def __init__(self, schema: Any) -> None:
        self._schema = schema
        self._rules: dict[str, str] = {}
        self._references: dict[str, str] = {}

    def grammar(self) -> str:
        root = self._visit(self._schema, "root")
        self._use("space")
        lines = [f"root ::= space {root}", *(f"{name} ::= {body}" for name, body in self._rules.items())]
        return "\n".join(lines) + "\n"

    def _visit(self, schema: Any, path: str) -> str:
        """The name of a rule, or a bracketed expression, for values that fit the schema."""
        if schema is True or schema == {}:
            return self._use("value")
        if not isinstance(schema, dict):
            raise _mistake(f"{path} is not a schema")
        self._check_keywords(schema, path)
        if "$ref" in schema:
            _check_alone(schema, "$ref", path)
            return self._reference(schema["$ref"], path)
        if "const" in schema:
            return _literal(json.dumps(schema["const"], ensure_ascii=False))
        if "enum" in schema:
            values = _listed(schema["enum"], f"{path}.enum")
            return f"({' | '.join(_literal(json.dumps(value, ensure_ascii=False)) for value in values)})"
        for keyword in ("anyOf", "oneOf"):
            if keyword in schema:
                _check_alone(schema, keyword, path)
                # A value that fits several branches is rare, and telling them apart is beyond a grammar.
                branches = _listed(schema[keyword], f"{path}.{keyword}")
                parts = [self._visit(branch, f"{path}.{keyword}[{i}]") for i, branch in enumerate(branches)]
                return f"({' | '.join(parts)})"
        if "allOf" in schema:
            return self._visit(self._merged(schema, path), path)
        kinds = schema.get("type", _guessed_type(schema))
        if isinstance(kinds, list):
            parts = [self._typed(_of_type(schema, kind), kind, path) for kind in _listed(kinds, f"{path}.type")]
            return f"({' | '.join(parts)})"
        return self._typed(schema, kinds, path)

    def _check_keywords(self, schema: Mapping[str, Any], path: str) -> None:
        kinds = schema.get("type", _guessed_type(schema))
        known = _COMMENTS | _ANYWHERE
        for kind in kinds if isinstance(kinds, list) else [kinds]:
            known = known | (_BY_TYPE.get(kind, set()) if isinstance(kind, str) else set())
        for keyword in schema:
            if keyword not in known:
                raise RequestError(
                    Code.BAD_REQUEST,
                    "The JSON schema uses {keyword} at {path}, which cannot be enforced.",
                    "Leave {keyword} out, and check the answer for it afterwards.",
                    keyword=keyword,
                    path=path,
                )

    def _typed(self, schema: Mapping[str, Any], kind: Any, path: str) -> str:
        if kind == "object":
            return self._object(schema, path)
        if kind == "array":
            return self._array(schema, path)
        if kind == "string":
            return self._string(schema, path)
        if kind in ("integer", "number"):
            return self._number(schema, kind, path)
        if kind in ("boolean", "null"):
            return self._use(kind)
        if kind == "any":
            return self._use("value")
        raise _mistake(f"{path} has the unknown type {kind!r}")

    def _reference(self, reference: Any, path: str) -> str:
        if not isinstance(reference, str) or not reference.startswith("#"):
            raise _mistake(f"{path} refers to {reference!r}; only references inside the schema (#/...) can be followed")
        if reference not in self._references:
            target = self._target(reference, path)
            # Named before it is visited, so that it may refer to itself.
            name = self._references[reference] = f"ref{len(self._references)}"
            body = self._visit(target, reference)
            if body == name:
                raise _mistake(f"{reference} refers to nothing but itself")
            self._rules[name] = body
        return self._references[reference]

    def _target(self, reference: str, path: str) -> Any:
        target = self._schema
        for step in reference.removeprefix("#").strip("/").split("/") if reference not in ("#", "#/") else ():
            key = step.replace("~1", "/").replace("~0", "~")
            if isinstance(target, dict) and key in target:
                target = target[key]
            elif isinstance(target, list) and key.isdecimal() and int(key) < len(target):
                target = target[int(key)]
            else:
                raise _mistake(f"{path} refers to {reference}, which does not exist")
        return target

    def _merged(self, schema: Mapping[str, Any], path: str) -> dict[str, Any]:
        """allOf as one schema: objects' properties and requirements together, other keywords side by side."""
        merged: dict[str, Any] = {key: value for key, value in schema.items() if key != "allOf"}
        for index, given in enumerate(_listed(schema["allOf"], f"{path}.allOf")):
            for key, value in self._plain(given, f"{path}.allOf[{index}]").items():
                if key == "properties":
                    merged[key] = {**merged.get(key, {}), **value}
                elif key == "required":
                    merged[key] = [*merged.get(key, []), *value]
                elif key in merged and merged[key] != value and key not in _COMMENTS:
                    raise _mistake(f"the parts of {path}.allOf disagree about {key}")
                else:
                    merged[key] = value
        return merged

    def _plain(self, schema: Any, path: str) -> dict[str, Any]:
        """A part of allOf without references and allOf of its own."""
        for _ in range(_REFERENCES_MAX):
            if not isinstance(schema, dict):
                raise _mistake(f"{path} is not a schema")
            if "$ref" not in schema:
                return self._merged(schema, path) if "allOf" in schema else schema
            schema = self._target(schema["$ref"], path)
        raise _mistake(f"{path} refers to itself")

    def _object(self, schema: Mapping[str, Any], path: str) -> str:
        properties = schema.get("properties", {})
        required = _listed(schema.get("required", []), f"{path}.required", can_be_empty=True)
        if not isinstance(properties, dict):
            raise _mistake(f"{path}.properties is not an object")
        for name in required:
            if name not in properties:
                properties = {**properties, name: True}
        # JSON Schema allows other properties unless told otherwise; an answer needs them only where that is said.
        others = schema.get("additionalProperties", not properties)
        if not properties and others is True:
            return self._use("object")
        for name in ("space", "string"):
            self._use(name)
        pairs = []
        for name, part in properties.items():
            key = _literal(json.dumps(name, ensure_ascii=False))
            pairs.append(_Pair(f'{key} space ":" space {self._visit(part, f"{path}.{name}")} space', name in required))
        if others is not False:
            key = self._rule(self._key_outside(properties), "key")
            value = self._visit(others, f"{path}.additionalProperties")
            pair = f'{key} space ":" space {value} space'
            pairs.append(_Pair(f'{pair} ("," space {pair})*', False))
        # What may follow once the pair of an index stands last; made from the end, as each uses the later ones.
        rests = [""] * len(pairs)
        for index in reversed(range(len(pairs))):
            rests[index] = self._rule(_following(pairs, rests, index + 1, lead='"," space '), "rest")
        return self._rule(f'"{{" space ({_following(pairs, rests, 0, lead="")}) "}}"', "object")

    def _key_outside(self, names: Iterable[str]) -> str:
        """A quoted key that is none of `names`: it leaves their common beginnings at some character."""
        self._use("char")
        tree: dict[str, Any] = {}
        for name in names:
            node = tree
            for character in json.dumps(name, ensure_ascii=False)[1:-1]:
                node = node.setdefault(character, {})
            node[""] = {}

        def outside(node: Mapping[str, Any]) -> str:
            ways = [f"{_literal(c)} {outside(after)}" for c, after in node.items() if c]
            taken = "".join(_in_class(c) for c in node if c)
            ways.append(f'[^"\\\\\\x7F\\x00-\\x1F{taken}] char*')
            if "" not in node:
                ways.append('""')
            return f"({' | '.join(ways)})"

        return f'"\\"" {outside(tree)} "\\""'

    def _array(self, schema: Mapping[str, Any], path: str) -> str:
        low, high = _bounds(schema, "minItems", "maxItems", path)
        first = schema.get("prefixItems", [])
        items = schema.get("items", True)
        if isinstance(items, list):  # Before the 2020 draft, a list here was what prefixItems is now.
            first, items = items, False
        fixed = [self._visit(item, f"{path}.prefixItems[{i}]") for i, item in enumerate(_listed(first, path, True))]
        self._use("space")
        if fixed:
            if items not in (False, True) or low > len(fixed) or (high is not None and high < len(fixed)):
                raise _mistake(f"{path} has other items after prefixItems, which cannot be enforced")
            inside = ' "," space '.join(f"{value} space" for value in fixed)
            return self._rule(f'"[" space {inside} "]"', "array")
        if high == 0 or items is False:
            return '"[" space "]"'
        value = f"{self._visit(items, f'{path}.items')} space"
        more = "*" if high is None and low < 2 else f"{{{max(0, low - 1)},{'' if high is None else high - 1}}}"
        inside = f'{value} ("," space {value}){more}'
        return self._rule(f'"[" space {inside} "]"' if low else f'"[" space ({inside})? "]"', "array")

    def _string(self, schema: Mapping[str, Any], path: str) -> str:
        pattern = schema.get("pattern") or FORMATS.get(schema.get("format", ""))
        low, high = _bounds(schema, "minLength", "maxLength", path)
        if pattern:
            if low or high is not None:
                raise _mistake(f"{path} has a length beside a pattern or format, which cannot be enforced together")
            self._use("char")
            try:
                return self._rule(f'"\\"" {gbnf_of_pattern(pattern)} "\\""', "text")
            except ValueError as error:
                raise _mistake(f"the pattern at {path} {error}") from error
        if not low and high is None:
            return self._use("string")
        self._use("char")
        return self._rule(f'"\\"" char{{{low},{"" if high is None else high}}} "\\""', "text")

    def _number(self, schema: Mapping[str, Any], kind: str, path: str) -> str:
        limits = {key: schema[key] for key in _BY_TYPE["number"] if key in schema}
        if not limits:
            return self._use(kind)
        for key, value in limits.items():
            if isinstance(value, bool) or not isinstance(value, (int, float)) or value != int(value):
                raise _mistake(f"{path}.{key} is {value!r}; only whole numbers can be enforced as bounds")
        low, high = limits.get("minimum"), limits.get("maximum")
        above, below = limits.get("exclusiveMinimum"), limits.get("exclusiveMaximum")
        if kind == "integer":
            lows = [int(v) for v in (low, None if above is None else above + 1) if v is not None]
            highs = [int(v) for v in (high, None if below is None else below - 1) if v is not None]
            body = integer_range(max(lows, default=None), min(highs, default=None))
        else:
            body = number_range(
                max((int(v) for v in (low, above) if v is not None), default=None),
                min((int(v) for v in (high, below) if v is not None), default=None),
                is_low_open=above is not None and (low is None or above >= low),
                is_high_open=below is not None and (high is None or below <= high),
            )
        if not body:
            raise _mistake(f"no number fits the bounds at {path}")
        return self._rule(body, kind)

    def _use(self, name: str) -> str:
        """Make sure that a primitive rule is there."""
        if name not in self._rules:
            self._rules[name] = _PRIMITIVES[name]
            for needed in _NEEDS.get(name, ()):
                self._use(needed)
        return name

    def _rule(self, body: str, stem: str) -> str:
        if len(self._rules) > _RULES_MAX:
            raise _mistake("it is too large")
        name = f"{stem}-{len(self._rules)}"
        self._rules[name] = body
        return name


def _following(pairs: Sequence[_Pair], rests: Sequence[str], start: int, *, lead: str) -> str:
    """Alternatives for the next pair: any optional one from `start` on, up to the first that is required."""
    choices = []
    for pair, rest in zip(pairs[start:], rests[start:], strict=True):
        choices.append(f"{lead}{pair.gbnf} {rest}")
        if pair.is_required:
            return " | ".join(choices)
    return " | ".join([*choices, '""'])


def _literal(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
    return f'"{escaped}"'


def _in_class(character: str) -> str:
    return f"\\{character}" if character in "[]" else ("" if character in '"\\' else character.replace("-", "\\x2D"))


def _check_alone(schema: Mapping[str, Any], keyword: str, path: str) -> None:
    others = schema.keys() - _COMMENTS - {keyword, "type"}
    if others:
        raise _mistake(f"{path} has {', '.join(sorted(others))} beside {keyword}, which cannot be enforced together")


def _bounds(schema: Mapping[str, Any], low_key: str, high_key: str, path: str) -> tuple[int, int | None]:
    low, high = schema.get(low_key, 0), schema.get(high_key)
    for key, value in ((low_key, low), (high_key, 0 if high is None else high)):
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise _mistake(f"{path}.{key} is not a whole number from 0 up")
        if value > REPEAT_MAX:
            raise _mistake(f"{path}.{key} is {value}; up to {REPEAT_MAX} can be enforced")
    if high is not None and high < low:
        raise _mistake(f"{path} has {low_key} {low} above {high_key} {high}")
    return low, high


def _guessed_type(schema: Mapping[str, Any]) -> Any:
    """The type that a schema without one means, by its keywords."""
    for kind in ("object", "array", "string", "number"):
        if _BY_TYPE[kind] & schema.keys():
            return kind
    return "any"


def _of_type(schema: Mapping[str, Any], kind: Any) -> dict[str, Any]:
    others = set().union(*_BY_TYPE.values()) - _BY_TYPE.get(kind, set())
    return {key: value for key, value in schema.items() if key not in others}


def _listed(value: Any, path: str, can_be_empty: bool = False) -> list[Any]:
    if not isinstance(value, list) or (not value and not can_be_empty):
        raise _mistake(f"{path} is not a list" if not isinstance(value, list) else f"{path} is empty")
    return value


def _mistake(what: str) -> RequestError:
    return RequestError(
        Code.BAD_REQUEST, "The JSON schema cannot be used: {what}.", "Correct the schema, or leave it out.", what=what
    )
