"""Taking chats in: finds out what a file is, reads it chat by chat, stores them, and reports."""

from __future__ import annotations

import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

import msgspec

from engine.errors import FirstlightError, StorageError
from engine.store.chats import ChatStore
from engine.store.exchange import (
    character_cards,
    chatgpt,
    claude,
    gpt4all,
    jan,
    lm_studio,
    message_lists,
    open_webui,
    own_format,
    silly_tavern,
)
from engine.store.exchange.chat_builder import adopted, source_of
from engine.store.exchange.format_detection import kind_of, unwrapped
from engine.store.exchange.import_report import (
    Character,
    ChatFormat,
    ImportProgress,
    ImportReport,
    IsCancelled,
    Loss,
    Losses,
    OnProgress,
    ReadChat,
)
from engine.store.exchange.import_sources import AGAIN, UNREADABLE, Member, members, sibling, why_unreadable
from engine.store.exchange.json_elements import MAX_ELEMENT_BYTES, BrokenJson, Unreadable, decode, elements, lines
from engine.store.exchange.json_fields import mapping, mappings, text
from engine.translatable import Translatable, joined, phrase, reason_of, sentence

MAX_PROBLEMS = 20
_BATCH_MESSAGES = 500
_HEAD_BYTES = 4096
_BROKEN = (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError)
_KNOWN = phrase(
    "Firstlight, ChatGPT, Claude, LM Studio, Jan, GPT4All, Open WebUI and SillyTavern chats, character cards, and "
    "lists of messages as OpenAI or ShareGPT write them"
)


class _Stopped(Exception):
    """The user does not want the rest."""


def import_chats(
    store: ChatStore, path: Path, *, on_progress: OnProgress | None = None, is_cancelled: IsCancelled | None = None
) -> ImportReport:
    """Take in every chat of a file, folder or zip; call it off the event loop.

    Raises StorageError when `path` cannot be read at all. Everything else that goes wrong is in the report, and what
    was read before it is kept.
    """
    importer = _Importer(store, on_progress, is_cancelled)
    with members(path) as found:
        importer.take(found, path.name)
    return importer.report()


class _Importer:
    def __init__(self, store: ChatStore, on_progress: OnProgress | None, is_cancelled: IsCancelled | None) -> None:
        self._store = store
        self._on_progress = on_progress
        self._is_cancelled = is_cancelled or (lambda: False)
        self._known = store.known_ids()
        self._folders = {folder.name: folder.id for folder in store.folders()}
        self._losses = Losses()
        self._problems: list[Translatable] = []
        self._counts: Counter[str] = Counter()
        self._kinds: dict[ChatFormat, None] = {}
        self._characters: list[Character] = []
        self._batch: list[ReadChat] = []
        self._chat_ids: list[str] = []
        self._was_cancelled = False
        self._done_bytes = 0
        self._total_bytes = 0

    def take(self, found: list[Member], source_name: str) -> None:
        """Read all files of a source that may hold chats."""
        # An archive of ChatGPT or Claude also holds files that look like chats and are none.
        chosen = [each for each in found if each.stem.startswith("conversations") and each.suffix == ".json"] or found
        self._total_bytes = sum(each.n_bytes for each in chosen)
        try:
            for member in chosen:
                before = self._done_bytes
                self._take_safely(member, chosen)
                self._done_bytes = before + member.n_bytes
                self._progress()
        except _Stopped:
            self._was_cancelled = True
        except StorageError as error:
            self._batch.clear()
            self._problems.append(joined(error.failure.said, phrase("The import ended there.")))
        else:
            if not self._kinds and not self._problems:
                self._problems.append(
                    sentence(
                        "{name} is none of the formats that can be imported: {formats}.",
                        name=source_name,
                        formats=_KNOWN,
                    )
                )
            elif self._counts["unknown"]:
                self._problems.append(
                    sentence("Entries that are no chats, passed over: {n:,}.", n=self._counts["unknown"])
                )
        try:
            self._flush()
        except StorageError as error:
            self._problems.append(error.failure.said)

    def report(self) -> ImportReport:
        problems = [*self._problems[:MAX_PROBLEMS], *self._losses.sentences()]
        if (n_more := len(self._problems) - MAX_PROBLEMS) > 0:
            problems.insert(MAX_PROBLEMS, sentence("More problems of this kind: {n:,}.", n=n_more))
        return ImportReport(
            kinds=tuple(self._kinds),
            n_chats=len(self._chat_ids),
            n_messages=self._counts["messages"],
            n_skipped=self._counts["skipped"],
            n_duplicates=self._counts["duplicates"],
            problems=tuple(problems),
            chat_ids=tuple(self._chat_ids),
            characters=tuple(self._characters),
            is_cancelled=self._was_cancelled,
        )

    def _take_safely(self, member: Member, among: list[Member]) -> None:
        before = self._n_taken()
        try:
            self._take_member(member, among)
        except BrokenJson as error:
            if self._kinds or member.suffix in (".json", ".jsonl"):
                what = sentence("{name} is damaged: {reason}.", name=member.name, reason=reason_of(error))
                rest = phrase("What came before is here; for the rest, download or copy the file again.")
                self._problems.append(joined(what, rest if self._n_taken() > before else AGAIN))
        except FirstlightError:
            raise
        except UNREADABLE as error:
            what = sentence("{name} could not be read ({reason}).", name=member.name, reason=why_unreadable(error))
            is_packed = isinstance(error, NotImplementedError)
            self._problems.append(
                joined(what, phrase("Unpack it first, then import the folder.") if is_packed else AGAIN)
            )
        except _BROKEN as error:
            self._problems.append(
                sentence("{name} could not be read ({reason}).", name=member.name, reason=_why(error))
            )

    def _n_taken(self) -> int:
        """How much was found that is here now, or was here already."""
        return len(self._chat_ids) + len(self._batch) + len(self._characters) + self._counts["duplicates"]

    def _take_member(self, member: Member, among: list[Member]) -> None:
        with member.open() as stream:
            head = stream.read(_HEAD_BYTES)
        if head.startswith(character_cards.PNG_SIGNATURE):
            with member.open() as stream:
                self._take_card(character_cards.read_png(stream))
        elif head.startswith(gpt4all.MAGIC):
            self._kinds[ChatFormat.GPT4ALL] = None
            with member.open() as stream:
                self._add(gpt4all.read(stream, member.n_bytes, self._losses, member.modified_at), ChatFormat.GPT4ALL)
        elif member.suffix == ".charx":
            with member.open() as stream, zipfile.ZipFile(stream) as archive, archive.open("card.json") as file:
                self._take_card(mapping(decode(file.read(character_cards.MAX_CHUNK_BYTES))))
        elif own_format.is_own(head):
            self._take_own(member, own_format.version_of(head))
        else:
            self._take_foreign(member, among)

    def _take_own(self, member: Member, version: int) -> None:
        self._kinds[ChatFormat.FIRSTLIGHT] = None
        if version > own_format.VERSION:
            self._problems.append(
                sentence(
                    "{name} was written by a newer Firstlight (format {version}); update Firstlight to import it.",
                    name=member.name,
                    version=version,
                )
            )
            return
        with member.open() as stream:
            for raw in own_format.raw_chats(stream):
                self._take_element(_decoded(raw), len(raw), member, ChatFormat.FIRSTLIGHT)

    def _take_foreign(self, member: Member, among: list[Member]) -> None:
        with member.open() as stream:
            value = next((each for each, _ in _values(stream, member) if each is not None), None)
        kind = kind_of(value)
        if kind is ChatFormat.SILLY_TAVERN and "messages" not in mapping(value):
            self._kinds[kind] = None
            with member.open() as stream:
                self._add(silly_tavern.read(lines(stream), self._losses, member.modified_at, member.stem), kind)
        elif kind is ChatFormat.JAN:
            self._take_jan(member, among)
        elif turn := {"role", "from"} & mapping(value).keys():
            with member.open() as stream:
                turns = mappings(self._turns(stream, member))
            self._take_element({"messages" if "role" in turn else "conversations": turns}, member.n_bytes, member)
        else:
            with member.open() as stream:
                for each, n_bytes in _values(stream, member):
                    for chat in unwrapped(each):
                        self._take_element(chat, n_bytes, member)

    def _turns(self, stream: BinaryIO, member: Member) -> Any:
        """The messages of a file that is one chat."""
        if member.suffix != ".jsonl":
            return decode(stream.read(MAX_ELEMENT_BYTES))
        turns = list(lines(stream))
        self._losses[Loss.BROKEN_LINES] += turns.count(None)
        return turns

    def _take_jan(self, member: Member, among: list[Member]) -> None:
        self._kinds[ChatFormat.JAN] = None
        if member.suffix == ".json":
            if sibling(among, member, "messages.jsonl") is None:
                self._problems.append(
                    sentence(
                        "{name} has no messages.jsonl beside it; choose the folder of the thread.", name=member.name
                    )
                )
            return
        thread: dict[str, Any] = {}
        if (about := sibling(among, member, "thread.json")) is not None:
            with about.open() as stream:
                thread = mapping(decode(stream.read(MAX_ELEMENT_BYTES)))
        with member.open() as stream:
            self._add(jan.read(lines(stream), thread, self._losses, member.modified_at), ChatFormat.JAN)

    def _take_card(self, card: dict[str, Any]) -> None:
        self._kinds[ChatFormat.CHARACTER_CARD] = None
        self._characters.append(character_cards.read(card))

    def _take_element(self, value: Any, n_bytes: int, member: Member, kind: ChatFormat | None = None) -> None:
        """Read one chat; one that cannot be read does not stop the others."""
        if value is None:
            self._losses[Loss.BROKEN_LINES] += 1
            return
        kind = kind or kind_of(value)
        if kind is None:
            self._counts["unknown"] += 1
            return
        self._kinds[kind] = None
        self._done_bytes += n_bytes
        found = mapping(value)
        try:
            if kind is ChatFormat.CHARACTER_CARD:
                self._take_card(found)
                return
            chat = _read(kind, found, self._losses, member)
        except _BROKEN as error:
            self._counts["skipped"] += 1
            self._problems.append(
                sentence(
                    "The chat “{title}” in {name} could not be read ({reason}).",
                    title=text(found.get("title")) or text(found.get("name")) or len(self._chat_ids) + 1,
                    name=member.name,
                    reason=_why(error),
                )
            )
            return
        self._add(chat, kind)
        self._progress()

    def _add(self, read: ReadChat, kind: ChatFormat) -> None:
        own_source = source_of(ChatFormat.FIRSTLIGHT, read.chat.id) if kind is ChatFormat.FIRSTLIGHT else ""
        if self._known & {read.chat.source, read.chat.id, own_source} - {""}:
            self._counts["duplicates"] += 1
            return
        if not read.messages and kind is not ChatFormat.FIRSTLIGHT:
            self._losses[Loss.EMPTY_CHATS] += 1
            return
        self._known |= {read.chat.source, own_source} - {""}
        keeps_ids = kind is ChatFormat.FIRSTLIGHT and not self._store.has_ids(
            read.chat.id, (m.id for m in read.messages)
        )
        self._batch.append(adopted(read, self._folder_id(read.folder), self._losses, keeps_ids=keeps_ids))
        if sum(len(each.messages) for each in self._batch) >= _BATCH_MESSAGES:
            self._flush()

    def _flush(self) -> None:
        """Store what was read; several small chats share a transaction."""
        with self._store.together():
            for each in self._batch:
                self._store.add_chat(each.chat, each.messages, each.summaries)
        self._chat_ids += [each.chat.id for each in self._batch]
        self._counts["messages"] += sum(len(each.messages) for each in self._batch)
        self._batch.clear()

    def _folder_id(self, name: str) -> str | None:
        if not name:
            return None
        if name not in self._folders:
            self._folders[name] = self._store.create_folder(name).id
        return self._folders[name]

    def _progress(self) -> None:
        if self._is_cancelled():
            raise _Stopped
        if self._on_progress is not None:
            done = min(self._done_bytes, self._total_bytes)
            n_chats = len(self._chat_ids) + len(self._batch)
            self._on_progress(ImportProgress(done_bytes=done, total_bytes=self._total_bytes, n_chats=n_chats))


def _values(stream: Any, member: Member) -> Iterator[tuple[Any, int]]:
    """The values of a JSON or JSON-lines file with their sizes in bytes; None for a broken line."""
    if member.suffix == ".jsonl":
        for value in lines(stream):
            yield value, 0
    else:
        for raw in elements(stream):
            yield _decoded(raw), len(raw)


def _why(error: Exception) -> Translatable:
    """Why something read well and still is no chat."""
    return reason_of(error) if isinstance(error, Unreadable) else phrase("it is not built as it should be")


def _decoded(raw: bytes) -> Any | None:
    try:
        return decode(raw)
    except (ValueError, RecursionError):
        return None


def _read(kind: ChatFormat, value: dict[str, Any], losses: Losses, member: Member) -> ReadChat:
    match kind:
        case ChatFormat.FIRSTLIGHT:
            return own_format.read(value)
        case ChatFormat.CHATGPT:
            return chatgpt.read(value, losses, member.modified_at)
        case ChatFormat.CLAUDE:
            return claude.read(value, losses, member.modified_at)
        case ChatFormat.LM_STUDIO:
            name = PurePosixPath(member.name).name.removesuffix(".conversation.json")
            return lm_studio.read(value, losses, member.modified_at, name, member.folder)
        case ChatFormat.OPEN_WEBUI:
            return open_webui.read(value, losses, member.modified_at)
        case ChatFormat.OPENAI:
            return message_lists.read_openai(value, losses, member.modified_at)
        case ChatFormat.SHAREGPT:
            return message_lists.read_sharegpt(value, losses, member.modified_at)
    raise msgspec.ValidationError(f"a chat of {kind} cannot stand inside another file")
