"""How much memory a graph of tensors takes: a model of ggml's graph allocator (ggml-alloc.c).

A tensor lives from the node that makes it to the last one that reads it. ggml gives it the best fitting free block,
the last block only when no other fits, and lets some operations write over a source that nothing else reads. The peak
depends on the order and on fragments, so it is played through instead of being guessed.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

ALIGNMENT = 32
"""Of ggml's CPU buffers; a device's 128 or 256 makes no visible difference in megabytes."""
_ENDLESS = 1 << 62


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
    n_readers: int = 0
    offset: int | None = None
    """Where it lies while it is alive."""


class Graph:
    """Inputs, then nodes in the order in which they run."""

    def __init__(self) -> None:
        self.inputs: list[Tensor] = []
        self.nodes: list[Tensor] = []

    def input(self, size: int) -> Tensor:
        """Something written from outside before the graph runs; unread inputs keep their place."""
        made = Tensor(size)
        self.inputs.append(made)
        return made

    def node(self, size: int, *sources: Tensor | None, can_reuse: bool = False, is_output: bool = False) -> Tensor:
        """An operation's result; sources outside the graph (weights, the cache) are None."""
        made = Tensor(size, tuple(s for s in sources if s is not None), can_reuse, is_output)
        self.nodes.append(made)
        return made

    def over(self, tensor: Tensor, *others: Tensor | None) -> Tensor:
        """An operation that may write over its first source."""
        return self.node(tensor.size, tensor, *others, can_reuse=True)

    def peak(self) -> int:
        """Bytes that ggml reserves for the graph."""
        for tensor in (*self.inputs, *self.nodes):
            tensor.n_readers, tensor.offset = 0, None
        for node in self.nodes:
            for source in node.sources:
                source.n_readers += 1
        arena = _Arena()
        for tensor in self.inputs:
            tensor.offset = arena.take(tensor.size)
        for node in self.nodes:
            self._place(node, arena)
            for source in node.sources:
                source.n_readers -= 1
                if source.n_readers == 0 and source.offset is not None and not source.is_output:
                    arena.give(source.offset, source.size)
                    source.offset = None
        return arena.peak

    @staticmethod
    def _place(node: Tensor, arena: _Arena) -> None:
        if node.size == 0:
            return
        if node.can_reuse:
            for source in node.sources:
                is_free = source.n_readers == 1 and source.offset is not None and not source.is_output
                if is_free and source.size == node.size:
                    node.offset, source.offset = source.offset, None
                    return
        node.offset = arena.take(node.size)


class _Arena:
    """Free blocks in address order, the last of them endless."""

    def __init__(self) -> None:
        self._free: list[tuple[int, int]] = [(0, _ENDLESS)]
        self.peak = 0

    def take(self, size: int) -> int:
        size = _aligned(size)
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
        size = _aligned(size)
        merged: list[tuple[int, int]] = []
        for block in _inserted(self._free, (offset, size)):
            if merged and merged[-1][0] + merged[-1][1] == block[0]:
                merged[-1] = (merged[-1][0], merged[-1][1] + block[1])
            else:
                merged.append(block)
        self._free = merged


def _inserted(blocks: Sequence[tuple[int, int]], new: tuple[int, int]) -> list[tuple[int, int]]:
    return sorted((*blocks, new))


def _aligned(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT
