"""The parts of a Word file beside its text: which styles are headings, and how lists are numbered."""

from __future__ import annotations

import re
import zipfile
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from app.composer.documents.reader_messages import DocumentError, Problem

MAX_PART_BYTES = 64_000_000
"""Unpacked; a part that is larger is a trap or no letter."""
_HEADING = re.compile(r"(?:heading|title)\s*(\d?)", re.IGNORECASE)


def tag(element: Element) -> str:
    """An element's name without its namespace: Word writes two sets of them."""
    return element.tag.rpartition("}")[2]


def attribute(element: Element | None, name: str) -> str:
    """An attribute by its name without the namespace; empty when it is missing."""
    if element is None:
        return ""
    return next((value for key, value in element.attrib.items() if key.rpartition("}")[2] == name), "")


def child(element: Element | None, *path: str) -> Element | None:
    """The first descendant along a path of names."""
    for name in path:
        element = next((each for each in element if tag(each) == name), None) if element is not None else None
    return element


def part(archive: zipfile.ZipFile, name: str) -> Element | None:
    """One part as XML; None when the file has none of this name. Raises DocumentError."""
    try:
        info = archive.getinfo(name)
    except KeyError:
        return None
    if info.file_size > MAX_PART_BYTES:
        raise DocumentError(Problem.TOO_BIG)
    raw = archive.read(info)
    if b"<!DOCTYPE" in raw[:4096] or b"<!ENTITY" in raw:
        raise DocumentError(Problem.DAMAGED)  # Word writes neither; entities can multiply without end.
    return ElementTree.fromstring(raw)


def heading_levels(styles: Element | None) -> dict[str, int]:
    """Levels of the paragraph styles that are headings, by the style's id."""
    levels = {}
    for style in styles if styles is not None else ():
        outline = attribute(child(style, "pPr", "outlineLvl"), "val")
        named = _HEADING.fullmatch(attribute(child(style, "name"), "val"))
        if named:
            levels[attribute(style, "styleId")] = int(named[1] or 1)
        elif outline.isdigit() and int(outline) < 9:
            levels[attribute(style, "styleId")] = int(outline) + 1
    return levels


def list_styles(styles: Element | None) -> dict[str, Element]:
    """List properties of the paragraph styles that have some, by the style's id."""
    found = (
        (attribute(style, "styleId"), child(style, "pPr", "numPr")) for style in (styles if styles is not None else ())
    )
    return {name: properties for name, properties in found if properties is not None}


class Numbering:
    """Writes the markers of list items, counting as Word does."""

    def __init__(self, root: Element | None) -> None:
        kinds: dict[str, dict[str, str]] = {}
        self._lists: dict[str, dict[str, str]] = {}
        self._counts: dict[tuple[str, int], int] = {}
        for element in root if root is not None else ():
            if tag(element) == "abstractNum":
                levels = (level for level in element if tag(level) == "lvl")
                kinds[attribute(element, "abstractNumId")] = {
                    attribute(level, "ilvl"): attribute(child(level, "numFmt"), "val") for level in levels
                }
            elif tag(element) == "num":
                kind = attribute(child(element, "abstractNumId"), "val")
                self._lists[attribute(element, "numId")] = kinds.get(kind, {})

    def marker(self, properties: Element | None) -> str:
        """The marker of a paragraph with these list properties, indented by its level."""
        number, level = attribute(child(properties, "numId"), "val"), attribute(child(properties, "ilvl"), "val")
        if not number or number == "0":
            return ""
        depth = min(int(level), 8) if level.isdigit() else 0
        self._counts = {key: count for key, count in self._counts.items() if key[0] != number or key[1] <= depth}
        if self._lists.get(number, {}).get(level or "0", "bullet") in ("bullet", "none"):
            return f"{'  ' * depth}- "
        count = self._counts[number, depth] = self._counts.get((number, depth), 0) + 1
        return f"{'  ' * depth}{count}. "
