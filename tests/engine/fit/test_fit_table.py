"""The table of quantizations: verdicts, quality in words, expected speed, and the recommended row."""

from __future__ import annotations

from pathlib import Path

import pytest
from gguf_files import write_sparse
from model_shapes import SHAPES, ModelShape, attention, experts, feed_forward

from engine.fit.fit_policy import choose
from engine.fit.fit_table import Candidate, fit_rows, layer_bits, quality
from engine.fit.memory_estimate import Estimator
from engine.fit.speed_estimate import active_bytes, expected_decode_tps, expected_ttft
from engine.fit.target_machine import Machine
from engine.gguf import Header, read_header
from engine.protocol import Device, FitRow, KvType, ModelSettings, RooflineMeasured

GB = 10**9
LADDER = ("Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K", "Q8_0", "F16")


def made(shape: ModelShape, path: Path) -> Header:
    return read_header(write_sparse(path, shape.metadata, shape.tensors))


@pytest.fixture(scope="module")
def candidates(tmp_path_factory: pytest.TempPathFactory) -> list[Candidate]:
    """An 8B model in seven quantizations, each with its own header."""
    folder = tmp_path_factory.mktemp("table")
    rows = []
    for kind in LADDER:
        shape = ModelShape("llama", 32, 4096, 128_256, kind).each_layer(attention(32, 8, 128), feed_forward(14_336))
        header = made(shape, folder / f"{kind}.gguf")
        rows.append(Candidate(kind, header.weights_bytes, header))
    return rows


def machine(vram: float, ram: float = 32, bandwidth: float = 500e9) -> Machine:
    device = Device(
        name="CUDA0", description="", kind="gpu", total_bytes=round(vram * GB), free_bytes=round((vram - 0.5) * GB)
    )
    rooflines = {
        "CUDA0": RooflineMeasured(device="CUDA0", bandwidth=bandwidth, prefill_flops=40e12),
        "CPU": RooflineMeasured(device="CPU", bandwidth=40e9, prefill_flops=0.4e12),
    }
    return Machine(ram_bytes=round(ram * GB), devices=(device,) if vram else (), rooflines=rooflines)


def by_name(rows: list[FitRow]) -> dict[str, FitRow]:
    return {row.name: row for row in rows}


def test_verdicts_follow_the_memory(candidates: list[Candidate]) -> None:
    rows = by_name(fit_rows(candidates, ModelSettings(n_ctx=8192), machine(7.7, ram=8)))
    assert {name: row.verdict for name, row in rows.items()} == {
        "Q2_K": "fits",
        "Q3_K": "fits",
        "Q4_K": "fits",
        "Q5_K": "fits_tight",
        "Q6_K": "partial",
        "Q8_0": "partial",
        "F16": "too_large",
    }
    assert rows["Q5_K"].n_gpu_layers == rows["Q5_K"].n_layers == 33
    assert 20 < rows["Q8_0"].n_gpu_layers < rows["Q6_K"].n_gpu_layers < 33
    assert rows["F16"].decode_tps is None


def test_without_a_device_all_is_on_the_cpu(candidates: list[Candidate]) -> None:
    rows = by_name(fit_rows(candidates, ModelSettings(n_ctx=4096), machine(0, ram=12)))
    assert rows["Q4_K"].verdict == "fits"
    assert rows["Q4_K"].n_gpu_layers == 0
    assert rows["F16"].verdict == "too_large"
    assert rows["Q4_K"].decode_tps == pytest.approx(40e9 * 0.8 / 4.5e9, rel=0.1)


def test_speed_falls_with_the_size_and_with_layers_on_the_cpu(candidates: list[Candidate]) -> None:
    rows = fit_rows(candidates, ModelSettings(n_ctx=8192), machine(8, ram=64))
    speeds = [row.decode_tps or 0 for row in rows]
    assert speeds == sorted(speeds, reverse=True)
    assert speeds[2] == pytest.approx(500e9 * 0.8 / (candidates[2].file_bytes - 0.29e9 + 0.13e9), rel=0.1)
    assert speeds[4] < speeds[3] / 1.5
    waits = [row.ttft_1000 or 0 for row in rows]
    assert waits[0] == pytest.approx(2 * 7e9 * 1000 / 40e12, rel=0.1)
    assert waits[5] > waits[0]


def test_nothing_is_expected_where_nothing_was_measured(candidates: list[Candidate]) -> None:
    there = Machine(ram_bytes=32 * GB)
    rows = fit_rows(candidates, ModelSettings(n_ctx=4096), there)
    assert all(row.decode_tps is None and row.ttft_1000 is None for row in rows)
    assert sum(row.is_recommended for row in rows) == 1


def test_context_and_kv_type_change_every_row(candidates: list[Candidate]) -> None:
    short = fit_rows(candidates, ModelSettings(n_ctx=4096), machine(24))
    long = fit_rows(candidates, ModelSettings(n_ctx=32_768), machine(24))
    small = fit_rows(candidates, ModelSettings(n_ctx=32_768, type_k=KvType.Q8_0, type_v=KvType.Q8_0), machine(24))
    for a, b, c in zip(short, long, small, strict=True):
        assert b.kv_bytes == 8 * a.kv_bytes
        assert c.kv_bytes == b.kv_bytes * 34 // 64
        assert a.weights_bytes == b.weights_bytes == c.weights_bytes


@pytest.mark.parametrize(
    ("vram", "name", "reason"),
    [
        (24, "Q8_0", "best quality that fits into the GPU"),
        (7, "Q4_K", "best quality that fits into the GPU"),
        (4, "Q4_K", "fastest one that still answers well"),
    ],
)
def test_one_row_is_recommended_with_a_reason(vram: float, name: str, reason: str, candidates: list[Candidate]) -> None:
    chosen = [row for row in fit_rows(candidates, ModelSettings(n_ctx=8192), machine(vram)) if row.is_recommended]
    assert [row.name for row in chosen] == [name]
    assert reason in str(chosen[0].reason)
    assert "tok/s" in str(chosen[0].reason)


def test_a_slow_machine_gets_the_fast_one(candidates: list[Candidate]) -> None:
    rows = fit_rows(candidates, ModelSettings(n_ctx=4096), machine(0, ram=32))
    assert [row.name for row in rows if row.is_recommended] == ["Q4_K"]
    rows = fit_rows(candidates[:1], ModelSettings(n_ctx=4096), machine(0, ram=32))
    assert rows[0].reason == "the only one that this computer can run"
    assert not any(row.is_recommended for row in fit_rows(candidates, ModelSettings(n_ctx=4096), machine(0, ram=2)))


def test_rows_without_a_header_are_stretched(candidates: list[Candidate]) -> None:
    q4, q8 = candidates[2], candidates[5]
    exact, stretched = fit_rows([q4, Candidate("Q8_0", q8.file_bytes)], ModelSettings(n_ctx=8192), machine(24))
    own = fit_rows([q8], ModelSettings(n_ctx=8192), machine(24))[0]
    assert exact.name == "Q4_K"
    assert stretched.weights_bytes == pytest.approx(own.weights_bytes, rel=0.01)
    assert (stretched.kv_bytes, stretched.quality) == (own.kv_bytes, own.quality)
    assert stretched.decode_tps == pytest.approx(own.decode_tps, rel=0.03)
    with pytest.raises(ValueError, match="header"):
        fit_rows([Candidate("Q8_0", 1)], ModelSettings(), machine(24))


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("Q2_K", "heavy"),
        ("Q3_K", "noticeable"),
        ("Q4_K", "close"),
        ("Q5_K", "close"),
        ("Q6_K", "hard_to_tell"),
        ("Q8_0", "as_good"),
        ("F16", "original"),
    ],
)
def test_quality_in_words(kind: str, words: str, candidates: list[Candidate]) -> None:
    header = next(c.header for c in candidates if c.name == kind)
    assert header is not None
    assert quality(layer_bits(header)) == words


def test_small_models_are_judged_without_their_embeddings(tmp_path: Path) -> None:
    shape = ModelShape("llama", 30, 576, 49_152, "Q4_1", is_tied=True)
    shape.tensors[0] = ("token_embd.weight", (576, 49_152), "Q8_0")
    header = made(shape.each_layer(attention(9, 3, 64), feed_forward(1536)), tmp_path / "small.gguf")
    assert header.bits_per_weight > 5.7
    assert layer_bits(header) == pytest.approx(5.0, abs=0.01)


def test_only_used_experts_are_read(tmp_path: Path) -> None:
    shape = ModelShape("qwen3moe", 4, 2048).each_layer(attention(32, 4, 128, qk_norm=True), experts(128, 8, 768))
    header = made(shape, tmp_path / "moe.gguf")
    all_experts = sum(t.size_bytes for t in header.tensors if "_exps" in t.name)
    others = header.weights_bytes - all_experts - header.tensors[0].size_bytes
    assert active_bytes(header) == others + all_experts * 8 // 128
    assert active_bytes(header, n_tokens=4) == others + all_experts * 32 // 128
    assert active_bytes(header, n_tokens=512) == others + all_experts


def test_experts_make_a_large_model_fast(tmp_path: Path) -> None:
    header = made(SHAPES["qwen3moe 30B"](), tmp_path / "moe.gguf")
    there = machine(24)
    estimator = Estimator(header)
    fit = estimator.estimate(ModelSettings(n_ctx=4096), devices=there.devices)
    speed = expected_decode_tps(estimator, fit, ModelSettings(n_ctx=4096), there.rooflines)
    assert speed is not None
    assert speed > 100
    wait = expected_ttft(header, fit, there.rooflines)
    assert wait is not None
    assert wait < 0.3


def test_experts_on_the_cpu_are_read_there(tmp_path: Path) -> None:
    """By hand: 4 layers in F16, each with 128 experts of 3 x 2048 x 768, of which 8 work."""
    shape = ModelShape("qwen3moe", 4, 2048, type="F16").each_layer(
        attention(32, 4, 128, qk_norm=True), experts(128, 8, 768)
    )
    header, there = made(shape, tmp_path / "moe.gguf"), machine(24)
    estimator = Estimator(header)
    used_experts = 3 * 2048 * 768 * 8
    others = 2048 * (4096 + 512 + 512 + 4096)
    router, norms = 2048 * 128, 2 * 2048 + 2 * 128
    kept = 2 * 4 * 128 * 2 * 1000
    output = 2048 * 32_000 * 2 + 2048 * 4
    on_gpu = 4 * (2 * others + 4 * (router + norms) + kept) + output
    for n_cpu_moe in (0, 3):
        settings = ModelSettings(n_ctx=4096, n_cpu_moe=n_cpu_moe)
        fit = estimator.estimate(settings, devices=there.devices)
        assert (fit.layers_on("CUDA0"), fit.layers_on("CPU")) == (5, 0)
        seconds = (on_gpu + (4 - n_cpu_moe) * 2 * used_experts) / 400e9 + n_cpu_moe * 2 * used_experts / 32e9 + 0.0003
        speed = expected_decode_tps(estimator, fit, settings, there.rooflines)
        assert speed == pytest.approx(1 / seconds, rel=1e-6)
        assert speed == pytest.approx({0: 558.3, 3: 120.4}[n_cpu_moe], abs=0.1)
        reading = 2 * 1000 * (4 * (others + router + norms) + (4 - n_cpu_moe) * used_experts) / 40e12
        wait = expected_ttft(header, fit, there.rooflines)
        assert wait == pytest.approx(reading + 2 * 1000 * n_cpu_moe * used_experts / 0.4e12, rel=1e-6)
        assert wait == pytest.approx({0: 0.0114, 3: 0.5719}[n_cpu_moe], abs=1e-4)


def test_a_table_leaves_experts_on_the_cpu_as_a_load_does(tmp_path: Path) -> None:
    header = made(SHAPES["qwen3moe 30B"](), tmp_path / "moe.gguf")
    there = machine(12, ram=64)
    settings = ModelSettings(n_ctx=4096)
    row = fit_rows([Candidate("Q8_0", header.weights_bytes, header)], settings, there)[0]
    chosen = choose(header, settings, there)
    assert (row.verdict, row.n_gpu_layers) == ("partial", row.n_layers)
    assert row.n_cpu_moe == chosen.settings.n_cpu_moe > 0
    whole = fit_rows([Candidate("Q8_0", header.weights_bytes, header)], settings, machine(48, ram=64))[0]
    assert (whole.verdict, whole.n_cpu_moe) == ("fits", 0)
    assert row.decode_tps is not None
    assert whole.decode_tps is not None
    assert 40 < row.decode_tps < whole.decode_tps / 1.5


def test_where_all_experts_on_the_cpu_are_too_few_layers_go_there_too(tmp_path: Path) -> None:
    header = made(SHAPES["qwen3moe 30B"](), tmp_path / "moe.gguf")
    there, settings = machine(2, ram=64), ModelSettings(n_ctx=4096)
    row = fit_rows([Candidate("Q8_0", header.weights_bytes, header)], settings, there)[0]
    chosen = choose(header, settings, there).settings
    assert (row.n_gpu_layers, row.n_cpu_moe) == (chosen.n_gpu_layers, chosen.n_cpu_moe)
    assert 0 < row.n_gpu_layers < row.n_layers
