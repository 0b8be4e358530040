"""The blanks of a prompt in the library: names in double braces, filled in when the prompt is used."""

from __future__ import annotations

import re
from collections.abc import Mapping

_BLANK = re.compile(r"\{\{\s*([^{}\n]{1,60}?)\s*\}\}")


def blanks(text: str) -> tuple[str, ...]:
    """The names, each once, in the order of the text."""
    return tuple(dict.fromkeys(match[1] for match in _BLANK.finditer(text)))


def filled(text: str, values: Mapping[str, str]) -> str:
    """The text with its blanks filled in; one without a value stays as it is."""
    return _BLANK.sub(lambda match: values.get(match[1], match[0]), text)
