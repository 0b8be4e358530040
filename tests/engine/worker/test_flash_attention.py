"""Flash attention on the CPU (packaging/flash_attention.cpp): right, and the same wherever cells lie."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.worker.llama import backend

Floats = NDArray[np.float32]

_F32, _F16, _Q4_0, _Q8_0 = 0, 1, 2, 8
_N_CELLS = 384
_PLACES = {"front": np.arange(90), "scattered": np.arange(90) * 4 + 7}


class _Parameters(ctypes.Structure):
    _fields_ = [("mem_size", ctypes.c_size_t), ("mem_buffer", ctypes.c_void_p), ("no_alloc", ctypes.c_bool)]


class Ggml:
    """The few calls that one node of a graph takes."""

    def __init__(self) -> None:
        base, cpu = backend.ggml_base(), backend.load_shared_library("ggml-cpu", backend._library_folder())
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
            tensors = [self._tensor(context, rows, kind) for rows, kind in ((q, _F32), (k, kv_type), (v, kv_type))]
            views = [base.ggml_permute(context, tensor, 0, 2, 1, 3) for tensor in tensors]
            hidden = self._tensor(context, mask[None], _F16)
            scale = q.shape[2] ** -0.5
            node = base.ggml_flash_attn_ext(context, *views, hidden, scale, 0.0, softcap)
            graph = base.ggml_new_graph(context)
            base.ggml_build_forward_expand(graph, node)
            assert self._cpu.ggml_graph_compute_with_ctx(context, graph, n_threads) == 0
            out = np.empty_like(q)
            ctypes.memmove(out.ctypes.data, base.ggml_get_data(node), out.nbytes)
            return out
        finally:
            base.ggml_free(context)

    def _tensor(self, context: int, rows: Floats, kind: int) -> int:
        n, heads, d = rows.shape
        tensor: int = self._base.ggml_new_tensor_4d(context, kind, d, heads, n, 1)
        data, place = np.ascontiguousarray(rows, dtype=np.float32), self._base.ggml_get_data(tensor)
        if kind == _F32:
            ctypes.memmove(place, data.ctypes.data, data.nbytes)
        else:
            self._base.ggml_quantize_chunk(kind, data.ctypes.data, place, 0, n * heads, d, None)
        return tensor


@pytest.fixture(scope="module")
def ggml() -> Ggml:
    return Ggml()


def cells(places: NDArray[np.intp], n_tokens: int, n_kv_heads: int, d: int) -> tuple[Floats, Floats, Floats]:
    """K, V and the mask: the same 90 cells, wherever they lie, of which each token sees one more than the last."""
    draw = np.random.default_rng(1)
    k, v = np.full((2, _N_CELLS, n_kv_heads, d), 7, np.float32)
    k[places], v[places] = draw.normal(size=(2, len(places), n_kv_heads, d))
    mask = np.full((n_tokens, _N_CELLS), -np.inf, np.float32)
    for token in range(n_tokens):
        mask[token, places[: len(places) - n_tokens + 1 + token]] = 0
    return k, v, mask


def queries(n_tokens: int, n_heads: int, d: int) -> Floats:
    return np.random.default_rng(2).normal(size=(n_tokens, n_heads, d)).astype(np.float32)


def reference(q: Floats, k: Floats, v: Floats, mask: Floats, softcap: float) -> Floats:
    group = q.shape[1] // k.shape[1]
    k, v = (np.repeat(rows, group, axis=1).astype(np.float64) for rows in (k, v))
    scores = np.einsum("thd,chd->htc", q, k) * q.shape[2] ** -0.5
    if softcap:
        scores = softcap * np.tanh(scores / softcap)
    weights = np.exp(scores + mask)
    return np.einsum("htc,chd->thd", weights / weights.sum(axis=2, keepdims=True), v).astype(np.float32)


@pytest.mark.parametrize(
    ("kv_type", "tolerance"), [(_F16, 2e-3), (_Q8_0, 2e-2), (_Q4_0, 3e-1)], ids=["f16", "q8_0", "q4_0"]
)
@pytest.mark.parametrize("n_tokens", [1, 3, 16, 17, 50])
@pytest.mark.parametrize("shape", [(9, 3, 64), (4, 4, 96), (8, 1, 128)], ids=str)
def test_it_is_attention(
    ggml: Ggml, kv_type: int, tolerance: float, n_tokens: int, shape: tuple[int, int, int]
) -> None:
    n_heads, n_kv_heads, d = shape
    softcap = 30.0 if d == 96 else 0.0
    q = queries(n_tokens, n_heads, d)
    k, v, mask = cells(_PLACES["scattered"], n_tokens, n_kv_heads, d)
    for n_threads in (1, 2):
        out = ggml.attend(q, k, v, mask, kv_type=kv_type, softcap=softcap, n_threads=n_threads)
        np.testing.assert_allclose(out, reference(q, k, v, mask, softcap), atol=tolerance)


@pytest.mark.parametrize("kv_type", [_F16, _Q8_0], ids=["f16", "q8_0"])
@pytest.mark.parametrize("n_tokens", [1, 7, 30])
def test_where_the_cells_lie_changes_no_bit(ggml: Ggml, kv_type: int, n_tokens: int) -> None:
    """Reuse, snapshots and parallel chats rely on it."""
    q = queries(n_tokens, 9, 64)
    outs = [
        ggml.attend(q, *cells(places, n_tokens, 3, 64), kv_type=kv_type, softcap=0.0, n_threads=2)
        for places in _PLACES.values()
    ]
    np.testing.assert_array_equal(outs[0], outs[1])
