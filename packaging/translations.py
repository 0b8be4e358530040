"""python packaging/translations.py: bring the translations up to date with the sources, and list what is missing.

English is written in the sources; its file holds the plural forms of counted strings alone.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "resources" / "translations"
ENGINE = "engine"
"""The context of the engine's sentences, as in app/core/engine_texts.py."""
_API = ("api", "http_server.py")
ENGLISH = FOLDER / "firstlight_en.ts"
_COUNTED = re.compile(r"\{(\w+)[^{}]*\}(?: (?!of )[\w-]+)?? (?!(?:is|was|has|does|its|this|ms)\b)[\w-]+s\b")
NO_COUNTS = frozenset(
    (
        *("name", "chosen", "key", "file", "what", "build", "type_k", "type_v"),  # Words.
        *(
            "bits",
            "mean",
            "ms",
            "p50",
            "p99",
            "size",
            "length",
            "expected",
        ),  # Measures, with fractions or never as small.
        *("n_ctx", "n_ctx_train", "n_ubatch", "made", "trained", "window", "n_needed", "n_tokens"),  # Never one token.
        *("of", "n_parts", "heads", "kv"),  # What a model has in all.
        *("claimed", "limit", "files", "deaths"),  # Said where there are too many.
    )
)
"""Places before a plural that hold no number, or none that is ever 1."""
LUPDATE = Path(sys.executable).with_name("pyside6-lupdate")


def update(target: Path, *, keep_vanished: bool = False) -> None:
    """Take every marked string of the app and every sentence of the engine into a .ts file."""
    sources = [str(path.relative_to(ROOT)) for path in sorted((ROOT / "app").rglob("*.py"))]
    options = ["-locations", "none", *([] if keep_vanished else ["-no-obsolete"])]
    options += ["-pluralonly"] if target.name == ENGLISH.name else []
    with tempfile.TemporaryDirectory() as folder:
        # Handed to lupdate marked the way it expects, and first: the engine's sentences, since the engine knows no Qt,
        # and translate() with a count, which lupdate sees in Python only where the count is a literal.
        marked = Path(folder) / "marked.py"
        lines = [f"QT_TRANSLATE_NOOP({ENGINE!r}, {text!r})\n" for text in sorted(engine_templates())]
        lines += [
            f"translate({s.context!r}, {s.text!r}, None, 1)\n" for s in app_strings() if s.context and s.is_counted
        ]
        marked.write_text("".join(lines), encoding="utf-8")
        command: list[str | Path] = [LUPDATE, marked, *sources, *options, "-ts", target]
        subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.DEVNULL)


class AppString(NamedTuple):
    """A string of the app that is marked for the translation."""

    text: str
    context: str
    """Empty for tr(), whose context is its class."""
    is_counted: bool
    """It comes with a number that chooses its plural form."""


def app_strings(folder: Path = ROOT / "app") -> list[AppString]:
    """All strings of tr() and translate()."""
    found = []
    for file in sorted(folder.rglob("*.py")):
        for call in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and (n := {"tr": 1, "translate": 2}.get(_name(call), 0)):
                texts = [text for part in call.args[:n] if isinstance(part, ast.Constant) for text in literals(part)]
                if len(texts) == n:
                    found.append(AppString(texts[-1], "" if n == 1 else texts[0], len(call.args) == n + 2))
    return found


def _name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def engine_templates() -> set[str]:
    """Every sentence that the engine says to the app; what its own command line and the API's answers say is not
    among them, but why the API is not served is.
    """
    return {text for part in _engine_sentences() for text in literals(part) if text}


def _engine_sentences() -> Iterator[ast.expr]:
    files = sorted((ROOT / "engine").rglob("*.py"))
    others = {"api", "commands"}
    told = (f for f in files if f.relative_to(ROOT / "engine").parts[0] not in others or f.parts[-2:] == _API)
    for file in told:
        for call in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call):
                yield from sentence_parts(call)


def sentence_parts(call: ast.Call) -> list[ast.expr]:
    """The arguments of a call that engine/translatable.py or engine/errors.py take as sentences; else none."""
    name = call.func.id if isinstance(call.func, ast.Name) else ""
    if name in ("sentence", "phrase"):
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


def uncounted() -> list[str]:
    """Strings that read wrong at 1: those of the app without a count, and the engine's without a sentence for it."""
    found = [f"give tr() the count: {s.text}" for s in app_strings() if has_count(s.text) and not s.is_counted]
    return found + [f"say it for 1, too: {t}" for part in _engine_sentences() for t in several(part) if has_count(t)]


def has_count(text: str) -> bool:
    """Whether a number stands before a plural in it: `{n} tokens`, `the {n} oldest messages`."""
    return any(place not in NO_COUNTS for place in _COUNTED.findall(text))


def several(part: ast.expr) -> Iterable[str]:
    """The literals of a sentence that are said for any number: not `many` of `one if n == 1 else many`."""
    match part:
        case ast.IfExp(test=ast.Compare(ops=[ast.Eq()], comparators=[ast.Constant(value=1)])):
            yield from several(part.body)
        case ast.IfExp():
            yield from several(part.body)
            yield from several(part.orelse)
        case _:
            yield from literals(part)


def problems(file: Path) -> list[str]:
    """Strings without a translation, translations without a string, and those that lost a place or a space."""
    found = []
    for context in ElementTree.parse(file).getroot().iter("context"):
        name = context.findtext("name", "")
        for message in context.iter("message"):
            source, translation = message.findtext("source", ""), message.find("translation")
            texts = [] if translation is None else forms(translation)
            kind = "" if translation is None else translation.get("type", "")
            if kind in ("vanished", "obsolete"):
                found.append(f"{name}: no longer in the sources: {source}")
            elif kind or not texts or not all(texts):
                found.append(f"{name}: not translated: {source}")
            for text in texts if all(texts) else ():
                is_one = len(texts) > 1 and text is texts[0]  # May say "one" instead of its number.
                if _places(source) not in (_places(text), sorted([*_places(text), *(["{n}"] if is_one else [])])):
                    found.append(f"{name}: other places: {source} / {text}")
    return found


def forms(translation: ElementTree.Element) -> list[str]:
    """Its plural forms, or the one that it has."""
    several = translation.findall("numerusform")
    return [form.text or "" for form in several or [translation]]


def _places(text: str) -> list[str]:
    """The {names} of a string that format() fills in, sorted."""
    return sorted(re.findall(r"(?<!\{)\{[^{}]*\}(?!\})", text))


def main() -> int:
    missing = uncounted()
    for file in sorted(FOLDER.glob("*.ts")):
        update(file)
        missing += [f"{file.name}: {problem}" for problem in problems(file)]
    print("\n".join(missing) or "Every string is translated.")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
