"""Loading: bad files, bad settings, too little memory, and what is said about it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import gguf
import pytest

from engine.errors import Code, FirstlightError
from engine.fit.memory_estimate import Estimator
from engine.gguf import read_header
from engine.protocol.values import Device, KvType, ModelSettings, Switch
from engine.worker.llama import LoadCancelled, backend, kv_types
from engine.worker.llama.readings import has_flash_attn, memory, offloaded_layers
from engine.worker.loading.loader import load
from tests.engine.worker.conftest import LoadTiny
from tests.tiny_models import Kind, write_tiny_model


def go_on(fraction: float, step: str) -> bool:
    return True


@pytest.mark.parametrize(
    ("content", "code"),
    [(None, Code.MODEL_NOT_FOUND), (b"", Code.MODEL_DAMAGED), (b"not a model at all", Code.MODEL_DAMAGED)],
)
def test_a_bad_file_is_a_clear_error(content: bytes | None, code: Code, tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(FirstlightError) as caught:
        load(path, ModelSettings(), go_on)
    assert caught.value.code is code
    assert "model.gguf" in str(caught.value.failure.message)
    assert caught.value.failure.advice


def test_a_truncated_file_is_a_clear_error(tmp_path: Path) -> None:
    path = write_tiny_model(tmp_path / "whole.gguf")
    cut = tmp_path / "cut.gguf"
    cut.write_bytes(path.read_bytes()[:-5000])
    with pytest.raises(FirstlightError) as caught:
        load(cut, ModelSettings(), go_on)
    assert caught.value.code is Code.MODEL_DAMAGED


def test_a_path_in_any_script_loads(tmp_path: Path) -> None:
    folder = tmp_path / "模型 with space 🌞"
    folder.mkdir()
    loaded = load(write_tiny_model(folder / "mañana.gguf"), ModelSettings(n_ctx=256, n_threads=1), go_on)
    assert loaded.effective.model_name == "Tiny gqa"
    loaded.close()


def test_a_quantized_v_without_flash_attention_becomes_f16_with_a_notice(load_tiny: LoadTiny) -> None:
    loaded = load_tiny(type_v=KvType.Q8_0, flash_attn=Switch.OFF)
    assert loaded.effective.type_v is KvType.F16
    assert loaded.effective.flash_attn is False
    assert [notice.code for notice in loaded.effective.notices] == ["kv_v_needs_flash_attn"]


def test_a_quantized_v_switches_flash_attention_on(load_tiny: LoadTiny) -> None:
    loaded = load_tiny(type_k=KvType.Q4_0, type_v=KvType.Q4_0)
    assert loaded.effective.flash_attn is True
    assert loaded.effective.type_k is KvType.Q4_0


def test_more_context_than_the_model_was_trained_for_is_capped(load_tiny: LoadTiny) -> None:
    loaded = load_tiny(n_ctx=100_000)
    assert loaded.effective.n_ctx == 4096
    assert "n_ctx_trained" in [notice.code for notice in loaded.effective.notices]


@pytest.mark.parametrize("claimed", [1, 1 << 31, (1 << 32) - 1])
def test_a_file_that_claims_an_impossible_context_loads(claimed: int, tmp_path: Path) -> None:
    path = write_tiny_model(tmp_path / "m.gguf")
    reader = gguf.GGUFReader(path, "r+")
    field = reader.fields["llama.context_length"]
    field.parts[field.data[0]][0] = claimed
    reader.data.flush()
    loaded = load(path, ModelSettings(n_ctx=512, n_threads=1), go_on)
    assert 1 <= loaded.effective.n_ctx <= 512
    loaded.close()


def test_too_little_memory_steps_down_and_says_so(load_tiny: LoadTiny) -> None:
    whole = load_tiny(n_ctx=4096, n_ubatch=512)
    used = sum(use.total_bytes for use in whole.effective.memory)
    loaded = load_tiny(n_ctx=4096, n_ubatch=512, memory_limit_bytes=used - 100_000)
    codes = [notice.code for notice in loaded.effective.notices]
    assert codes == ["smaller_ubatch"]
    assert loaded.effective.n_ubatch < 512
    assert loaded.effective.n_ctx == 4096


def test_far_too_little_memory_shortens_the_context(load_tiny: LoadTiny) -> None:
    loaded = load_tiny(n_ctx=4096, n_ubatch=512, memory_limit_bytes=1_300_000)
    codes = [notice.code for notice in loaded.effective.notices]
    assert "shorter_context" in codes
    assert loaded.effective.n_ctx < 4096
    said = [str(notice.message) for notice in loaded.effective.notices if notice.code == "shorter_context"]
    assert all("4,096" in message for message in said)


def test_no_memory_at_all_is_a_clear_error(load_tiny: LoadTiny) -> None:
    with pytest.raises(FirstlightError) as caught:
        load_tiny(n_ctx=4096, memory_limit_bytes=1000)
    assert caught.value.code is Code.OUT_OF_MEMORY
    assert caught.value.failure.advice


def test_negative_settings_are_refused(load_tiny: LoadTiny) -> None:
    with pytest.raises(FirstlightError, match="n_ctx is -5"):
        load_tiny(n_ctx=-5)


@pytest.mark.parametrize("stop_at", ["open", "weights", "context", "warmup"])
def test_loading_stops_where_it_is_told_to(stop_at: str, tiny_path: Callable[..., Path]) -> None:
    with pytest.raises(LoadCancelled):
        load(tiny_path(), ModelSettings(n_ctx=256), lambda fraction, step: step != stop_at)


def test_progress_grows_to_one(tiny_path: Callable[..., Path]) -> None:
    seen: list[tuple[float, str]] = []

    def progress(fraction: float, step: str) -> bool:
        seen.append((fraction, step))
        return True

    load(tiny_path(), ModelSettings(n_ctx=256, n_threads=1), progress).close()
    assert [fraction for fraction, _ in seen] == sorted(fraction for fraction, _ in seen)
    assert list(dict.fromkeys(step for _, step in seen)) == ["open", "weights", "context", "warmup"]
    assert seen[-1][0] == 1.0


@pytest.mark.parametrize("kind", list(Kind))
def test_every_architecture_loads_and_says_whether_its_cache_can_be_cut(kind: Kind, load_tiny: LoadTiny) -> None:
    loaded = load_tiny(kind, embeddings=kind is Kind.POOLED)
    assert loaded.effective.can_cut_cache == (kind not in (Kind.SWA, Kind.RECURRENT, Kind.HYBRID))


def test_a_full_size_window_can_be_cut(load_tiny: LoadTiny) -> None:
    assert load_tiny(Kind.SWA, swa_full=True).effective.can_cut_cache


@pytest.mark.parametrize("kv_type", [KvType.F16, KvType.Q8_0, KvType.Q4_0])
@pytest.mark.parametrize("kind", [Kind.DENSE, Kind.GQA, Kind.SWA, Kind.RECURRENT, Kind.HYBRID])
def test_the_cache_is_as_large_as_it_was_foretold(
    kind: Kind, kv_type: KvType, load_tiny: LoadTiny, tiny_path: Callable[..., Path]
) -> None:
    """By layers that keep one, window, heads and bytes of a block: with every type, and with a window that is whole."""
    for swa_full in (False, True) if kind is Kind.SWA else (False,):
        asked = ModelSettings(
            n_ctx=4096,
            n_threads=1,
            n_ubatch=64,
            type_k=kv_type,
            type_v=kv_type,
            swa_full=swa_full,
            flash_attn=Switch.ON,
        )
        loaded = load(tiny_path(kind), asked, go_on)
        real = sum(use.kv_bytes for use in loaded.effective.memory)
        loaded.close()
        # llama.cpp tells its buffers to a hundredth of a MiB.
        foretold = Estimator(read_header(tiny_path(kind))).estimate(asked).kv_bytes
        assert foretold == pytest.approx(real, rel=0.02, abs=16 << 10)


def test_reading_the_log_of_a_gpu() -> None:
    lines = [
        "load_tensors: offloaded 20/31 layers to GPU",
        "load_tensors:   CPU_Mapped model buffer size =    32.00 MiB",
        "load_tensors:        CUDA0 model buffer size =    60.50 MiB",
        "llama_context:  CUDA_Host  output buffer size =     1.50 MiB",
        "llama_kv_cache:      CUDA0 KV buffer size =    90.00 MiB",
        "sched_reserve:      CUDA0 compute buffer size =    17.51 MiB",
        "llama_context: flash_attn            = auto",
        "resolve_fused_ops: Flash Attention enabled",
    ]
    uses = {use.device: use for use in memory(lines)}
    assert uses["CUDA0"].kv_bytes == 90 << 20
    assert uses["CPU"].compute_bytes == 3 << 19
    assert offloaded_layers(lines) == (20, 31)
    assert has_flash_attn(lines)
    assert not has_flash_attn(["llama_context: flash_attn            = disabled"])


def test_a_kv_type_that_a_gpu_cannot_run_is_refused_with_those_it_can(
    load_tiny: LoadTiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = Device(name="CUDA0", description="A card", kind="gpu")
    monkeypatch.setattr(backend, "describe_device", lambda pointer: card)
    monkeypatch.setattr(kv_types, "supports", lambda device, k, v, size: k is v and k in (KvType.F16, KvType.Q8_0))
    load_tiny(type_k=KvType.Q8_0, type_v=KvType.Q8_0)
    with pytest.raises(FirstlightError) as caught:
        load_tiny(type_k=KvType.Q8_0, type_v=KvType.Q4_0)
    assert caught.value.code is Code.CACHE_TYPE_REFUSED
    assert str(caught.value.failure.advice) == "Choose the same type for K and V: f16, q8_0."


def test_the_cpu_runs_every_kv_type_with_flash_attention() -> None:
    assert set(kv_types.with_flash_attn()["CPU"]) == {str(kind) for kind in KvType}
