"""What a real vocabulary of bytes streams: no broken character, no special token, and every stop that was asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.metrics import FinishReason
from engine.protocol import events as e
from engine.protocol.values import ModelSettings, Sampling, Section, Speculative
from engine.worker.loading.loader import load
from tests.engine.worker.core_bench import CoreBench
from tests.tiny_models import CHATML, write_tiny_model

A, R = Section.ANSWER, Section.REASONING
EMOJI = "👩‍👧 你好, naïve 🇩🇪!"
ENDS = ("<|eot_id|>", "<|eom_id|>", "<end_of_turn>", "<|endoftext|>", "<|im_end|>")
Make = Callable[..., CoreBench]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    """A room of a tiny model whose vocabulary or template is of the test's choice."""
    rooms: list[CoreBench] = []

    def made(**options: object) -> CoreBench:
        path = write_tiny_model(tmp_path / f"{len(rooms)}.gguf", **options)
        settings = ModelSettings(n_ctx=512, n_threads=1, n_ubatch=64)
        rooms.append(CoreBench(load(path, settings, lambda fraction, step: True)))
        return rooms[-1]

    yield made
    for room in rooms:
        room.close()


def saying(room: CoreBench, text: str) -> Sampling:
    """Nothing but this text; special tokens wherever they can stand for a piece of it."""
    model = room.room._loaded.model
    special = {n: 100.0 for n in range(model.n_vocab) if len(p := model.special_piece(n)) > 1 and p[:1] in b"<["}
    quoted = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return Sampling(temperature=0.0, grammar=f'root ::= "{quoted}"', logit_bias=special)


def pieces(room: CoreBench, request: str) -> list[tuple[Section, str]]:
    return [(event.section, event.text) for event in room.of(request) if isinstance(event, e.TokenDelta) and event.text]


def text_of(room: CoreBench, request: str, section: Section = A) -> str:
    return "".join(text for place, text in pieces(room, request) if place is section)


@pytest.mark.parametrize("vocabulary", ["bpe", "spm"])
@pytest.mark.parametrize("speculative", [Speculative.OFF, Speculative.LOOKUP])
def test_a_character_is_whole_whatever_its_tokens(vocabulary: str, speculative: Speculative, make: Make) -> None:
    room = make(vocabulary=vocabulary)
    said = EMOJI * 4
    request = room.generate("say it", max_tokens=0, sampling=saying(room, said), speculative=speculative)
    room.run(request)
    assert room.finished(request).metrics.n_decoded > len(said)
    assert text_of(room, request).strip() == said
    assert not [text for _, text in pieces(room, request) if "\ufffd" in text]


def test_the_section_that_begins_beside_a_character_breaks_none(make: Make) -> None:
    room = make(vocabulary="bpe")
    request = room.generate("think", max_tokens=0, sampling=saying(room, "<think>思考🤔</think>🌞 é"))
    room.run(request)
    assert (text_of(room, request, R), text_of(room, request)) == ("思考🤔", "🌞 é")


def test_an_answer_cut_inside_a_character_shows_nothing_of_it(make: Make) -> None:
    room = make(vocabulary="bpe")
    sampling = saying(room, "ok🤔")
    for max_tokens in range(2, 6):
        request = room.generate("say it", max_tokens=max_tokens, sampling=sampling)
        room.run(request)
        assert text_of(room, request) == "ok"


def test_thoughts_that_the_template_opens_are_no_answer(make: Make) -> None:
    room = make(template=CHATML.replace("assistant\n{% endif", "assistant\n<think>\n{% endif"))
    request = room.generate("think", max_tokens=0, sampling=saying(room, "Hm.</think>Yes."))
    room.run(request)
    assert room.started(request).opens_reasoning
    assert (text_of(room, request, R), text_of(room, request)) == ("Hm.", "Yes.")
    assert not room.finished(request).has_open_reasoning


@pytest.mark.parametrize("opening", [False, True])
def test_thoughts_that_never_end_are_kept_and_told(opening: bool, make: Make) -> None:
    room = make(template=CHATML.replace("assistant\n{% endif", "assistant\n<think>\n{% endif") if opening else CHATML)
    request = room.generate("think", max_tokens=0, sampling=saying(room, "Hm." if opening else "<think>Hm."))
    room.run(request)
    assert (text_of(room, request, R), text_of(room, request)) == ("Hm.", "")
    assert room.finished(request).has_open_reasoning


@pytest.mark.parametrize(
    ("markers", "said"),
    [
        (("[THINK]", "[/THINK]"), "[THINK]Hm.[/THINK]Yes."),
        (
            ("<|channel|>", "<|message|>", "<|start|>", "<|end|>", "<|return|>", "<|call|>"),
            "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Yes.",
        ),
    ],
    ids=["magistral", "gpt-oss"],
)
def test_markers_that_are_special_tokens_are_read_and_not_shown(
    markers: tuple[str, ...], said: str, make: Make
) -> None:
    room = make(special=markers)
    request = room.generate("think", max_tokens=0, sampling=saying(room, said))
    room.run(request)
    assert (text_of(room, request, R), text_of(room, request)) == ("Hm.", "Yes.")
    spelled = sum(said.count(marker) * (len(marker) - 1) for marker in markers)
    assert room.finished(request).metrics.n_decoded <= len(said) - spelled


@pytest.mark.parametrize("end", ENDS)
def test_every_token_that_ends_an_answer_does_and_is_never_shown(end: str, make: Make) -> None:
    room = make(special=[each for each in ENDS if each not in ("<|endoftext|>", "<|im_end|>")])
    sampling = saying(room, "Hello")
    (token,) = room.room._loaded.model.tokenize(end, parse_special=True)
    sampling.logit_bias[token] = 200.0
    request = room.generate("say it", max_tokens=0, sampling=sampling)
    room.run(request)
    assert text_of(room, request) == "Hello"
    assert room.finished(request).finish_reason is FinishReason.STOP


def test_a_special_token_in_the_middle_of_an_answer_is_not_shown(make: Make) -> None:
    room = make()
    request = room.generate("say it", max_tokens=0, sampling=saying(room, "Hello<|im_start|> you"))
    room.run(request)
    assert text_of(room, request) == "Hello you"


@pytest.mark.parametrize("special", [(), ("<|stop|>",)], ids=["spelled out", "one token"])
@pytest.mark.parametrize("vocabulary", ["bpe", "spm"])
def test_a_stop_that_looks_like_a_special_token_stops(special: tuple[str, ...], vocabulary: str, make: Make) -> None:
    room = make(vocabulary=vocabulary, special=special)
    request = room.generate("say it", max_tokens=0, sampling=saying(room, "Hello<|stop|> you"), stop=("<|stop|>",))
    room.run(request)
    assert text_of(room, request).strip() == "Hello"
    assert room.finished(request).stop_text == "<|stop|>"
    assert room.finished(request).finish_reason is FinishReason.STOP
