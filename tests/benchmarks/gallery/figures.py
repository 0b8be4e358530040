"""Invented figures for the walks through the app in pictures: answers, machines with and without a GPU, an ablation."""

from __future__ import annotations

import math
import random

import msgspec

from engine.latency.alerts import Alert, AlertCode, AlertLevel
from engine.latency.diagnosis import Diagnosis, Evidence, diagnose
from engine.metrics import CacheSource, RequestMetrics, gap_bucket, itl_summary
from engine.protocol import (
    Device,
    EffectiveSettings,
    HardwareSample,
    KvType,
    LoggedRequest,
    LogGroup,
    MemoryUse,
    MetricsRead,
    PercentileRow,
)
from engine.protocol.records import AblationFigures, AblationStep, KvQuality
from engine.protocol.values import Speculative
from engine.translatable import sentence

NOW = 1_796_000_000.0
GPU = EffectiveSettings(
    model_path="/home/ada/models/Qwen3-8B-Q4_K_M.gguf", model_name="Qwen3 8B", architecture="qwen3",
    quantization="Q4_K_M", n_params=8_190_000_000, model_bytes=5_030_000_000, n_ctx=16384, n_ctx_train=40960,
    n_parallel=4, n_batch=2048, n_ubatch=512, n_threads=8, n_threads_batch=8, n_layers=37, n_gpu_layers=37,
    type_k=KvType.Q8_0, type_v=KvType.Q8_0, flash_attn=True, backend="cuda", kv_bytes_per_token=78336,
    devices=(
        Device(
            name="CUDA0", description="NVIDIA GeForce RTX 4090", kind="gpu", total_bytes=24_000_000_000,
            free_bytes=16_100_000_000,
        ),
        Device(name="CPU", description="AMD Ryzen 9 7950X", kind="cpu", total_bytes=64_000_000_000),
    ),
    memory=(
        MemoryUse(
            device="CUDA0", weights_bytes=4_700_000_000, kv_bytes=1_283_000_000, compute_bytes=312_000_000,
            estimated_bytes=6_250_000_000,
        ),
        MemoryUse(device="CPU", weights_bytes=330_000_000, compute_bytes=25_000_000),
    ),
)  # fmt: skip
CPU = EffectiveSettings(
    model_path="/home/ada/models/SmolLM2-135M-Instruct.Q8_0.gguf", model_name="SmolLM2 135M", quantization="Q8_0",
    n_ctx=8192, n_ctx_train=8192, n_parallel=4, n_batch=2048, n_ubatch=512, n_threads=2, n_layers=31, flash_attn=True,
    devices=(Device(name="CPU", description="AMD EPYC", kind="cpu"),),
    memory=(MemoryUse(device="CPU", weights_bytes=143_000_000, kv_bytes=188_000_000, compute_bytes=36_000_000,
                      estimated_bytes=376_000_000),),
)  # fmt: skip
GPU_SAMPLE = HardwareSample(
    gpu_name="NVIDIA GeForce RTX 4090", gpu_utilisation=0.91, vram_used_bytes=7_900_000_000,
    vram_total_bytes=24_000_000_000, power_watts=312, temperature_celsius=64, clock_mhz=2595, cpu_utilisation=0.12,
    ram_used_bytes=21_400_000_000, ram_total_bytes=64_000_000_000,
    process_rss_bytes={"host": 96_000_000, "qwen3": 1_340_000_000}, n_running=2,
)  # fmt: skip
CPU_SAMPLE = HardwareSample(
    cpu_utilisation=0.97, ram_used_bytes=3_200_000_000, ram_total_bytes=8_300_000_000,
    process_rss_bytes={"host": 96_000_000, "smollm2": 410_000_000}, n_running=1,
)  # fmt: skip


def gaps(n: int = 286, typical: float = 0.0083, *, seed: int = 7, n_interfered: int = 0) -> list[tuple[float, bool]]:
    """Gaps between tokens in seconds; those of another chat's prefill are long and marked."""
    made = random.Random(seed)
    found = [(typical * (1 + 0.12 * made.random() - 0.06 + 0.05 * math.sin(i / 9)), False) for i in range(n)]
    for i in range(n // 2, n // 2 + n_interfered):
        found[i] = (typical * (2.6 + made.random()), True)
    return found


def answer(
    typical: float = 0.0083, *, prefill: float = 0.025, n_interfered: int = 12, **changes: object
) -> RequestMetrics:
    """A whole answer of 286 tokens."""
    values = [gap for gap, _ in gaps(typical=typical, n_interfered=n_interfered)]
    histogram: dict[int, int] = {}
    for gap in values:
        histogram[gap_bucket(gap)] = histogram.get(gap_bucket(gap), 0) + 1
    decode, parts = sum(values), {"queued_time": 0.002, "template_time": 0.003, "cache_restore_time": 0.004}
    made = RequestMetrics(
        **parts, prefill_time=prefill, ttft=sum(parts.values()) + prefill, decode_time=decode,
        e2e_latency=sum(parts.values()) + prefill + decode, itl=itl_summary(sorted(values)), gap_histogram=histogram,
        tpot=decode / len(values), decode_tps=len(values) / decode, prefill_tps=96 / prefill, n_prompt_tokens=1936,
        n_cached_tokens=1840, n_prepared_tokens=1790, n_decoded=286, cache_source=CacheSource.SLOT,
        kv_bytes=174_000_000, mbu=0.78, prefill_utilisation=0.61, batch_size_mean=1.4, n_interfering_steps=n_interfered,
    )  # fmt: skip
    return msgspec.structs.replace(made, **changes)


FAST = answer()
SLOW = answer(
    0.064, prefill=1.74, n_cached_tokens=12, n_prepared_tokens=0, n_prompt_tokens=6222, prefill_tps=3569,
    cache_source=CacheSource.NONE, ttft=1.86, load_time=0.11, mbu=0.71, n_drafted=220, n_accepted=148,
    cache_miss_reason=sentence("The history was changed after {n:,} of {of:,} cached tokens.", n=12, of=6200),
)  # fmt: skip
HALTING = answer(0.24, prefill=0.42, load_time=2.9, ttft=3.33, mbu=0.22, prefill_utilisation=0.08)


def percentiles(n_groups: int = 3) -> MetricsRead:
    """What the log holds."""
    rows = (
        PercentileRow(name="ttft", count=214, p50=0.039, p90=0.058, p95=0.071, p99=0.214),
        PercentileRow(name="itl", count=61_004, p50=0.0083, p90=0.0091, p95=0.0096, p99=0.0109),
        PercentileRow(name="tpot", count=213, p50=0.0084, p90=0.0088, p95=0.009, p99=0.0093),
        PercentileRow(name="e2e_latency", count=214, p50=2.41, p90=4.05, p95=4.7, p99=16.12),
    )
    settings = "n_ctx 16384 · KV {} · flash attention · 37/37 layers · 8 threads"
    small = "n_ctx 8192 · KV f16 · 31/31 layers · 2 threads"
    groups = (
        LogGroup(model="Qwen3 8B", quantization="Q4_K_M", settings=settings.format("q8_0")),
        LogGroup(model="Qwen3 8B", quantization="Q4_K_M", settings=settings.format("f16")),
        LogGroup(model="SmolLM2 135M", quantization="Q8_0", settings=small),
    )
    return MetricsRead(rows=rows, groups=groups[:n_groups], n_requests=214, n_errors=1, tokens_per_hour=184_200)


def logged() -> tuple[LoggedRequest, ...]:
    """Answers of two settings, the one a fifth slower than the other."""
    made = []
    for number in range(14):
        is_f16 = bool(number % 2)
        typical = (0.0103 if is_f16 else 0.0083) * (1 + 0.01 * (number % 5))
        found = LoggedRequest(
            request_id=f"r{number}", at=NOW - 700 * number, model="Qwen3 8B", quantization="Q4_K_M",
            settings=f"n_ctx 16384 · KV {'f16' if is_f16 else 'q8_0'} · flash attention · 37/37 layers",
            metrics=answer(typical, prefill=0.025 + 0.003 * (number % 3)),
        )  # fmt: skip
        made.append(found)
    return tuple(made)


def diagnoses() -> dict[str, Diagnosis]:
    """Each cause with figures of its own and its action, one for each sentence that an answer can get."""
    reason = sentence("The history was changed after {n:,} of {of:,} cached tokens.", n=12, of=6200)
    slow = answer(
        0.064,
        prefill=1.7,
        ttft=1.86,
        n_prompt_tokens=6222,
        n_cached_tokens=12,
        mbu=0.5,
        prefill_tps=6210 / 1.7,
    )
    even = answer(0.064, n_interfered=0)
    split = msgspec.structs.replace(GPU, n_gpu_layers=28)
    drafted = msgspec.structs.replace(GPU, speculative=Speculative.LOOKUP, n_ubatch=512)
    cases = {
        "cold": Evidence(metrics=msgspec.structs.replace(slow, load_time=1.5)),
        "queue": Evidence(metrics=msgspec.structs.replace(slow, queued_time=1.5)),
        "missed": Evidence(metrics=msgspec.structs.replace(slow, cache_miss_reason=reason)),
        "prefill": Evidence(metrics=slow, effective=split, best_prefill_tps=9000),
        "long": Evidence(metrics=msgspec.structs.replace(slow, prefill_tps=None), effective=drafted),
        "paint": Evidence(metrics=FAST, perceived_ttft=0.9, window_seconds=0.7),
        "beside": Evidence(metrics=answer(0.02, n_interfered=40)),
        "context": Evidence(
            metrics=msgspec.structs.replace(even, kv_bytes=2_600_000_000),
            effective=msgspec.structs.replace(GPU, type_k=KvType.F16), gaps=[0.05] * 40 + [0.09] * 40,
        ),
        "bandwidth": Evidence(metrics=msgspec.structs.replace(even, mbu=0.83), effective=GPU),
        "layers": Evidence(metrics=msgspec.structs.replace(even, mbu=0.12), effective=split),
        "window": Evidence(metrics=FAST, perceived_ttft=0.9, window_seconds=0.02),
    }  # fmt: skip
    return {name: found for name, evidence in cases.items() if (found := diagnose(evidence)) is not None}


def alerts() -> list[Alert]:
    """All that there are."""
    warning, notice = AlertLevel.WARNING, AlertLevel.NOTICE
    return [
        Alert(code=AlertCode.TTFT_P99, level=warning, value=1.92, limit=1.5),
        Alert(code=AlertCode.E2E_P95, level=warning, value=14.2, limit=10),
        Alert(code=AlertCode.ERROR_RATE, level=warning, value=0.014, limit=0.001),
        Alert(code=AlertCode.QUEUE, level=warning, value=3, limit=0),
        Alert(code=AlertCode.GPU_SATURATED, level=warning, value=0.97, limit=0.8),
        Alert(code=AlertCode.GPU_IDLE, level=notice, value=0.18, limit=0.3),
        Alert(code=AlertCode.VRAM, level=notice, value=0.94, limit=0.9),
    ]


def ablation() -> AblationFigures:
    """One step that brings nothing, and one that costs."""
    steps = (
        ("plain", 0.412, 2.31, 0.0124, 0.0139, 38.2, 2.02, 7_100),
        ("flash attention", 0.371, 1.94, 0.0118, 0.0131, 34.9, 1.71, 6_800),
        ("KV q8_0", 0.374, 1.96, 0.0109, 0.0122, 35.0, 1.73, 6_250),
        ("prefix reuse", 0.088, 0.41, 0.0109, 0.0121, 21.4, 1.72, 6_250),
        ("snapshots", 0.086, 0.4, 0.0109, 0.0122, 20.1, 0.092, 6_300),
        ("prefill while typing", 0.041, 0.11, 0.011, 0.0124, 17.7, 0.044, 6_300),
        ("speculative", 0.043, 0.12, 0.0122, 0.0148, 19.3, 0.045, 6_420),
    )
    steps = tuple(
        AblationStep(
            name=name, ttft_p50=p50, ttft_p95=p95, tpot_p50=tpot, tpot_p95=tail, total=total,
            totals=(total * 0.99, total, total * 1.01), reopened_ttft=again, memory_bytes=mb * 1_000_000, n_answers=24,
        )
        for name, p50, p95, tpot, tail, total, again, mb in steps
    )  # fmt: skip
    qualities = (
        KvQuality(kv_type=KvType.F16, divergence=0, divergence_p99=0, top1_agreement=1),
        KvQuality(kv_type=KvType.Q8_0, divergence=0.0011, divergence_p99=0.009, top1_agreement=0.992),
        KvQuality(kv_type=KvType.Q4_0, divergence=0.0612, divergence_p99=0.41, top1_agreement=0.913),
    )
    return AblationFigures(model="Qwen3 8B Q4_K_M", n_runs=3, steps=steps, qualities=qualities, n_compared=2048)
