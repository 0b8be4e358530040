"""Sections of an answer: every known marker, any cut, and text that only talks about markers."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.protocol.values import Section
from engine.worker.prompt.section_parser import (
    FAMILIES,
    Family,
    SectionParser,
    marker_texts,
    open_reasoning,
    reasoning_family,
)

A, R, T = Section.ANSWER, Section.REASONING, Section.TOOL_CALL
MARKERS = sorted({marker for family in FAMILIES for marker in (*family.opens, *family.closes)})


def parse(pieces: list[str], *, opens_reasoning: bool = False) -> list[tuple[Section, str]]:
    """All sections, neighbours joined."""
    parser = SectionParser(opens_reasoning)
    found: list[tuple[Section, str]] = []
    for section, text in [*(part for piece in pieces for part in parser.feed(piece)), *parser.finish()]:
        if found and found[-1][0] is section:
            found[-1] = (section, found[-1][1] + text)
        else:
            found.append((section, text))
    return found


def cut(text: str, borders: list[int]) -> list[str]:
    places = [0, *sorted(border % (len(text) + 1) for border in borders), len(text)]
    return [text[start:end] for start, end in itertools.pairwise(places)]


TEXTS = st.lists(
    st.one_of(st.sampled_from(MARKERS), st.sampled_from(["\n", " ", "```", "`", "<", "[", "<thi", "Hello", "x = 1"]))
).map("".join)


@given(TEXTS, st.lists(st.integers(min_value=0)), st.booleans())
def test_any_cut_of_a_text_gives_the_same_sections(text: str, borders: list[int], is_open: bool) -> None:
    whole = parse([text], opens_reasoning=is_open)
    assert parse(cut(text, borders), opens_reasoning=is_open) == whole
    assert parse(list(text), opens_reasoning=is_open) == whole


@given(st.text(alphabet="ab<[|>/ \n`"), st.booleans())
def test_text_without_markers_is_kept_to_the_letter(text: str, is_open: bool) -> None:
    expected = text.lstrip() if is_open else text
    assert "".join(piece for _, piece in parse(list(text), opens_reasoning=is_open)) == expected


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: f"{family.name} {family.section}")
def test_every_family(family: Family) -> None:
    closing = family.closes[0] if family.closes else ""
    text = f"{family.opens[0]}\nthe inside{closing}"
    expected = [(family.section, "the inside")]
    if closing:
        text += "\n\nand the rest"
        expected.append((A, "and the rest"))
    if family.section is A:
        expected = [(A, "the insideand the rest")]
    assert parse(list(text)) == expected


def test_no_marker_begins_another() -> None:
    for marker in MARKERS:
        assert not [other for other in MARKERS if other != marker and other.startswith(marker)]


@pytest.mark.parametrize(
    ("text", "sections"),
    [
        ("<think>Hm.</think>\n\nYes.", [(R, "Hm."), (A, "Yes.")]),
        ("\n<think>\nHm.\n</think>\n\nYes.", [(R, "Hm.\n"), (A, "Yes.")]),
        ("<think></think>Yes.", [(A, "Yes.")]),
        ("<think>Never closed.", [(R, "Never closed.")]),
        ("Yes. <think>no</think>", [(A, "Yes. <think>no</think>")]),
        ("Use\n```xml\n<think>x</think>\n```\n", [(A, "Use\n```xml\n<think>x</think>\n```\n")]),
        ("```\n<tool_call>\n```\n", [(A, "```\n<tool_call>\n```\n")]),
        ("Write `<tool_call>` there.", [(A, "Write `<tool_call>` there.")]),
        ("Sure.\n<tool_call>{}</tool_call>\nDone.", [(A, "Sure.\n"), (T, "{}"), (A, "Done.")]),
        ("<tool_call>{}</tool_call><think>So.</think>Yes.", [(T, "{}"), (R, "So."), (A, "Yes.")]),
        ("[TOOL_CALLS]f{}", [(T, "f{}")]),
        ("A </think> alone", [(A, "A </think> alone")]),
        ("a < b and <thin", [(A, "a < b and <thin")]),
        ("  spaced", [(A, "  spaced")]),
        (
            "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Yes.<|return|>",
            [(R, "Hm."), (A, "Yes.")],
        ),
        (
            "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>commentary to=f<|message|>{}<|call|>",
            [(R, "Hm."), (T, "f<|message|>{}")],
        ),
        ("<|START_THINKING|>Hm.<|END_THINKING|><|START_RESPONSE|>Yes.<|END_RESPONSE|>", [(R, "Hm."), (A, "Yes.")]),
        ("<think>Hm.</think><response>Yes.</response>", [(R, "Hm."), (A, "Yes.")]),
    ],
)
def test_examples(text: str, sections: list[tuple[Section, str]]) -> None:
    assert parse(list(text)) == sections


def test_a_think_tag_that_the_prompt_opened() -> None:
    assert parse(list("Hm.</think>Yes."), opens_reasoning=True) == [(R, "Hm."), (A, "Yes.")]
    assert parse(list("<think>\nHm.</think>Yes."), opens_reasoning=True) == [(R, "Hm."), (A, "Yes.")]
    assert parse(list("[/THINK]Yes."), opens_reasoning=True) == [(A, "Yes.")]


def test_reasoning_that_is_never_closed_is_told() -> None:
    parser = SectionParser(opens_reasoning=True)
    assert parser.feed("Still thinking") == [(R, "Still thinking")]
    assert parser.finish() == []
    assert parser.has_open_reasoning
    parser = SectionParser()
    parser.feed("<think>Hm.</think>Yes")
    assert not parser.has_open_reasoning


def test_text_comes_as_soon_as_it_is_certain() -> None:
    parser = SectionParser()
    assert parser.feed("Hello") == [(A, "Hello")]
    assert parser.feed(" a <") == [(A, " a ")]
    assert parser.feed("b") == [(A, "<b")]
    assert parser.section is A


def test_markers_of_special_tokens_are_known() -> None:
    markers = marker_texts()
    assert {"<think>", "</think>", "<|channel|>", "<|message|>", "<|end|>", "[THINK]", "<|start|>"} <= markers
    assert "<|im_end|>" not in markers


def test_families_are_found_in_templates_and_prompts() -> None:
    thinking = reasoning_family("... <think> ... [THINK]")
    assert thinking is not None and thinking.opens == ("[THINK]",)
    assert reasoning_family("plain") is None
    opened = open_reasoning("<|im_start|>assistant\n<think>\n")
    assert opened is not None and opened.opens == ("<think>",)
    assert open_reasoning("<think>\n\n</think>\n\n") is None
