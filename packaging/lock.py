"""Write requirements.lock: the exact version of every package, for each Python that is given.

    python packaging/lock.py python3.11 python3.12 python3.13

Each interpreter's pip resolves pyproject.toml (the test tools included) without installing anything; a version that
differs between Pythons gets a marker. The engine's build is left out: bootstrap.py compiles it.

Versions are exact but carry no hashes: a mirror or an operating system may serve other builds of the same version
(wheels differ by platform, and some packages are built from source), and pip would refuse those. The files that are
taken out of packages, such as the starter model, are checked by SHA-256 where they are used.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENGINE = "llama-cpp-python"
ENGINE_NEEDS = ("numpy>=1.20", "diskcache>=5.6.1", "jinja2>=2.11.3", "typing-extensions>=4.5")
"""What the engine's package itself depends on; it is installed without its dependencies."""


def requirements(project: Mapping[str, object]) -> list[str]:
    """All requirements of pyproject.toml with the test tools, the engine replaced by what it needs."""
    table = project["project"]
    assert isinstance(table, dict)
    wanted = [*table["dependencies"], *table["optional-dependencies"]["test"]]
    return [*(item for item in wanted if not item.startswith(ENGINE)), *ENGINE_NEEDS, "pip"]


def engine_version(project: Mapping[str, object]) -> str:
    """The engine's version, which pyproject.toml pins."""
    table = project["project"]
    assert isinstance(table, dict)
    pins: list[str] = table["dependencies"]
    return next(item.partition("==")[2] for item in pins if item.startswith(f"{ENGINE}=="))


def read_project(root: Path = ROOT) -> dict[str, object]:
    return tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))


def resolve(python: str, wanted: Iterable[str]) -> tuple[tuple[int, int], dict[str, str]]:
    """The interpreter's version and what its pip would install, by normalised name."""
    command = [python, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--quiet", "--report", "-"]
    output = subprocess.run(
        [*command, "--only-binary", ":all:", *wanted], stdout=subprocess.PIPE, text=True, check=True
    ).stdout
    report = json.loads(output)
    major, minor = report["environment"]["python_version"].split(".")
    items = (item["metadata"] for item in report["install"])
    return (int(major), int(minor)), {normalise(item["name"]): item["version"] for item in items}


def normalise(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def merge(resolved: Mapping[tuple[int, int], Mapping[str, str]]) -> list[str]:
    """Lock lines; a version that holds from one Python to the next is written once, with the span as its marker.

    The newest Python given also stands for all that follow it, the oldest for none before.
    """
    pythons = sorted(resolved)
    lines = []
    for name in sorted({name for packages in resolved.values() for name in packages}):
        spans: list[tuple[str | None, int, int]] = []
        for index, python in enumerate(pythons):
            version = resolved[python].get(name)
            if spans and spans[-1][0] == version:
                spans[-1] = (version, spans[-1][1], index)
            else:
                spans.append((version, index, index))
        for version, first, last in spans:
            if version is None:
                continue
            marks = []
            if first > 0:
                marks.append(f'python_version >= "{_dotted(pythons[first])}"')
            if last < len(pythons) - 1:
                marks.append(f'python_version < "{_dotted(pythons[last + 1])}"')
            lines.append(f"{name}=={version}" + (f" ; {' and '.join(marks)}" if marks else ""))
    return lines


def _dotted(python: tuple[int, int]) -> str:
    return f"{python[0]}.{python[1]}"


def main(pythons: list[str]) -> int:
    if not pythons:
        print(__doc__)
        return 2
    wanted = requirements(read_project())
    resolved = dict(resolve(python, wanted) for python in pythons)
    head = "# Written by packaging/lock.py; do not edit. Every package that Firstlight and its tests need.\n"
    (ROOT / "packaging" / "requirements.lock").write_text(head + "\n".join(merge(resolved)) + "\n", encoding="utf-8")
    print(f"{max(map(len, resolved.values()))} packages for Python {', '.join(map(_dotted, sorted(resolved)))}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
