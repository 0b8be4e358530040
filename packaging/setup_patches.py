"""Patches to llama.cpp's source, applied before it is compiled: packaging/patches/*.patch, in the order of their names.

A hunk fits where its line number says and nowhere else, or it is refused. `git apply` would move it to another place
that looks alike, skips files in silence inside a repository, and needs git; patch_ng takes a file for done that
already reads like the result.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from setup_steps import StepFailed

FOLDER = Path(__file__).with_name("patches")
_HUNK = re.compile(r"@@ -(\d+),(\d+) \+\d+,(\d+) @@")


class Hunk(NamedTuple):
    """Lines of a file and what takes their place."""

    file: str
    start: int
    """Lines before it."""
    old: list[str]
    new: list[str]


@dataclass(frozen=True)
class Patch:
    """A unified diff below a head, which says what is wrong, how that was measured, and where upstream stands."""

    name: str
    head: str
    diff: str

    @property
    def is_optional(self) -> bool:
        """Whether results are right without it, only slower."""
        return "\nKind: speed\n" in self.head

    def hunks(self) -> Iterator[Hunk]:
        lines = iter(self.diff.split("\n"))
        file = ""
        for line in lines:
            if line.startswith("+++ "):
                file = line[4:]
            elif found := _HUNK.match(line):
                start, n_old, n_new = map(int, found.groups())
                old: list[str] = []
                new: list[str] = []
                while len(old) < n_old or len(new) < n_new:
                    change = next(lines)
                    if not change.startswith("+"):
                        old.append(change[1:])
                    if not change.startswith("-"):
                        new.append(change[1:])
                yield Hunk(file, start - 1, old, new)


def patches(*, is_stock: bool = False, folder: Path = FOLDER) -> list[Patch]:
    """All patches, or those alone that make results right."""
    found = []
    for path in sorted(folder.glob("*.patch")):
        head, mark, diff = path.read_text(encoding="utf-8").partition("\n--- ")
        found.append(Patch(path.stem, f"{head}\n", mark[1:] + diff))
    return [patch for patch in found if not (is_stock and patch.is_optional)]


def digest(chosen: Iterable[Patch]) -> str:
    """Names what a set of patches does."""
    return hashlib.sha256("".join(patch.diff for patch in chosen).encode()).hexdigest()[:12]


def apply(source: Path, chosen: Sequence[Patch]) -> None:
    """Make an unpacked llama-cpp-python the original with these patches, whatever was applied to it before.

    Files that are right already stay untouched and are not compiled again. Raises StepFailed, and changes nothing,
    where a patch does not fit.
    """
    # What an earlier set changed and this one does not goes back.
    texts = {kept.with_suffix(""): kept.read_bytes().decode() for kept in source.rglob("*.orig")}
    for patch in chosen:
        for file, hunks in groupby(patch.hunks(), lambda hunk: hunk.file):
            path = source / file
            text = texts.get(path) or path.read_bytes().decode()
            texts[path] = _patched(text, hunks, patch.name)
    for path, text in texts.items():
        _keep_original(path)
        if text.encode() != path.read_bytes():
            path.write_bytes(text.encode())


def _patched(text: str, hunks: Iterable[Hunk], name: str) -> str:
    lines = text.split("\n")
    result: list[str] = []
    done = 0
    for file, start, old, new in hunks:
        if start < done or lines[start : start + len(old)] != old:
            raise StepFailed(
                f"packaging/patches/{name}.patch does not fit llama.cpp's {Path(file).name} at line {start + 1}.",
                "Look through the patch: llama.cpp may have made the change itself.",
            )
        result += [*lines[done:start], *new]
        done = start + len(old)
    return "\n".join([*result, *lines[done:]])


def _keep_original(path: Path) -> None:
    original = path.with_name(f"{path.name}.orig")
    if not original.exists():
        part = path.with_name(f"{path.name}.part")
        shutil.copyfile(path, part)
        part.replace(original)
