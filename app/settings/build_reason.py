"""Why the set-up chose this build of the engine, in the user's language; it was written down in English."""

from __future__ import annotations

import functools
import re

from PySide6.QtCore import QCoreApplication

from app.ui.quantities import format_list

translate = QCoreApplication.translate


def build_reason(reason: str) -> str:
    """A reason of packaging/setup_backend.py; one that is not known stays as it is."""
    for pattern, text in (
        (r"it was asked for", translate("build reason", "it was asked for")),
        (r"no GPU was found", translate("build reason", "no GPU was found")),
        (
            r"llama-cpp-python was installed without Firstlight's set-up",
            translate("build reason", "llama-cpp-python was installed without Firstlight's set-up"),
        ),
        (
            r"this is a Mac, whose GPU is reached through Metal",
            translate("build reason", "this is a Mac, whose GPU is reached through Metal"),
        ),
        (r"found (?P<cards>.+) with NVIDIA's driver", translate("build reason", "found {cards} with NVIDIA's driver")),
        (
            r"found a GPU by (?P<makers>.+), which has no NVIDIA driver here; it is reached through Vulkan",
            translate(
                "build reason", "found a GPU by {cards}, which has no NVIDIA driver here; it is reached through Vulkan"
            ),
        ),
        (
            r"found a GPU by (?P<makers>.+); it is reached through Vulkan",
            translate("build reason", "found a GPU by {cards}; it is reached through Vulkan"),
        ),
    ):
        if found := re.fullmatch(
            pattern + r"(?:; the (?P<build>\w+) build (?P<what>failed|waits for its driver))?", reason
        ):
            parts = found.groupdict()
            told = text.format(cards=_cards(parts.get("cards") or "") or _makers(parts.get("makers") or ""))
            also = {
                "failed": translate("build reason", "{reason}; the {build} build failed"),
                "waits for its driver": translate("build reason", "{reason}; the {build} build waits for its driver"),
            }
            return also.get(parts["what"] or "", "{reason}").format(reason=told, build=parts["build"])
    return reason


def _cards(names: str) -> str:
    if names == "an NVIDIA card":
        return translate("build reason", "an NVIDIA card")
    return format_list(names.split(", "))


def _makers(names: str) -> str:
    both = translate("build reason", "{first} and {second}")
    return functools.reduce(lambda first, second: both.format(first=first, second=second), names.split(" and "))
