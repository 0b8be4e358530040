"""Makes GGUF files for tests: valid ones from metadata and shapes, and one for each known fault."""

from __future__ import annotations

import dataclasses
import math
import struct
from collections.abc import Callable
from pathlib import Path

from engine.gguf.types import SCALARS, TENSOR_TYPES, ValueType

Typed = tuple[ValueType, object]
TYPE_NUMBERS = {kind.name: number for number, kind in TENSOR_TYPES.items()}


@dataclasses.dataclass
class RawTensor:
    """One row of the tensor table, every field as it is written."""

    name: bytes
    shape: tuple[int, ...]
    type: int
    offset: int
    n_dimensions: int | None = None


@dataclasses.dataclass
class Draft:
    """A GGUF file before it is written; a fault changes one field."""

    magic: bytes = b"GGUF"
    version: int = 3
    metadata: list[tuple[bytes, Typed]] = dataclasses.field(default_factory=list)
    tensors: list[RawTensor] = dataclasses.field(default_factory=list)
    n_keys: int | None = None
    n_tensors: int | None = None
    key_length: int | None = None
    alignment: int = 32
    data: bytes = b""

    def header(self) -> bytes:
        out = bytearray(self.magic)
        out += struct.pack("<I", self.version)
        out += struct.pack("<q", len(self.tensors) if self.n_tensors is None else self.n_tensors)
        out += struct.pack("<q", len(self.metadata) if self.n_keys is None else self.n_keys)
        for key, (kind, value) in self.metadata:
            out += struct.pack("<Q", len(key) if self.key_length is None else self.key_length) + key
            out += struct.pack("<I", kind) + encode(kind, value)
        for tensor in self.tensors:
            out += struct.pack("<Q", len(tensor.name)) + tensor.name
            out += struct.pack("<I", len(tensor.shape) if tensor.n_dimensions is None else tensor.n_dimensions)
            out += struct.pack(f"<{len(tensor.shape)}q", *tensor.shape)
            out += struct.pack("<IQ", tensor.type & 0xFFFFFFFF, tensor.offset)
        return bytes(out) + bytes(-len(out) % self.alignment)

    def bytes(self) -> bytes:
        return self.header() + self.data


def encode(kind: ValueType, value: object) -> bytes:
    """A metadata value as bytes; an array is (element type, values)."""
    if kind is ValueType.STRING:
        text = value if isinstance(value, bytes) else str(value).encode()
        return struct.pack("<Q", len(text)) + text
    if kind is ValueType.ARRAY:
        element, values = value  # type: ignore[misc]
        return struct.pack("<IQ", element, len(values)) + b"".join(encode(element, v) for v in values)
    return SCALARS[kind].pack(value)


def typed(value: object) -> Typed:
    """The GGUF type that suits a Python value; a pair with a ValueType is taken as it is."""
    match value:
        case (ValueType(), _):
            return value  # type: ignore[return-value]
        case bool():
            return ValueType.BOOL, value
        case int():
            return (ValueType.UINT32 if 0 <= value < 1 << 32 else ValueType.INT64), value
        case float():
            return ValueType.FLOAT32, value
        case str():
            return ValueType.STRING, value
        case list() | tuple():
            element = typed(value[0])[0] if value else ValueType.UINT32
            return ValueType.ARRAY, (element, value)
    raise TypeError(value)


def draft(
    metadata: dict[str, object], tensors: list[tuple[str, tuple[int, ...], str]], *, alignment: int = 32
) -> Draft:
    """A valid file; tensors are (name, shape with the row first, type name)."""
    made = Draft(metadata=[(key.encode(), typed(value)) for key, value in metadata.items()], alignment=alignment)
    offset = 0
    for name, shape, type_name in tensors:
        kind = TENSOR_TYPES[TYPE_NUMBERS[type_name]]
        made.tensors.append(RawTensor(name.encode(), shape, TYPE_NUMBERS[type_name], offset))
        size = kind.size_bytes(math.prod(shape))
        offset += -(-size // alignment) * alignment
    made.data = bytes(0)
    return made


def gguf_bytes(metadata: dict[str, object], tensors: list[tuple[str, tuple[int, ...], str]] = []) -> bytes:  # noqa: B006
    """A whole valid file; the tensors' data is zeros."""
    made = draft(metadata, tensors)
    return made.header() + bytes(data_size(made))


def data_size(made: Draft) -> int:
    """Bytes of the data section with its padding."""
    if not made.tensors:
        return 0
    last = made.tensors[-1]
    size = TENSOR_TYPES[last.type].size_bytes(math.prod(last.shape))
    return last.offset + -(-size // made.alignment) * made.alignment


def write_sparse(path: Path, metadata: dict[str, object], tensors: list[tuple[str, tuple[int, ...], str]]) -> Path:
    """Write a file of any nominal size that takes only its header's space on the disk."""
    made = draft(metadata, tensors)
    header = made.header()
    with path.open("wb") as file:
        file.write(header)
        file.truncate(len(header) + data_size(made))
    return path


CHAT_METADATA: dict[str, object] = {
    "general.architecture": "llama",
    "general.name": "Tiny",
    "llama.block_count": 1,
    "llama.context_length": 128,
    "llama.embedding_length": 32,
    "llama.attention.head_count": 2,
    "llama.attention.head_count_kv": 1,
    "tokenizer.ggml.tokens": ["a", "b", "c"],
    "tokenizer.chat_template": "{{ messages }}",
}
CHAT_TENSORS = [("token_embd.weight", (32, 3), "F32"), ("blk.0.attn_q.weight", (32, 32), "Q8_0")]


def chat_bytes(**changes: object) -> bytes:
    """A small valid chat model; changes replace metadata (with `__` for a dot), None removes an entry."""
    metadata = dict(CHAT_METADATA)
    for key, value in changes.items():
        name = key.replace("__", ".")
        if value is None:
            metadata.pop(name, None)
        else:
            metadata[name] = value
    return gguf_bytes(metadata, CHAT_TENSORS)


def _valid() -> Draft:
    made = draft(CHAT_METADATA, CHAT_TENSORS)
    made.data = bytes(data_size(made))
    return made


def _fault(change: Callable[[Draft], None]) -> bytes:
    made = _valid()
    change(made)
    return made.bytes()


def _set(**fields: object) -> Callable[[Draft], None]:
    def change(made: Draft) -> None:
        for name, value in fields.items():
            setattr(made, name, value)

    return change


def _tensor(index: int = 0, **fields: object) -> Callable[[Draft], None]:
    def change(made: Draft) -> None:
        for name, value in fields.items():
            setattr(made.tensors[index], name, value)

    return change


def _key(key: bytes, value: Typed) -> Callable[[Draft], None]:
    return lambda made: made.metadata.append((key, value))


def _raw_key_type(number: int, is_array: bool) -> bytes:
    made = Draft(n_keys=1)
    kind = struct.pack("<IIQ", ValueType.ARRAY, number, 1) if is_array else struct.pack("<I", number)
    return made.header()[:24] + struct.pack("<Q", 1) + b"k" + kind + bytes(64)


def _tensors(*rows: RawTensor) -> bytes:
    made = Draft(tensors=list(rows), data=bytes(64))
    return made.bytes()


_I8, _F32, _I64 = TYPE_NUMBERS["I8"], TYPE_NUMBERS["F32"], TYPE_NUMBERS["I64"]
_HUGE = 0x7FFFFFFFFFFFFFC0

FAULTS: dict[str, tuple[bytes, str]] = {
    "bad magic": (_fault(_set(magic=b"FUGX")), "not as a GGUF file"),
    "version 0": (_fault(_set(version=0)), "version is 0"),
    "version 1": (_fault(_set(version=1)), "too old"),
    "future version": (_fault(_set(version=4)), "newer than this Firstlight"),
    "number of tensors": (_fault(_set(n_tensors=-1)), "-1 tensors"),
    "number of keys": (_fault(_set(n_keys=-1)), "-1 metadata entries"),
    "number of layers": (chat_bytes(llama__block_count=(ValueType.UINT32, (1 << 32) - 1)), "cannot be 4,294,967,295"),
    "negative layers": (chat_bytes(llama__block_count=(ValueType.INT32, -1)), "cannot be -1"),
    "key size": (_fault(_set(key_length=-1 & (1 << 64) - 1)), "bytes long, and at most 65,535 are possible"),
    "empty key": (_fault(_key(b"", (ValueType.UINT32, 1))), "has no name"),
    "key type": (_raw_key_type(13, is_array=False), "unknown type 13"),
    "array type": (_raw_key_type(13, is_array=True), "unknown type 13"),
    "array of arrays": (_raw_key_type(9, is_array=True), "array of arrays"),
    "duplicate key": (_fault(_key(b"general.name", (ValueType.UINT32, 1))), "there twice"),
    "alignment": (_fault(_key(b"general.alignment", (ValueType.UINT32, 13))), "no power of two"),
    "alignment type": (_fault(_key(b"general.alignment", (ValueType.INT32, 32))), "instead of uint32"),
    "tensor name size": (_fault(_tensor(name=b"n" * 64)), "64 bytes long"),
    "dimensions": (_fault(_tensor(n_dimensions=5)), "5 dimensions"),
    "negative shape": (_fault(_tensor(shape=(-1, 3))), "negative dimension"),
    "zero dimension": (_fault(_tensor(shape=(32, 0))), "dimension of 0"),
    "too many elements": (_tensors(RawTensor(b"t", (1 << 33, 1 << 33), _F32, 0)), "too many elements"),
    "too many bytes": (_tensors(RawTensor(b"t", (1 << 31, (1 << 30) + 1), _I64, 0)), "claims 18,"),
    "padding wraps": (_tensors(RawTensor(b"t", (4, (1 << 30) - 1, (1 << 30) + 1), _F32, 0)), "cannot be padded"),
    "tensor type": (_fault(_tensor(type=99)), "unknown type 99"),
    "removed tensor type": (_fault(_tensor(type=31)), "unknown type 31"),
    "row of part blocks": (_fault(_tensor(1, shape=(31, 32))), "no multiple of Q8_0's 32"),
    "offset": (_fault(_tensor(1, offset=1 << 40)), "instead of 384"),
    "offset alignment": (_fault(_tensor(1, offset=383)), "no multiple of 32"),
    "duplicate tensor": (_fault(_tensor(1, name=b"token_embd.weight")), "there twice"),
    "sum of sizes": (
        _tensors(
            *(RawTensor(b"t%d" % n, (_HUGE,), _I8, n * _HUGE) for n in range(3)),
        ),
        "add up to",
    ),
}
"""Name of the fault → the file's bytes and a part of the sentence that it must give."""


NOT_GGUF: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "is empty"),
    "web page": (b"<!DOCTYPE html><html><body>Rate limited</body></html>", "web page"),
    "zip": (b"PK\x03\x04" + bytes(60), "ZIP archive"),
    "pickle": (b"\x80\x02}q\x00" + bytes(60), "pickle"),
    "safetensors": (struct.pack("<Q", 64) + b'{"__metadata__":{}}' + bytes(60), "safetensors"),
    "old ggml": (b"tjgg" + bytes(60), "before GGUF"),
    "lfs pointer": (b"version https://git-lfs.github.com/spec/v1\noid sha256:ab\n", "Git LFS pointer"),
    "big endian": (b"GGUF" + struct.pack(">IQQ", 3, 0, 0), "big-endian"),
    "zeros": (bytes(4096), "begins with zeros"),
    "text": (b"hello, this is no model at all", "not as a GGUF file"),
    "one byte": (b"G", "ends at byte 1"),
    "magic only": (b"GGUF", "inside the version"),
}
"""Files that are no GGUF file of this machine, and a part of their sentence."""
