"""Reads a GGUF header from a file, from memory or over byte ranges: bounded in memory and time, safe on any bytes."""

from __future__ import annotations

import struct
from pathlib import Path

from engine.errors import Code, ModelError
from engine.gguf.byte_source import BytesReader, Cursor, Fault, FileReader, RangeReader
from engine.gguf.header import Header, LongArray, MetadataValue, Scalar, TensorInfo
from engine.gguf.types import SCALARS, TENSOR_TYPES, ValueType
from engine.translatable import joined, phrase, reason_of, sentence

MAGIC = b"GGUF"
VERSIONS = (2, 3)
DEFAULT_ALIGNMENT = 32
MAX_NAME_BYTES = 63
MAX_KEY_BYTES = 65_535
MAX_DIMENSIONS = 4
MAX_ELEMENTS = (1 << 63) - 1
MAX_TENSOR_BYTES = (1 << 64) - 1

MAX_KEYS = 1 << 16
MAX_TENSORS = 1 << 18
MAX_LAYERS = 512
"""llama.cpp's own bound; what is kept of a model here is kept for each of them."""
MAX_STRINGS = 1 << 23
"""Texts in one array; the largest vocabularies in use have a quarter of a million."""
KEPT_NUMBERS = 4096
"""Arrays of numbers up to this length are kept: one value a layer, class labels, dimensions."""
KEPT_STRINGS = 256

DOWNLOAD_AGAIN = phrase("Delete the file and download it again.")

_U32 = struct.Struct("<I")
_U64 = struct.Struct("<Q")
_I64 = struct.Struct("<q")

_LOOK_FOR_GGUF = phrase("Look for a GGUF file of this model.")
_OLD_GGML = phrase("a model in the GGML format of 2023, before GGUF")
_UNPACK = phrase("Unpack it first.")
_FOREIGN = (
    (b"PK\x03\x04", phrase("a ZIP archive (perhaps PyTorch weights)"), _LOOK_FOR_GGUF),
    (b"\x80\x02", phrase("a Python pickle (PyTorch weights)"), _LOOK_FOR_GGUF),
    (b"ggml", _OLD_GGML, _LOOK_FOR_GGUF),
    (b"lmgg", _OLD_GGML, _LOOK_FOR_GGUF),
    (b"ggjt", _OLD_GGML, _LOOK_FOR_GGUF),
    (b"tjgg", _OLD_GGML, _LOOK_FOR_GGUF),
    (
        b"version https://git-lfs",
        phrase("a Git LFS pointer, not the model itself"),
        phrase("Fetch it with: git lfs pull."),
    ),
    (b"\x1f\x8b", phrase("a gzip archive"), _UNPACK),
    (b"7z\xbc\xaf", phrase("a 7-Zip archive"), _UNPACK),
    (b"FUGG", phrase("a GGUF file for a big-endian machine"), phrase("Look for the little-endian file of this model.")),
)


def read_header(source: Path | bytes | RangeReader, name: str = "") -> Header:
    """The header of a GGUF file; `name` is what the file is called in sentences.

    Whether the tensors' data is all there is not checked: see check_file.
    Raises ModelError: MODEL_NOT_FOUND, MODEL_DAMAGED, or MODEL_UNSUPPORTED for another format or version.
    """
    if isinstance(source, Path):
        name = name or source.name
        try:
            with FileReader(source) as file:
                return _read(file, name)
        except FileNotFoundError as error:
            raise ModelError(
                Code.MODEL_NOT_FOUND, "{name} is not there.", "Choose another file, or reconnect its drive.", name=name
            ) from error
        except OSError as error:
            raise ModelError(
                Code.MODEL_NOT_FOUND,
                "{name} could not be read ({reason}).",
                "Check its permissions and its drive.",
                name=name,
                reason=reason_of(error),
            ) from error
    return _read(BytesReader(source) if isinstance(source, bytes) else source, name or phrase("The file"))


def _read(source: RangeReader, name: str) -> Header:
    cursor = Cursor(source)
    try:
        _check_beginning(cursor, name)
        return _read_rest(cursor, name)
    except Fault as fault:
        raise ModelError(
            Code.MODEL_DAMAGED, "{name} is damaged: {fault}.", DOWNLOAD_AGAIN, name=name, fault=reason_of(fault)
        ) from fault


def _check_beginning(cursor: Cursor, name: str) -> None:
    """Magic and format: what is no GGUF is called by its name."""
    if cursor.size == 0:
        raise ModelError(Code.MODEL_DAMAGED, "{name} is empty.", DOWNLOAD_AGAIN, name=name)
    magic = cursor.take(4, phrase("the magic number"))
    if magic == MAGIC:
        return
    beginning = magic + cursor.take(min(508, max(0, (cursor.size or 4) - 4)), phrase("the beginning"))
    for mark, what, advice in _FOREIGN:
        if beginning.startswith(mark):
            raise ModelError(Code.MODEL_UNSUPPORTED, "{name} is {what}.", advice, name=name, what=what)
    text = beginning.lstrip().lower()
    if text.startswith((b"<!doctype html", b"<html", b"<?xml")):
        raise ModelError(
            Code.MODEL_DAMAGED,
            "{name} is a web page, not a model.",
            joined(phrase("The download went wrong."), DOWNLOAD_AGAIN),
            name=name,
        )
    if beginning[8:9] == b"{" and int.from_bytes(beginning[:8], "little") < 1 << 27:
        raise ModelError(
            Code.MODEL_UNSUPPORTED,
            "{name} is in the safetensors format.",
            "Look for a GGUF file of this model.",
            name=name,
        )
    if not any(beginning):
        raise Fault(phrase("it begins with zeros, as a download does that was cut off"))
    raise Fault(sentence("it begins with {magic}, and not as a GGUF file does", magic=magic))


def _read_rest(cursor: Cursor, name: str) -> Header:
    version = int(cursor.scalar(_U32, phrase("the version")))
    if version == 0:
        raise Fault(phrase("its format version is 0"))
    if version & 0xFFFF == 0:
        raise ModelError(
            Code.MODEL_UNSUPPORTED,
            "{name} was made for a big-endian machine.",
            "Look for the little-endian file of this model.",
            name=name,
        )
    if version not in VERSIONS:
        age = phrase("too old") if version < VERSIONS[0] else phrase("newer than this Firstlight knows")
        raise ModelError(
            Code.MODEL_UNSUPPORTED,
            "{name} is in GGUF version {version}, which is {age}.",
            "Look for a newer file of this model." if version < VERSIONS[0] else "Update Firstlight.",
            name=name,
            version=version,
            age=age,
        )
    n_tensors = int(cursor.scalar(_I64, phrase("the number of tensors")))
    n_keys = int(cursor.scalar(_I64, phrase("the number of metadata entries")))
    if not 0 <= n_tensors <= MAX_TENSORS:
        raise Fault(sentence("it claims to hold {claimed:,} tensors", claimed=n_tensors))
    if not 0 <= n_keys <= MAX_KEYS:
        raise Fault(sentence("it claims to hold {claimed:,} metadata entries", claimed=n_keys))
    metadata = _read_metadata(cursor, n_keys)
    alignment = _alignment(metadata)
    tensors = _read_tensors(cursor, n_tensors, alignment)
    header = Header(
        version=version,
        metadata=metadata,
        tensors=tensors,
        alignment=alignment,
        data_offset=_padded(cursor.position, alignment),
        file_size=cursor.size,
        n_requests=cursor.n_requests,
        n_fetched_bytes=cursor.n_fetched_bytes,
    )
    if not 0 <= header.n_layers <= MAX_LAYERS:
        raise Fault(sentence("its number of layers cannot be {n:,}", n=header.n_layers))
    return header


def _read_metadata(cursor: Cursor, n_keys: int) -> dict[str, MetadataValue]:
    metadata: dict[str, MetadataValue] = {}
    for number in range(n_keys):
        key = cursor.string(phrase("the name of metadata entry {of}"), number, MAX_KEY_BYTES)
        if not key:
            raise Fault(sentence("metadata entry {number} has no name", number=number))
        if key in metadata:
            raise Fault(sentence("metadata entry {key!r} is there twice", key=key))
        kind = _value_type(int(cursor.scalar(_U32, phrase("the type of {of!r}"), key)), key)
        if kind is ValueType.ARRAY:
            element = _value_type(int(cursor.scalar(_U32, phrase("the element type of {of!r}"), key)), key)
            count = int(cursor.scalar(_U64, phrase("the length of {of!r}"), key))
            metadata[key] = _read_array(cursor, key, element, count)
        else:
            metadata[key] = _read_value(cursor, key, kind)
        if key == "general.alignment" and kind is not ValueType.UINT32:
            raise Fault(sentence("general.alignment is of type {kind} instead of uint32", kind=kind.name.lower()))
    return metadata


def _value_type(number: int, key: str) -> ValueType:
    try:
        return ValueType(number)
    except ValueError:
        raise Fault(
            sentence("metadata entry {key!r} is of the unknown type {number}", key=key, number=number)
        ) from None


def _read_value(cursor: Cursor, key: str, kind: ValueType) -> Scalar:
    if kind is ValueType.STRING:
        return cursor.string(phrase("the text of {of!r}"), key)
    return cursor.scalar(SCALARS[kind], phrase("the value of {of!r}"), key)


def _read_array(cursor: Cursor, key: str, element: ValueType, count: int) -> MetadataValue:
    if element is ValueType.ARRAY:
        raise Fault(sentence("metadata entry {key!r} is an array of arrays", key=key))
    what = phrase("the list {of!r}")
    if element is ValueType.STRING:
        if count > MAX_STRINGS:
            raise Fault(sentence("the list {key!r} claims to hold {claimed:,} texts", key=key, claimed=count))
        if count > KEPT_STRINGS:
            cursor.skip_strings(count, what, key)
            return LongArray(count)
    elif count > KEPT_NUMBERS:
        cursor.skip(count * SCALARS[element].size, what, key)
        return LongArray(count)
    return tuple(_read_value(cursor, key, element) for _ in range(count))


def _alignment(metadata: dict[str, MetadataValue]) -> int:
    value = metadata.get("general.alignment", DEFAULT_ALIGNMENT)
    if not isinstance(value, int) or value <= 0 or value & (value - 1):
        raise Fault(sentence("general.alignment is {value}, which is no power of two", value=str(value)))
    return value


def _read_tensors(cursor: Cursor, n_tensors: int, alignment: int) -> tuple[TensorInfo, ...]:
    tensors: list[TensorInfo] = []
    names: set[str] = set()
    expected = 0
    for number in range(n_tensors):
        tensor = _read_tensor(cursor, number)
        if tensor.name in names:
            raise Fault(sentence("tensor {name!r} is there twice", name=tensor.name))
        names.add(tensor.name)
        if tensor.offset % alignment:
            raise Fault(
                sentence(
                    "tensor {name!r} begins at byte {offset:,}, which is no multiple of {alignment}",
                    name=tensor.name,
                    offset=tensor.offset,
                    alignment=alignment,
                )
            )
        if tensor.offset != expected:
            raise Fault(
                sentence(
                    "tensor {name!r} begins at byte {offset:,} of the data instead of {expected:,}",
                    name=tensor.name,
                    offset=tensor.offset,
                    expected=expected,
                )
            )
        padded = _padded(tensor.size_bytes, alignment)
        if padded > MAX_TENSOR_BYTES:
            raise Fault(
                sentence(
                    "tensor {name!r} of {size:,} bytes cannot be padded to {alignment}",
                    name=tensor.name,
                    size=tensor.size_bytes,
                    alignment=alignment,
                )
            )
        expected += padded
        if expected > MAX_TENSOR_BYTES:
            raise Fault(
                sentence("its tensors up to {name!r} add up to {size:,} bytes", name=tensor.name, size=expected)
            )
        tensors.append(tensor)
    return tuple(tensors)


def _read_tensor(cursor: Cursor, number: int) -> TensorInfo:
    length = int(cursor.scalar(_U64, phrase("the length of the name of tensor {of}"), number))
    if length > MAX_NAME_BYTES:
        raise Fault(
            sentence(
                "the name of tensor {number} is {length:,} bytes long, and at most {limit} are possible",
                number=number,
                length=length,
                limit=MAX_NAME_BYTES,
            )
        )
    name = cursor.take(length, phrase("the name of tensor {of}"), number).decode("utf-8", "replace")
    n_dimensions = int(cursor.scalar(_U32, phrase("the dimensions of {of!r}"), name))
    if n_dimensions > MAX_DIMENSIONS:
        raise Fault(
            sentence(
                "tensor {name!r} has {claimed:,} dimensions, and at most {limit} are possible",
                name=name,
                claimed=n_dimensions,
                limit=MAX_DIMENSIONS,
            )
        )
    shape = tuple(int(cursor.scalar(_I64, phrase("the shape of {of!r}"), name)) for _ in range(n_dimensions)) or (1,)
    type_number = int(cursor.scalar(_U32, phrase("the type of {of!r}"), name))
    offset = int(cursor.scalar(_U64, phrase("the place of {of!r}"), name))
    if min(shape) < 0:
        raise Fault(sentence("tensor {name!r} has a negative dimension: {shape}", name=name, shape=shape))
    if min(shape) == 0:
        raise Fault(sentence("tensor {name!r} has a dimension of 0: {shape}", name=name, shape=shape))
    kind = TENSOR_TYPES.get(type_number)
    if kind is None:
        raise Fault(sentence("tensor {name!r} is of the unknown type {type}", name=name, type=type_number))
    tensor = TensorInfo(name=name, shape=shape, type=kind, offset=offset)
    if tensor.n_elements > MAX_ELEMENTS:
        raise Fault(sentence("tensor {name!r} has too many elements: {shape}", name=name, shape=shape))
    if shape[0] % kind.block_elements:
        raise Fault(
            sentence(
                "a row of tensor {name!r} is {n:,} long, which is no multiple of {kind}'s {block}",
                name=name,
                n=shape[0],
                kind=kind.name,
                block=kind.block_elements,
            )
        )
    if tensor.size_bytes > MAX_TENSOR_BYTES:
        raise Fault(sentence("tensor {name!r} claims {size:,} bytes", name=name, size=tensor.size_bytes))
    return tensor


def _padded(size: int, alignment: int) -> int:
    return -(-size // alignment) * alignment
