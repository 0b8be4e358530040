"""PDF files: pages, blank ones, scans, passwords, damage."""

from __future__ import annotations

from pathlib import Path

import pytest
from document_files import encrypted_pdf_bytes, pdf_bytes

from app.composer.documents import pdf
from app.composer.documents.pdf import read_pdf
from app.composer.documents.reader_messages import DocumentError, Extracted, Problem


def read(tmp_path: Path, raw: bytes) -> Extracted:
    file = tmp_path / "paper.pdf"
    file.write_bytes(raw)
    return read_pdf(file, lambda _done, _total: None)


def test_pages_are_read_in_order_and_their_beginnings_known(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    file = tmp_path / "paper.pdf"
    file.write_bytes(pdf_bytes(["First page\nof two", "Second"]))
    found = read_pdf(file, lambda done, total: seen.append((done, total)))
    assert found.text == "First page\nof two\n\nSecond\n\n"
    assert [found.text[start:][:6] for start in found.pages] == ["First ", "Second"]
    assert (found.n_pages, found.n_blank_pages, found.is_cut) == (2, 0, False)
    assert seen == [(1, 2), (2, 2)]


def test_pages_of_pictures_are_counted(tmp_path: Path) -> None:
    found = read(tmp_path, pdf_bytes(["Cover", "", "Text"]))
    assert (found.n_blank_pages, len(found.pages)) == (1, 3)


def test_a_broken_page_costs_no_other_page(tmp_path: Path) -> None:
    found = read(tmp_path, pdf_bytes(["First", "Second", "", "Fourth"], broken=(2,)))
    assert found.text == "First\n\nFourth\n\n"
    assert (found.broken_pages, found.n_blank_pages, found.n_pages) == ((2,), 1, 4)
    assert [found.text[start:][:5] for start in found.pages] == ["First", "Fourt", "Fourt", "Fourt"]


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        (pdf_bytes(["one", "two"], broken=(1, 2)), Problem.DAMAGED),
        (pdf_bytes(["one", ""], broken=(1,)), Problem.DAMAGED),
        (pdf_bytes(["", ""]), Problem.NO_TEXT),
        (encrypted_pdf_bytes(["secret"], "word"), Problem.ENCRYPTED),
        (b"%PDF-1.4\n" + b"\x00\x81 no objects here " * 40, Problem.DAMAGED),
        (b"", Problem.DAMAGED),
    ],
)
def test_what_has_no_text_is_told(tmp_path: Path, raw: bytes, problem: Problem) -> None:
    with pytest.raises(DocumentError) as refused:
        read(tmp_path, raw)
    assert refused.value.problem is problem


def test_a_file_that_only_may_not_be_printed_is_read(tmp_path: Path) -> None:
    assert read(tmp_path, encrypted_pdf_bytes(["open"], "")).text.strip() == "open"


def test_a_very_long_one_ends_at_a_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "MAX_CHARACTERS", 8)
    found = read(tmp_path, pdf_bytes(["0123456789", "beyond"]))
    assert (found.text.strip(), len(found.pages), found.n_pages, found.is_cut) == ("0123456789", 1, 2, True)
