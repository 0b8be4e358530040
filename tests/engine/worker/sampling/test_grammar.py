"""Checking GBNF: what llama.cpp takes passes, and a mistake is told with its line."""

from __future__ import annotations

import pytest

from engine.errors import Code, RequestError
from engine.protocol.values import Sampling
from engine.worker.llama.model import Model
from engine.worker.llama.sampling import Chain
from engine.worker.sampling.grammar import check_gbnf, grammar_of
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


@pytest.mark.parametrize("text", [ARITHMETIC, WIDE, 'root ::= "x"', 'root ::= "(" root ")" | "x"'])
def test_what_llama_cpp_takes_passes(model: Model, text: str) -> None:
    assert grammar_of(Sampling(grammar=text)) == text
    chain = Chain()
    assert chain.add_grammar(model.vocab, text)
    chain.close()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no rule named root"),
        ('start ::= "x"', "no rule named root"),
        ('root ::= "x', "quoted text in line 1 is not closed"),
        ('root ::= "x"\nother ::= [a-z', "character class in line 2 is not closed"),
        ('root ::= ("x"\n', "group that begins in line 1 is not closed"),
        ('root ::= "x")', "')' is not expected"),
        ('root = "x"', '"::=" must follow the rule name root'),
        ('::= "x"', "a rule's name is expected"),
        ('root ::= "x"\n\nroot2 ::= missing', "line 3 uses the rule missing"),
        ('root ::= "\\q"', "one of the escapes"),
        ('root ::= "x"{a}', "a repetition is written"),
        ('root ::= "x"{9999}', "up to 2000"),
        ('root ::= root "x"', "root in line 1 begins with itself"),
        ('root ::= a "x"\na ::= b? root | "y"\nb ::= "z"', "begins with itself"),
        ("root ::= " + "(" * 20000, "nested too deep"),
    ],
)
def test_a_mistake_has_a_place(text: str, words: str) -> None:
    with pytest.raises(RequestError) as caught:
        check_gbnf(text)
    assert words in str(caught.value.failure.message)
    assert caught.value.code is Code.BAD_REQUEST


def test_a_request_has_one_grammar_at_most() -> None:
    assert grammar_of(Sampling()) == ""
    assert grammar_of(Sampling(json_schema='{"type": "null"}')).startswith("root ::= ")
    with pytest.raises(RequestError, match="not both"):
        grammar_of(Sampling(grammar='root ::= "x"', json_schema="{}"))
