"""Syntax colours by Pygments, in a process of its own: building one lexer can take a tenth of a second.

`python -m app.markdown.highlighter_process` reads one Snippet a line as JSON and answers each with its letters.
"""

from __future__ import annotations

import functools

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Keyword, Name, Number, Operator, String, _TokenType
from pygments.util import ClassNotFound

from app.markdown.helper_protocol import PLAIN, Snippet, serve

_LETTERS: tuple[tuple[_TokenType, str], ...] = (
    (Comment, "c"),
    (Keyword, "k"),
    (Operator.Word, "k"),
    (Name.Tag, "k"),
    (String, "s"),
    (Number, "n"),
    (Name.Function, "n"),
    (Name.Class, "n"),
    (Name.Decorator, "n"),
    (Name.Attribute, "n"),
)


def colour(snippet: Snippet) -> str:
    """One letter of `KINDS`, or PLAIN, for each character; empty when nobody knows the language."""
    lexer = lexer_for(snippet.language)
    if lexer is None:
        return ""
    letters = "".join(_letter(kind) * len(text) for _, kind, text in lexer.get_tokens_unprocessed(snippet.text))
    return letters.ljust(len(snippet.text))


@functools.cache
def _letter(token: _TokenType) -> str:
    return next((letter for family, letter in _LETTERS if token[: len(family)] == family), PLAIN)


@functools.cache
def lexer_for(language: str) -> Lexer | None:
    """The lexer whose own alias is exactly `language`; None for what nobody knows."""
    try:
        return get_lexer_by_name(language.strip().lower(), stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


if __name__ == "__main__":
    serve(Snippet, colour)
