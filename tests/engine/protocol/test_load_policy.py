"""What gives way when memory is short: one order, before a load and after one that failed, and what is said of it."""

from __future__ import annotations

import msgspec
import pytest

from engine.protocol.load_policy import (
    CPU_ONLY,
    concessions,
    less_on_devices,
    n_sequences,
    shorter_contexts,
    smaller_contexts,
)
from engine.protocol.values import KvType, ModelSettings, Switch

ASKED = ModelSettings(n_ctx=8192, n_ubatch=512, n_batch=2048, n_gpu_layers=33)


def codes(asked: ModelSettings, made: ModelSettings) -> list[str]:
    return [notice.code for notice in concessions(asked, made, n_layers=33)]


def test_a_context_gives_way_in_this_order() -> None:
    steps = [*smaller_contexts(ASKED, n_ctx_min=2048)]
    assert [step.n_ubatch for step in steps] == [256, 128, 64, 64, 64, 64]
    assert [step.type_k for step in steps] == [KvType.F16] * 3 + [KvType.Q8_0] * 3
    assert [step.n_ctx for step in steps] == [8192] * 4 + [4096, 2048]
    assert all(step.type_v is step.type_k for step in steps)
    assert codes(ASKED, steps[0]) == ["smaller_ubatch"]
    assert codes(ASKED, steps[3]) == ["smaller_ubatch", "kv_type_changed"]
    assert codes(ASKED, steps[-1]) == ["smaller_ubatch", "kv_type_changed", "shorter_context"]


@pytest.mark.parametrize(
    ("settings", "can_quantize", "types"),
    [
        (ASKED, False, [KvType.F16]),
        (msgspec.structs.replace(ASKED, flash_attn=Switch.OFF), True, [KvType.F16]),
        (msgspec.structs.replace(ASKED, type_k=KvType.Q4_0, type_v=KvType.Q4_0), True, [KvType.Q4_0]),
        (msgspec.structs.replace(ASKED, type_k=KvType.Q4_0), True, [KvType.Q4_0, KvType.Q8_0]),
    ],
    ids=["heads that are no whole blocks", "V needs flash attention", "is small already", "V is not"],
)
def test_the_cache_is_quantized_where_it_can_be(
    settings: ModelSettings, can_quantize: bool, types: list[KvType]
) -> None:
    steps = smaller_contexts(settings, n_ctx_min=2048, can_quantize=can_quantize)
    assert list(dict.fromkeys(step.type_k for step in steps)) == types


def test_contexts_are_halved_to_powers_of_two() -> None:
    assert shorter_contexts(20_000, 2048) == [16_384, 8192, 4096, 2048]
    assert shorter_contexts(16_384, 8192) == [8192]
    assert shorter_contexts(2048, 2048) == shorter_contexts(1, 1) == []


def test_devices_are_left_after_everything_else() -> None:
    """Layers a quarter at a time; the buffers that a device needs even without layers go at last."""
    settings: ModelSettings | None = ASKED
    seen = []
    while settings is not None and (settings := less_on_devices(settings, 33, has_experts=False)) is not None:
        seen.append(settings.n_gpu_layers)
        assert codes(ASKED, settings) == ["fewer_layers" if settings.devices != CPU_ONLY else "gpu_left_out"]
    assert seen[:3] == [24, 18, 13]
    assert seen[-2:] == [0, 0]


def test_what_is_said_of_several_steps_is_said_once() -> None:
    made = msgspec.structs.replace(ASKED, n_cpu_moe=8, n_gpu_layers=24)
    experts, layers = concessions(ASKED, made, n_layers=33, device="CUDA0", why="It was full.")
    assert str(experts.message) == "The experts of 8 layers stay on the CPU: more do not fit on the GPU."
    assert str(layers.message) == (
        "CUDA0 has room for 24 of 33 layers; the others run on the CPU, which is slower. It was full."
    )
    assert concessions(ASKED, ASKED, n_layers=33, why="It was full.") == ()


def test_a_context_that_was_chosen_larger_gave_nothing_up() -> None:
    assert concessions(ASKED, msgspec.structs.replace(ASKED, n_ctx=16_384)) == ()


def test_sequences_beside_those_that_run() -> None:
    settings = ModelSettings(n_parallel=2)
    assert n_sequences(settings, is_recurrent=False) == 6
    assert n_sequences(settings, is_recurrent=True) == 3
    assert n_sequences(msgspec.structs.replace(settings, embeddings=True), is_recurrent=False) == 1
