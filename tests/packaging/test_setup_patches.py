"""Patches to llama.cpp's source: they fit the pinned release line by line, once, and can be taken back."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import bootstrap
import lock
import pytest
import setup_engine
import setup_patches
from setup_patches import Patch, apply, digest, patches
from setup_steps import Console, Places, StepFailed, user_cache

CHANGED = sorted({hunk.file for patch in patches() for hunk in patch.hunks()})


@pytest.fixture(scope="session")
def release() -> Path:
    """The pinned release as the set-up unpacks it, which has been done where there is an engine."""
    version = lock.engine_version(lock.read_project())
    places = Places(bootstrap.ROOT, bootstrap.ROOT / ".venv", user_cache())
    with Console(is_live=False).step("llama.cpp's source") as progress:
        return setup_engine.bring_source(places, version, progress)


@pytest.fixture
def source(release: Path, tmp_path: Path) -> Path:
    """The files of it that are changed, as they came."""
    for file in CHANGED:
        original = release / f"{file}.orig"
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(original if original.exists() else release / file, tmp_path / file)
    return tmp_path


def texts(source: Path) -> dict[str, str]:
    return {file: (source / file).read_text(encoding="utf-8") for file in CHANGED}


def test_all_fit_the_pinned_release(source: Path) -> None:
    before = texts(source)
    apply(source, patches())
    after = texts(source)
    assert all(before[file] != after[file] for file in CHANGED)
    changes = [line for patch in patches() for line in patch.diff.split("\n")]
    added = {line[1:] for line in changes if line.startswith("+") and not line.startswith("+++ ")}
    lines = {line for text in after.values() for line in text.split("\n")}
    assert added <= lines
    assert sum(len(text.split("\n")) for text in after.values()) == (
        sum(len(text.split("\n")) for text in before.values())
        + sum(len(hunk.new) - len(hunk.old) for patch in patches() for hunk in patch.hunks())
    )


@pytest.mark.parametrize("patch", patches(), ids=lambda patch: patch.name)
def test_a_changed_line_of_context_is_refused_and_nothing_is_written(source: Path, patch: Patch) -> None:
    hunk = next(patch.hunks())
    path = source / hunk.file
    lines = path.read_text(encoding="utf-8").split("\n")
    lines[lines.index(max(hunk.old, key=len), hunk.start - 20)] += " // changed"
    path.write_text("\n".join(lines), encoding="utf-8")
    before = texts(source)
    with pytest.raises(StepFailed, match=f"{patch.name}.patch does not fit llama.cpp's {path.name} at line"):
        apply(source, [p for p in patches() if p.name <= patch.name])
    assert texts(source) == before


def test_the_same_lines_at_another_place_are_refused(source: Path) -> None:
    patch = patches()[0]
    path = source / next(patch.hunks()).file
    path.write_text("\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    with pytest.raises(StepFailed, match="does not fit"):
        apply(source, [patch])


def test_what_reads_like_the_result_already_is_refused(source: Path) -> None:
    """llama.cpp may have made the change itself: then the patch goes, and is not taken for applied."""
    patch = patches()[0]
    apply(source, [patch])
    for kept in source.rglob("*.orig"):
        kept.unlink()
    with pytest.raises(StepFailed, match="does not fit") as caught:
        apply(source, [patch])
    assert "may have made the change itself" in caught.value.advice


def test_a_second_time_touches_nothing(source: Path) -> None:
    """Or everything that includes these files would be compiled again."""
    apply(source, patches())
    files = [source / file for file in CHANGED]
    for path in files:
        os.utime(path, (1, 1))
    apply(source, patches())
    assert {path.stat().st_mtime for path in files} == {1}


def test_another_set_starts_from_the_originals(source: Path) -> None:
    """Also in files that it does not change itself."""
    originals = texts(source)
    stock = patches(is_stock=True)
    apply(source, stock)
    stock_texts = texts(source)
    apply(source, patches())
    full_texts = texts(source)
    untouched = set(CHANGED) - {hunk.file for patch in stock for hunk in patch.hunks()}
    assert untouched
    apply(source, stock)
    assert texts(source) == stock_texts
    assert all(stock_texts[file] == originals[file] != full_texts[file] for file in untouched)
    apply(source, [])
    assert texts(source) == originals


def test_a_set_is_named_by_what_it_does() -> None:
    assert digest(patches()) != digest(patches(is_stock=True)) != digest([])
    reworded = [Patch(patch.name, f"Reworded. {patch.head}", patch.diff) for patch in patches()]
    assert digest(reworded) == digest(patches())


def test_stock_keeps_what_makes_results_right() -> None:
    names = {patch.name for patch in patches()}
    kept = {patch.name for patch in patches(is_stock=True)}
    assert {name for name in names if "amx" in name} == kept < names


@pytest.mark.parametrize("patch", patches(), ids=lambda patch: patch.name)
def test_each_says_what_is_wrong_how_it_was_measured_and_where_upstream_stands(patch: Patch) -> None:
    lines = patch.head.splitlines()
    assert lines[0] and lines[1] in ("Kind: fix", "Kind: speed")
    assert lines[2].startswith("Upstream: ")
    assert "\nMeasured" in patch.head
    page = (setup_patches.FOLDER.parent / "README.md").read_text(encoding="utf-8")
    assert f"`{patch.name}`" in page
