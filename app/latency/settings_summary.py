"""The settings line of the metrics log, in the user's language."""

from __future__ import annotations

import re

from PySide6.QtCore import QCoreApplication

translate = QCoreApplication.translate


def settings_line(line: str) -> str:
    """`n_ctx 8192 · KV f16 · 31/31 layers · 2 threads` with its words translated; the settings' own names stay."""
    return " · ".join(_part(part) for part in line.split(" · "))


def _part(part: str) -> str:
    if part == "flash attention":
        return translate("settings line", "flash attention")
    if found := re.fullmatch(r"speculative (\w+)", part):
        return translate("settings line", "speculative {kind}").format(kind=found[1])
    if (found := re.search(r"(?:\d+/)?(\d+)", part)) is None:
        return part
    n = int(found[1])
    counted = {
        "{n} layers": translate("settings line", "{n} layers", None, n),
        "experts of {n} layers on the CPU": translate("settings line", "experts of {n} layers on the CPU", None, n),
        "{n} threads": translate("settings line", "{n} threads", None, n),
    }
    text = counted.get(part.replace(found[0], "{n}", 1))
    return text.format(n=found[0]) if text else part
