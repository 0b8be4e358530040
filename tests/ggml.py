"""Single operations of llama.cpp on its CPU backend, for tests of what is corrected in it."""

from __future__ import annotations

import ctypes

import numpy as np
from numpy.typing import NDArray

from engine.worker.llama import backend

Floats = NDArray[np.float32]

F32, F16, Q4_0, Q8_0 = 0, 1, 2, 8


class _Parameters(ctypes.Structure):
    _fields_ = [("mem_size", ctypes.c_size_t), ("mem_buffer", ctypes.c_void_p), ("no_alloc", ctypes.c_bool)]


class Ggml:
    """The few calls that one node of a graph takes."""

    def __init__(self) -> None:
        # Libraries of its own: what a function takes is kept with the one that it was asked of.
        base = ctypes.CDLL(backend.ggml_base()._name)
        cpu = ctypes.CDLL(backend.load_shared_library("ggml-cpu", backend._library_folder())._name)
        pointer, wide = ctypes.c_void_p, ctypes.c_int64
        for name, result, *arguments in (
            ("ggml_init", pointer, _Parameters),
            ("ggml_free", None, pointer),
            ("ggml_new_tensor_4d", pointer, pointer, ctypes.c_int, wide, wide, wide, wide),
            ("ggml_permute", pointer, pointer, pointer, *[ctypes.c_int] * 4),
            ("ggml_get_data", pointer, pointer),
            ("ggml_flash_attn_ext", pointer, *[pointer] * 5, *[ctypes.c_float] * 3),
            ("ggml_new_graph", pointer, pointer),
            ("ggml_build_forward_expand", None, pointer, pointer),
            ("ggml_quantize_chunk", ctypes.c_size_t, ctypes.c_int, pointer, pointer, wide, wide, wide, pointer),
        ):
            function = getattr(base, name)
            function.restype, function.argtypes = result, arguments
        cpu.ggml_graph_compute_with_ctx.argtypes = [pointer, pointer, ctypes.c_int]
        cpu.ggml_cpu_init()
        self._base, self._cpu = base, cpu

    def attend(
        self, q: Floats, k: Floats, v: Floats, mask: Floats, *, kv_type: int, softcap: float, n_threads: int
    ) -> Floats:
        """q [tokens, heads, d], k and v [cells, KV heads, d], mask [tokens, cells] → [tokens, heads, d]."""
        base = self._base
        context = base.ggml_init(_Parameters(32 << 20, None, False))
        try:
            tensors = [self._tensor(context, rows, kind) for rows, kind in ((q, F32), (k, kv_type), (v, kv_type))]
            views = [base.ggml_permute(context, tensor, 0, 2, 1, 3) for tensor in tensors]
            hidden = self._tensor(context, mask[None], F16)
            node = base.ggml_flash_attn_ext(context, *views, hidden, q.shape[2] ** -0.5, 0.0, softcap)
            return self._computed(context, node, q.shape, n_threads)
        finally:
            base.ggml_free(context)

    def _computed(self, context: int, node: int, shape: tuple[int, ...], n_threads: int) -> Floats:
        graph = self._base.ggml_new_graph(context)
        self._base.ggml_build_forward_expand(graph, node)
        assert self._cpu.ggml_graph_compute_with_ctx(context, graph, n_threads) == 0
        out = np.empty(shape, np.float32)
        ctypes.memmove(out.ctypes.data, self._base.ggml_get_data(node), out.nbytes)
        return out

    def _tensor(self, context: int, rows: Floats, kind: int) -> int:
        n, heads, d = rows.shape
        tensor: int = self._base.ggml_new_tensor_4d(context, kind, d, heads, n, 1)
        data, place = np.ascontiguousarray(rows, dtype=np.float32), self._base.ggml_get_data(tensor)
        if kind == F32:
            ctypes.memmove(place, data.ctypes.data, data.nbytes)
        else:
            self._base.ggml_quantize_chunk(kind, data.ctypes.data, place, 0, n * heads, d, None)
        return tensor
