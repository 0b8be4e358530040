"""llama.cpp's samplers: native chains, and the candidate tokens that they work on."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import numpy.typing as npt
from llama_cpp import llama_cpp as lib

from engine.worker.llama.context import Context

Logits = npt.NDArray[np.float32]
Ids = npt.NDArray[np.intp]

_logits_row = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int32)(
    ctypes.cast(lib.llama_get_logits_ith, ctypes.c_void_p).value or 0
)
"""llama_get_logits_ith with an address for an answer, which is cheaper than a pointer object."""
_TOKEN_DATA = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)])
_DRY_BREAKERS = (b"\n", b":", b'"', b"*")


class Chain:
    """llama_sampler_chain: samplers that run one after another. Owns them; close it once."""

    def __init__(self) -> None:
        params = lib.llama_sampler_chain_default_params()
        params.no_perf = True
        self.pointer: Any = lib.llama_sampler_chain_init(params)
        self._is_open = True

    def __len__(self) -> int:
        return int(lib.llama_sampler_chain_n(self.pointer))

    def apply(self, candidates: Candidates) -> None:
        lib.llama_sampler_apply(self.pointer, candidates.array)

    def accept(self, token: int) -> None:
        lib.llama_sampler_accept(self.pointer, token)

    def close(self) -> None:
        """Free the chain and its samplers; further calls do nothing."""
        if self._is_open:
            self._is_open = False
            lib.llama_sampler_free(self.pointer)

    def _add(self, sampler: Any) -> None:
        lib.llama_sampler_chain_add(self.pointer, sampler)

    def add_greedy(self) -> None:
        self._add(lib.llama_sampler_init_greedy())

    def add_distribution(self, seed: int) -> None:
        """Draw from what is left; the last sampler of a chain."""
        self._add(lib.llama_sampler_init_dist(seed))

    def add_top_k(self, k: int) -> None:
        self._add(lib.llama_sampler_init_top_k(k))

    def add_top_p(self, p: float) -> None:
        self._add(lib.llama_sampler_init_top_p(p, 1))

    def add_min_p(self, p: float) -> None:
        self._add(lib.llama_sampler_init_min_p(p, 1))

    def add_typical(self, p: float) -> None:
        self._add(lib.llama_sampler_init_typical(p, 1))

    def add_xtc(self, probability: float, threshold: float, seed: int) -> None:
        self._add(lib.llama_sampler_init_xtc(probability, threshold, 1, seed))

    def add_temperature(self, temperature: float) -> None:
        self._add(lib.llama_sampler_init_temp(temperature))

    def add_penalties(self, n_vocab: int, last_n: int, repeat: float, frequency: float, presence: float) -> None:
        self._add(lib.llama_sampler_init_penalties(n_vocab, last_n, repeat, frequency, presence))

    def add_dry(self, vocab: Any, multiplier: float, base: float, allowed_length: int, last_n: int) -> None:
        breakers = (ctypes.c_char_p * len(_DRY_BREAKERS))(*_DRY_BREAKERS)
        self._add(lib.llama_sampler_init_dry(vocab, multiplier, base, allowed_length, last_n, breakers, len(breakers)))

    def add_logit_bias(self, n_vocab: int, bias: dict[int, float]) -> None:
        entries = (lib.llama_logit_bias * len(bias))(
            *[lib.llama_logit_bias(token, value) for token, value in bias.items()]
        )
        self._add(lib.llama_sampler_init_logit_bias(n_vocab, len(bias), entries))

    def add_mirostat(self, version: int, n_vocab: int, seed: int, tau: float, eta: float) -> None:
        """llama.cpp's own, which sorts the whole vocabulary: what ours is compared with."""
        if version == 1:
            self._add(lib.llama_sampler_init_mirostat(n_vocab, seed, tau, eta, 100))
        else:
            self._add(lib.llama_sampler_init_mirostat_v2(seed, tau, eta))

    def add_grammar(self, vocab: Any, gbnf: str) -> bool:
        """False when llama.cpp does not take the grammar, whose start is the rule `root`."""
        sampler = lib.llama_sampler_init_grammar(vocab, gbnf.encode(), b"root")
        if not sampler:
            return False
        self._add(sampler)
        return True


class Candidates:
    """A llama_token_data_array over a reusable buffer."""

    def __init__(self, capacity: int) -> None:
        self._data = np.zeros(capacity, _TOKEN_DATA)
        self._pointer = ctypes.cast(self._data.ctypes.data, ctypes.POINTER(lib.llama_token_data))
        self.array: Any = lib.llama_token_data_array(data=self._pointer, size=0, selected=-1, sorted=False)

    def fill(self, logits: Logits, ids: Ids) -> None:
        """These tokens with their logits, of which the shape is (n_vocab,)."""
        view = self._data[: len(ids)]
        view["id"] = ids
        view["logit"] = logits[ids]
        # A sampler may have moved the pointer: XTC cuts off the front.
        self.array.data = self._pointer
        self.array.size = len(ids)
        self.array.selected = -1
        self.array.sorted = False

    @property
    def selected(self) -> int:
        """The token that a chain chose; -1 while none has."""
        return int(self.array.data[self.array.selected].id) if self.array.selected >= 0 else -1

    @property
    def ids(self) -> npt.NDArray[np.int32]:
        """Token ids, in the buffer's order; not after XTC."""
        return self._data["id"][: self.array.size]

    @property
    def logits(self) -> Logits:
        """Their logits as the chains left them; not after XTC."""
        return self._data["logit"][: self.array.size]


class LogitsReader:
    """Numpy views of a context's logits, without a copy."""

    def __init__(self, n_vocab: int) -> None:
        self._n_vocab = n_vocab
        self._views: dict[int, Logits] = {}

    def read(self, context: Context, index: int) -> Logits:
        """The logits of batch row `index` of the last decode, shape (n_vocab,); valid until the next decode."""
        address: int | None = _logits_row(context.pointer, index)
        if address is None:
            raise IndexError(f"batch row {index} has no logits")
        view = self._views.get(address)
        if view is None:
            memory = (ctypes.c_float * self._n_vocab).from_address(address)
            view = self._views[address] = np.frombuffer(memoryview(memory).cast("B"), dtype=np.float32)
        return view
