"""Full-text search over titles and messages, for words of any script and for any piece of CJK text."""

from __future__ import annotations

import re

_CJK = (
    "\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3100-\u312f\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f"
)
_CJK_RUN = re.compile(f"[{_CJK}]+")


def grams(text: str) -> str:
    """The text as the index sees it: each run of CJK characters becomes its overlapping pairs.

    Scripts without spaces have no words that a tokenizer could find. With one token for each character and its
    successor, any piece of two or more characters is a phrase, and a single character is a prefix.
    """
    if text.isascii():
        return text
    return _CJK_RUN.sub(_pairs, text)


def _pairs(match: re.Match[str]) -> str:
    run = match.group()
    return f" {' '.join(run[i : i + 2] for i in range(len(run)))} "
