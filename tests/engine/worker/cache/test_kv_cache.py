"""The KV cache never lies: whatever was done before, logits equal those of a fresh context."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from engine.metrics import CacheSource
from engine.protocol.values import KvType
from engine.worker.cache.kv_cache import KvCache
from engine.worker.cache.slots import Slot, common_prefix
from engine.worker.cache.snapshot_file import Identity
from engine.worker.cache.snapshots import SnapshotStore
from engine.worker.llama import Batch, Context, DecodeResult
from engine.worker.loading.loader import Loaded
from tests.engine.worker.conftest import LoadTiny
from tests.tiny_models import Kind

TOLERANCE = {KvType.F16: 0.05, KvType.Q8_0: 0.25, KvType.Q4_0: 1.5}
"""Largest difference of a logit that chunking may cause; logits here have a standard deviation of 4."""
IDENTITY = Identity(fingerprint="tiny", type_k="any", type_v="any", flash_attn=True)
SYSTEM = [20 + n % 7 for n in range(12)]


@dataclass(eq=False)
class Holder:
    """A request as the cache sees it."""

    can_be_parked: bool = False
    slot: Slot | None = None


@dataclass
class Bench:
    """A cache under test beside a context that is always fresh."""

    loaded: Loaded
    store: SnapshotStore
    cache: KvCache = field(init=False)
    expected: dict[tuple[int, ...], np.ndarray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.cache = KvCache(self.loaded.context, self.store)
        self.fresh = Context(self.loaded.model, self.loaded.context.options)
        self.batch = Batch(2048)

    def reference(self, tokens: list[int]) -> np.ndarray:
        """Logits after `tokens` in an empty context."""
        key = tuple(tokens)
        if key not in self.expected:
            self.fresh.clear_memory()
            batch = Batch(2048)
            last = batch.extend(tokens, 0, 0, output_last=True)
            assert self.fresh.decode(batch) is DecodeResult.OK
            self.expected[key] = self.fresh.logits(last)
        return self.expected[key]

    def take(self, tokens: list[int], chat_id: str = "", *, reuse: bool = True) -> tuple[Holder, int, CacheSource]:
        holder = Holder()
        placement = self.cache.take(tokens, holder, chat_id=chat_id, adapter="", reuse=reuse)
        assert placement is not None
        assert placement.slot.tokens == tokens[: placement.n_cached]
        assert placement.n_cached < len(tokens) or placement.slot.logits is not None
        return holder, placement.n_cached, placement.source

    def prefill(self, holder: Holder, tokens: list[int], chunk: int) -> np.ndarray:
        """Evaluate what is missing in chunks; the logits of the last token."""
        slot = holder.slot
        assert slot is not None
        if slot.tokens == tokens:
            assert slot.logits is not None
            return slot.logits
        while len(slot.tokens) < len(tokens):
            done = len(slot.tokens)
            part = tokens[done : done + chunk]
            if done + len(part) == len(tokens) and len(part) > 1:
                part = part[:-1]
            self.batch.clear()
            last = self.batch.extend(part, done, slot.index, output_last=True)
            self.decode(slot)
            self.cache.append(slot, part)
            if len(slot.tokens) == len(tokens) - 1:
                self.cache.checkpoint(slot)
        return self.loaded.context.logits(last)

    def decode(self, slot: Slot) -> DecodeResult:
        """Run the batch, making room as the scheduler does."""
        while (result := self.loaded.context.decode(self.batch)) is DecodeResult.NO_SLOT:
            assert self.cache.evict_one(keep=slot)
        return result

    def abort(self, holder: Holder, tokens: list[int], n_whole: int) -> None:
        """Evaluate `n_whole` more tokens, then a batch that is aborted."""
        slot = holder.slot
        assert slot is not None
        for is_aborted, count in ((False, n_whole), (True, len(tokens))):
            part = tokens[len(slot.tokens) : len(tokens) - 1][:count]
            if not part:
                return
            self.batch.clear()
            self.batch.extend(part, len(slot.tokens), slot.index, output_last=False)
            if is_aborted:
                self.loaded.context.abort.set()
            result = self.decode(slot)
            self.loaded.context.abort.clear()
            if is_aborted:
                assert result is DecodeResult.ABORTED
                self.cache.resync(slot, part)
            else:
                self.cache.append(slot, part)

    def check_mirrors(self) -> None:
        for slot in self.cache.slots:
            assert self.loaded.context.position_max(slot.index) == len(slot.tokens) - 1

    def close(self) -> None:
        self.store.close()
        self.fresh.close()


def prompts() -> st.SearchStrategy[list[int]]:
    """Prompts that share beginnings, as turns, edits and branches of a few chats do."""
    turn = st.integers(0, 2).map(lambda n: [30 + n, 31 + 2 * n, 40, 41 + n, 50, 60 + n, 61, 62])
    return st.lists(turn, min_size=1, max_size=12).map(lambda turns: SYSTEM + [t for turn in turns for t in turn])


SETTINGS = settings(
    max_examples=8,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
OPERATIONS = st.lists(
    st.tuples(
        st.sampled_from(
            ["answer"] * 3 + ["prewarm"] * 2 + ["abort", "hold", "release", "evict", "save", "drop", "fresh"]
        ),
        prompts(),
        st.integers(1, 64),
        st.sampled_from(["", "a", "b"]),
    ),
    min_size=1,
    max_size=12,
)


@pytest.mark.parametrize("kind", [Kind.GQA, Kind.SWA, Kind.RECURRENT, Kind.HYBRID, Kind.MOE])
@SETTINGS
@given(operations=OPERATIONS)
def test_logits_are_those_of_a_fresh_context(
    kind: Kind, operations: list[tuple[str, list[int], int, str]], load_tiny: LoadTiny
) -> None:
    if kind is Kind.SWA:
        # Long enough for the window to lose its beginning.
        operations = [(name, [t for t in tokens for _ in range(5)], n, chat) for name, tokens, n, chat in operations]
    run(operations, load_tiny(kind, n_parallel=1, n_ctx=2048), TOLERANCE[KvType.F16])


@pytest.mark.parametrize("kv_type", [KvType.Q8_0, KvType.Q4_0])
@SETTINGS
@given(operations=OPERATIONS)
def test_so_are_those_of_a_quantized_cache(
    kv_type: KvType, operations: list[tuple[str, list[int], int, str]], load_tiny: LoadTiny
) -> None:
    run(operations, load_tiny(Kind.GQA, n_parallel=2, type_k=kv_type, type_v=kv_type), TOLERANCE[kv_type])


def run(operations: list[tuple[str, list[int], int, str]], loaded: Loaded, tolerance: float) -> None:
    bench = Bench(loaded, SnapshotStore(IDENTITY, None, 1 << 24, 0))
    try:
        held: list[Holder] = []
        for operation in operations:
            carry_out(bench, held, operation, tolerance)
            bench.check_mirrors()
    finally:
        bench.close()
        loaded.close()


def carry_out(bench: Bench, held: list[Holder], operation: tuple[str, list[int], int, str], tolerance: float) -> None:
    name, tokens, number, chat_id = operation
    if name == "release":
        if held:
            bench.cache.release(held.pop().slot)
    elif name == "evict":
        bench.cache.evict_one()
    elif name == "save":
        bench.cache.save_idle()
    elif name == "drop":
        bench.cache.drop(chat_id)
    else:
        holder, _, _ = bench.take(tokens, chat_id, reuse=name != "fresh")
        if name == "abort":
            bench.abort(holder, tokens, number)
            bench.check_mirrors()
        logits = bench.prefill(holder, tokens, number)
        np.testing.assert_allclose(logits, bench.reference(tokens), atol=tolerance)
        if name == "prewarm":
            holder.slot.n_prepared, holder.slot.logits = len(tokens), logits
        if name == "hold" and not held:
            held.append(holder)
        else:
            bench.cache.release(holder.slot)


def test_a_regenerated_answer_needs_one_token(load_tiny: LoadTiny) -> None:
    bench = Bench(load_tiny(), SnapshotStore(IDENTITY, None, 1 << 24, 0))
    tokens = [*SYSTEM, 70, 71, 72]
    holder, _, _ = bench.take(tokens, "a")
    bench.prefill(holder, tokens, 64)
    bench.cache.release(holder.slot)
    _, n_cached, source = bench.take(tokens, "a")
    assert (n_cached, source) == (len(tokens) - 1, CacheSource.SLOT)
    bench.close()


def test_kept_logits_are_lost_with_the_last_token(load_tiny: LoadTiny) -> None:
    bench = Bench(load_tiny(), SnapshotStore(IDENTITY, None, 1 << 24, 0))
    tokens = [*SYSTEM, 70, 71, 72]

    def kept() -> Slot:
        holder, _, _ = bench.take(tokens, "a")
        logits = bench.prefill(holder, tokens, 64)
        slot = holder.slot
        bench.cache.release(slot)
        slot.logits = logits
        return slot

    kept()
    _, n_cached, source = bench.take(tokens, "a")
    assert (n_cached, source) == (len(tokens), CacheSource.SLOT)
    for change in (
        lambda slot: bench.cache.cut(slot, len(tokens) - 1),
        lambda slot: bench.cache.append(slot, [73]),
        lambda slot: bench.cache.resync(slot, [73]),
        bench.cache.clear,
    ):
        slot = kept()
        change(slot)
        assert slot.logits is None
        bench.cache.clear(slot)
    holder, n_cached, _ = bench.take([*tokens, 73], "a")
    bench.cache.release(holder.slot)
    kept()
    _, n_cached, _ = bench.take(tokens[:-1], "a")
    assert n_cached == len(tokens) - 2
    bench.close()


@pytest.mark.parametrize("kind", [Kind.SWA, Kind.RECURRENT, Kind.HYBRID])
def test_a_cache_that_cannot_be_cut_goes_back_to_a_checkpoint(kind: Kind, load_tiny: LoadTiny) -> None:
    bench = Bench(load_tiny(kind), SnapshotStore(IDENTITY, None, 1 << 24, 0))
    tokens = [20 + n % 50 for n in range(200)]
    answer = [100 + n % 9 for n in range(120)]
    holder, _, _ = bench.take(tokens, "a")
    bench.prefill(holder, tokens, 50)
    bench.prefill(holder, tokens + answer, 1)
    bench.cache.release(holder.slot)
    holder, n_cached, _ = bench.take(tokens, "a")
    assert n_cached == len(tokens) - 1
    np.testing.assert_allclose(bench.prefill(holder, tokens, 50), bench.reference(tokens), atol=0.05)
    bench.close()


@pytest.mark.parametrize("kind", [Kind.SWA, Kind.RECURRENT])
def test_without_a_checkpoint_the_reason_is_given(kind: Kind, load_tiny: LoadTiny) -> None:
    bench = Bench(load_tiny(kind, n_ctx=1024), SnapshotStore(IDENTITY, None, 1 << 24, 0))
    tokens = [20 + n % 50 for n in range(900)]
    holder, _, _ = bench.take(tokens, "a")
    bench.prefill(holder, tokens, 64)
    bench.cache.release(holder.slot)
    holder = Holder()
    placement = bench.cache.take([*tokens[:100], 7, 8, 9], holder, chat_id="a", adapter="", reuse=True)
    assert placement is not None
    assert placement.n_cached == 0
    assert "100 tokens were the same" in str(placement.miss_reason)
    bench.close()


def test_another_chat_shares_the_beginning_and_takes_nothing_away(load_tiny: LoadTiny) -> None:
    bench = Bench(load_tiny(), SnapshotStore(IDENTITY, None, 1 << 24, 0))
    first, second = SYSTEM + [70] * 30, SYSTEM + [71] * 30
    for tokens, chat_id, expected in ((first, "a", 0), (second, "b", len(SYSTEM)), (first, "a", len(first) - 1)):
        holder, n_cached, _ = bench.take(tokens, chat_id)
        assert n_cached == expected
        np.testing.assert_allclose(bench.prefill(holder, tokens, 64), bench.reference(tokens), atol=0.05)
        bench.cache.release(holder.slot)
    bench.close()


def test_a_full_house_refuses_and_a_parked_request_makes_room(load_tiny: LoadTiny) -> None:
    loaded = load_tiny(n_parallel=1)
    bench = Bench(loaded, SnapshotStore(IDENTITY, None, 1 << 24, 0))
    holders = []
    for n in range(len(bench.cache.slots)):
        tokens = [100 + n] * 80
        holder, _, _ = bench.take(tokens)
        bench.prefill(holder, tokens, 64)
        holders.append(holder)
    newcomer = Holder()
    assert bench.cache.take([5, 6, 7], newcomer, chat_id="", adapter="", reuse=True) is None
    holders[0].can_be_parked = True
    assert bench.cache.take([5, 6, 7], newcomer, chat_id="", adapter="", reuse=True) is not None
    assert holders[0].slot is None
    bench.cache.release(newcomer.slot)
    placement = bench.cache.take([100] * 80 + [9], holders[0], chat_id="", adapter="", reuse=True)
    assert placement is not None
    assert (placement.n_cached, placement.source) == (80, CacheSource.MEMORY)
    bench.close()


def test_an_edited_history_says_where_it_changed(load_tiny: LoadTiny) -> None:
    bench = Bench(load_tiny(), SnapshotStore(IDENTITY, None, 1 << 24, 0))
    holder, _, _ = bench.take([20] * 100, "a")
    bench.prefill(holder, [20] * 100, 64)
    bench.cache.release(holder.slot)
    placement = bench.cache.take([20] * 50 + [30] * 50, Holder(), chat_id="a", adapter="", reuse=True)
    assert placement is not None
    assert placement.n_cached == 50
    assert str(placement.miss_reason) == "The history was changed after 50 of 100 cached tokens."
    bench.close()


def test_common_prefix_across_blocks() -> None:
    tokens = list(range(1000))
    assert common_prefix(tokens, tokens) == 1000
    assert common_prefix(tokens, tokens[:300]) == 300
    assert common_prefix(tokens, [*tokens[:700], -1, *tokens[701:]]) == 700
    assert common_prefix([], tokens) == 0


def test_a_chat_comes_back_from_disk(load_tiny: LoadTiny, tmp_path: Path) -> None:
    loaded = load_tiny()
    tokens = [20 + n % 50 for n in range(200)]
    bench = Bench(loaded, SnapshotStore(IDENTITY, tmp_path, 1 << 24, 1 << 24))
    holder, _, _ = bench.take(tokens, "a")
    bench.prefill(holder, tokens, 64)
    bench.cache.release(holder.slot)
    assert bench.cache.has_unsaved
    assert bench.cache.save_idle()
    assert not bench.cache.has_unsaved
    bench.close()
    loaded.context.clear_memory()
    again = Bench(loaded, SnapshotStore(IDENTITY, tmp_path, 1 << 24, 1 << 24))
    longer = [*tokens, 99]
    holder, n_cached, source = again.take(longer, "a")
    assert (n_cached, source) == (200, CacheSource.DISK)
    np.testing.assert_allclose(again.prefill(holder, longer, 64), again.reference(longer), atol=0.05)
    again.close()


@pytest.mark.parametrize("kind", [Kind.SWA, Kind.RECURRENT, Kind.HYBRID])
def test_a_cache_that_cannot_be_cut_comes_back_from_disk_with_its_checkpoints(
    kind: Kind, load_tiny: LoadTiny, tmp_path: Path
) -> None:
    loaded = load_tiny(kind)
    tokens = [20 + n % 50 for n in range(200)]
    answer = [100 + n % 9 for n in range(120)]
    bench = Bench(loaded, SnapshotStore(IDENTITY, tmp_path, 1 << 24, 1 << 24))
    holder, _, _ = bench.take(tokens, "a")
    bench.prefill(holder, tokens, 50)
    bench.prefill(holder, tokens + answer, 1)
    bench.cache.release(holder.slot)
    assert bench.cache.save_idle()
    bench.close()
    for turn, expected in ((tokens, len(tokens) - 1), ([*tokens, *answer, 7], len(tokens + answer))):
        loaded.context.clear_memory()
        again = Bench(loaded, SnapshotStore(IDENTITY, tmp_path, 1 << 24, 1 << 24))
        holder, n_cached, source = again.take(turn, "a")
        assert (n_cached, source) == (expected, CacheSource.DISK)
        np.testing.assert_allclose(again.prefill(holder, turn, 50), again.reference(turn), atol=0.05)
        again.close()
