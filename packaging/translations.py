"""python packaging/translations.py: bring the translations up to date with the sources, and list what is missing."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "resources" / "translations"
LUPDATE = Path(sys.executable).with_name("pyside6-lupdate")


def update(target: Path, *, keep_vanished: bool = False) -> None:
    """Take every marked string of the app into a .ts file."""
    sources = [str(path.relative_to(ROOT)) for path in sorted((ROOT / "app").rglob("*.py"))]
    options = ["-locations", "none", *([] if keep_vanished else ["-no-obsolete"])]
    subprocess.run([LUPDATE, *sources, *options, "-ts", target], check=True, cwd=ROOT, stdout=subprocess.DEVNULL)


def problems(file: Path) -> list[str]:
    """Strings without a translation, translations without a string, and those that lost a place or a space."""
    found = []
    for context in ElementTree.parse(file).getroot().iter("context"):
        name = context.findtext("name", "")
        for message in context.iter("message"):
            source, translation = message.findtext("source", ""), message.find("translation")
            text = "" if translation is None else translation.text or ""
            kind = "" if translation is None else translation.get("type", "")
            if kind in ("vanished", "obsolete"):
                found.append(f"{name}: no longer in the sources: {source}")
            elif kind or not text:
                found.append(f"{name}: not translated: {source}")
            elif _places(source) != _places(text):
                found.append(f"{name}: other places: {source} / {text}")
    return found


def _places(text: str) -> list[str]:
    """The {names} of a string that format() fills in, sorted."""
    return sorted(re.findall(r"(?<!\{)\{[^{}]*\}(?!\})", text))


def main() -> int:
    missing = []
    for file in sorted(FOLDER.glob("*.ts")):
        update(file)
        missing += [f"{file.name}: {problem}" for problem in problems(file)]
    print("\n".join(missing) or "Every string is translated.")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
