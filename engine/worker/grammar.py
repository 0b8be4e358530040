"""Grammars that an answer must follow: checking GBNF."""

from __future__ import annotations

from engine.protocol.values import Sampling


def grammar_of(sampling: Sampling) -> str:
    """The GBNF that a request asks for; empty when it asks for none."""
    return sampling.grammar
