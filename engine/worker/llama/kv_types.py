"""Which KV cache types a device can run with flash attention: the backend itself is asked."""

from __future__ import annotations

import ctypes
from typing import Any

from engine.errors import Code, ModelError
from engine.protocol.devices import gpus
from engine.protocol.values import KvType, ModelSettings, Switch
from engine.translatable import listed
from engine.worker.llama import backend
from engine.worker.llama.model import Model

HEAD_SIZE = 128
_F32, _F16 = 0, 1
_N_KV, _N_HEADS, _N_TOKENS = 256, 8, 1


class _InitParams(ctypes.Structure):
    """ggml_init_params."""

    _fields_ = [("mem_size", ctypes.c_size_t), ("mem_buffer", ctypes.c_void_p), ("no_alloc", ctypes.c_bool)]


def with_flash_attn(head_size: int = HEAD_SIZE) -> dict[str, tuple[KvType, ...]]:
    """By device name: the KV types that it can run with flash attention, K and V equal."""
    backend.start()
    return {
        backend.describe_device(pointer).name: tuple(
            kind for kind in KvType if supports(pointer, kind, kind, head_size)
        )
        for pointer in backend.device_pointers()
    }


def check(settings: ModelSettings, model: Model) -> None:
    """Raises ModelError with CACHE_TYPE_REFUSED for KV types that a GPU in use would silently leave to the CPU."""
    if settings.n_gpu_layers == 0 or not settings.offload_kqv or settings.flash_attn is Switch.OFF:
        return
    head_size = model.head_size
    known_devices = {backend.describe_device(pointer): pointer for pointer in backend.device_pointers()}
    for device in gpus(list(known_devices), settings):
        pointer = known_devices[device]
        if not supports(pointer, settings.type_k, settings.type_v, head_size):
            known = [kind for kind in KvType if supports(pointer, kind, kind, head_size)]
            raise ModelError(
                Code.CACHE_TYPE_REFUSED,
                "{name} cannot run attention over a KV cache of {type_k} keys and {type_v} values: "
                "it would be left to the CPU.",
                "Choose the same type for K and V: {known}." if known else "Switch flash attention off.",
                known=listed(known) if known else "",
                name=device.name,
                type_k=settings.type_k,
                type_v=settings.type_v,
            )


def supports(device: int, type_k: KvType, type_v: KvType, head_size: int = HEAD_SIZE) -> bool:
    """Whether a device (ggml_backend_dev_t) says that it runs flash attention over this pair of cache types."""
    base = _base()
    arena = base.ggml_init(_InitParams(mem_size=1 << 16, mem_buffer=None, no_alloc=True))
    try:
        q = base.ggml_new_tensor_4d(arena, _F32, head_size, _N_TOKENS, _N_HEADS, 1)
        k = base.ggml_new_tensor_4d(arena, backend.GGML_TYPES[type_k], head_size, _N_KV, _N_HEADS, 1)
        v = base.ggml_new_tensor_4d(arena, backend.GGML_TYPES[type_v], head_size, _N_KV, _N_HEADS, 1)
        mask = base.ggml_new_tensor_4d(arena, _F16, _N_KV, 64, 1, 1)
        node = base.ggml_flash_attn_ext(arena, q, k, v, mask, head_size**-0.5, 0.0, 0.0)
        return bool(base.ggml_backend_dev_supports_op(device, node))
    finally:
        base.ggml_free(arena)


def _base() -> Any:
    base = backend.ggml_base()
    void, real = ctypes.c_void_p, ctypes.c_float
    signatures: dict[str, tuple[Any, list[Any]]] = {
        "ggml_init": (void, [_InitParams]),
        "ggml_free": (None, [void]),
        "ggml_new_tensor_4d": (void, [void, ctypes.c_int, *[ctypes.c_int64] * 4]),
        "ggml_flash_attn_ext": (void, [void, void, void, void, void, real, real, real]),
        "ggml_backend_dev_supports_op": (ctypes.c_bool, [void, void]),
    }
    for name, (result, arguments) in signatures.items():
        function = getattr(base, name)
        function.restype, function.argtypes = result, arguments
    return base
