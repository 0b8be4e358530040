"""Mesa's software driver as the one Vulkan device: the environment in which llama.cpp takes it, and does not crash."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

_DRIVERS = Path("/usr/share/vulkan/icd.d")


def software_device(folder: Path, drivers: Path = _DRIVERS) -> dict[str, str]:
    """Variables for a process; what it preloads is compiled into `folder`, whose path holds no space or colon."""
    environment = {"GGML_VK_VISIBLE_DEVICES": "0"}
    if driver := next(iter(sorted(drivers.glob("lvp_icd*.json"))), None):
        source, shim = Path(__file__).with_name("keep_buffers.c"), folder / "keep_buffers.so"
        assert not re.search(r"[\s:]", str(shim)), "LD_PRELOAD parts its entries there, and nothing escapes them"
        subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", shim, source, "-ldl"], check=True)
        environment |= {"VK_DRIVER_FILES": str(driver), "VK_ICD_FILENAMES": str(driver), "LD_PRELOAD": str(shim)}
    return environment


def with_needs(environment: Mapping[str, str], needs: Mapping[str, str]) -> dict[str, str]:
    """An environment with what a device needs. What the user set stays; libraries of both are preloaded."""
    preloaded = ":".join(filter(None, (needs.get("LD_PRELOAD"), environment.get("LD_PRELOAD"))))
    return {**needs, **environment, **({"LD_PRELOAD": preloaded} if preloaded else {})}
