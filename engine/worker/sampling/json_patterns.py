"""GBNF for what a schema asks of texts and numbers: regular expressions and ranges."""

from __future__ import annotations

import re

_DATE = r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])"
_TIME = r"([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,6})?(Z|[+-][0-2]\d:[0-5]\d)"
_BYTE = r"(\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])"
FORMATS = {
    "date": f"^{_DATE}$",
    "time": f"^{_TIME}$",
    "date-time": f"^{_DATE}T{_TIME}$",
    "uuid": "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$",
    "ipv4": rf"^{_BYTE}(\.{_BYTE}){{3}}$",
    "email": r"^[a-zA-Z0-9._+\-]{1,64}@[a-zA-Z0-9\-]{1,63}(\.[a-zA-Z0-9\-]{1,63}){1,4}$",
}
"""Formats as patterns; other formats are comments, as the standard has it."""

_MANY = 15
"""Digits of a number without a bound on one side; more than a double holds exactly are never needed."""
_FRACTION = '"." [0-9]{0,15} [1-9]'
_CLASSES = {"d": "0-9", "w": "a-zA-Z0-9_", "s": " "}
_REPEAT = re.compile(r"\{(\d+)(?:(,)(\d*))?\}")
_CONTROL = r'"\\\x7F\x00-\x1F'
"""What cannot stand in a JSON string unescaped, as the inside of a character class."""


def gbnf_of_pattern(pattern: str) -> str:
    """The inside of a JSON string that matches a regular expression; uses the rule `char`.

    Takes literals, classes, groups, alternatives and repetitions. Raises ValueError with the end of a sentence that
    begins with "the pattern ..." for anything else.
    """
    reader = _PatternReader(pattern.removeprefix("^"))
    body = reader.alternatives()
    if reader.rest:
        raise ValueError(f"has an unmatched {reader.rest[0]!r}")
    before = "" if pattern.startswith("^") else "char* "
    after = "" if reader.is_anchored else " char*"
    return f"{before}({body}){after}"


class _PatternReader:
    """Recursive descent over the common part of regular expressions."""

    def __init__(self, pattern: str) -> None:
        self.is_anchored = pattern.endswith("$") and not pattern.endswith("\\$")
        self._text = pattern[:-1] if self.is_anchored else pattern
        self._at = 0

    @property
    def rest(self) -> str:
        return self._text[self._at :]

    def alternatives(self) -> str:
        ways = [self._sequence()]
        while self.rest.startswith("|"):
            self._at += 1
            ways.append(self._sequence())
        return " | ".join(ways)

    def _sequence(self) -> str:
        parts = []
        while self.rest and self.rest[0] not in "|)":
            parts.append(self._atom() + self._repetition())
        return " ".join(parts) or '""'

    def _atom(self) -> str:
        character = self._next()
        if character == "(":
            if self.rest.startswith("?:"):
                self._at += 2
            elif self.rest.startswith("?"):
                raise ValueError("looks ahead or back or names a group, which cannot be enforced")
            inside = self.alternatives()
            if not self.rest.startswith(")"):
                raise ValueError("has a group that is not closed")
            self._at += 1
            return f"({inside})"
        if character == "[":
            return self._class()
        if character == ".":
            return "char"
        if character in "^$":
            raise ValueError(f"has a {character} in its middle, which cannot be enforced")
        if character in "*+?{":
            raise ValueError(f"has a {character} with nothing to repeat")
        if character == "\\":
            return self._escape(self._next())
        return _literal(character)

    def _escape(self, letter: str) -> str:
        if letter in _CLASSES:
            return f"[{_CLASSES[letter]}]"
        if letter.lower() in _CLASSES:
            return f"[^{_CONTROL}{_CLASSES[letter.lower()]}]"
        if letter.isalnum():
            raise ValueError(f"uses \\{letter}, which cannot be enforced")
        return _literal(letter)

    def _class(self) -> str:
        negated = self.rest.startswith("^")
        self._at += negated
        inside = ""
        is_first = True
        while not self.rest.startswith("]") or is_first:
            is_first = False
            character = self._next()
            if character == "\\":
                letter = self._next()
                if letter in _CLASSES:
                    inside += _CLASSES[letter]
                    continue
                if letter.isalnum():
                    raise ValueError(f"uses \\{letter} in a class, which cannot be enforced")
                inside += _in_class(letter, negated)
            elif character == "-" and inside and not self.rest.startswith("]"):
                inside += "-"
            else:
                inside += _in_class(character, negated)
        self._at += 1
        return f"[^{_CONTROL}{inside}]" if negated else f"[{inside}]"

    def _repetition(self) -> str:
        mark = self.rest[:1]
        if mark and mark in "*+?":
            self._at += 1
        elif mark == "{":
            match = _REPEAT.match(self._text, self._at)
            if not match:
                raise ValueError("has a { that is no repetition")
            mark = match.group()
            self._at = match.end()
            if max(int(match.group(1)), int(match.group(3) or 0)) > 1000:
                raise ValueError("repeats more than 1000 times, which cannot be enforced")
        else:
            return ""
        if self.rest[:1] in ("?", "+"):
            self._at += 1  # Lazy and possessive match the same texts.
        return mark

    def _next(self) -> str:
        if not self.rest:
            raise ValueError("ends too early")
        self._at += 1
        return self._text[self._at - 1]


def _literal(character: str) -> str:
    if character in '"\\':
        # Escaped once for JSON, and that once more for GBNF.
        return '"\\\\' + ('\\"' if character == '"' else "\\\\") + '"'
    if ord(character) < 32:
        raise ValueError("has a control character, which cannot be enforced")
    return f'"{character}"'


def _in_class(character: str, negated: bool) -> str:
    if character in '"\\':
        if negated:
            return ""  # Excluded anyway: they never stand unescaped.
        raise ValueError(f"has {character} in a class, which cannot be enforced")
    return f"\\{character}" if character in "[]" else character.replace("-", "\\x2D").replace("^", "\\x5E")


def integer_range(low: int | None, high: int | None) -> str:
    """Alternatives for the integers from `low` to `high`, both included; empty when there are none."""
    ways = []
    if low is None or low < 0:
        # Negative numbers, as a range of what stands behind the sign.
        ways += [
            f'"-" {digits}'
            for digits in _naturals(max(1, -(high if high is not None else -1)), None if low is None else -low)
        ]
    if high is None or high >= 0:
        ways += _naturals(max(0, low or 0), high)
    return " | ".join(ways)


def number_range(low: int | None, high: int | None, *, is_low_open: bool = False, is_high_open: bool = False) -> str:
    """Alternatives for the decimal numbers from `low` to `high`; an open end is not included.

    A fraction ends in a digit other than 0, so that it never equals a whole number.
    """
    whole = integer_range(None if low is None else low + is_low_open, None if high is None else high - is_high_open)
    ways = [whole] if whole else []
    if high is None or high > 0:
        above = integer_range(max(0, low or 0), None if high is None else high - 1)
        ways += [f"({above}) {_FRACTION}"] if above else []
    if low is None or low < 0:
        behind = integer_range(max(0, -(high or 0)), None if low is None else -low - 1)
        ways += [f'"-" ({behind}) {_FRACTION}'] if behind else []
    return " | ".join(ways)


def _naturals(low: int, high: int | None) -> list[str]:
    """Digit patterns for the natural numbers from `low` to `high`, without leading zeros."""
    if high is None:
        n_digits = len(str(low))
        longer = [f"[1-9] [0-9]{{{n_digits},{_MANY - 1}}}"] if n_digits < _MANY else []
        return _padded(str(low), "9" * n_digits) + longer
    ways: list[str] = []
    while low <= high:
        end = min(high, 10 ** len(str(low)) - 1)
        ways += _padded(str(low), str(end))
        low = end + 1
    return ways


def _padded(first: str, last: str) -> list[str]:
    """Digit strings of one length from `first` to `last`, leading zeros included."""
    if len(first) == 1:
        return [f"[{first}-{last}]" if first != last else f'"{first}"']
    if first[0] == last[0]:
        return [f'"{first[0]}" ({" | ".join(_padded(first[1:], last[1:]))})']
    n = len(first) - 1
    start, end = int(first[0]), int(last[0])
    ways = []
    if first[1:] != "0" * n:
        ways.append(f'"{start}" ({" | ".join(_padded(first[1:], "9" * n))})')
        start += 1
    tail = []
    if last[1:] != "9" * n:
        tail.append(f'"{end}" ({" | ".join(_padded("0" * n, last[1:]))})')
        end -= 1
    if start <= end:
        ways.append(f"[{start}-{end}] [0-9]{{{n}}}")
    return ways + tail
