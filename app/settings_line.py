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
    for pattern, text in (
        (r"(\d+/\d+) layers", translate("settings line", "{value} layers")),
        (r"experts of (\d+) layers on the CPU", translate("settings line", "experts of {value} layers on the CPU")),
        (r"(\d+) threads", translate("settings line", "{value} threads")),
        (r"speculative (\w+)", translate("settings line", "speculative {value}")),
    ):
        if found := re.fullmatch(pattern, part):
            return text.format(value=found[1])
    return part
