"""A loaded model: its weights, vocabulary and metadata."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from pathlib import Path

from llama_cpp import llama_cpp as lib

from engine.errors import Code, ModelError
from engine.protocol.values import ModelSettings, SplitMode
from engine.translatable import listed
from engine.worker.llama import backend, readings

_SPLIT_MODES = {
    SplitMode.NONE: lib.LLAMA_SPLIT_MODE_NONE,
    SplitMode.LAYER: lib.LLAMA_SPLIT_MODE_LAYER,
    SplitMode.ROW: lib.LLAMA_SPLIT_MODE_ROW,
}
_LOAD_MODES = {
    (False, False): lib.LLAMA_LOAD_MODE_NONE,
    (True, False): lib.LLAMA_LOAD_MODE_MMAP,
    (False, True): lib.LLAMA_LOAD_MODE_MLOCK,
    (True, True): lib.LLAMA_LOAD_MODE_MMAP_MLOCK,
}

_ANCHOR = "\x01"
"""A byte that no vocabulary merges with its neighbours."""


class LoadCancelled(Exception):
    """The progress callback asked llama.cpp to stop loading."""


class Model:
    """llama_model and its vocabulary. Close it after every context that uses it."""

    def __init__(self, path: Path, settings: ModelSettings, progress: Callable[[float], bool]) -> None:
        """Load the weights; `progress` gets 0 to 1 and returns False to stop.

        Raises LoadCancelled, and ModelError when llama.cpp refuses the file.
        """
        backend.start()
        self._pointer = 0
        stopped = False

        def report(fraction: float, _data: object) -> bool:
            nonlocal stopped
            stopped = stopped or not progress(fraction)
            return not stopped

        params = lib.llama_model_default_params()
        params.progress_callback = lib.llama_progress_callback(report)
        params.load_mode = _LOAD_MODES[settings.use_mmap is not False, settings.use_mlock]
        params.n_gpu_layers = settings.n_gpu_layers
        params.split_mode = _SPLIT_MODES[settings.split_mode]
        params.main_gpu = _main_gpu(settings)
        # WORKAROUND: llama.cpp's AMX kernels crash in builds by GCC 12, and mix up the sequences of hybrid models.
        # Builds by packaging/bootstrap.py are corrected.
        params.use_extra_bufts = not backend.has_faulty_amx()
        if settings.tensor_split:
            split = (ctypes.c_float * lib.LLAMA_MAX_DEVICES)(*settings.tensor_split)
            params.tensor_split = ctypes.cast(split, ctypes.POINTER(ctypes.c_float))
        if settings.devices:
            chosen = _device_list(settings.devices)
            params.devices = ctypes.cast(chosen, ctypes.c_void_p)
        if settings.n_cpu_moe > 0:
            kept = experts_on_cpu(settings.n_cpu_moe)
            params.tensor_buft_overrides = ctypes.cast(kept, ctypes.c_void_p)
        pointer = lib.llama_model_load_from_file(str(path).encode(), params)
        if stopped:
            if pointer:
                lib.llama_model_free(pointer)
            raise LoadCancelled
        if not pointer:
            raise _refusal(path)
        self._pointer = pointer
        self.vocab = lib.llama_model_get_vocab(pointer)
        self.n_vocab: int = lib.llama_vocab_n_tokens(self.vocab)
        # A damaged file may claim what a signed number cannot hold.
        self.n_ctx_train: int = max(0, lib.llama_model_n_ctx_train(pointer))
        self.n_layers: int = lib.llama_model_n_layer(pointer)
        self.n_embd: int = lib.llama_model_n_embd_out(pointer)
        self.n_swa: int = lib.llama_model_n_swa(pointer)
        self.n_params: int = lib.llama_model_n_params(pointer)
        self.size_bytes: int = lib.llama_model_size(pointer)
        self.is_recurrent: bool = lib.llama_model_is_recurrent(pointer)
        self.is_hybrid: bool = lib.llama_model_is_hybrid(pointer)
        self.has_encoder: bool = lib.llama_model_has_encoder(pointer)
        self.has_decoder: bool = lib.llama_model_has_decoder(pointer)
        self.has_vocab: bool = lib.llama_vocab_type(self.vocab) != lib.LLAMA_VOCAB_TYPE_NONE
        self.adds_bos: bool = lib.llama_vocab_get_add_bos(self.vocab)
        self.adds_eos: bool = lib.llama_vocab_get_add_eos(self.vocab)
        self.bos: int = lib.llama_vocab_bos(self.vocab)
        self.eos: int = lib.llama_vocab_eos(self.vocab)
        is_spm = self.has_vocab and lib.llama_vocab_type(self.vocab) == lib.LLAMA_VOCAB_TYPE_SPM
        self._adds_space_prefix = is_spm and self.metadata("tokenizer.ggml.add_space_prefix") != "false"
        self._pieces: list[bytes | None] = [None] * self.n_vocab
        self._ends: dict[int, bool] = {}
        self._piece_buffer = ctypes.create_string_buffer(256)

    @property
    def pointer(self) -> int:
        """llama_model *, for the rest of this package."""
        return self._pointer

    @property
    def vocab_type(self) -> int:
        """llama_vocab_type: NONE, SPM, BPE, ..."""
        return int(lib.llama_vocab_type(self.vocab))

    def close(self) -> None:
        """Free the weights; further calls do nothing."""
        if self._pointer:
            lib.llama_model_free(self._pointer)
            self._pointer = 0

    def metadata(self, key: str) -> str:
        """A GGUF metadata value as text, or empty."""
        size = 1 << 16
        while True:
            buffer = ctypes.create_string_buffer(size)
            length = lib.llama_model_meta_val_str(self._pointer, key.encode(), buffer, size)
            if length < size:
                return buffer.value.decode("utf-8", "replace") if length >= 0 else ""
            size = length + 1

    @property
    def architecture(self) -> str:
        return self.metadata("general.architecture")

    @property
    def head_size(self) -> int:
        """Elements of one attention head's key."""
        given = self.metadata(f"{self.architecture}.attention.key_length")
        n_head = int(lib.llama_model_n_head(self._pointer))
        return int(given) if given.isdigit() else int(lib.llama_model_n_embd(self._pointer)) // max(1, n_head)

    @property
    def name(self) -> str:
        return self.metadata("general.name")

    @property
    def quantization(self) -> str:
        """The file's quantization, such as Q4_K_M, as llama.cpp names it."""
        name = lib.llama_ftype_name(lib.llama_model_ftype(self._pointer))
        text = name.decode() if name else ""
        return text.removeprefix("(guessed) ").removeprefix("all ").removeprefix("mostly ").split(" - ")[0].strip()

    def chat_template(self, name: str | None = None) -> str:
        """The file's Jinja template, or empty."""
        source = lib.llama_model_chat_template(self._pointer, name.encode() if name else None)
        return source.decode("utf-8", "replace") if source else ""

    def tokenize(self, text: str, *, add_special: bool = False, parse_special: bool = False) -> list[int]:
        """Token ids of a text. Safe from every thread."""
        data = text.encode("utf-8", "replace")
        capacity = len(data) + 8
        buffer = (ctypes.c_int32 * capacity)()
        count = lib.llama_tokenize(self.vocab, data, len(data), buffer, capacity, add_special, parse_special)
        if count < 0:
            capacity = -count
            buffer = (ctypes.c_int32 * capacity)()
            count = lib.llama_tokenize(self.vocab, data, len(data), buffer, capacity, add_special, parse_special)
        return buffer[:count]

    def tokenize_continuation(self, text: str, *, parse_special: bool = False) -> list[int]:
        """Token ids of a text that follows other text: without the space that SPM vocabularies put in front."""
        if not self._adds_space_prefix:
            return self.tokenize(text, parse_special=parse_special)
        anchor = self.tokenize(_ANCHOR)
        tokens = self.tokenize(_ANCHOR + text, parse_special=parse_special)
        if tokens[: len(anchor)] == anchor:
            return tokens[len(anchor) :]
        return self.tokenize(text, parse_special=parse_special)

    def piece(self, token: int) -> bytes:
        """The bytes of a token as shown to the user: control tokens are empty."""
        known = self._pieces[token]
        if known is None:
            known = self._pieces[token] = self._read_piece(token, special=False)
        return known

    def show(self, token: int) -> None:
        """Let `piece` give this control token's text."""
        self._pieces[token] = self.special_piece(token)

    def special_piece(self, token: int) -> bytes:
        """The bytes of a token, control tokens included, as a template writes them."""
        return self._read_piece(token, special=True)

    def _read_piece(self, token: int, *, special: bool) -> bytes:
        buffer = self._piece_buffer
        length = lib.llama_token_to_piece(self.vocab, token, buffer, len(buffer), 0, special)
        if length < 0:
            buffer = ctypes.create_string_buffer(-length)
            length = lib.llama_token_to_piece(self.vocab, token, buffer, -length, 0, special)
        return buffer.raw[: max(0, length)]

    def is_eog(self, token: int) -> bool:
        """Whether the token ends an answer: end of text, of turn, of message."""
        known = self._ends.get(token)
        if known is None:
            known = self._ends[token] = bool(lib.llama_vocab_is_eog(self.vocab, token))
        return known

    def is_control(self, token: int) -> bool:
        return bool(lib.llama_vocab_is_control(self.vocab, token))

    def control_token(self, text: str) -> int | None:
        """The control token that this text stands for; None where it is no single one."""
        tokens = self.tokenize(text, parse_special=True)
        return tokens[0] if len(tokens) == 1 and self.is_control(tokens[0]) else None

    def token_text(self, token: int) -> str:
        """The vocabulary's own entry, such as <|im_end|>."""
        if token < 0:
            return ""
        return str(lib.llama_vocab_get_text(self.vocab, token).decode("utf-8", "replace"))


class BufferOverride(ctypes.Structure):
    """llama_model_tensor_buft_override: the buffer type of tensors whose name a pattern matches."""

    _fields_ = [("pattern", ctypes.c_char_p), ("buffer_type", ctypes.c_void_p)]


def experts_on_cpu(n_layers: int) -> ctypes.Array[BufferOverride]:
    """Keeps the experts of the first layers on the CPU, as llama.cpp's --n-cpu-moe does.

    The list ends with an empty entry; llama.cpp borrows it.
    """
    find = backend.ggml_base().ggml_backend_cpu_buffer_type
    find.restype, find.argtypes = ctypes.c_void_p, []
    on_cpu = find()
    entries = [BufferOverride(rf"blk\.{index}{readings.EXPERTS}".encode(), on_cpu) for index in range(n_layers)]
    return (BufferOverride * (n_layers + 1))(*entries)


def _device_list(names: tuple[str, ...]) -> ctypes.Array[ctypes.c_void_p]:
    """A NULL-terminated ggml_backend_dev_t list; raises ModelError for a name that this machine does not have.

    The CPU takes part anyhow and is not in it: named alone it leaves the list empty, and no other device is used.
    """
    known = {backend.describe_device(pointer).name: pointer for pointer in backend.device_pointers()}
    missing = [name for name in names if name not in known]
    if missing:
        raise ModelError(
            Code.BAD_SETTINGS,
            "There is no device named {missing}; this computer has {known}.",
            "Choose another device in the model's settings.",
            missing=listed(missing),
            known=listed(list(known)),
        )
    pointers = [known[name] for name in names if name != "CPU"]
    return (ctypes.c_void_p * (len(pointers) + 1))(*pointers, None)


def _main_gpu(settings: ModelSettings) -> int:
    """Its place among the devices in use; raises ModelError where llama.cpp would only call the file damaged.

    It counts only where a single device is used: llama.cpp splits without it.
    """
    gpus = [name for name in settings.devices or [device.name for device in backend.devices()] if name != "CPU"]
    if settings.split_mode is SplitMode.NONE and gpus and settings.main_gpu >= len(gpus):
        raise ModelError(
            Code.BAD_SETTINGS,
            "The main GPU is number {number}, but only one is used, counted from 0."
            if len(gpus) == 1
            else "The main GPU is number {number}, but only {n} are used, counted from 0.",
            "Choose another main GPU in the model's settings.",
            number=settings.main_gpu,
            n=len(gpus),
        )
    return settings.main_gpu


def _refusal(path: Path) -> ModelError:
    """Why llama.cpp would not load the file, from its own words."""
    reason = backend.log.last_errors()
    lowered = reason.lower()
    if "unknown model architecture" in lowered or "unknown pre-tokenizer" in lowered:
        return ModelError(
            Code.MODEL_UNSUPPORTED,
            "{name} needs a newer llama.cpp: {reason}.",
            "Update Firstlight, or choose another model.",
            name=path.name,
            reason=reason,
        )
    if any(word in lowered for word in ("out of memory", "failed to allocate", "unable to allocate", "alloc_buffer")):
        return ModelError(
            Code.OUT_OF_MEMORY,
            "{name} does not fit into memory.",
            "Choose a smaller quantization, fewer GPU layers or a shorter context.",
            name=path.name,
        )
    return ModelError(
        Code.MODEL_DAMAGED,
        "{name} could not be loaded: {reason}.",
        "Download it again, or choose another file.",
        name=path.name,
        reason=reason or backend.NO_REASON,
    )
