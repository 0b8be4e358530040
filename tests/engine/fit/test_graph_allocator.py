"""The model of ggml's graph allocator: lifetimes, reuse, best fit, fragments."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.fit.graph_allocator import ALIGNMENT, HOST, Graph


def test_a_chain_needs_two_places() -> None:
    graph = Graph()
    x = graph.node(1024)
    for _ in range(10):
        x = graph.node(1024, x)
    assert graph.peaks()[HOST] == 2048


def test_an_operation_may_write_over_its_source() -> None:
    graph = Graph()
    x = graph.node(1024)
    for _ in range(10):
        x = graph.over(x)
    assert graph.peaks()[HOST] == 1024


def test_a_source_that_is_read_again_is_not_written_over() -> None:
    graph = Graph()
    x = graph.node(1024)
    y = graph.over(x)
    graph.node(1024, x, y)
    assert graph.peaks()[HOST] == 3072


def test_an_output_stays() -> None:
    graph = Graph()
    x = graph.node(1024, is_output=True)
    y = graph.over(x)
    graph.node(1024, y)
    assert graph.peaks()[HOST] == 3072


def test_inputs_come_first_and_leave_when_read() -> None:
    graph = Graph()
    mask, unread = graph.input(4096), graph.input(64)
    x = graph.node(1024, mask)
    graph.node(4096, x)
    assert unread.size == 64
    assert graph.peaks()[HOST] == 4096 + 64 + 1024


def test_the_best_fitting_hole_is_taken() -> None:
    graph = Graph()
    holes = [graph.node(size) for size in (512, 64, 256, 64, 1024)]
    keepers = [graph.node(64) for _ in range(2)]
    graph.node(0, holes[0])
    graph.node(0, holes[2])
    graph.node(256)
    graph.node(512)
    graph.node(64, holes[1], holes[3], holes[4], *keepers)
    assert graph.peaks()[HOST] == sum(h.size for h in holes) + 3 * 64


def test_fragments_cost_memory() -> None:
    graph = Graph()
    first, keeper, second = graph.node(1024), graph.node(64), graph.node(1024)
    graph.node(0, first)
    graph.node(0, second)
    big = graph.node(2048)
    graph.node(64, big, keeper)
    # The second kilobyte is part of the endless last block; the first cannot be joined to it past the keeper.
    assert graph.peaks()[HOST] == 1024 + 64 + 2048


def test_weights_draw_operations_to_their_device() -> None:
    graph = Graph(n_devices=1)
    graph.n_rows = 64
    tokens = graph.input(64)
    x = graph.node(1024, tokens, place=HOST)
    for _ in range(3):
        x = graph.node(1024, graph.weight(4096, 0), x)
    # On the host the embedded tokens, on the device their copy and two steps: the weights lie there anyhow.
    assert graph.peaks() == {HOST: 64 + 1024, 0: 2048}


def test_a_long_step_borrows_host_weights_one_after_the_other() -> None:
    graph = Graph(n_devices=1)
    graph.n_rows = 64
    x = graph.node(1024, graph.input(64), place=HOST)
    for _ in range(3):
        x = graph.node(1024, graph.weight(4096, HOST), x)
    assert graph.peaks()[0] == 1024 + 4096 + 1024


def test_a_short_step_and_a_weight_too_large_stay_on_the_host() -> None:
    short, large = Graph(n_devices=1), Graph(n_devices=1, largest_borrowed=4000)
    for graph, n_rows in ((short, 8), (large, 64)):
        graph.n_rows = n_rows
        graph.node(1024, graph.weight(4096, HOST), graph.input(64))
        assert graph.peaks() == {HOST: 64 + 1024, 0: 0}


def test_what_crosses_a_border_is_kept_for_each_step_on_its_way() -> None:
    graph = Graph(n_devices=2, n_copies=4)
    graph.n_rows = 64
    x = graph.node(1024, graph.input(64), place=HOST)
    first = graph.node(1024, graph.weight(4096, 0), x)
    graph.node(1024, graph.weight(4096, 1), first)
    assert graph.peaks() == {HOST: 4 * 64 + 1024, 0: 4 * 1024 + 1024, 1: 4 * 1024 + 1024}


@given(st.lists(st.tuples(st.integers(1, 5000), st.integers(0, 6), st.booleans()), min_size=1, max_size=40))
def test_the_peak_lies_between_the_largest_moment_and_the_sum(steps: list[tuple[int, int, bool]]) -> None:
    graph = Graph()
    for size, back, can_reuse in steps:
        source = graph.nodes[-1 - back] if back < len(graph.nodes) else None
        graph.node(size, source, can_reuse=can_reuse)
    sizes = [-(-node.size // ALIGNMENT) * ALIGNMENT for node in graph.nodes]
    assert max(sizes) <= graph.peaks()[HOST] <= sum(sizes)
    assert graph.peaks()[HOST] == graph.peaks()[HOST]
