"""Decides before llama.cpp is called whether a file can be chatted with, and says why not in one sentence."""

from __future__ import annotations

import dataclasses
import enum
import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

from engine.errors import Code, ModelError
from engine.gguf.header import Header
from engine.gguf.reader import DOWNLOAD_AGAIN, read_header
from engine.translatable import listed, phrase, sentence


class Kind(enum.StrEnum):
    """What a GGUF file is for."""

    CHAT = "chat"
    EMBEDDING = "embedding"
    MMPROJ = "mmproj"
    LORA = "lora"
    VOCAB = "vocab"
    IMATRIX = "imatrix"
    DRAFT = "draft"
    OTHER = "other"


EMBEDDING_ARCHITECTURES = frozenset(
    [
        "bert",
        "modern-bert",
        "nomic-bert",
        "nomic-bert-moe",
        "neo-bert",
        "jina-bert-v2",
        "jina-bert-v3",
        "eurobert",
        "gemma-embedding",
        "llama-embed",
        "t5encoder",
    ]
)
DRAFT_ARCHITECTURES = frozenset({"eagle3", "dflash", "gemma4-assistant"})
"""Draft heads, which run only beside the model that they were made for."""
OTHER_ARCHITECTURES = {
    "t5": phrase("a translation model"),
    "wavtokenizer-dec": phrase("a speech model"),
    "qwen3tts": phrase("a speech model"),
    "pockettts": phrase("a speech model"),
    "whisper": phrase("a speech recognition model"),
    "controlvector": phrase("a control vector"),
    **dict.fromkeys(
        [
            "flux",
            "sd1",
            "sd3",
            "sdxl",
            "aura",
            "ltxv",
            "hyvid",
            "wan",
            "cosmos",
            "hidream",
            "lumina2",
            "qwen_image",
            "pixart",
        ],
        phrase("an image or video model"),
    ),
}
_POOLING_NONE = 0

_SENTENCES = {
    Kind.EMBEDDING: (
        phrase("is an embedding model, which turns text into numbers and cannot answer"),
        phrase("Use it for search, and choose a chat model here."),
    ),
    Kind.MMPROJ: (
        phrase("is the image part (mmproj) of another model"),
        phrase("Choose that model's main file instead."),
    ),
    Kind.LORA: (
        phrase("is a LoRA adapter, not a whole model"),
        phrase("Load the model that it was made for, and add the adapter there."),
    ),
    Kind.VOCAB: (phrase("holds only a vocabulary, no weights"), phrase("Choose a file with the model's weights.")),
    Kind.IMATRIX: (
        phrase("holds statistics for making quantizations, no weights"),
        phrase("Choose a file with the model's weights."),
    ),
    Kind.DRAFT: (
        phrase("is a draft head that only speeds up another model"),
        phrase("Choose that model's main file instead."),
    ),
}

_PART = re.compile(r"^(?P<stem>.*)-(?P<number>\d{5})-of-(?P<count>\d{5})\.gguf$")

_PIECE = re.compile(r"\.gguf[.-](part\d+of\d+|(part|split)-?[a-z]{1,2}|\d{3})$", re.IGNORECASE)
"""How files were named that somebody cut up where no parts were known."""


def kind(header: Header) -> Kind:
    """What the file is for, from its metadata and tensors."""
    architecture = header.architecture
    file_type = header.text("general.type")
    if file_type == "adapter" or header.text("adapter.type"):
        return Kind.LORA
    if file_type == "imatrix" or "imatrix.datasets" in header.metadata:
        return Kind.IMATRIX
    if file_type == "mmproj" or architecture == "clip" or "clip.has_vision_encoder" in header.metadata:
        return Kind.MMPROJ
    if architecture in OTHER_ARCHITECTURES:
        return Kind.OTHER
    if architecture in DRAFT_ARCHITECTURES:
        return Kind.DRAFT
    if not header.tensors:
        return Kind.VOCAB
    if architecture in EMBEDDING_ARCHITECTURES or header.of_architecture("pooling_type", _POOLING_NONE) > _POOLING_NONE:
        return Kind.EMBEDDING
    return Kind.CHAT


def check_file(path: Path) -> Header:
    """The header of a whole, undamaged chat model; of a split one with the tensors of all parts.

    Raises ModelError: MODEL_NOT_FOUND, MODEL_DAMAGED (empty, cut short, unreadable, a part missing),
    MODEL_UNSUPPORTED (another format), MODEL_NOT_CHAT (embedding, mmproj, LoRA, vocabulary, ...).
    """
    header = read_file(path)
    found = kind(header)
    if found is Kind.CHAT and header.n_layers > 0:
        return header
    what = OTHER_ARCHITECTURES.get(header.architecture, phrase("no language model"))
    other = sentence("is {what}, not a chat model", what=what), phrase("Choose a chat model.")
    said, advice = _SENTENCES.get(found, other)
    raise ModelError(Code.MODEL_NOT_CHAT, "{name} {sentence}.", advice, name=path.name, sentence=said)


def read_file(path: Path) -> Header:
    """The header of any GGUF file whose data is all there, split models as one. Raises ModelError as check_file."""
    if _PIECE.search(path.name):
        raise ModelError(
            Code.MODEL_DAMAGED,
            "{name} is one piece of a model file that was cut up.",
            "Join all of its pieces, in order, into one .gguf file, and choose that.",
            name=path.name,
        )
    header = read_header(path)
    if header.n_parts == 1:
        _check_length(header, path.name)
        return header
    if header.part_index != 0:
        raise ModelError(
            Code.MODEL_DAMAGED,
            "{name} is part {part} of {n_parts} of a model.",
            "Choose the first part; the others are found by themselves.",
            name=path.name,
            part=header.part_index + 1,
            n_parts=header.n_parts,
        )
    return _read_parts(header, path)


def part_paths(path: Path, n_parts: int) -> list[Path]:
    """The files of a split model in order, from the path of any of them; just `path` where it is not named as one."""
    found = _PART.match(path.name)
    if found is None or int(found["count"]) != n_parts:
        return [path]
    return [path.with_name(f"{found['stem']}-{number:05d}-of-{n_parts:05d}.gguf") for number in range(1, n_parts + 1)]


def fingerprint(path: Path) -> str:
    """A name for the file's content: its size, its first megabyte and 16 samples of the rest. Raises OSError.

    Two files that differ only between the samples get the same one: good for caches, not for security.
    """
    size = path.stat().st_size
    digest = hashlib.blake2b(size.to_bytes(8, "little"), digest_size=16)
    with path.open("rb") as file:
        digest.update(file.read(1 << 20))
        for number in range(1, 17):
            file.seek(max(0, size * number // 16 - 4096))
            digest.update(file.read(4096))
    return digest.hexdigest()


def _read_parts(first: Header, path: Path) -> Header:
    paths = part_paths(path, first.n_parts)
    missing = [p.name for p in paths if not p.is_file()]
    if len(paths) != first.n_parts or missing:
        unnamed = sentence("the files named …-of-{n:05d}.gguf", n=first.n_parts)
        raise ModelError(
            Code.MODEL_DAMAGED,
            "{name} has {n_parts} parts, and these are missing: {parts}.",
            "Download the missing parts into the same folder.",
            name=path.name,
            n_parts=first.n_parts,
            parts=listed(missing[:3]) if missing else unnamed,
        )
    headers = [first, *(read_header(p) for p in paths[1:])]
    for part, part_path in zip(headers, paths, strict=True):
        _check_length(part, part_path.name)
    whole = joined(headers)
    tensors = whole.tensors
    expected = first.number("split.tensors.count", len(tensors))
    if len(tensors) != expected or len({t.name for t in tensors}) != len(tensors):
        raise ModelError(
            Code.MODEL_DAMAGED,
            "The number of tensors in the parts of {name} is {n:,} instead of {expected:,}: they do not match.",
            DOWNLOAD_AGAIN,
            name=path.name,
            n=len(tensors),
            expected=expected,
        )
    return whole


def joined(headers: Sequence[Header]) -> Header:
    """The headers of all parts of a model, in order, as one."""
    tensors = tuple(dataclasses.replace(t, part=n) for n, part in enumerate(headers) for t in part.tensors)
    return dataclasses.replace(headers[0], tensors=tensors, file_size=sum(h.file_size or 0 for h in headers))


def _check_length(header: Header, name: str) -> None:
    if header.file_size is None or header.file_size >= header.expected_size:
        return
    raise ModelError(
        Code.MODEL_DAMAGED,
        "{name} is cut short: it has {size:,} of {expected:,} bytes.",
        "Resume or repeat its download.",
        name=name,
        size=header.file_size,
        expected=header.expected_size,
    )
