"""Main memory, with the limits of containers respected, and whether Linux gives huge pages."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import psutil

CGROUP = Path("/sys/fs/cgroup")
HUGE_PAGES = Path("/sys/kernel/mm/transparent_hugepage/enabled")
_NO_LIMIT = 1 << 60
"""Version 1 of control groups writes a number beyond this for no limit."""


@dataclasses.dataclass(frozen=True)
class Memory:
    total_bytes: int
    available_bytes: int
    """What can be taken without paging; file caches count as free."""


def read_memory(cgroup: Path = CGROUP) -> Memory:
    """Memory as this process may use it."""
    system = psutil.virtual_memory()
    limit = _number(cgroup / "memory.max") or _number(cgroup / "memory" / "memory.limit_in_bytes")
    if limit is None or limit >= min(_NO_LIMIT, system.total):
        return Memory(system.total, system.available)
    used = _number(cgroup / "memory.current") or _number(cgroup / "memory" / "memory.usage_in_bytes") or 0
    held = max(0, used - _inactive_file(cgroup))
    return Memory(limit, max(0, min(system.available, limit - held)))


def has_huge_pages(switch: Path = HUGE_PAGES) -> bool:
    """Whether Linux gives huge pages to processes that ask for them."""
    try:
        return "[never]" not in switch.read_text()
    except OSError:
        return False


def _number(path: Path) -> int | None:
    try:
        text = path.read_text().strip()
    except OSError:
        return None
    return int(text) if text.isdecimal() else None


def _inactive_file(cgroup: Path) -> int:
    """Bytes of file cache in a container that are given back when asked for."""
    for path in (cgroup / "memory.stat", cgroup / "memory" / "memory.stat"):
        try:
            lines = path.read_text().splitlines()
        except OSError:
            continue
        return sum(int(line.split()[1]) for line in lines if line.startswith("inactive_file "))
    return 0
