"""What llama.cpp's log says about a load: buffer sizes, layers and experts by place, flash attention."""

from __future__ import annotations

import re
from collections.abc import Iterable

from engine.protocol.values import MemoryUse

_BUFFER = re.compile(r":\s+(\S+)\s+(model|KV|RS|output|compute|DSV4 \S+ state) buffer size =\s+([\d.]+) MiB")
_OFFLOADED = re.compile(r"offloaded (\d+)/(\d+) layers to GPU")
_N_EXPERTS = re.compile(r"print_info: n_expert\s+= (\d+)")
_N_LAYERS = re.compile(r"print_info: n_layer\s+= (\d+)")
EXPERTS = r"\.ffn_(up|down|gate|gate_up)_(ch|)exps"
"""llama.cpp's LLM_FFN_EXPS_REGEX: the tensors that hold a layer's routed experts."""
_KEPT = re.compile(rf"tensor blk\.(\d+){EXPERTS}\S* .*buffer type overridden to ")
_FLASH_ATTN = re.compile(r"flash_attn\s+= (\w+)|Flash Attention (enabled|disabled|not supported)", re.IGNORECASE)
_HOST = ("CPU", "CUDA_Host", "ROCm_Host", "Vulkan_Host", "SYCL_Host", "AMX", "BLAS")


def device_of(buffer: str) -> str:
    """The device that a buffer lies on: CPU for every kind of host memory."""
    return "CPU" if buffer.startswith(_HOST) or buffer.endswith("_Host") else buffer.split("_", maxsplit=1)[0]


def memory(lines: Iterable[str]) -> tuple[MemoryUse, ...]:
    """Bytes on each device, from the lines `CUDA0 KV buffer size = 90.00 MiB` of one model and one context."""
    sums: dict[str, dict[str, int]] = {}
    for line in lines:
        if match := _BUFFER.search(line):
            kinds = sums.setdefault(device_of(match[1]), {"weights": 0, "kv": 0, "compute": 0})
            kind = {"model": "weights", "output": "compute", "compute": "compute"}.get(match[2], "kv")
            kinds[kind] += round(float(match[3]) * (1 << 20))
    return tuple(
        MemoryUse(device=device, weights_bytes=k["weights"], kv_bytes=k["kv"], compute_bytes=k["compute"])
        for device, k in sums.items()
    )


def weights_bytes(lines: Iterable[str]) -> dict[str, int]:
    """Bytes of weights on each device."""
    return {use.device: use.weights_bytes for use in memory(lines)}


def offloaded_layers(lines: Iterable[str]) -> tuple[int, int]:
    """(offloaded, all) layers; (0, 0) for a build without a GPU."""
    for line in lines:
        if match := _OFFLOADED.search(line):
            return int(match[1]), int(match[2])
    return 0, 0


def expert_layers_on_cpu(lines: Iterable[str]) -> int:
    """The layers whose experts llama.cpp left on the CPU; `lines` are its log down to DEBUG."""
    return len({match[1] for line in lines if (match := _KEPT.search(line))})


def has_flash_attn(lines: Iterable[str]) -> bool:
    """Whether flash attention runs; the last word counts, because `auto` is resolved after it is announced."""
    is_on = False
    for line in lines:
        if match := _FLASH_ATTN.search(line):
            is_on = (match[1] or match[2]).lower() == "enabled"
    return is_on


def n_layers(lines: Iterable[str]) -> int:
    """Layers of the model, 0 when the log does not say."""
    return _number(_N_LAYERS, lines)


def n_experts(lines: Iterable[str]) -> int:
    """Experts of each layer, 0 for a dense model."""
    return _number(_N_EXPERTS, lines)


def _number(pattern: re.Pattern[str], lines: Iterable[str]) -> int:
    return next((int(match[1]) for line in lines if (match := pattern.search(line))), 0)
