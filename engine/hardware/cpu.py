"""The processor: its name, the cores that this process may use, and the instructions that llama.cpp's kernels need."""

from __future__ import annotations

import dataclasses
import math
import os
import platform
import subprocess
import sys
from pathlib import Path

import psutil

_FEATURES = {
    "avx2": "avx2",
    "avx512f": "avx512",
    "avx512_vnni": "avx512_vnni",
    "avx512_bf16": "avx512_bf16",
    "avx_vnni": "avx_vnni",
    "amx_int8": "amx_int8",
    "fma": "fma",
    "f16c": "f16c",
    "asimd": "neon",
    "asimddp": "dotprod",
    "i8mm": "i8mm",
    "sve": "sve",
}
"""The kernel's names of instruction sets → ours."""


@dataclasses.dataclass(frozen=True)
class Cpu:
    """What there is to compute with."""

    name: str
    n_physical: int
    """Cores; hyper-threads are not counted."""
    n_logical: int
    n_usable: int
    """Logical cores that this process may use, after affinity and container limits."""
    features: frozenset[str] = frozenset()
    """Empty where the system does not say."""


def read_cpu(proc: Path = Path("/proc/cpuinfo"), cgroup: Path = Path("/sys/fs/cgroup")) -> Cpu:
    """Read the processor once; takes a few milliseconds."""
    fields = _cpuinfo(proc)
    n_logical = os.cpu_count() or 1
    n_physical = psutil.cpu_count(logical=False) or n_logical
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else n_logical
    flags = (fields.get("flags") or fields.get("Features") or "").split()
    return Cpu(
        name=fields.get("model name") or _name_elsewhere() or platform.machine(),
        n_physical=n_physical,
        n_logical=n_logical,
        n_usable=max(1, min(usable, _quota(cgroup) or usable)),
        features=frozenset(_FEATURES[flag] for flag in flags if flag in _FEATURES),
    )


def _cpuinfo(path: Path) -> dict[str, str]:
    """The first processor's fields; empty where there is no such file."""
    try:
        text = path.read_text("utf-8", "replace")
    except OSError:
        return {}
    first = text.split("\n\n", 1)[0]
    pairs = (line.partition(":") for line in first.splitlines())
    return {key.strip(): value.strip() for key, _, value in pairs}


def _name_elsewhere() -> str:
    if sys.platform == "darwin":
        try:
            done = subprocess.run(
                ["/usr/sbin/sysctl", "-n", "machdep.cpu.brand_string"],
                capture_output=True,
                text=True,
                timeout=5,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return ""
        return done.stdout.strip()
    return platform.processor()


def _quota(cgroup: Path) -> int | None:
    """Whole cores of a container's limit; None without one."""
    try:
        quota, period = (cgroup / "cpu.max").read_text().split()
        return None if quota == "max" else math.ceil(int(quota) / int(period))
    except (OSError, ValueError):
        return None
