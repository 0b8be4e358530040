"""Resolves what a user calls a model to its file and to the settings it is loaded with."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from engine.errors import Code, ModelError
from engine.folders import IS_CHECKOUT
from engine.library.model_roots import candidates, has_text_name, model_roots, shown
from engine.protocol.values import ModelSettings
from engine.settings import Folders, Settings
from engine.translatable import listed

STARTER_ID = "starter"
STARTER_FILE = "SmolLM2-135M-Instruct.Q8_0.gguf"

_PROJECT = Path(__file__).resolve().parents[2]


def resolve(model_id: str, settings: Settings, folders: Folders) -> Path:
    """The absolute path of a model given as a path, a library name or `starter`.

    Raises ModelError (MODEL_NOT_FOUND). Whether the file is any good is for engine.gguf.check_file to say.
    """
    if model_id == STARTER_ID:
        return _starter(folders)
    path = Path(model_id).expanduser()
    if path.suffix.lower() == ".gguf" or path.is_absolute() or path.exists():
        return _existing(path)
    return _in_library(model_id, settings, folders)


def settings_for(model_id: str, path: Path, settings: Settings, folders: Folders) -> ModelSettings:
    """The settings a model is loaded with when the request has none of its own."""
    per_model = settings.models.per_model
    chosen = per_model.get(model_id) or per_model.get(str(path)) or settings.performance.load
    return with_folders(chosen, folders)


def with_folders(chosen: ModelSettings, folders: Folders) -> ModelSettings:
    """Fill in where a worker keeps its snapshots."""
    return chosen if chosen.snapshot_dir else msgspec.structs.replace(chosen, snapshot_dir=str(folders.snapshots))


def known_models(settings: Settings, folders: Folders) -> dict[str, Path]:
    """Names that `resolve` knows, with what it makes of them."""
    found: dict[str, Path] = {}
    with contextlib.suppress(ModelError):
        found[STARTER_ID] = _starter(folders)
    for name, path in _library(settings, folders):
        found.setdefault(name, path.resolve())
    return found


def _starter(folders: Folders) -> Path:
    own = os.environ.get("FIRSTLIGHT_STARTER")
    paths = [Path(own)] if own else [folders.models / STARTER_FILE, _PROJECT / ".cache" / "models" / STARTER_FILE]
    for path in paths:
        if path.is_file():
            return path.resolve()
    raise ModelError(
        Code.MODEL_NOT_FOUND,
        "The starter model is not here ({path} is missing).",
        "Run python3 packaging/bootstrap.py run, which brings it, or choose another model."
        if IS_CHECKOUT
        else "Choose another model, or download one.",
        path=paths[-1],
    )


def _existing(path: Path) -> Path:
    if path.is_dir():
        raise ModelError(
            Code.MODEL_NOT_FOUND, "{path} is a folder, not a model file.", "Choose a .gguf file in it.", path=path
        )
    if not path.exists():
        raise ModelError(
            Code.MODEL_NOT_FOUND, "There is no file {path}.", "Check the path, or choose another model.", path=path
        )
    found = path.resolve()
    if not has_text_name(found):
        raise ModelError(
            Code.MODEL_NOT_FOUND,
            "The name of {path} is no Unicode text, so that it cannot be told to the engine.",
            "Rename the file or its folder.",
            path=shown(found),
        )
    return found


def _library(settings: Settings, folders: Folders) -> Iterator[tuple[str, Path]]:
    """Names and first files of the models in all roots, our own first."""
    for root in model_roots(folders, settings.models):
        for candidate in candidates(root):
            if has_text_name(candidate.files[0]):
                yield candidate.name, candidate.files[0]


def _in_library(name: str, settings: Settings, folders: Folders) -> Path:
    wanted = name.lower()
    found: dict[str, Path] = {}
    for known, path in _library(settings, folders):
        found.setdefault(known, path)
    exact = [known for known in found if known.lower() == wanted]
    similar = exact or [known for known in found if known.lower().startswith(wanted)]
    if len(similar) == 1:
        return found[similar[0]].resolve()
    if similar:
        raise ModelError(
            Code.MODEL_NOT_FOUND,
            "Several models are called {name}: {names}.",
            "Give the whole name.",
            name=name,
            names=listed(sorted(similar)[:8]),
        )
    raise ModelError(
        Code.MODEL_NOT_FOUND,
        "There is no model called {name} in the library.",
        "Give a path to a .gguf file, a name that python -m engine models list shows, or starter.",
        name=name,
    )
