"""In which encoding a text file is written, found out from its bytes."""

from __future__ import annotations

import codecs

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""UTF-32's little-endian mark begins with UTF-16's, so it is looked for first."""
_SAMPLE = 20_000
_BREAKS = frozenset(map(ord, "\t\n\r\f\b\x1b"))


def decode(raw: bytes) -> str | None:
    """The text of a file, its line ends as newlines; None for what is not text."""
    for encoding in _encodings(raw):
        try:
            text = raw.decode(encoding)
        except UnicodeDecodeError:
            continue
        return text.replace("\r\n", "\n").replace("\r", "\n") if _is_text(text) else None
    return None


def _encodings(raw: bytes) -> list[str]:
    for mark, encoding in _MARKS:
        if raw.startswith(mark):
            return [encoding]
    if wide := _unmarked_utf16(raw):
        return [wide]
    return ["utf-8", *(["gb18030"] if _looks_chinese(raw) else []), "cp1252", "latin-1"]


def _unmarked_utf16(raw: bytes) -> str:
    """UTF-16 without its mark: every other byte of Western text is zero."""
    sample = raw[:_SAMPLE]
    half = len(sample) // 2
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    if len(raw) % 2 or half < 2 or even + odd < half * 0.4:
        return ""
    if not even:
        return "utf-16-le"
    return "" if odd else "utf-16-be"


def _looks_chinese(raw: bytes) -> bool:
    """Bytes above ASCII come in pairs from the range of GB2312, where nearly all that is written in Chinese lies."""
    sample = raw[:_SAMPLE]
    at = n_pairs = n_others = 0
    while at < len(sample):
        if sample[at] < 0x80:
            at += 1
            continue
        is_pair = at + 1 < len(sample) and sample[at + 1] >= 0xA1
        is_common = is_pair and (0xA1 <= sample[at] <= 0xA9 or 0xB0 <= sample[at] <= 0xF7)
        n_pairs += is_common
        n_others += not is_common
        at += 2 if is_pair else 1
    return n_pairs > 9 * n_others


def _is_text(text: str) -> bool:
    if "\0" in text:
        return False
    sample = text[:_SAMPLE]
    n_control = sum(ord(character) < 32 and ord(character) not in _BREAKS for character in sample)
    return n_control <= len(sample) // 100
