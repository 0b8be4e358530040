"""Entries of the catalogue as lines of a list."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from app.models.line_list import Line
from app.ui.quantities import format_bytes, format_list
from engine.protocol import CatalogEntry, CatalogListed

translate = QCoreApplication.translate


def catalog_lines(catalog: CatalogListed) -> list[Line]:
    """What is recommended first, the rest from small to large."""
    first = sorted(catalog.entries, key=lambda entry: entry.repo != catalog.recommended)
    return [_line(entry, catalog) for entry in first]


def strengths(entry: CatalogEntry) -> str:
    """What a model is good at, in the user's language and shorter; an own entry's words as they are."""
    known = {
        "code": translate("catalog", "code"),
        "everyday answers": translate("catalog", "everyday answers"),
        "following instructions": translate("catalog", "instructions"),
        "knowledge": translate("catalog", "knowledge"),
        "long texts": translate("catalog", "long texts"),
        "many languages": translate("catalog", "languages"),
        "mathematics": translate("catalog", "mathematics"),
        "quick drafts": translate("catalog", "quick drafts"),
        "reasoning": translate("catalog", "reasoning"),
        "rewriting": translate("catalog", "rewriting"),
        "science": translate("catalog", "science"),
        "short answers in English": translate("catalog", "short answers in English"),
        "speed for its size": translate("catalog", "speed for its size"),
        "summaries": translate("catalog", "summaries"),
        "thinking on request": translate("catalog", "can think"),
        "writing": translate("catalog", "writing"),
    }
    return format_list(known.get(word, word) for word in entry.good_at)


def _line(entry: CatalogEntry, catalog: CatalogListed) -> Line:
    facts = [format_bytes(entry.size_bytes), strengths(entry)]
    if entry.is_own:
        facts.append(translate("catalog", "your entry"))
    state, color = "", "dim"
    if entry.repo == catalog.recommended:
        state, color = translate("catalog", "recommended"), "accent"
    elif entry.repo not in catalog.fitting:
        state, color = translate("catalog", "too large here"), "faint"
    return Line(entry.repo, entry.name, " · ".join(fact for fact in facts if fact), state, color)
