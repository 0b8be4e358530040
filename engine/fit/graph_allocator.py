"""How much memory a graph of tensors takes in each place: a model of ggml's scheduler and of its graph allocator.

The scheduler (ggml-backend.cpp) gives each operation a place, cuts the graph where the place changes, and copies what a
part reads from elsewhere. The allocator (ggml-alloc.c) keeps a tensor from the node that makes it to the last one that
reads it, in the best fitting free block, the last block only when no other fits; some operations write over a source
that nothing else reads. The peak depends on the order and on fragments, so it is played through instead of being
guessed.
"""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Iterator, Sequence

HOST = -1
"""Place of what is not on a device."""
ALIGNMENT = 32
"""Of ggml's CPU buffers; a device's 128 or 256 makes no visible difference in megabytes."""
OFFLOAD_MIN_ROWS = 32
"""From this many rows on, a device computes with host weights too and needs room for a copy of them."""
_ENDLESS = 1 << 62


class Held(enum.Enum):
    """What has memory of its own outside the graph."""

    WEIGHT = enum.auto()
    """Draws the operations that read it to its place."""
    CACHE = enum.auto()


@dataclasses.dataclass(eq=False, slots=True)
class Tensor:
    """One tensor of a graph; views are not tensors of their own here."""

    size: int
    """Bytes."""
    sources: tuple[Tensor, ...] = ()
    can_reuse: bool = False
    """The operation may write over a source of the same size."""
    is_output: bool = False
    """Never freed."""
    n_rows: int = 0
    held: Held | None = None
    place: int | None = None
    """A device's number or HOST: fixed for what is held or pinned, found out for the others."""
    n_readers: int = 0
    allocator: _Allocator | None = None
    """Where it lies while it is alive."""
    offset: int = 0


@dataclasses.dataclass(slots=True)
class _Split:
    """Nodes that run in one place after each other, and the copies that are made for them before."""

    place: int
    copies: list[tuple[Tensor, Tensor]] = dataclasses.field(default_factory=list)
    nodes: list[tuple[Tensor, list[Tensor]]] = dataclasses.field(default_factory=list)
    """With what each really reads."""


class Graph:
    """Inputs, then nodes in the order in which they run. With devices, the scheduler spreads them."""

    def __init__(self, n_devices: int = 0, *, largest_borrowed: int = _ENDLESS, n_copies: int = 1) -> None:
        self.inputs: list[Tensor] = []
        self.nodes: list[Tensor] = []
        self.n_rows = 0
        """Rows of the nodes that are added next."""
        self._n_devices = n_devices
        self._largest_borrowed = largest_borrowed
        """Bytes of the largest host weight that a device can work with."""
        self._n_copies = n_copies
        """Of whatever crosses a border, so that several devices work on several steps at once."""

    def input(self, size: int) -> Tensor:
        """Something written from outside before the graph runs; unread inputs keep their place."""
        made = Tensor(size, place=HOST, is_output=self._n_copies > 1)
        self.inputs.append(made)
        return made

    @staticmethod
    def weight(size: int, place: int) -> Tensor:
        return Tensor(size, held=Held.WEIGHT, place=place)

    @staticmethod
    def cache(size: int, place: int) -> Tensor:
        return Tensor(size, held=Held.CACHE, place=place)

    def node(
        self,
        size: int,
        *sources: Tensor | None,
        can_reuse: bool = False,
        is_output: bool = False,
        place: int | None = None,
    ) -> Tensor:
        """An operation's result, pinned to a place where that is given."""
        read = tuple(s for s in sources if s is not None)
        made = Tensor(size, read, can_reuse, is_output, self.n_rows, place=place)
        self.nodes.append(made)
        return made

    def over(self, tensor: Tensor, *others: Tensor | None) -> Tensor:
        """An operation that may write over its first source."""
        return self.node(tensor.size, tensor, *others, can_reuse=True)

    def peaks(self) -> dict[int, int]:
        """Bytes that ggml reserves for the graph in each place."""
        splits = self._splits(self._places())
        tensors = [*self.inputs, *self.nodes]
        for tensor in tensors:
            tensor.n_readers, tensor.allocator = 0, None
        for split in splits:
            for source, _ in split.copies:
                source.n_readers += 1
            for _, read in split.nodes:
                for source in read:
                    source.n_readers += 1
        allocators = {place: _Allocator() for place in (HOST, *range(self._n_devices))}
        for tensor in self.inputs:
            self._put_first(tensor, allocators[HOST])
        if self._n_copies > 1:
            for split in splits:
                for _, copy in split.copies:
                    self._put_first(copy, allocators[split.place])
        for split in splits:
            _play(split, allocators[split.place])
        return {place: allocator.peak for place, allocator in allocators.items()}

    def _put_first(self, tensor: Tensor, allocator: _Allocator) -> None:
        for _ in range(self._n_copies):
            allocator.put(tensor)

    def _places(self) -> list[int]:
        """The place of each node: that of its weights first, then that of its neighbours, devices before the host."""
        if not self._n_devices:
            return [HOST] * len(self.nodes)
        found = [self._own_place(node) for node in self.nodes]
        forward = range(len(found))
        for is_for_devices in (True, False):
            for order in (forward, reversed(forward)):
                current: int | None = None
                for index in order:
                    place = found[index]
                    if place is None:
                        found[index] = current
                    else:
                        current = None if is_for_devices and place == HOST else place
        return [HOST if place is None else place for place in found]

    def _own_place(self, node: Tensor) -> int | None:
        if node.place is not None:
            return node.place
        weight = next((s for s in node.sources if s.held is Held.WEIGHT), None)
        if weight is None:
            return None
        is_lent = weight.place == HOST and node.n_rows >= OFFLOAD_MIN_ROWS and weight.size <= self._largest_borrowed
        return 0 if is_lent else weight.place

    def _splits(self, places: Sequence[int]) -> list[_Split]:
        where = {id(node): place for node, place in zip(self.nodes, places, strict=True)}
        copies: dict[tuple[int, int], Tensor] = {}
        splits: list[_Split] = []
        for node, place in zip(self.nodes, places, strict=True):
            split = splits[-1] if splits else None
            # The memory of a weight that was copied before can be used again, once a new part begins.
            is_borrowing = any(s.held is Held.WEIGHT and s.place != place for s in node.sources)
            if split is None or split.place != place or (is_borrowing and split.copies):
                split = _Split(place)
                splits.append(split)
            read = []
            for source in node.sources:
                if where.get(id(source), source.place) != place:
                    key = (id(source), place)
                    if key not in copies:
                        copies[key] = Tensor(source.size, is_output=self._n_copies > 1)
                        split.copies.append((source, copies[key]))
                    read.append(copies[key])
                else:
                    read.append(source)
            split.nodes.append((node, read))
        return splits


def _play(split: _Split, allocator: _Allocator) -> None:
    for source, copy in split.copies:
        _release(source)
        if copy.allocator is None:
            allocator.put(copy)
    for node, read in split.nodes:
        if node.size and not _takes_over(node, read):
            allocator.put(node)
        for source in read:
            _release(source)


def _takes_over(node: Tensor, read: Sequence[Tensor]) -> bool:
    """Whether the node writes over one of its sources."""
    if node.can_reuse:
        for source in read:
            is_free = source.n_readers == 1 and source.allocator is not None and not source.is_output
            if is_free and source.size == node.size:
                node.allocator, node.offset, source.allocator = source.allocator, source.offset, None
                return True
    return False


def _release(source: Tensor) -> None:
    source.n_readers -= 1
    if source.n_readers == 0 and source.allocator is not None and not source.is_output:
        source.allocator.give(source.offset, source.size)
        source.allocator = None


class _Allocator:
    """Free blocks in address order, the last of them endless."""

    def __init__(self) -> None:
        self._free: list[tuple[int, int]] = [(0, _ENDLESS)]
        self.peak = 0

    def put(self, tensor: Tensor) -> None:
        tensor.allocator, tensor.offset = self, self._take(_aligned(tensor.size))

    def _take(self, size: int) -> int:
        fitting = [index for index, (_, free) in enumerate(self._free[:-1]) if free >= size]
        # Of equally good blocks ggml takes the last one.
        best = min(fitting, key=lambda index: (self._free[index][1], -index), default=len(self._free) - 1)
        offset, free = self._free[best]
        if free == size:
            del self._free[best]
        else:
            self._free[best] = (offset + size, free - size)
        self.peak = max(self.peak, offset + size)
        return offset

    def give(self, offset: int, size: int) -> None:
        self._free = list(_merged(sorted((*self._free, (offset, _aligned(size))))))


def _merged(blocks: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Neighbouring blocks as one."""
    start, length = blocks[0]
    for offset, size in blocks[1:]:
        if start + length == offset:
            length += size
        else:
            yield start, length
            start, length = offset, size
    yield start, length


def _aligned(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT
