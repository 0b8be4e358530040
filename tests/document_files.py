"""PDF and Word files for tests, written by hand so that every byte of them is known."""

from __future__ import annotations

import zipfile
from collections.abc import Collection, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from xml.sax.saxutils import escape

from pypdf import PdfReader, PdfWriter

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def pdf_bytes(pages: Sequence[str], *, broken: Collection[int] = ()) -> bytes:
    """A PDF with one line of text for each line of a page; an empty page has a drawing instead.

    The pages with the numbers in `broken` are packed in a way that nobody can unpack.
    """
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    kids = []
    for number, text in enumerate(pages, 1):
        lines = " ".join(f"({line.translate({40: None, 41: None})}) Tj T*" for line in text.splitlines())
        content = f"BT /F1 12 Tf 14 TL 72 720 Td {lines} ET" if text else "72 72 200 200 re S"
        packing = " /Filter /Unheard" if number in broken else ""
        objects.append(f"<< /Length {len(content)}{packing} >>\nstream\n{content}\nendstream")
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {len(objects)} 0 R"
            " /Resources << /Font << /F1 3 0 R >> >> >>"
        )
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    out = "%PDF-1.4\n"
    offsets = []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n"
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    size = len(objects) + 1
    out += f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer\n<< /Size {size} /Root 1 0 R >>\n"
    return (out + f"startxref\n{out.rindex('xref')}\n%%EOF\n").encode("latin-1")


def encrypted_pdf_bytes(pages: Sequence[str], password: str) -> bytes:
    writer = PdfWriter(clone_from=PdfReader(BytesIO(pdf_bytes(pages))))
    writer.encrypt(user_password=password, owner_password="owner", algorithm="RC4-128")
    made = BytesIO()
    writer.write(made)
    return made.getvalue()


def write_docx(path: Path, body: str, parts: Mapping[str, str] | None = None) -> Path:
    """A Word file whose body is `body`; `parts` are other parts' contents by name, such as "styles"."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", _root("document", f"<w:body>{body}</w:body>"))
        for name, content in (parts or {}).items():
            archive.writestr(f"word/{name}.xml", _root(name, content))
    return path


def paragraph(text: str, looks: str = "") -> str:
    return f"<w:p><w:pPr>{looks}</w:pPr><w:r><w:t>{escape(text)}</w:t></w:r></w:p>"


def _root(name: str, content: str) -> str:
    return f'<?xml version="1.0" encoding="UTF-8"?><w:{name} xmlns:w="{W}">{content}</w:{name}>'
