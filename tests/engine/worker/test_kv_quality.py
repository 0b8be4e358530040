"""What KV types cost: against themselves nothing, against f16 little, and less with more bits."""

from __future__ import annotations

import pytest

from engine.errors import RequestError
from engine.protocol.commands import CompareKvTypes
from engine.protocol.values import KvType
from engine.worker.kv_quality import CHUNK, MIN_TOKENS, compare_kv_types
from tests.engine.worker.conftest import LoadTiny
from tests.engine.worker.core_bench import CoreBench

TEXT = "the band and the thing in the sand stand and land " * 30


def command(*kinds: KvType, text: str = TEXT) -> CompareKvTypes:
    return CompareKvTypes(request_id="1", text=text, kv_types=kinds)


def test_a_type_agrees_with_itself(load_tiny: LoadTiny) -> None:
    compared = compare_kv_types(load_tiny(), command(KvType.F16, KvType.F16))
    assert compared.n_tokens >= MIN_TOKENS // 2 - CHUNK
    assert [quality.divergence for quality in compared.qualities] == [0.0, 0.0]
    assert [quality.top1_agreement for quality in compared.qualities] == [1.0, 1.0]


def test_fewer_bits_move_predictions_farther(load_tiny: LoadTiny) -> None:
    reference, q8_0, q4_0 = compare_kv_types(load_tiny(), command(KvType.F16, KvType.Q8_0, KvType.Q4_0)).qualities
    assert reference.divergence == 0
    assert 0 < q8_0.divergence < q4_0.divergence
    assert q8_0.divergence <= q8_0.divergence_p99
    assert q8_0.top1_agreement >= q4_0.top1_agreement


@pytest.mark.parametrize(
    "wrong", [command(KvType.F16), command(KvType.F16, KvType.Q8_0, text="the"), command(text=TEXT)]
)
def test_what_cannot_be_compared_is_refused(load_tiny: LoadTiny, wrong: CompareKvTypes) -> None:
    with pytest.raises(RequestError, match="needs two KV types"):
        compare_kv_types(load_tiny(), wrong)


def test_the_loop_goes_on_after_a_comparison_and_refuses_one_while_it_answers(load_tiny: LoadTiny) -> None:
    bench = CoreBench(load_tiny())
    first = bench.generate("the band", max_tokens=4)
    with pytest.raises(RequestError, match="is answering"):
        bench.core.handle(command(KvType.F16, KvType.Q8_0))
    bench.run(first)
    bench.core.handle(command(KvType.F16, KvType.Q8_0))
    bench.run(bench.generate("the band and", max_tokens=4))
    bench.close()
