"""A llama_context: decoding, its memory (the KV cache), sequence states, abort, and what was really set."""

from __future__ import annotations

import ctypes
import enum
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from llama_cpp import llama_cpp as lib

from engine.errors import Code, EngineError, ModelError
from engine.protocol.values import KvType, Switch
from engine.worker.llama import backend
from engine.worker.llama.batch import Batch
from engine.worker.llama.model import Model

_FLASH_ATTN = {
    Switch.AUTO: lib.LLAMA_FLASH_ATTN_TYPE_AUTO,
    Switch.ON: lib.LLAMA_FLASH_ATTN_TYPE_ENABLED,
    Switch.OFF: lib.LLAMA_FLASH_ATTN_TYPE_DISABLED,
}


_ALLOCATION_FAILED = -2
"""What llama_decode returns when ggml gets no memory for a step."""


class DecodeResult(enum.IntEnum):
    """What llama_decode returned."""

    OK = 0
    NO_SLOT = 1
    """No room in the KV cache; the memory is as before the call."""
    ABORTED = 2
    """The abort flag was raised; micro-batches that were already done stay in the memory."""


class StateKind(enum.IntEnum):
    """Which part of a sequence's state is read or written."""

    WHOLE = lib.LLAMA_STATE_SEQ_FLAGS_NONE
    PARTIAL = lib.LLAMA_STATE_SEQ_FLAGS_PARTIAL_ONLY
    """Only what cannot be cut: the sliding window, or the recurrent state."""


class AbortFlag:
    """A flag that ends a running llama_decode, raised from any thread.

    ggml asks the callback once per graph node, about a thousand times per token: a Python callback would cost a
    millisecond of each. libc's strlen has the same shape, bool(void *): over a two-byte buffer it answers 0 while
    the first byte is 0 and 1 when it is not.
    """

    def __init__(self) -> None:
        self._buffer = (ctypes.c_char * 2)()
        self.address = ctypes.addressof(self._buffer)
        libc = ctypes.CDLL("ucrtbase" if hasattr(ctypes, "windll") else None)
        self.callback = lib.ggml_abort_callback(ctypes.cast(libc.strlen, ctypes.c_void_p).value or 0)

    def set(self) -> None:
        self._buffer[0] = b"\x01"

    def clear(self) -> None:
        self._buffer[0] = b"\x00"

    def is_set(self) -> bool:
        return bool(self._buffer[0] != b"\x00")


@dataclass(frozen=True, kw_only=True)
class ContextOptions:
    """What a context is made with; sizes in tokens."""

    n_ctx: int
    n_batch: int
    n_ubatch: int
    n_sequences: int
    n_outputs_max: int = 0
    """Logit rows of one micro-batch at most: bounds the compute buffer, which else holds n_ubatch × n_vocab floats."""
    n_threads: int = 1
    n_threads_batch: int = 1
    type_k: KvType = KvType.F16
    type_v: KvType = KvType.F16
    flash_attn: Switch = Switch.AUTO
    offload_kqv: bool = True
    swa_full: bool = False
    embeddings: bool = False


class Context:
    """llama_context over one model. Not thread-safe, except `abort`."""

    def __init__(self, model: Model, options: ContextOptions) -> None:
        """Raises ModelError when llama.cpp cannot make it (memory, cache types)."""
        self.model = model
        self.options = options
        self.abort = AbortFlag()
        params = lib.llama_context_default_params()
        params.n_ctx = options.n_ctx
        params.n_batch = options.n_batch
        params.n_ubatch = options.n_ubatch
        params.n_seq_max = options.n_sequences
        params.n_outputs_max = options.n_outputs_max
        params.n_threads = options.n_threads
        params.n_threads_batch = options.n_threads_batch
        params.type_k = backend.GGML_TYPES[options.type_k]
        params.type_v = backend.GGML_TYPES[options.type_v]
        params.flash_attn_type = _FLASH_ATTN[options.flash_attn]
        params.offload_kqv = options.offload_kqv
        params.swa_full = options.swa_full
        params.kv_unified = True
        params.embeddings = options.embeddings
        params.no_perf = True
        params.abort_callback = self.abort.callback
        params.abort_callback_data = self.abort.address
        pointer = lib.llama_init_from_model(model.pointer, params)
        if not pointer:
            reason = backend.log.last_errors() or backend.NO_REASON
            raise ModelError(
                Code.OUT_OF_MEMORY,
                "A context of {n_ctx:,} tokens could not be made: {reason}.",
                "Choose a shorter context or a KV type that takes less memory.",
                n_ctx=options.n_ctx,
                reason=reason,
            )
        self._pointer = pointer
        backend.log.abort_flags.append(self.abort.is_set)
        self.memory = lib.llama_get_memory(pointer)
        self.n_ctx: int = lib.llama_n_ctx_seq(pointer)
        self.n_batch: int = lib.llama_n_batch(pointer)
        self.n_ubatch: int = lib.llama_n_ubatch(pointer)
        self.n_sequences: int = lib.llama_n_seq_max(pointer)
        self.n_threads: int = lib.llama_n_threads(pointer)
        self.n_threads_batch: int = lib.llama_n_threads_batch(pointer)
        self.pooling: int = lib.llama_pooling_type(pointer)

    @property
    def pointer(self) -> int:
        """llama_context *, for the rest of this package."""
        return int(self._pointer)

    def close(self) -> None:
        """Free the context; further calls do nothing."""
        if self._pointer:
            lib.llama_free(self._pointer)
            self._pointer = 0
            backend.log.abort_flags.remove(self.abort.is_set)

    def decode(self, batch: Batch) -> DecodeResult:
        """Run one batch. Raises EngineError when llama.cpp reports a fatal error."""
        struct = batch.struct
        struct.n_tokens = batch.n_tokens
        code = lib.llama_decode(self._pointer, struct)
        if code == 0:
            return DecodeResult.OK
        if code in (1, 2):
            return DecodeResult(code)
        if code == _ALLOCATION_FAILED:
            raise EngineError(
                Code.OUT_OF_MEMORY,
                "Memory ran out in the middle of the answer; what it says so far stays.",
                "Close another program that uses the GPU and go on, or load the model with a shorter context or fewer "
                "GPU layers.",
            )
        raise EngineError(
            Code.INTERNAL,
            "llama.cpp could not run a step (error {number}): {reason}.",
            "Try again; if it stays, load the model with a shorter context or fewer GPU layers.",
            number=code,
            reason=backend.log.last_errors() or backend.NO_REASON,
        )

    def encode(self, batch: Batch) -> DecodeResult:
        """Run one batch through a model without a cache, such as an embedding model."""
        struct = batch.struct
        struct.n_tokens = batch.n_tokens
        code = lib.llama_encode(self._pointer, struct)
        if code in (0, 2):
            return DecodeResult(code)
        raise EngineError(
            Code.INTERNAL,
            "llama.cpp could not embed the text (error {number}): {reason}.",
            "Shorten the text.",
            number=code,
            reason=backend.log.last_errors() or backend.NO_REASON,
        )

    def synchronize(self) -> None:
        """Wait until the device has finished."""
        lib.llama_synchronize(self._pointer)

    def set_warmup(self, is_on: bool) -> None:
        """While on, a decode touches all weights (also every expert)."""
        lib.llama_set_warmup(self._pointer, is_on)

    def logits(self, index: int) -> npt.NDArray[np.float32]:
        """A copy of the logits of batch row `index` of the last decode, shape (n_vocab,)."""
        pointer = lib.llama_get_logits_ith(self._pointer, index)
        return np.ctypeslib.as_array(pointer, shape=(self.model.n_vocab,)).copy()

    def embedding(self, sequence: int, last_index: int) -> npt.NDArray[np.float32]:
        """A copy of the pooled embedding of a sequence, or of a token where the model does not pool."""
        if self.pooling == lib.LLAMA_POOLING_TYPE_NONE:
            pointer = lib.llama_get_embeddings_ith(self._pointer, last_index)
        else:
            pointer = lib.llama_get_embeddings_seq(self._pointer, sequence)
        return np.ctypeslib.as_array(pointer, shape=(self.model.n_embd,)).copy()

    # Memory.

    def remove(self, sequence: int, start: int, end: int = -1) -> bool:
        """Forget positions [start, end) of a sequence; False when the memory cannot be cut there.

        A sliding window says True even when the positions before `start` are gone already: check position_min.
        """
        return bool(lib.llama_memory_seq_rm(self.memory, sequence, start, end))

    def share(self, source: int, target: int, end: int) -> None:
        """Let `target` share positions [0, end) of `source`; no data is copied in a unified cache."""
        lib.llama_memory_seq_cp(self.memory, source, target, 0, end)

    def clear_memory(self) -> None:
        """Forget all sequences."""
        lib.llama_memory_clear(self.memory, False)

    def position_min(self, sequence: int) -> int:
        """The first position still in memory, -1 for an empty sequence."""
        return int(lib.llama_memory_seq_pos_min(self.memory, sequence))

    def position_max(self, sequence: int) -> int:
        """The last position in memory, -1 for an empty sequence."""
        return int(lib.llama_memory_seq_pos_max(self.memory, sequence))

    # State of a sequence.

    def state_size(self, sequence: int, kind: StateKind = StateKind.WHOLE) -> int:
        return int(lib.llama_state_seq_get_size_ext(self._pointer, sequence, kind))

    def read_state(self, sequence: int, kind: StateKind = StateKind.WHOLE) -> bytearray:
        """The state of a sequence, to be written back later into a context of the same model and cache types."""
        size = self.state_size(sequence, kind)
        data = bytearray(size)
        target = (ctypes.c_uint8 * size).from_buffer(data)
        written = lib.llama_state_seq_get_data_ext(self._pointer, target, size, sequence, kind)
        del target
        if written != size:
            raise EngineError(
                Code.INTERNAL,
                "llama.cpp wrote {written:,} of {size:,} bytes of a sequence's state.",
                written=written,
                size=size,
            )
        return data

    def write_state(self, sequence: int, data: bytearray, kind: StateKind = StateKind.WHOLE) -> bool:
        """Put a state back; False when llama.cpp refuses it (no room, other model, damaged)."""
        source = (ctypes.c_uint8 * len(data)).from_buffer(data)
        return bool(lib.llama_state_seq_set_data_ext(self._pointer, source, len(data), sequence, kind) == len(data))
