"""Why the set-up chose this build of the engine, in the user's language; it was written down in English."""

from __future__ import annotations

import re

from PySide6.QtCore import QCoreApplication

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
        (r"found (.+) with NVIDIA's driver", translate("build reason", "found {cards} with NVIDIA's driver")),
        (
            r"found a GPU by (.+), which has no NVIDIA driver here; it is reached through Vulkan",
            translate(
                "build reason", "found a GPU by {cards}, which has no NVIDIA driver here; it is reached through Vulkan"
            ),
        ),
        (
            r"found a GPU by (.+); it is reached through Vulkan",
            translate("build reason", "found a GPU by {cards}; it is reached through Vulkan"),
        ),
    ):
        if found := re.fullmatch(pattern + r"(?:; the (?P<failed>\w+) build failed)?", reason):
            told = text.format(cards=found[1])
            if failed := found["failed"]:
                told = translate("build reason", "{reason}; the {build} build failed").format(reason=told, build=failed)
            return told
    return reason
