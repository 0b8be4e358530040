"""An invented library, hub and faults for the walks through the app in pictures, in the engine's own sentences."""

from __future__ import annotations

import msgspec
from figures import NOW

from engine.errors import Code, Failure
from engine.host.crash_policy import crash_failure
from engine.host.worker_process import WorkerExit
from engine.library.catalog import BUILT_IN
from engine.protocol import (
    CatalogEntry,
    CatalogListed,
    Estimated,
    FitRow,
    HeaderRead,
    HubModel,
    HubResults,
    ModelEntry,
    ModelsListed,
    Pull,
    PullsListed,
    RepoInspected,
    RepoQuantization,
    Shape,
)
from engine.translatable import Translatable, listed, phrase, sentence

GB = 1_000_000_000
HOME = "/home/ada/.local/share/firstlight/models"
TRAITS = listed(
    [
        sentence("grouped-query attention {heads}/{kv} heads", heads=32, kv=8),
        sentence("{mb:,.1f} MB of KV per 1,000 tokens", mb=147.5),
    ]
)


def failure(code: Code, message: str, advice: str, **values: object) -> Failure:
    return Failure(code=code, message=sentence(message, **values), advice=sentence(advice, **values))


FAILURES = {
    "unreachable": failure(
        Code.HUB_UNREACHABLE, "The hub cannot be reached.",
        "Check the connection, and the address and the proxy in Settings, Models.",
    ),
    "offline": failure(
        Code.OFFLINE, "Firstlight is set to stay offline.", "Switch “Stay offline” off in Settings, Models."
    ),
    "gated": failure(
        Code.HUB_GATED, "{name} is gated: its owner wants its licence accepted first.",
        "Accept it on the hub's page, then put your token into Settings, Models.", name="google/gemma-3-12b-it-gguf",
    ),
    "refused": failure(
        Code.HUB_GATED, "The hub refuses access to {name}.", "Check your token in Settings, Models.",
        name="meta-llama/Llama-3.2-3B-GGUF",
    ),
    "slow_down": failure(
        Code.HUB_RATE_LIMITED, "The hub asks to slow down.", "Try again in {seconds:.0f} s.", seconds=42
    ),
    "disk_full": failure(
        Code.DISK_FULL,
        "{file} needs {missing:.1f} GB more, and {free:.1f} GB are free ({reserve:.1f} GB of them stay free).",
        "Free some space, or choose another download folder in Settings.",
        file="Qwen3-30B-A3B-Instruct-2507-Q4_K_M.gguf", missing=18.6, free=3.2, reserve=2.0,
    ),
    "cut": failure(
        Code.HUB_UNREACHABLE, "{file} stopped at {percent:.0f} %: the hub cannot be reached.",
        "What came is kept; resume when the connection is back.", file="gemma-3-12b-it-Q4_K_M.gguf", percent=43,
    ),
    "out_of_memory": failure(
        Code.OUT_OF_MEMORY, "{name} does not fit into memory.",
        "Choose a smaller quantization, fewer GPU layers or a shorter context.", name="Qwen3-32B-Q8_0.gguf",
    ),
    "damaged": failure(
        Code.MODEL_DAMAGED, "{name} is cut short: it has {size:,} of {expected:,} bytes.",
        "Resume or repeat its download.", name="Qwen3-8B-Q4_K_M.gguf", size=3_120_004_096, expected=5_027_783_488,
    ),
    "kv_type": failure(
        Code.CACHE_TYPE_REFUSED,
        "{name} cannot run attention over a KV cache of {type_k} keys and {type_v} values: "
        "it would be left to the CPU.",
        "Choose the same type for K and V: {known}.",
        name="CUDA0", type_k="q8_0", type_v="q4_0", known="f16, bf16, q8_0, q4_0",
    ),
    "crashed": crash_failure(WorkerExit(-9, was_asked=False), "SmolLM2 135M", was_loading=False, n_deaths=1),
    "crashed_again": crash_failure(WorkerExit(-9, was_asked=False), "SmolLM2 135M", was_loading=False, n_deaths=2),
    "gone": failure(Code.MODEL_NOT_FOUND, "The file {name} is not there.", "Choose another model.", name="Phi-4.gguf"),
}  # fmt: skip


def _entry(name: str, quantization: str, size: float, **more: object) -> ModelEntry:
    path, bits = f"{HOME}/{name}-{quantization}.gguf", float(str(more.get("bits_per_weight", 4.9)))
    fields: dict[str, object] = {
        "model_id": path, "path": path, "source": "ours",
        "size_bytes": round(size * GB), "bits_per_weight": bits, "n_params": round(size * GB * 8 / bits),
        "tensor_mix": {"Q4_K": 70, "Q6_K": 28, "F32": 2}, "n_ctx_train": 40960, "is_ours": True, "traits": TRAITS,
        "last_used": NOW, "repo": f"owner/{name}-GGUF",
    }  # fmt: skip
    return msgspec.convert({"name": name, "quantization": quantization, **fields, **more}, ModelEntry)


WHOLE: dict[str, object] = {"bits_per_weight": 16.0, "tensor_mix": {"F16": 99, "F32": 1}}
NO_MODEL: dict[str, object] = {"n_ctx_train": 0, "traits": ""}
MODELS = (
    _entry("Qwen3-8B", "Q4_K_M", 5.03, is_loaded=True),
    _entry("gemma-3-12b-it", "Q4_K_M", 7.3, source="hub_cache", is_ours=False),
    _entry("Llama-3.3-70B-Instruct-with-a-name-that-goes-on-and-on-abliterated-v2", "IQ4_XS", 37.9, source="folder",
           is_ours=False),
    _entry("SmolLM2-135M-Instruct", "F16", 0.27, **WHOLE),
    _entry("DeepSeek-R1-0528", "Q4_K_M", 214, state="incomplete", size_bytes=96 * GB, traits="", tensor_mix={},
           n_ctx_train=0, problem=sentence("{n} of {of} parts are missing.", n=5, of=9)),
    _entry("Phi-4", "Q5_K_M", 10.6, state="missing", source="folder", is_ours=False,
           problem=phrase("Its drive or folder is not there now.")),
    _entry("Mistral-Small-3.2", "Q4_K_M", 14.3, state="damaged", size_bytes=3 * GB, kind="other", traits="",
           tensor_mix={}, problem=sentence("{name} is cut short: it has {size:,} of {expected:,} bytes.",
                                      name="Mistral-Small-3.2-Q4_K_M.gguf", size=3 * GB, expected=14_333_908_832)),
    _entry("nomic-embed-text-v2", "F16", 0.96, kind="embedding", source="lmstudio", is_ours=False, **WHOLE),
    _entry("mmproj-gemma-3-12b", "F16", 0.85, kind="mmproj", source="ollama", is_ours=False, **WHOLE, **NO_MODEL),
    _entry("pirate-voice", "F16", 0.06, kind="lora", **WHOLE, **NO_MODEL),
)  # fmt: skip
LIBRARY = ModelsListed(
    models=MODELS, disk_free_bytes=214 * GB, trash_bytes=round(4.9 * GB),
    disk_used_bytes=sum(model.size_bytes for model in MODELS if model.state != "missing"),
)  # fmt: skip


def _pull(name: str, state: str, done: float, total: float, **more: object) -> Pull:
    fields: dict[str, object] = {
        "pull_id": name,
        "repo": f"owner/{name}-GGUF",
        "files": (f"{name}-Q4_K_M.gguf",),
        "state": state,
        "done_bytes": round(done * GB),
        "total_bytes": round(total * GB),
    }
    return msgspec.convert({**fields, **more}, Pull)


PULLS = PullsListed(
    pulls=(
        _pull("Qwen3-14B", "running", 3.87, 9.0, rate=48_300_000.0, seconds_left=106.0),
        _pull("Qwen3-32B", "queued", 0, 19.8),
        _pull("Mistral-Small-3.2-24B-Instruct-2506", "paused", 6.1, 14.3),
        _pull("Qwen3-8B", "verifying", 5.03, 5.03),
        _pull("gemma-3-12b-it", "failed", 3.14, 7.3, failure=FAILURES["cut"]),
        _pull("Qwen3-30B-A3B-Instruct-2507", "failed", 0, 18.6, failure=FAILURES["disk_full"]),
        _pull("SmolLM3-3B", "finished", 1.92, 1.92, path=f"{HOME}/SmolLM3-3B-Q4_K_M.gguf"),
        _pull("gpt-oss-120b", "cancelled", 12, 63.4),
    ),
    leftover_bytes=round(2.7 * GB),
)
HUB = HubResults(
    models=(
        HubModel(repo="Qwen/Qwen3-8B-GGUF", downloads=1_204_311, licence="apache-2.0", n_params=8_190_000_000),
        HubModel(repo="bartowski/Qwen_Qwen3-8B-GGUF", downloads=88_402, licence="apache-2.0", n_params=8_190_000_000),
        HubModel(repo="google/gemma-3-12b-it-gguf", downloads=402_118, licence="gemma", is_gated=True),
        HubModel(repo="someone-with-a-long-name/Llama-3.3-70B-Instruct-heretic-abliterated-i1-GGUF", downloads=3),
    )
)
REPO = RepoInspected(
    model=HubModel(
        repo="Qwen/Qwen3-8B-GGUF", downloads=1_204_311, likes=412, licence="apache-2.0", updated="2026-10-14"
    ),
    quantizations=tuple(
        RepoQuantization(name=name, files=(f"qwen3-8b-{name}.gguf",), size_bytes=1)
        for name in ("Q3_K_M", "Q4_K_M", "Q6_K", "Q8_0", "BF16", "F32")
    ),
    card="# Qwen3 8B\n\nA dense model of **8.2 B** parameters.\n\n## Highlights\n\n- thinks on request\n"
    "- 100 languages\n\n"
    "| benchmark | score |\n|---|---|\n| MMLU | 76.9 |\n| GSM8K | 89.8 |\n\nMore on [the hub](https://example.org).\n\n"
    "```\npython -m engine chat --model Qwen3-8B\n```\n",
)
HEADER = HeaderRead(
    shape=Shape(
        architecture="qwen3", n_layers=36, n_head_kv=(8,) * 36, n_ctx_train=40960, n_requests=2,
        n_fetched_bytes=1_400_000, traits=TRAITS,
    )
)  # fmt: skip


def _row(name: str, file: float, bits: float, words: tuple[str, str], tps: float | None, **more: object) -> FitRow:
    fields: dict[str, object] = {
        "file_bytes": round(file * GB), "weights_bytes": round(file * GB), "kv_bytes": round(1.28 * GB),
        "compute_bytes": 312_000_000, "n_gpu_layers": 37, "n_layers": 37, "ttft_1000": 0.19 if tps else None,
    }  # fmt: skip
    named = {"name": name, "bits_per_weight": bits, "quality": words[0], "verdict": words[1], "decode_tps": tps}
    return msgspec.convert({**named, **fields, **more}, FitRow)


BEST: Translatable = sentence(
    "{what}, about {tps:.0f} tok/s", what=phrase("the best quality that fits into the GPU"), tps=138
)  # fmt: skip
ROWS = (
    _row("Q3_K_M", 4.1, 4.0, ("noticeable", "fits"), 162.0),
    _row("Q4_K_M", 5.03, 4.9, ("close", "fits"), 138.0, is_recommended=True, reason=BEST, is_measured=True,
         expected_tps=131.0),
    _row("Q6_K", 6.7, 6.6, ("hard_to_tell", "fits_tight"), 106.0),
    _row("Q8_0", 8.7, 8.5, ("as_good", "partial"), 21.4, n_gpu_layers=28, ttft_1000=1.42),
    _row("BF16", 16.4, 16.0, ("original", "cpu_only"), 2.6, n_gpu_layers=0, ttft_1000=11.8),
    _row("F32", 32.8, 32.0, ("original", "too_large"), None, n_gpu_layers=0),
)  # fmt: skip
FIT = Estimated(
    rows=ROWS, device="CUDA0", device_total_bytes=10 * GB, device_free_bytes=9 * GB, n_ctx=8192, n_ctx_max=65536
)


def catalog(*, notice: Translatable = "") -> CatalogListed:
    """The built-in list on a machine with 24 GB."""
    entries = msgspec.json.decode(BUILT_IN.read_bytes(), type=tuple[CatalogEntry, ...])
    reason = sentence("{what}, about {tps:.0f} tok/s", what=phrase("the largest that fits well"), tps=54)
    fitting = tuple(entry.repo for entry in entries if entry.size_bytes < 16 * GB)
    best = "unsloth/Mistral-Small-3.2-24B-Instruct-2506-GGUF"
    return CatalogListed(entries=entries, fitting=fitting, recommended=best, reason=reason, notice=notice)
