"""What of a model's answer can be a title."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QCoreApplication

from app.chat_titles import clean_title
from app.i18n import install_language, resolve_language


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ('"Ring Buffers in Python"', "Ring Buffers in Python"),
        ("**Title: KV caches**\nIt is about", "KV caches"),
        ("标题：缓存与预填充", "缓存与预填充"),
        ("<think>hm", ""),
        ("\n\n", ""),
        ("x" * 61, ""),
        ("A title.", "A title"),
    ],
)
def test_a_title_is_one_clean_line_or_nothing(said: str, title: str) -> None:
    assert clean_title(said) == title


def test_an_unknown_language_is_english(qapp: QCoreApplication) -> None:
    assert resolve_language("zh_CN") == "zh_CN"
    assert install_language(qapp, "en") == "en"
