"""python packaging/translations.py: bring the translations up to date with the sources, and list what is missing."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "resources" / "translations"
ENGINE = "engine"
"""The context of the engine's sentences, as in app/engine_sentences.py."""
_API = ("api", "server.py")
LUPDATE = Path(sys.executable).with_name("pyside6-lupdate")


def update(target: Path, *, keep_vanished: bool = False) -> None:
    """Take every marked string of the app and every sentence of the engine into a .ts file."""
    sources = [str(path.relative_to(ROOT)) for path in sorted((ROOT / "app").rglob("*.py"))]
    options = ["-locations", "none", *([] if keep_vanished else ["-no-obsolete"])]
    with tempfile.TemporaryDirectory() as folder:
        # The engine knows no Qt, so its sentences are handed to lupdate marked the way it expects.
        marked = Path(folder) / "engine.py"
        lines = (f"QT_TRANSLATE_NOOP({ENGINE!r}, {text!r})\n" for text in sorted(engine_templates()))
        marked.write_text("".join(lines), encoding="utf-8")
        command: list[str | Path] = [LUPDATE, *sources, marked, *options, "-ts", target]
        subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.DEVNULL)


def engine_templates() -> set[str]:
    """Every sentence that the engine says to the app; what its own command line and the API's answers say is not
    among them, but why the API is not served is.
    """
    files = sorted((ROOT / "engine").rglob("*.py"))
    others = {"api", "commands"}
    told = (f for f in files if f.relative_to(ROOT / "engine").parts[0] not in others or f.parts[-2:] == _API)
    return {
        text
        for file in told
        for call in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call)
        for part in sentence_parts(call)
        for text in literals(part)
        if text
    }


def sentence_parts(call: ast.Call) -> list[ast.expr]:
    """The arguments of a call that engine/sentences.py and engine/errors.py take as sentences; none for other calls."""
    name = call.func.id if isinstance(call.func, ast.Name) else ""
    if name in ("say", "phrase"):
        return call.args[:1]
    if name == "ProtocolError":
        return call.args
    if name.endswith("Error") and call.args and ast.unparse(call.args[0]).startswith("Code."):
        return call.args[1:]
    if name in ("Failure", "Notice"):
        return [keyword.value for keyword in call.keywords if keyword.arg in ("message", "advice")]
    return []


def literals(part: ast.expr) -> Iterable[str]:
    match part:
        case ast.Constant(value=str(text)):
            yield text
        case ast.IfExp():
            yield from literals(part.body)
            yield from literals(part.orelse)


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
