"""Word files: headings, lists, tables, notes, changes, and files that are none."""

from __future__ import annotations

from pathlib import Path

import pytest
from document_files import paragraph, write_docx

from app.composer.documents import docx, docx_parts
from app.composer.documents.docx import read_docx
from app.composer.documents.reader_messages import DocumentError, Extracted, Problem

STYLES = (
    '<w:style w:styleId="berschrift2"><w:name w:val="heading 2"/></w:style>'
    '<w:style w:styleId="Own"><w:name w:val="Chapter"/><w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:style>'
)
NUMBERING = (
    '<w:abstractNum w:abstractNumId="7"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/></w:lvl>'
    '<w:lvl w:ilvl="1"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum>'
    '<w:num w:numId="3"><w:abstractNumId w:val="7"/></w:num>'
)


def item(text: str, level: int, number: int = 3) -> str:
    return paragraph(text, f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>')


def read(path: Path) -> Extracted:
    return read_docx(path, lambda _done, _total: None)


def text_of(tmp_path: Path, body: str, **parts: str) -> str:
    return read(write_docx(tmp_path / "letter.docx", body, parts)).text


def test_headings_are_found_by_style_name_and_by_level(tmp_path: Path) -> None:
    body = (
        paragraph("Report", '<w:pStyle w:val="Own"/>')
        + paragraph("Costs 成本", '<w:pStyle w:val="berschrift2"/>')
        + paragraph("They rose.")
    )
    assert text_of(tmp_path, body, styles=STYLES) == "# Report\n\n## Costs 成本\n\nThey rose."


def test_lists_are_numbered_as_word_does(tmp_path: Path) -> None:
    body = item("one", 0) + item("inner", 1) + item("two", 0) + paragraph("then") + item("three", 0)
    expected = "1. one\n  - inner\n2. two\n\nthen\n\n3. three"
    assert text_of(tmp_path, body, numbering=NUMBERING) == expected


def test_a_list_may_be_one_by_its_style(tmp_path: Path) -> None:
    styles = '<w:style w:styleId="Steps"><w:pPr><w:numPr><w:numId w:val="3"/></w:numPr></w:pPr></w:style>'
    body = "".join(paragraph(text, '<w:pStyle w:val="Steps"/>') for text in ("one", "two"))
    assert text_of(tmp_path, body, styles=styles, numbering=NUMBERING) == "1. one\n2. two"


def test_tables_become_rows(tmp_path: Path) -> None:
    def row(*cells: str) -> str:
        return "<w:tr>" + "".join(f"<w:tc>{paragraph(cell)}</w:tc>" for cell in cells) + "</w:tr>"

    body = f"<w:tbl>{row('Name', 'a|b')}{row('x', '')}</w:tbl>"
    assert text_of(tmp_path, body) == "| Name | a\\|b |\n| --- | --- |\n| x |  |"


def test_a_table_inside_a_cell_is_read_once_however_deep(tmp_path: Path) -> None:
    inner = paragraph("deep")
    for _ in range(60):
        inner = f"<w:tbl><w:tr><w:sdt><w:sdtContent><w:tc>{inner}</w:tc></w:sdtContent></w:sdt></w:tr></w:tbl>"
    assert text_of(tmp_path, inner).count("deep") == 1


def test_notes_stand_at_the_end_and_deleted_text_nowhere(tmp_path: Path) -> None:
    body = (
        '<w:p><w:r><w:t>Kept</w:t><w:footnoteReference w:id="2"/><w:tab/></w:r>'
        "<w:del><w:r><w:delText>gone</w:delText><w:t>gone</w:t></w:r></w:del>"
        "<w:ins><w:r><w:t>added</w:t></w:r></w:ins></w:p>"
    )
    notes = f'<w:footnote w:id="2">{paragraph("See page 4.")}</w:footnote>'
    assert text_of(tmp_path, body, footnotes=notes) == "Kept[^1]\tadded\n\n[^1]: See page 4."


def test_a_text_box_is_read_once(tmp_path: Path) -> None:
    box = f"<w:txbxContent>{paragraph('boxed')}</w:txbxContent>"
    body = f"<w:p><w:r><w:Choice>{box}</w:Choice><w:Fallback>{box}</w:Fallback></w:r></w:p>"
    assert text_of(tmp_path, body) == "boxed"


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        (b"PK\x03\x04 and nothing more", Problem.DAMAGED),
        (bytes.fromhex("d0cf11e0a1b11ae1") + b"old", Problem.OLD_FORMAT),
        (bytes.fromhex("d0cf11e0a1b11ae1") + "EncryptedPackage".encode("utf-16-le"), Problem.ENCRYPTED),
    ],
)
def test_what_is_no_readable_word_file_is_told(tmp_path: Path, raw: bytes, problem: Problem) -> None:
    file = tmp_path / "letter.docx"
    file.write_bytes(raw)
    with pytest.raises(DocumentError) as refused:
        read(file)
    assert refused.value.problem is problem


def test_broken_data_and_endless_nesting_are_damage(tmp_path: Path) -> None:
    file, name = write_docx(tmp_path / "letter.docx", paragraph("Dear reader")), b"word/document.xml"
    raw = bytearray(file.read_bytes())
    raw[raw.index(name) + len(name)] = 0xFF  # No kind of block that Deflate has.
    file.write_bytes(raw)
    nested = write_docx(tmp_path / "nested.docx", "<w:x>" * 3_000 + paragraph("deep") + "</w:x>" * 3_000)
    for each in (file, nested):
        with pytest.raises(DocumentError) as refused:
            read(each)
        assert refused.value.problem is Problem.DAMAGED


def test_an_empty_one_and_a_trap_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write_docx(tmp_path / "a.docx", paragraph(" "))
    with pytest.raises(DocumentError) as refused:
        read(file)
    assert refused.value.problem is Problem.NO_TEXT
    monkeypatch.setattr(docx_parts, "MAX_PART_BYTES", 50)
    with pytest.raises(DocumentError) as refused:
        read(file)
    assert refused.value.problem is Problem.TOO_BIG


def test_entities_are_never_expanded(tmp_path: Path) -> None:
    import zipfile

    file = tmp_path / "laughs.docx"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("word/document.xml", '<!DOCTYPE d [<!ENTITY a "ha">]><d>&a;</d>')
    with pytest.raises(DocumentError) as refused:
        read(file)
    assert refused.value.problem is Problem.DAMAGED


def test_a_very_long_one_says_that_it_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(docx, "MAX_CHARACTERS", 10)
    found = read(write_docx(tmp_path / "long.docx", paragraph("0123456789ABC")))
    assert (found.text, found.is_cut) == ("0123456789", True)
