"""Chats as PDF: text in every script, formulas as pictures, tables with lines, and no half file."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from pypdf import PdfReader
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QApplication

from app.chat_list.export_format import ExportFormat, export
from app.chat_list.pdf_export import FormulaPictures, write_pdf
from engine.errors import Code, StorageError
from engine.protocol import Role
from engine.store.chats import ChatStore

ANSWER = """It is $x^2 + y_1$, and

$$\\int_0^1 x\\,dx = \\frac{1}{2}$$

```python
def f(x):
    return x
```

| Name | 值 |
|------|---:|
| a    | 22 |

中文段落。

هذا نص عربي.
"""


def test_a_page_holds_text_of_every_kind(qapp: QApplication, tmp_path: Path) -> None:
    store = ChatStore(None)
    chat = store.create_chat(title="Trip 旅行")
    store.add_message(chat.id, Role.USER, "It costs $5 and $10.")
    store.add_message(chat.id, Role.ASSISTANT, ANSWER)
    target = tmp_path / "a.pdf"
    export(store, [chat.id], target, ExportFormat.PDF, on_exported=lambda *_: None, is_cancelled=lambda: False)
    reader = PdfReader(target)
    found = unicodedata.normalize("NFKC", "\n".join(page.extract_text() for page in reader.pages))
    text = " ".join(found.split())
    for expected in ("Trip 旅行", "It costs $5 and $10.", "return x", "22", "中文段落"):
        assert expected in text
    assert "\\frac" not in text
    assert sum(len(page.images) for page in reader.pages) == 2
    assert reader.metadata is not None
    assert reader.metadata.title == "Trip 旅行"
    store.close()


def test_code_has_its_own_font_and_reasoning_stands_apart(qapp: QApplication, tmp_path: Path) -> None:
    store = ChatStore(None)
    chat = store.create_chat(title="Trip")
    answer = "# Big\n\n- [x] done\n- [ ] open\n\n```\niiii\n```\n"
    store.add_message(chat.id, Role.ASSISTANT, answer, reasoning="Let me see.")
    target = tmp_path / "a.pdf"
    export(store, [chat.id], target, ExportFormat.PDF, on_exported=lambda *_: None, is_cancelled=lambda: False)
    store.close()
    (page,) = PdfReader(target).pages
    places: list[tuple[str, float, object]] = []

    def visit(text: str, matrix: list[float], place: list[float], font: dict[str, object] | None, _size: float) -> None:
        places.append((text, matrix[0] * place[4] + matrix[4], (font or {}).get("/BaseFont")))

    text = " ".join(page.extract_text(visitor_text=visit).split())
    code, thought, heading = (next(each for each in places if word in each[0]) for word in ("iiii", "see", "Big"))
    assert ("☑ done" in text, "☐ open" in text) == (True, True)
    assert code[2] != thought[2]
    assert thought[1] > heading[1]


def test_a_formula_that_cannot_be_set_stays_source(qapp: QApplication) -> None:
    pictures = FormulaPictures()
    assert pictures.html("\\nonsense{", False) == ""
    assert pictures.html("x^2", False).startswith('<img src="formula:0"')


def test_a_full_disk_leaves_the_old_file(qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Qt says nothing when it cannot write, so the end of what it wrote is looked at."""
    monkeypatch.setattr(QTextDocument, "print_", lambda _self, _writer: None)
    target = tmp_path / "a.pdf"
    target.write_text("old")
    with pytest.raises(StorageError) as caught:
        write_pdf("<p>a</p>", FormulaPictures(), target, title="a")
    assert caught.value.code is Code.DISK_FULL
    assert [file.name for file in tmp_path.iterdir()] == ["a.pdf"]
    assert target.read_text() == "old"


def test_a_place_that_cannot_be_written_is_a_sentence(qapp: QApplication, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError) as caught:
        write_pdf("<p>a</p>", FormulaPictures(), tmp_path / "file" / "a.pdf", title="a")
    assert caught.value.code is Code.READ_ONLY
