"""Where models lie on this computer: our folder, the hub cache, other apps' stores, and the user's own folders."""

from __future__ import annotations

import enum
import json
import logging
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from engine.settings import Folders, Models

_log = logging.getLogger(__name__)


class Source(enum.StrEnum):
    """Whose folder it is; all but OURS are read and never written."""

    OURS = "ours"
    HUB_CACHE = "hub_cache"
    LMSTUDIO = "lmstudio"
    OLLAMA = "ollama"
    FOLDER = "folder"
    STARTER = "starter"
    """The model that comes with the set-up."""


@dataclass(frozen=True, slots=True)
class ModelRoot:
    """A folder that holds models."""

    folder: Path
    source: Source


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """Files of one model before its header is read: all parts of a split one, in order."""

    name: str
    files: tuple[Path, ...]
    root: ModelRoot
    n_parts: int = 1
    """How many parts there should be."""
    repo: str = ""


_SPLIT = re.compile(r"^(?P<stem>.+)-(?P<number>\d{5})-of-(?P<count>\d{5})$")
_OLLAMA_MODEL = "application/vnd.ollama.image.model"


def model_roots(folders: Folders, models: Models, home: Path | None = None) -> list[ModelRoot]:
    """All folders that may hold models, ours first. `home` is the user's home folder."""
    home = home or Path.home()
    found = [ModelRoot(own_folder(folders, models), Source.OURS), ModelRoot(_hub_cache(home), Source.HUB_CACHE)]
    found += [ModelRoot(root, Source.LMSTUDIO) for root in _lmstudio_roots(home)]
    found.append(ModelRoot(Path(os.environ.get("OLLAMA_MODELS", home / ".ollama" / "models")), Source.OLLAMA))
    found += [ModelRoot(Path(folder).expanduser(), Source.FOLDER) for folder in models.folders]
    return found


def own_folder(folders: Folders, models: Models) -> Path:
    """Where our downloads go."""
    return Path(models.download_folder).expanduser() if models.download_folder else folders.models


def has_text_name(path: Path) -> bool:
    """Whether a path is Unicode text; a file system may hold any bytes, and what is told about files is text."""
    return shown(path) == str(path)


def shown(path: Path) -> str:
    """The path as text, with marks where it is none."""
    return os.fsencode(path).decode("utf-8", "replace")


def candidates(root: ModelRoot) -> Iterator[ModelFiles]:
    """The models in a root, split ones grouped. A folder that cannot be read yields nothing."""
    if root.source is Source.OLLAMA:
        yield from _ollama_models(root)
        return
    groups: dict[tuple[Path, str, int], list[tuple[int, Path]]] = {}
    for path in _gguf_files(root.folder):
        match = _SPLIT.match(path.stem)
        stem, number, count = (match["stem"], int(match["number"]), int(match["count"])) if match else (path.stem, 1, 1)
        groups.setdefault((path.parent, stem, count), []).append((number, path))
    for (_, stem, count), parts in groups.items():
        files = tuple(path for _, path in sorted(parts))
        yield ModelFiles(stem, files, root, count, repo=_repo(files[0], root))


def _gguf_files(root: Path) -> Iterator[Path]:
    """All .gguf files below root, links followed once, hidden folders but the hub's left out."""

    def note(error: OSError) -> None:
        _log.info("a model folder cannot be read: %s", error)

    for folder, names, files in os.walk(root, onerror=note, followlinks=False):
        names[:] = sorted(name for name in names if not name.startswith("."))
        for name in sorted(files):
            if name.lower().endswith(".gguf") and not name.startswith("."):
                yield Path(folder) / name


def _repo(path: Path, root: ModelRoot) -> str:
    """owner/name where the layout tells it: ours and LM Studio's by folders, the hub cache's by its name."""
    try:
        parts = path.relative_to(root.folder).parts
    except ValueError:
        return ""
    if root.source is Source.HUB_CACHE:
        return parts[0].removeprefix("models--").replace("--", "/", 1) if parts[0].startswith("models--") else ""
    if root.source in (Source.OURS, Source.LMSTUDIO) and len(parts) >= 3:
        return "/".join(parts[:2])
    return ""


def _hub_cache(home: Path) -> Path:
    if cache := os.environ.get("HF_HUB_CACHE"):
        return Path(cache)
    base = os.environ.get("HF_HOME")
    return Path(base) / "hub" if base else home / ".cache" / "huggingface" / "hub"


def _lmstudio_roots(home: Path) -> list[Path]:
    """LM Studio's model folders: where its pointer file says, else the usual ones."""
    roots = []
    try:
        roots.append(Path((home / ".lmstudio-home-pointer").read_text(encoding="utf-8").strip()) / "models")
    except (OSError, UnicodeDecodeError):
        roots.append(home / ".lmstudio" / "models")
    roots.append(home / ".cache" / "lm-studio" / "models")
    return roots


def _ollama_models(root: ModelRoot) -> Iterator[ModelFiles]:
    """Ollama names models by manifests and keeps their weights as blobs named by digest."""
    manifests = root.folder / "manifests"
    for folder, names, files in os.walk(manifests):
        names.sort()
        for tag in sorted(files):
            manifest = Path(folder) / tag
            digest = _ollama_digest(manifest)
            if digest:
                blob = root.folder / "blobs" / digest.replace(":", "-")
                yield ModelFiles(_ollama_name(manifest.relative_to(manifests)), (blob,), root)


def _ollama_digest(manifest: Path) -> str:
    try:
        layers = json.loads(manifest.read_bytes())["layers"]
        return next((str(layer["digest"]) for layer in layers if layer["mediaType"] == _OLLAMA_MODEL), "")
    except (OSError, ValueError, KeyError, TypeError) as error:
        _log.info("the manifest %s cannot be read: %s", manifest, error)
        return ""


def _ollama_name(relative: Path) -> str:
    """registry/library/name/tag → name:tag; other owners keep their name."""
    parts = relative.parts
    owner, name, tag = parts[-3:] if len(parts) >= 3 else ("library", relative.parent.name, relative.name)
    return f"{name}:{tag}" if owner == "library" else f"{owner}/{name}:{tag}"
