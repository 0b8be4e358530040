"""Weights in Q4_1 on the CPU (packaging/matmul_q4_1.cpp): right, and the same however many columns there are."""

from __future__ import annotations

import numpy as np
import pytest

from tests.ggml import Q4_1, Floats, Ggml


def matrices(m: int, n: int, k: int) -> tuple[Floats, Floats]:
    """Weights whose rows have scales and offsets of their own, and columns."""
    draw = np.random.default_rng(m + n + k)
    weights = draw.normal(size=(m, k)) * draw.uniform(0.5, 2, size=(m, 1)) + draw.normal(size=(m, 1))
    return weights.astype(np.float32), draw.normal(size=(n, k)).astype(np.float32)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 64, 65, 150])
@pytest.mark.parametrize(("m", "k"), [(8, 32), (192, 576), (72, 1536), (16, 4096)])
def test_it_is_a_product(ggml: Ggml, m: int, n: int, k: int) -> None:
    weights, columns = matrices(m, n, k)
    expected = columns.astype(np.float64) @ ggml.rounded_to_q4_1(weights).astype(np.float64).T
    for n_threads in (1, 2, 3):
        out = ggml.multiply(weights, columns, kind=Q4_1, n_threads=n_threads)
        # Columns are bytes with a scale for each block, of which the largest number is 127 steps.
        np.testing.assert_allclose(out, expected, atol=0.02 * np.sqrt(k) * np.abs(weights).max())


@pytest.mark.parametrize("n", [2, 7, 65])
def test_a_column_is_the_same_to_the_bit_alone_and_beside_others(ggml: Ggml, n: int) -> None:
    """What an answer has decoded is reused where otherwise it would be read in chunks."""
    weights, columns = matrices(576, n, 1536 + 576)
    together = ggml.multiply(weights, columns, kind=Q4_1, n_threads=2)
    for column in (0, n // 2, n - 1):
        alone = ggml.multiply(weights, columns[column : column + 1], kind=Q4_1, n_threads=1)
        np.testing.assert_array_equal(alone[0], together[column])


def test_rows_that_make_no_panel_go_the_way_of_before(ggml: Ggml) -> None:
    weights, columns = matrices(13, 6, 64)
    out = ggml.multiply(weights, columns, kind=Q4_1, n_threads=2)
    np.testing.assert_allclose(out, columns @ ggml.rounded_to_q4_1(weights).T, atol=0.3)
