"""The formats that chats can be taken out as: the store's own, and PDF, which Qt draws."""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from pathlib import Path

from app.chat_list.pdf_export import FormulaPictures, write_pdf
from app.core.engine_texts import translated
from engine.store.chats import ChatStore
from engine.store.exchange.exporter import Format, export_chats, file_name, free_name, page


class ExportFormat(enum.StrEnum):
    """The value is the file's ending."""

    MARKDOWN = "md"
    HTML = "html"
    PDF = "pdf"
    JSON = "json"

    @property
    def is_one_file(self) -> bool:
        """Whether many chats go into one file."""
        return self is ExportFormat.JSON


def export(
    store: ChatStore,
    chat_ids: Sequence[str],
    target: Path,
    form: ExportFormat,
    *,
    on_exported: Callable[[int, int], None],
    is_cancelled: Callable[[], bool],
) -> list[Path]:
    """Write chats to a file, or to a folder where there are several files; blocks. Raises StorageError."""
    if form is not ExportFormat.PDF:
        return export_chats(
            store,
            chat_ids,
            target,
            Format(form.value),
            on_exported=on_exported,
            is_cancelled=is_cancelled,
            tell=translated,
        )
    taken: set[str] = set()
    files: list[Path] = []
    for number, chat_id in enumerate(chat_ids, 1):
        if is_cancelled():
            break
        name = free_name(store.chat(chat_id).title, taken)
        file = target if len(chat_ids) == 1 else target / f"{name}.pdf"
        pictures = FormulaPictures()
        write_pdf(page(store, chat_id, Format.HTML, pictures.html, translated), pictures, file, title=name)
        files.append(file)
        on_exported(number, len(chat_ids))
    return files


def suggested_name(title: str, form: ExportFormat) -> str:
    """A file's name for one chat, or for many with an empty title."""
    return f"{file_name(title) if title else 'Firstlight'}.{form.value}"
