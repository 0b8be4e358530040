"""LoRA adapters: they change the answer, each has a cache of its own, and a wrong file is a clear error."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.errors import Code
from engine.protocol import events as e
from engine.protocol.values import LoraAdapter
from tests.engine.worker.conftest import LoadTiny
from tests.engine.worker.core_bench import CoreBench
from tests.tiny_models import write_tiny_lora


@pytest.fixture
def bench(load_tiny: LoadTiny) -> Iterator[CoreBench]:
    made = CoreBench(load_tiny())
    yield made
    made.close()


def answer(bench: CoreBench, *loras: LoraAdapter, **fields: object) -> tuple[str, int]:
    """The text of one answer, and how much of its prompt was cached."""
    request = bench.generate("the band and the wall", max_tokens=16, loras=loras, **fields)
    bench.run(request)
    return bench.text(request), bench.started(request).n_cached_tokens


def test_an_adapter_changes_the_answer_and_its_scale_matters(bench: CoreBench, tmp_path: Path) -> None:
    path = str(write_tiny_lora(tmp_path / "style.gguf"))
    plain, _ = answer(bench)
    full, _ = answer(bench, LoraAdapter(path=path))
    nothing, _ = answer(bench, LoraAdapter(path=path, scale=0.0))
    again, _ = answer(bench)
    assert plain == again == nothing
    assert full != plain


def test_each_adapter_has_a_cache_of_its_own(bench: CoreBench, tmp_path: Path) -> None:
    lora = LoraAdapter(path=str(write_tiny_lora(tmp_path / "style.gguf")))
    assert answer(bench, chat_id="a")[1] == 0
    assert answer(bench, lora, chat_id="a")[1] == 0
    assert answer(bench, lora, chat_id="a")[1] > 0
    assert answer(bench, chat_id="a")[1] > 0


def test_what_is_typed_is_read_with_the_model_s_own_adapter(load_tiny: LoadTiny, tmp_path: Path) -> None:
    lora = LoraAdapter(path=str(write_tiny_lora(tmp_path / "style.gguf")))
    bench = CoreBench(load_tiny(loras=(lora,)))
    bench.run(bench.prewarm("the band and the wall"))
    text, n_cached = answer(bench, chat_id="chat")
    assert n_cached > 0
    assert text == answer(bench, lora, reuse_cache=False)[0]
    bench.close()


def test_requests_with_different_adapters_take_turns(bench: CoreBench, tmp_path: Path) -> None:
    lora = LoraAdapter(path=str(write_tiny_lora(tmp_path / "style.gguf")))
    expected = [answer(bench)[0], answer(bench, lora)[0]]
    requests = [bench.generate("the band and the wall", max_tokens=16, loras=loras) for loras in ((), (lora,))]
    for request in requests:
        bench.run(request)
    assert [bench.text(request) for request in requests] == expected


@pytest.mark.parametrize(
    ("name", "code"), [("missing.gguf", Code.MODEL_NOT_FOUND), ("bad.gguf", Code.MODEL_UNSUPPORTED)]
)
def test_a_file_that_is_no_adapter_fails_its_request(name: str, code: Code, bench: CoreBench, tmp_path: Path) -> None:
    if name == "bad.gguf":
        (tmp_path / name).write_bytes(b"nothing")
    request = bench.generate("the band", loras=(LoraAdapter(path=str(tmp_path / name)),))
    end = bench.end(request)
    assert isinstance(end, e.RequestFailed)
    assert end.failure.code is code
    assert answer(bench)[0]
