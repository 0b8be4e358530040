"""Grammars: what llama.cpp takes passes, a mistake is told with its line, and no text ends the worker."""

from __future__ import annotations

import pytest

from engine.errors import Code, RequestError
from engine.protocol.values import Sampling
from engine.worker.llama.model import Model
from engine.worker.llama.sampling import Candidates
from engine.worker.sampling.grammar import Grammar, check_gbnf, grammar_of
from tests.engine.worker.conftest import LoadTiny


@pytest.fixture
def model(load_tiny: LoadTiny) -> Model:
    return load_tiny().model


ARITHMETIC = r"""
# A comment, and rules in any order.
root  ::= (expr "=" ws term "\n")+
expr  ::= term ([-+*/] term)*
term  ::= ident | num | "(" ws expr ")" ws
ident ::= [a-z] [a-z0-9_]* ws
num   ::= [0-9]+ ws
ws    ::= [ \t\n]*
"""
WIDE = """root ::=
  "a" | ( "b"
    | [^\\x00-\\x1F\\]"] . ){2,5} | "" long-name-1
long-name-1 ::= "\\u00e9" {3} ".."{0,} | <[5]> !<[12]>
"""


def run(text: str, model: Model) -> Grammar:
    """The grammar as a request's sampler makes it."""
    return Grammar(grammar_of(Sampling(grammar=text)), model.vocab, Candidates(model.n_vocab))


@pytest.mark.parametrize(
    "text",
    [
        ARITHMETIC,
        ARITHMETIC.replace("\n", "\r\n"),
        WIDE,
        'root ::= "x"',
        'root ::= "(" root ")" | "x"',
        'root ::=\n  "x" |\n  "y"\n',
        "root ::= " + "(" * 200 + '"x"' + ")" * 200,
    ],
)
def test_what_llama_cpp_takes_passes(model: Model, text: str) -> None:
    assert grammar_of(Sampling(grammar=text)) == text
    run(text, model).close()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no rule named root"),
        ('start ::= "x"', "no rule named root"),
        ('root ::= "x', "quoted text in line 1 is not closed"),
        ('root ::= "x"\nother ::= [a-z', "character class in line 2 is not closed"),
        ('root ::= ("x"\n', "group that begins in line 1 is not closed"),
        ('root ::= ("x"\nother ::= "y"', "group that begins in line 1 is not closed"),
        ('root ::= "x")', "')' is not expected"),
        ('root = "x"', '"::=" must follow the rule name root'),
        ('::= "x"', "a rule's name is expected"),
        ('root ::= "x"\n  | "y"', "in line 2 a rule's name is expected"),
        ('root ::= "x"\nroot2 "y"', 'in line 2 "::=" must follow the rule name root2'),
        ('root ::= "x" root2 ::= "y"', "in line 1 '::=' is not expected"),
        ('root ::= "x" & "y"', "in line 1 '&' is not expected"),
        ('root ::= "x"\n\nroot2 ::= missing', "line 3 uses the rule missing"),
        ('root ::= "\\q"', "one of the escapes"),
        ('root ::= "x"{a}', "a repetition is written"),
        ('root ::= "x"{9999}', "up to 2000"),
        ('root ::= root "x"', "root in line 1 begins with itself"),
        ('root ::= a "x"\na ::= b? root | "y"\nb ::= "z"', "begins with itself"),
        ('# A comment\nroot ::= "x"\nlist ::= "y" | list "z"', "list in line 3 begins with itself"),
        ('root ::= "x" | * "y"', "llama.cpp does not accept"),
        ("root ::= <no such token>", "llama.cpp does not accept"),
    ],
)
def test_a_mistake_has_a_place(model: Model, text: str, words: str) -> None:
    with pytest.raises(RequestError) as caught:
        run(text, model) if text else check_gbnf(text)
    assert words in str(caught.value.failure.message)
    assert caught.value.code is Code.BAD_REQUEST


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("root ::= " + "(" * 20000, "nested too deep"),
        ("root ::= " + "(" * 20000 + '"x"' + ")" * 20000, "nested too deep"),
        ("root ::= r0\n" + "".join(f"r{i} ::= r{i + 1}\n" for i in range(50000)), "too many rules"),
        ("root ::= " + '"x"{0,2000} ' * 50000, "too many rules or repetitions"),
        (f'root ::= "{"x" * 500000}"{{2000}}', "too many rules or repetitions"),
        ("#" * (1 << 20) + '\nroot ::= "x"', "characters"),
    ],
)
def test_what_would_end_llama_cpp_never_reaches_it(text: str, words: str) -> None:
    with pytest.raises(RequestError) as caught:
        check_gbnf(text)
    assert words in str(caught.value.failure.message)


def test_the_bounds_are_within_what_llama_cpp_bears(model: Model) -> None:
    for text in (
        "root ::= r0\n" + "".join(f"r{i} ::= r{i + 1}\n" for i in range(9990)) + 'r9990 ::= "x"',
        "root ::= " + '"x"{0,2000} ' * 600,
    ):
        run(text, model).close()


def test_a_request_has_one_grammar_at_most() -> None:
    assert grammar_of(Sampling()) == ""
    assert grammar_of(Sampling(json_schema='{"type": "null"}')).startswith("root ::= ")
    with pytest.raises(RequestError, match="not both"):
        grammar_of(Sampling(grammar='root ::= "x"', json_schema="{}"))
