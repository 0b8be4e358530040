"""What a wheel of the project carries beside code: pictures, style, translations, and an entry for the desktop."""

from __future__ import annotations

import configparser
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_all_that_the_app_reads_is_in_the_package() -> None:
    patterns = PROJECT["tool"]["setuptools"]["package-data"]["*"]
    files = [file for file in (ROOT / "resources").rglob("*") if file.is_file() and file.parent.name != "screenshots"]
    # Translations are compiled on the machine that shows them.
    missing = [file.name for file in files if file.suffix != ".qm" and not any(fnmatch(file.name, p) for p in patterns)]
    assert missing == []
    assert "resources*" in PROJECT["tool"]["setuptools"]["packages"]["find"]["include"]


@pytest.mark.parametrize("place", PROJECT["tool"]["setuptools"]["data-files"])
def test_files_for_the_desktop_are_there(place: str) -> None:
    assert all((ROOT / file).is_file() for file in PROJECT["tool"]["setuptools"]["data-files"][place])


def test_the_desktops_entry_names_what_is_installed() -> None:
    entry = configparser.ConfigParser(interpolation=None)
    entry.optionxform = str  # type: ignore[assignment,method-assign]
    entry.read(ROOT / "packaging" / "firstlight.desktop", encoding="utf-8")
    assert entry["Desktop Entry"]["Exec"] in PROJECT["project"]["gui-scripts"]
    assert (ROOT / "resources" / f"{entry['Desktop Entry']['Icon']}.svg").is_file()
