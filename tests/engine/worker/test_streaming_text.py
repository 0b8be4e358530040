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
    """A core of a tiny model whose vocabulary or template is of the test's choice."""
    benches: list[CoreBench] = []

    def made(**options: object) -> CoreBench:
        path = write_tiny_model(tmp_path / f"{len(benches)}.gguf", **options)
        settings = ModelSettings(n_ctx=512, n_threads=1, n_ubatch=64)
        benches.append(CoreBench(load(path, settings, lambda fraction, step: True)))
        return benches[-1]

    yield made
    for bench in benches:
        bench.close()


def saying(bench: CoreBench, text: str) -> Sampling:
    """Nothing but this text; special tokens wherever they can stand for a piece of it."""
    model = bench.core._loaded.model
    special = {n: 100.0 for n in range(model.n_vocab) if len(p := model.special_piece(n)) > 1 and p[:1] in b"<["}
    quoted = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return Sampling(temperature=0.0, grammar=f'root ::= "{quoted}"', logit_bias=special)


def pieces(bench: CoreBench, request: str) -> list[tuple[Section, str]]:
    return [
        (event.section, event.text) for event in bench.of(request) if isinstance(event, e.TokenDelta) and event.text
    ]


def text_of(bench: CoreBench, request: str, section: Section = A) -> str:
    return "".join(text for place, text in pieces(bench, request) if place is section)


@pytest.mark.parametrize("vocabulary", ["bpe", "spm"])
@pytest.mark.parametrize("speculative", [Speculative.OFF, Speculative.LOOKUP])
def test_a_character_is_whole_whatever_its_tokens(vocabulary: str, speculative: Speculative, make: Make) -> None:
    bench = make(vocabulary=vocabulary)
    said = EMOJI * 4
    request = bench.generate("say it", max_tokens=0, sampling=saying(bench, said), speculative=speculative)
    bench.run(request)
    assert bench.finished(request).metrics.n_decoded > len(said)
    assert text_of(bench, request).strip() == said
    assert not [text for _, text in pieces(bench, request) if "\ufffd" in text]


def test_the_section_that_begins_beside_a_character_breaks_none(make: Make) -> None:
    bench = make(vocabulary="bpe")
    request = bench.generate("think", max_tokens=0, sampling=saying(bench, "<think>思考🤔</think>🌞 é"))
    bench.run(request)
    assert (text_of(bench, request, R), text_of(bench, request)) == ("思考🤔", "🌞 é")


def test_an_answer_cut_inside_a_character_shows_nothing_of_it(make: Make) -> None:
    bench = make(vocabulary="bpe")
    sampling = saying(bench, "ok🤔")
    for max_tokens in range(2, 6):
        request = bench.generate("say it", max_tokens=max_tokens, sampling=sampling)
        bench.run(request)
        assert text_of(bench, request) == "ok"


def test_thoughts_that_the_template_opens_are_no_answer(make: Make) -> None:
    bench = make(template=CHATML.replace("assistant\n{% endif", "assistant\n<think>\n{% endif"))
    request = bench.generate("think", max_tokens=0, sampling=saying(bench, "Hm.</think>Yes."))
    bench.run(request)
    assert bench.started(request).opens_reasoning
    assert (text_of(bench, request, R), text_of(bench, request)) == ("Hm.", "Yes.")
    assert not bench.finished(request).has_open_reasoning


@pytest.mark.parametrize("opening", [False, True])
def test_thoughts_that_never_end_are_kept_and_told(opening: bool, make: Make) -> None:
    bench = make(template=CHATML.replace("assistant\n{% endif", "assistant\n<think>\n{% endif") if opening else CHATML)
    request = bench.generate("think", max_tokens=0, sampling=saying(bench, "Hm." if opening else "<think>Hm."))
    bench.run(request)
    assert (text_of(bench, request, R), text_of(bench, request)) == ("Hm.", "")
    assert bench.finished(request).has_open_reasoning


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
    bench = make(special=markers)
    request = bench.generate("think", max_tokens=0, sampling=saying(bench, said))
    bench.run(request)
    assert (text_of(bench, request, R), text_of(bench, request)) == ("Hm.", "Yes.")
    spelled = sum(said.count(marker) * (len(marker) - 1) for marker in markers)
    assert bench.finished(request).metrics.n_decoded <= len(said) - spelled


@pytest.mark.parametrize("end", ENDS)
def test_every_token_that_ends_an_answer_does_and_is_never_shown(end: str, make: Make) -> None:
    bench = make(special=[each for each in ENDS if each not in ("<|endoftext|>", "<|im_end|>")])
    sampling = saying(bench, "Hello")
    (token,) = bench.core._loaded.model.tokenize(end, parse_special=True)
    sampling.logit_bias[token] = 200.0
    request = bench.generate("say it", max_tokens=0, sampling=sampling)
    bench.run(request)
    assert text_of(bench, request) == "Hello"
    assert bench.finished(request).finish_reason is FinishReason.STOP


def test_a_special_token_in_the_middle_of_an_answer_is_not_shown(make: Make) -> None:
    bench = make()
    request = bench.generate("say it", max_tokens=0, sampling=saying(bench, "Hello<|im_start|> you"))
    bench.run(request)
    assert text_of(bench, request) == "Hello you"


@pytest.mark.parametrize("special", [(), ("<|stop|>",)], ids=["spelled out", "one token"])
@pytest.mark.parametrize("vocabulary", ["bpe", "spm"])
def test_a_stop_that_looks_like_a_special_token_stops(special: tuple[str, ...], vocabulary: str, make: Make) -> None:
    bench = make(vocabulary=vocabulary, special=special)
    request = bench.generate("say it", max_tokens=0, sampling=saying(bench, "Hello<|stop|> you"), stop=("<|stop|>",))
    bench.run(request)
    assert text_of(bench, request).strip() == "Hello"
    assert bench.finished(request).stop_text == "<|stop|>"
    assert bench.finished(request).finish_reason is FinishReason.STOP
