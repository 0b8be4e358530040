"""Reading headers: real and made files, every known fault, ranges, and any bytes at all."""

from __future__ import annotations

import random
import struct
from pathlib import Path

import pytest
from gguf_files import CHAT_METADATA, CHAT_TENSORS, FAULTS, NOT_GGUF, chat_bytes, draft, gguf_bytes
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import Code, ModelError
from engine.gguf import BytesReader, Header, LongArray, read_header
from engine.gguf.byte_source import MAX_HEADER_BYTES, RANGES
from engine.gguf.types import TENSOR_TYPES, ValueType


def test_reads_what_was_written() -> None:
    header = read_header(chat_bytes(answer=-1, ratio=0.5, flag=True, big=(ValueType.UINT64, 1 << 63), many=[1, 2]))
    assert header.version == 3
    assert header.architecture == "llama"
    assert header.n_layers == 1
    assert header.n_vocab == 3
    assert header.chat_template == "{{ messages }}"
    assert header.metadata["answer"] == -1
    assert header.metadata["ratio"] == 0.5
    assert header.metadata["flag"] is True
    assert header.metadata["big"] == 1 << 63
    assert header.metadata["many"] == (1, 2)
    assert [(t.name, t.shape, t.type.name, t.size_bytes) for t in header.tensors] == [
        ("token_embd.weight", (32, 3), "F32", 384),
        ("blk.0.attn_q.weight", (32, 32), "Q8_0", 32 * 34),
    ]
    assert header.tensors[0].layer is None
    assert header.tensors[1].layer == 0
    assert header.expected_size == header.file_size


@pytest.mark.parametrize("version", [2, 3])
def test_reads_both_versions(version: int) -> None:
    made = draft(CHAT_METADATA, CHAT_TENSORS)
    made.version = version
    assert read_header(made.bytes()).version == version


def test_reads_a_real_model(starter: Path) -> None:
    header = read_header(starter)
    assert (header.architecture, header.n_layers, header.n_vocab) == ("llama", 30, 49152)
    assert header.n_params == 134_515_008
    assert header.quantization == "Q8_0"
    assert header.expected_size == header.file_size == starter.stat().st_size
    assert isinstance(header.metadata["tokenizer.ggml.tokens"], LongArray)


@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_has_its_sentence(name: str) -> None:
    content, part = FAULTS[name]
    with pytest.raises(ModelError) as caught:
        read_header(content, "model.gguf")
    failure = caught.value.failure
    assert part in str(failure.message)
    assert str(failure.message).startswith("model.gguf ")
    assert failure.advice
    assert caught.value.code in (Code.MODEL_DAMAGED, Code.MODEL_UNSUPPORTED)


def test_faults_have_different_sentences() -> None:
    sentences = set()
    for content, _ in FAULTS.values():
        with pytest.raises(ModelError) as caught:
            read_header(content)
        sentences.add(str(caught.value.failure.message))
    assert len(sentences) >= len(FAULTS) - 1  # both element types and value types are "the unknown type 13"


@pytest.mark.parametrize("name", NOT_GGUF)
def test_what_is_no_gguf_is_named(name: str, tmp_path: Path) -> None:
    content, part = NOT_GGUF[name]
    path = tmp_path / "file.gguf"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=part):
        read_header(path)


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"gone\.gguf is not there") as caught:
        read_header(tmp_path / "gone.gguf")
    assert caught.value.code is Code.MODEL_NOT_FOUND


def test_a_folder_is_no_model(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="could not be read"):
        read_header(tmp_path)


@pytest.mark.parametrize("name", ["model with spaces.gguf", "模型.gguf", "modèle-🌅.gguf"])
def test_any_file_name(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(chat_bytes())
    assert read_header(path).name == "Tiny"


class CountingReader:
    """Serves bytes and counts the requests."""

    def __init__(self, content: bytes, size: int | None) -> None:
        self.content, self.size = content, size
        self.requests: list[tuple[int, int]] = []

    def read(self, offset: int, size: int) -> bytes:
        self.requests.append((offset, size))
        return self.content[offset : offset + size]


@pytest.mark.parametrize(("n_vocab", "n_requests"), [(32_000, 1), (151_936, 2), (262_144, 2)])
def test_few_ranges_are_enough(n_vocab: int, n_requests: int) -> None:
    tokens = [f"token{number}" for number in range(n_vocab)]
    merges = [f"to ken{number}" for number in range(n_vocab)]
    content = gguf_bytes(
        {**CHAT_METADATA, "tokenizer.ggml.tokens": tokens, "tokenizer.ggml.merges": merges, "last": 7}, CHAT_TENSORS
    )
    reader = CountingReader(content, None)
    header = read_header(reader)
    assert len(reader.requests) == header.n_requests == n_requests
    assert header.n_fetched_bytes <= sum(RANGES[:n_requests])
    assert header.n_vocab == n_vocab
    assert header.metadata["last"] == 7


def test_long_numbers_are_passed_over_without_fetching() -> None:
    scores = (ValueType.ARRAY, (ValueType.FLOAT32, [0.0] * 4_000_000))
    reader = CountingReader(gguf_bytes({"scores": scores, "last": 7}), None)
    header = read_header(reader)
    assert header.metadata == {"scores": LongArray(4_000_000), "last": 7}
    assert header.n_fetched_bytes < 2 * RANGES[0]


def test_the_beginning_of_a_file_is_enough(starter: Path) -> None:
    size = starter.stat().st_size
    with starter.open("rb") as file:
        beginning = file.read(2 << 20)
    header = read_header(BytesReader(beginning, size))
    assert header.expected_size == size
    assert len(header.tensors) == len(read_header(starter).tensors)


def test_every_cut_of_a_header_is_a_clear_error() -> None:
    made = draft(CHAT_METADATA, CHAT_TENSORS)
    header = made.header().rstrip(b"\0")
    for length in range(1, len(header) - 8):
        with pytest.raises(ModelError, match=r"ends at byte|begins with") as caught:
            read_header(header[:length])
        assert caught.value.failure.advice


def test_a_lying_length_costs_no_memory() -> None:
    content = b"GGUF" + struct.pack("<IqqQ", 3, 0, 1, 1) + b"k" + struct.pack("<IIQ", 9, 8, 1 << 22)
    reader = CountingReader(content + bytes(64), 1 << 40)
    with pytest.raises(ModelError, match="ends at byte"):
        read_header(reader)
    content = b"GGUF" + struct.pack("<IqqQ", 3, 0, 1, 1) + b"k" + struct.pack("<IIQ", 9, 10, 1 << 40)
    with pytest.raises(ModelError, match=f"over {MAX_HEADER_BYTES >> 20} MB"):
        read_header(CountingReader(content, 1 << 50))


@given(st.binary(max_size=2048))
def test_any_bytes_give_a_header_or_a_sentence(content: bytes) -> None:
    for prefix in (b"", b"GGUF", b"GGUF\x03\x00\x00\x00", b"GGUF" + struct.pack("<Iqq", 3, 2, 2)):
        check_outcome(prefix + content)


@given(st.integers(0, 1 << 32), st.integers(1, 12))
def test_damaged_files_give_a_header_or_a_sentence(seed: int, n_changes: int) -> None:
    content = bytearray(chat_bytes(numbers=[1, 2, 3], words=["x", "yy"]))
    source = random.Random(seed)
    for _ in range(n_changes):
        content[source.randrange(len(content))] = source.choice((0, 1, 0x7F, 0x80, 0xFF, source.randrange(256)))
    check_outcome(bytes(content))


def check_outcome(content: bytes) -> None:
    try:
        header = read_header(content)
    except ModelError as error:
        assert error.failure.message
        assert error.failure.advice
        return
    assert isinstance(header, Header)
    assert header.bits_per_weight >= 0
    assert header.expected_size >= 0


def test_block_sizes_match_the_gguf_package() -> None:
    from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType

    others = {int(kind): (kind.name, *GGML_QUANT_SIZES[kind]) for kind in GGMLQuantizationType}
    wrong_there = {GGMLQuantizationType.Q8_1}  # the package counts two floats where ggml has two halves
    for number, kind in TENSOR_TYPES.items():
        if number in others and number not in wrong_there:
            assert (kind.name, kind.block_elements, kind.block_bytes) == others[number]
