"""What the engine says: English with named places, so that the app can say the same in another language.

A sentence without values is a plain string and its own key for the translation.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

import msgspec


class Sentence(msgspec.Struct, frozen=True):
    """A sentence with values; str() is the English one."""

    template: str
    """In the format of str.format: `{name} has {n:,} parts.`"""
    values: dict[str, str | int | float | Sentence]

    def __str__(self) -> str:
        return self.template.format(**self.values)


Translatable = str | Sentence


def sentence(template: str, **values: object) -> Translatable:
    """The template with its values; a value may be said itself. Numbers stay numbers, anything else becomes text."""
    if not values or "{" not in template:
        return template
    kept = {k: v if isinstance(v, int | float | Sentence) else str(v) for k, v in values.items() if "{" + k in template}
    return Sentence(template, kept)


def joined(first: Translatable, then: Translatable) -> Translatable:
    """Two sentences after each other; the second may be empty."""
    return sentence("{first} {then}", first=first, then=then) if then else first


def listed(parts: Sequence[Translatable]) -> Translatable:
    """Several pieces in a row, at least one."""
    return functools.reduce(lambda first, then: sentence("{first}, {then}", first=first, then=then), parts)


def phrase(text: str) -> str:
    """Marks a piece of a sentence, or one that is said elsewhere, for the translation."""
    return text


def reason_of(error: BaseException) -> Translatable:
    """Why, as the middle of a sentence: the sentence that an exception was raised with, or what the system says."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    if error.args and isinstance(error.args[0], Sentence):
        return error.args[0]
    return str(error) or type(error).__name__


SYSTEM_REASONS = (
    phrase("Permission denied"),
    phrase("Operation not permitted"),
    phrase("No such file or directory"),
    phrase("Read-only file system"),
    phrase("Input/output error"),
    phrase("No space left on device"),
    phrase("Is a directory"),
    phrase("Not a directory"),
    phrase("File exists"),
    phrase("File name too long"),
    phrase("Too many open files"),
    phrase("Device or resource busy"),
    phrase("Cannot allocate memory"),
    phrase("Exec format error"),
    phrase("Cannot assign requested address"),
    phrase("Connection refused"),
    phrase("Connection reset by peer"),
    phrase("Network is unreachable"),
    phrase("unable to open database file"),
    phrase("attempt to write a readonly database"),
    phrase("access permission denied"),
    phrase("disk I/O error"),
    phrase("database disk image is malformed"),
    phrase("file is not a database"),
)
"""What the C library and SQLite say for the commonest faults; here so that they can be told in another language."""
