"""Experts that stay on the CPU although their layers run on a device, placed as llama.cpp's own --n-cpu-moe does."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterable

from engine.worker.llama import backend

_EXPERTS = r"\.ffn_(up|down|gate|gate_up)_(ch|)exps"
"""llama.cpp's LLM_FFN_EXPS_REGEX."""
_KEPT = re.compile(rf"tensor blk\.(\d+){_EXPERTS}\S* .*buffer type overridden to ")


class BufferOverride(ctypes.Structure):
    """llama_model_tensor_buft_override: the buffer type of tensors whose name a pattern matches."""

    _fields_ = [("pattern", ctypes.c_char_p), ("buffer_type", ctypes.c_void_p)]


def overrides(n_layers: int) -> ctypes.Array[BufferOverride]:
    """Keeps the experts of the first layers on the CPU. The list ends with an empty entry; llama.cpp borrows it."""
    find = backend.ggml_base().ggml_backend_cpu_buffer_type
    find.restype, find.argtypes = ctypes.c_void_p, []
    on_cpu = find()
    entries = [BufferOverride(rf"blk\.{index}{_EXPERTS}".encode(), on_cpu) for index in range(n_layers)]
    return (BufferOverride * (n_layers + 1))(*entries)


def n_layers_on_cpu(lines: Iterable[str]) -> int:
    """The layers whose experts llama.cpp says it left on the CPU; `lines` are its log down to DEBUG."""
    return len({match[1] for line in lines if (match := _KEPT.search(line))})
