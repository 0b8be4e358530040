"""Taking chats out, as JSON that holds everything, or as Markdown or HTML for reading."""

from __future__ import annotations

import enum
import os
import re
import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from engine.files import writing_to
from engine.store.chats import ChatStore
from engine.store.exchange import own_format
from engine.store.exchange.html_page import Formula, html_of, mathml
from engine.store.exchange.import_report import IsCancelled
from engine.store.exchange.markdown_text import Tell, markdown_of
from engine.store.exchange.own_format import ExportedChat
from engine.store.row_mapping import now

MAX_NAME_CHARS = 80
_FORBIDDEN = re.compile(r'[<>:"/\\|?*\x00-\x1f\x7f]+')
_RESERVED = re.compile(r"(?i)^(con|prn|aux|nul|com\d|lpt\d)(\.|$)")

OnExported = Callable[[int, int], None]
"""Called with how many chats are done, and how many there are."""


class Format(enum.StrEnum):
    """The value is the file's ending."""

    JSON = "json"
    MARKDOWN = "md"
    HTML = "html"


def export_chats(
    store: ChatStore,
    chat_ids: Sequence[str],
    target: Path,
    form: Format,
    *,
    on_exported: OnExported | None = None,
    is_cancelled: IsCancelled | None = None,
    tell: Tell = str,
) -> list[Path]:
    """Write chats to `target`; returns the files that were written, fewer when cancelled. Pages speak through `tell`.

    JSON is one file. Markdown and HTML are one file for one chat, and for more a folder with a file for each. Every
    file is either complete or not there. Raises StorageError.
    """
    wanted = _Counter(chat_ids, on_exported or (lambda done, total: None), is_cancelled or (lambda: False))
    if form is Format.JSON:
        chats = (exported(store, chat_id) for chat_id in wanted)
        written = _write(target, own_format.encode(chats, now()), lambda: not wanted.was_cancelled)
        return [target] if written else []
    if len(chat_ids) == 1:
        return [target for chat_id in wanted if _write(target, [page(store, chat_id, form, tell=tell).encode()])]
    taken: set[str] = set()
    files = []
    for chat_id in wanted:
        name = free_name(store.chat(chat_id).title, taken)
        file = target / f"{name}.{form}"
        _write(file, [page(store, chat_id, form, tell=tell).encode()])
        files.append(file)
    return files


def exported(store: ChatStore, chat_id: str) -> ExportedChat:
    """Everything about a chat."""
    chat = store.chat(chat_id)
    folder = next((each.name for each in store.folders() if each.id == chat.folder_id), "")
    return ExportedChat(
        chat=chat, folder=folder, messages=tuple(store.messages(chat_id)), summaries=tuple(store.summaries(chat_id))
    )


def page(store: ChatStore, chat_id: str, form: Format, formula: Formula = mathml, tell: Tell = str) -> str:
    """What is shown of a chat, as Markdown or HTML."""
    chat, shown = store.chat(chat_id), store.path(chat_id)
    return html_of(chat, shown, formula, tell) if form is Format.HTML else markdown_of(chat, shown, tell)


def file_name(title: str) -> str:
    """A title as a file's name that every system takes, without an ending."""
    name = " ".join(_FORBIDDEN.sub(" ", title).split())[:MAX_NAME_CHARS].strip(" .")
    while len(name.encode()) > 200:
        name = name[:-1]
    return f"_{name}" if _RESERVED.match(name) else name or "Chat"


def free_name(title: str, taken: set[str]) -> str:
    """A file's name for a title that is not among `taken`, to which it is added."""
    name = base = file_name(title)
    number = 1
    while name.casefold() in taken:
        number += 1
        name = f"{base} ({number})"
    taken.add(name.casefold())
    return name


class _Counter:
    """Hands out chat ids, says how far it is, and stops when cancelled."""

    def __init__(self, chat_ids: Sequence[str], on_exported: OnExported, is_cancelled: IsCancelled) -> None:
        self._chat_ids = chat_ids
        self._on_exported = on_exported
        self._is_cancelled = is_cancelled
        self.was_cancelled = False

    def __iter__(self) -> Iterator[str]:
        for i, chat_id in enumerate(self._chat_ids):
            if self._is_cancelled():
                self.was_cancelled = True
                return
            yield chat_id
            self._on_exported(i + 1, len(self._chat_ids))


def _write(target: Path, pieces: Iterable[bytes], is_wanted: Callable[[], bool] = lambda: True) -> bool:
    """Write a file in pieces, under another name until it is complete; it appears only if it is wanted at the end."""
    # tempfile's files are their owner's alone, and so would be the export.
    temporary = target.with_name(f".{target.name[:40]}.{secrets.token_hex(4)}")
    with writing_to(target.parent):
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            with temporary.open("xb") as file:
                for piece in pieces:
                    file.write(piece)
                file.flush()
                os.fsync(file.fileno())
            if is_wanted():
                temporary.replace(target)
                return True
        finally:
            temporary.unlink(missing_ok=True)
    return False
