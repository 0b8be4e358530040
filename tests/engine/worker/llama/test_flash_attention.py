"""Flash attention on the CPU (packaging/patches/07-attention-x86.patch): right, and the same wherever cells lie."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.host.backend_probe import read_backend_record
from tests.ggml import F16, Q4_0, Q8_0, Floats, Ggml

RECORD = read_backend_record()
pytestmark = pytest.mark.skipif(
    bool(RECORD and RECORD.patches and "07-attention-x86" not in RECORD.patches), reason="built with --stock"
)
_N_CELLS = 384
_PLACES = {"front": np.arange(90), "scattered": np.arange(90) * 4 + 7}


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
    ("kv_type", "tolerance"), [(F16, 2e-3), (Q8_0, 2e-2), (Q4_0, 3e-1)], ids=["f16", "q8_0", "q4_0"]
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


@pytest.mark.parametrize("kv_type", [F16, Q8_0], ids=["f16", "q8_0"])
@pytest.mark.parametrize("n_tokens", [1, 7, 30])
def test_where_the_cells_lie_changes_no_bit(ggml: Ggml, kv_type: int, n_tokens: int) -> None:
    """Reuse, snapshots and parallel chats rely on it."""
    q = queries(n_tokens, 9, 64)
    outs = [
        ggml.attend(q, *cells(places, n_tokens, 3, 64), kv_type=kv_type, softcap=0.0, n_threads=2)
        for places in _PLACES.values()
    ]
    np.testing.assert_array_equal(outs[0], outs[1])
