"""The models on this computer, used in place and never altered unless we downloaded them."""

from __future__ import annotations

import enum
import logging
from collections.abc import Iterable
from pathlib import Path

import msgspec

from engine import gguf
from engine.errors import Code, ModelError, StorageError
from engine.files import read_json, write_atomically, writing_to
from engine.library.header_cache import Facts, HeaderCache, stamp_of
from engine.library.manifest import Downloaded, Manifest
from engine.library.model_roots import (
    ModelFiles,
    ModelRoot,
    Source,
    candidates,
    has_text_name,
    model_roots,
    own_folder,
    shown,
)
from engine.library.orphaned_files import trash_of
from engine.protocol.records import ModelEntry
from engine.settings import Folders, Models
from engine.translatable import Translatable, phrase, reason_of, sentence

_log = logging.getLogger(__name__)


class State(enum.StrEnum):
    """ModelEntry.state."""

    READY = "ready"
    MISSING = "missing"
    INCOMPLETE = "incomplete"
    DAMAGED = "damaged"


class Library:
    """Scans the model roots, remembers what was there, deletes only what we downloaded. Calls block: use a thread."""

    def __init__(
        self, folders: Folders, models: Models, home: Path | None = None, *, starter: Path | None = None
    ) -> None:
        self._folders = folders
        self._roots = model_roots(folders, models, home)
        self._own = own_folder(folders, models)
        self._starter = starter
        self._cache = HeaderCache(folders.cache / "library-headers.json")
        self._known_path = folders.data / "library.json"
        self._loads_path = folders.data / "last-loads.json"
        self._known = self._load_known()

    @property
    def own_folder(self) -> Path:
        """Where our downloads go."""
        return self._own

    def scan(self) -> list[ModelEntry]:
        """Every model found now, and those of roots that are away; sorted by name."""
        manifest = Manifest(self._own)
        found: dict[str, ModelEntry] = {}
        real: set[Path] = set()
        for root in self._roots:
            for candidate in (*candidates(root), *self._starters(root)):
                target = candidate.files[0].resolve()
                if target not in real:
                    real.add(target)
                    entry = self._entry(candidate, manifest)
                    found[entry.model_id] = entry
        found.update(self._missing(found))
        loads = self._read_loads()
        found = {
            key: msgspec.structs.replace(entry, last_used=loads[entry.path]) if entry.path in loads else entry
            for key, entry in found.items()
        }
        self._cache.save()
        self._remember(found)
        return sorted(found.values(), key=lambda entry: (entry.name.lower(), entry.model_id))

    def remove(self, model_id: str, *, is_loaded: bool = False) -> int:
        """Move a model that we downloaded to our trash folder; returns its bytes. Raises ModelError, StorageError."""
        entry = next((entry for entry in self.scan() if entry.model_id == model_id), None)
        if entry is None:
            raise ModelError(Code.MODEL_NOT_FOUND, "This model is not in the library any more.", "Refresh the list.")
        if is_loaded:
            raise ModelError(Code.MODEL_IN_USE, "{name} is loaded.", "Unload it first.", name=entry.name)
        if not entry.is_ours:
            raise ModelError(
                Code.BAD_REQUEST,
                "{name} was not downloaded by Firstlight, so it is not deleted from here.",
                "It lies in {folder}.",
                name=entry.name,
                folder=Path(entry.path).parent,
            )
        manifest = Manifest(self._own)
        trash = trash_of(self._own)
        for path in self._files(Path(entry.path)):
            target = trash / path.relative_to(self._own)
            with writing_to(path.parent):
                target.parent.mkdir(parents=True, exist_ok=True)
                path.replace(target)
            known = manifest.get(path)
            if known is not None:
                write_atomically(target.with_name(target.name + ".json"), msgspec.json.encode(known))
            manifest.remove(path)
        return entry.size_bytes

    def restore(self, model_id: str) -> None:
        """Take back a `remove`. Raises ModelError when the trash was emptied, StorageError."""
        manifest = Manifest(self._own)
        trash = trash_of(self._own)
        files = self._files(trash / Path(model_id).relative_to(self._own))
        if not all(path.exists() for path in files):
            raise ModelError(Code.MODEL_NOT_FOUND, "This model is gone from the trash.", "Download it again.")
        for path in files:
            target = self._own / path.relative_to(trash)
            note = path.with_name(path.name + ".json")
            with writing_to(target.parent):
                target.parent.mkdir(parents=True, exist_ok=True)
                path.replace(target)
                if note.exists():
                    manifest.add(target, msgspec.json.decode(note.read_bytes(), type=Downloaded))
                    note.unlink()

    def files_of(self, model_id: str) -> list[Path]:
        """All parts of a model that is in the library. Raises ModelError."""
        if not any(entry.model_id == model_id for entry in self.scan()):
            raise ModelError(Code.MODEL_NOT_FOUND, "This model is not in the library any more.", "Refresh the list.")
        return self._files(Path(model_id))

    def note_load(self, path: str, when: float) -> None:
        """Remember when a model was last loaded, in Unix time. Raises StorageError."""
        loads = self._read_loads() | {path: when}
        write_atomically(self._loads_path, msgspec.json.encode(loads))

    def watched(self, entries: Iterable[ModelEntry]) -> tuple[str, ...]:
        """The folders and files whose change makes these entries stale."""
        found: set[Path] = set()
        for root in self._roots:
            folder = root.folder
            if not folder.exists() and root.source is Source.FOLDER:
                folder = next((parent for parent in folder.parents if parent.exists()), folder)
            found.add(folder)
        for entry in entries:
            path = Path(entry.path)
            for root in self._roots:
                if path.is_relative_to(root.folder):
                    found.update(parent for parent in path.parents if parent.is_relative_to(root.folder))
            if entry.state in (State.DAMAGED, State.INCOMPLETE):
                found.add(path)  # it may still be being copied
        return tuple(sorted(str(path) for path in found if path.exists()))

    def _read_loads(self) -> dict[str, float]:
        return read_json(self._loads_path, dict[str, float]) or {}

    def _files(self, first: Path) -> list[Path]:
        match = next(
            (path for path in candidates(ModelRoot(first.parent, Source.FOLDER)) if path.files[0] == first), None
        )
        return list(match.files) if match else [first]

    def _starters(self, root: ModelRoot) -> tuple[ModelFiles, ...]:
        """The model of the set-up, told once, after what the user has of his own."""
        if self._starter is None or root is not self._roots[-1]:
            return ()
        return (ModelFiles(self._starter.stem, (self._starter,), ModelRoot(self._starter.parent, Source.STARTER)),)

    def _entry(self, candidate: ModelFiles, manifest: Manifest) -> ModelEntry:
        first, root = candidate.files[0], candidate.root
        if not has_text_name(first):
            return ModelEntry(
                model_id=shown(first), name=shown(Path(candidate.name)), path=shown(first), source=root.source,
                state=State.DAMAGED, kind="other", file=shown(Path(first.name)),
                problem=phrase("Its name or that of its folder is no Unicode text. Rename it to use it."),
            )  # fmt: skip
        ours = manifest.get(first) if root.source is Source.OURS else None
        state, facts, size = State.READY, Facts(), 0
        problem: Translatable = ""
        try:
            stamp = stamp_of(candidate.files)
            size = sum(part for part, _ in stamp)
            if len(candidate.files) < candidate.n_parts:
                state = State.INCOMPLETE
                n = candidate.n_parts - len(candidate.files)
                problem = sentence(
                    "One of {of} parts is missing." if n == 1 else "{n} of {of} parts are missing.",
                    n=n,
                    of=candidate.n_parts,
                )
            else:
                facts = self._facts(candidate.files, stamp)
                problem = facts.problem
                state = State.DAMAGED if problem else State.READY
        except OSError as error:
            state = State.MISSING
            problem = sentence("The file cannot be read: {reason}.", reason=reason_of(error))
        return ModelEntry(
            model_id=str(first), name=candidate.name, path=str(first), source=root.source, state=state,
            kind=facts.kind, problem=problem, size_bytes=size, architecture=facts.architecture,
            quantization=facts.quantization, bits_per_weight=facts.bits_per_weight, tensor_mix=facts.tensor_mix,
            n_params=facts.n_params, n_ctx_train=facts.n_ctx_train, is_ours=ours is not None,
            repo=ours.repo if ours else candidate.repo, file=first.name, traits=facts.traits,
            licence=facts.licence,
        )  # fmt: skip

    def _facts(self, files: tuple[Path, ...], stamp: tuple[tuple[int, int], ...]) -> Facts:
        facts = self._cache.get(files, stamp)
        if facts is None:
            facts = read_facts(files[0])
            self._cache.put(files, stamp, facts)
        return facts

    def _missing(self, found: dict[str, ModelEntry]) -> dict[str, ModelEntry]:
        """Models of roots that are not there now, such as an ejected drive: their entries stay."""
        away = [root.folder for root in self._roots if not root.folder.exists()]
        return {
            entry.model_id: msgspec.structs.replace(
                entry, state=State.MISSING, problem=phrase("Its drive or folder is not there now.")
            )
            for entry in self._known.values()
            if entry.model_id not in found and any(Path(entry.path).is_relative_to(root) for root in away)
        }

    def _load_known(self) -> dict[str, ModelEntry]:
        return {entry.model_id: entry for entry in read_json(self._known_path, list[ModelEntry]) or ()}

    def _remember(self, found: dict[str, ModelEntry]) -> None:
        if found == self._known:
            return
        self._known = dict(found)
        try:
            write_atomically(self._known_path, msgspec.json.encode(list(found.values())))
        except StorageError as error:
            _log.warning("the library was not saved: %s", error)


def read_facts(path: Path) -> Facts:
    """What a file is, read from its header; a file that cannot be used gives its reason."""
    try:
        header = gguf.read_file(path)
    except ModelError as error:
        return Facts(kind="other", problem=error.failure.message)
    return Facts(
        kind=gguf.kind(header),
        architecture=header.architecture,
        title=header.name,
        quantization=header.quantization,
        bits_per_weight=round(header.bits_per_weight, 2),
        tensor_mix=header.tensor_mix,
        n_params=header.n_params,
        n_ctx_train=header.n_ctx_train,
        traits=gguf.traits(header) if header.tensors else "",
        licence=str(header.metadata.get("general.license", "")),
    )


def total_bytes(entries: Iterable[ModelEntry]) -> int:
    """Disk space of the models that are here."""
    return sum(entry.size_bytes for entry in entries if entry.state != State.MISSING)
