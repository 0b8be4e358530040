"""A llama_batch with its arrays allocated once, filled by slices: no allocation per step."""

from __future__ import annotations

import ctypes
from typing import Any

from llama_cpp import llama_cpp as lib


class Batch:
    """Up to `capacity` tokens of any sequences. `n_outputs` counts those whose logits are asked for."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.n_tokens = 0
        self.n_outputs = 0
        self._token: Any = (ctypes.c_int32 * capacity)()
        self._pos: Any = (ctypes.c_int32 * capacity)()
        self._n_seq_id = (ctypes.c_int32 * capacity)(*[1] * capacity)
        self._seq: Any = (ctypes.c_int32 * capacity)()
        self._logits: Any = (ctypes.c_int8 * capacity)()
        pointer = ctypes.POINTER(ctypes.c_int32)
        start = ctypes.addressof(self._seq)
        self._seq_id = (pointer * capacity)(
            *[ctypes.cast(ctypes.c_void_p(start + 4 * index), pointer) for index in range(capacity)]
        )
        self.struct = lib.llama_batch(
            n_tokens=0,
            token=self._token,
            embd=None,
            pos=self._pos,
            n_seq_id=self._n_seq_id,
            seq_id=self._seq_id,
            logits=self._logits,
        )

    def clear(self) -> None:
        self.n_tokens = 0
        self.n_outputs = 0

    @property
    def room(self) -> int:
        return self.capacity - self.n_tokens

    def add(self, token: int, position: int, sequence: int, *, output: bool) -> int:
        """Add one token; returns its index in the batch, by which its logits are found after decode."""
        index = self.n_tokens
        self._token[index] = token
        self._pos[index] = position
        self._seq[index] = sequence
        self._logits[index] = output
        self.n_tokens = index + 1
        self.n_outputs += output
        return index

    def extend(self, tokens: list[int], position: int, sequence: int, *, output_last: bool) -> int:
        """Add a run of tokens of one sequence; returns the index of the last one."""
        count = len(tokens)
        first, end = self.n_tokens, self.n_tokens + count
        self._token[first:end] = tokens
        self._pos[first:end] = list(range(position, position + count))
        self._seq[first:end] = [sequence] * count
        self._logits[first:end] = [0] * count
        if output_last:
            self._logits[end - 1] = 1
            self.n_outputs += 1
        self.n_tokens = end
        return end - 1

    def output_all(self) -> None:
        """Ask for the output of every token, as pooled embeddings need it."""
        self._logits[: self.n_tokens] = [1] * self.n_tokens
        self.n_outputs = self.n_tokens
