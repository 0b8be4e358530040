"""Which files are refused before llama.cpp sees them, split models, fingerprints."""

from __future__ import annotations

from pathlib import Path

import pytest
from gguf_files import CHAT_METADATA, CHAT_TENSORS, chat_bytes, gguf_bytes, write_sparse

from engine.errors import Code, ModelError
from engine.gguf import Kind, check_file, fingerprint, kind, part_paths, read_file, read_header

EMBEDDING = {
    "general.architecture": "nomic-bert",
    "nomic-bert.block_count": 1,
    "nomic-bert.pooling_type": 1,
    "nomic-bert.embedding_length": 32,
}
KINDS: dict[Kind, bytes] = {
    Kind.CHAT: chat_bytes(),
    Kind.EMBEDDING: gguf_bytes(EMBEDDING, CHAT_TENSORS),
    Kind.MMPROJ: gguf_bytes({"general.architecture": "clip", "clip.has_vision_encoder": True}, CHAT_TENSORS),
    Kind.LORA: gguf_bytes({"general.architecture": "llama", "general.type": "adapter"}, CHAT_TENSORS),
    Kind.VOCAB: gguf_bytes(CHAT_METADATA),
    Kind.IMATRIX: gguf_bytes({"general.type": "imatrix", "imatrix.datasets": ["x"]}, CHAT_TENSORS),
    Kind.DRAFT: gguf_bytes({"general.architecture": "eagle3"}, CHAT_TENSORS),
    Kind.OTHER: gguf_bytes({"general.architecture": "flux"}, CHAT_TENSORS),
}


def write(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def test_a_chat_model_passes(tmp_path: Path, starter: Path) -> None:
    assert check_file(write(tmp_path / "m.gguf", chat_bytes())).name == "Tiny"
    assert check_file(starter).n_layers == 30


@pytest.mark.parametrize("expected", KINDS)
def test_kinds(expected: Kind, tmp_path: Path) -> None:
    path = write(tmp_path / "m.gguf", KINDS[expected])
    assert kind(read_header(path)) is expected
    if expected is not Kind.CHAT:
        with pytest.raises(ModelError) as caught:
            check_file(path)
        assert caught.value.code is Code.MODEL_NOT_CHAT
        assert str(caught.value.failure.message).startswith("m.gguf ")
        assert caught.value.failure.advice
        assert read_file(path).tensors is not None


def test_each_kind_has_its_own_sentence(tmp_path: Path) -> None:
    sentences = set()
    for expected, content in KINDS.items():
        if expected is not Kind.CHAT:
            with pytest.raises(ModelError) as caught:
                check_file(write(tmp_path / "m.gguf", content))
            sentences.add(str(caught.value.failure.message))
    assert len(sentences) == len(KINDS) - 1


def test_an_embedding_model_by_its_pooling(tmp_path: Path) -> None:
    path = write(tmp_path / "m.gguf", chat_bytes(llama__pooling_type=3))
    with pytest.raises(ModelError, match="embedding model"):
        check_file(path)


def test_no_architecture_is_no_language_model(tmp_path: Path) -> None:
    path = write(tmp_path / "m.gguf", gguf_bytes({}, CHAT_TENSORS))
    with pytest.raises(ModelError, match="no language model"):
        check_file(path)


@pytest.mark.parametrize("missing", [1, 33, 1000])
def test_a_cut_file_says_how_much_is_there(missing: int, tmp_path: Path) -> None:
    content = chat_bytes()
    header = read_header(content)
    path = write(tmp_path / "m.gguf", content[: header.expected_size - missing])
    with pytest.raises(ModelError) as caught:
        check_file(path)
    message = str(caught.value.failure.message)
    assert f"{header.expected_size - missing:,} of {header.expected_size:,} bytes" in message
    assert caught.value.code is Code.MODEL_DAMAGED


def test_missing_padding_at_the_end_is_no_fault(tmp_path: Path) -> None:
    content = gguf_bytes(CHAT_METADATA, [("token_embd.weight", (33,), "F32")])
    header = read_header(content)
    path = write(tmp_path / "m.gguf", content[: header.expected_size])
    assert len(content) > header.expected_size
    assert check_file(path).n_params == 33


def split_model(folder: Path, n_parts: int = 3, **changes: object) -> list[Path]:
    paths = []
    for number in range(n_parts):
        own = {"split.no": number, "split.count": n_parts, "split.tensors.count": n_parts, **changes}
        metadata = {**CHAT_METADATA, **own} if number == 0 else own
        path = folder / f"big model-{number + 1:05d}-of-{n_parts:05d}.gguf"
        paths.append(write_sparse(path, metadata, [(f"blk.{number}.w", (1 << 20,), "Q8_0")]))
    return paths


def test_a_split_model_is_one(tmp_path: Path) -> None:
    paths = split_model(tmp_path)
    header = check_file(paths[0])
    assert [t.part for t in header.tensors] == [0, 1, 2]
    assert header.n_params == 3 << 20
    assert header.file_size == sum(p.stat().st_size for p in paths)
    assert part_paths(paths[2], 3) == paths


def test_another_part_is_refused(tmp_path: Path) -> None:
    paths = split_model(tmp_path)
    with pytest.raises(ModelError, match="part 2 of 3") as caught:
        check_file(paths[1])
    assert "first part" in str(caught.value.failure.advice)


def test_a_missing_part_is_named(tmp_path: Path) -> None:
    paths = split_model(tmp_path)
    paths[1].unlink()
    with pytest.raises(ModelError, match=r"missing: big model-00002-of-00003\.gguf"):
        check_file(paths[0])


def test_a_renamed_split_model_says_what_it_looks_for(tmp_path: Path) -> None:
    paths = split_model(tmp_path)
    with pytest.raises(ModelError, match="the files named …-of-00003"):
        check_file(paths[0].rename(tmp_path / "renamed.gguf"))


@pytest.mark.parametrize("ending", ["part1of2", "part2of2", "split-a", "part-b", "partaa", "001"])
def test_a_piece_of_a_file_that_was_cut_up_says_what_to_do(ending: str, tmp_path: Path) -> None:
    content = chat_bytes()
    path = write(tmp_path / f"m.gguf.{ending}", content[:600] if ending[-1] in "1a" else content[600:])
    with pytest.raises(ModelError, match="one piece of a model file") as caught:
        check_file(path)
    assert "Join" in str(caught.value.failure.advice)


def test_a_cut_part_is_named(tmp_path: Path) -> None:
    paths = split_model(tmp_path)
    with paths[2].open("r+b") as file:
        file.truncate(1000)
    with pytest.raises(ModelError, match=r"00003-of-00003\.gguf is cut short"):
        check_file(paths[0])


def test_parts_of_different_models_do_not_match(tmp_path: Path) -> None:
    paths = split_model(tmp_path, **{"split.tensors.count": 5})
    with pytest.raises(ModelError, match="is 3 instead of 5"):
        check_file(paths[0])


def test_fingerprint_follows_the_content(tmp_path: Path, starter: Path) -> None:
    content = bytearray(chat_bytes())
    path = write(tmp_path / "a.gguf", bytes(content))
    first = fingerprint(path)
    assert fingerprint(path.rename(tmp_path / "b.gguf")) == first
    content[-1] ^= 1
    assert fingerprint(write(tmp_path / "c.gguf", bytes(content))) != first
    assert fingerprint(write(tmp_path / "d.gguf", bytes(content) + b"\0")) != fingerprint(tmp_path / "c.gguf")
    assert fingerprint(starter) == fingerprint(starter) != first
