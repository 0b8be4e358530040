"""What compiles the Vulkan build: headers and a shader compiler, from the system or from Debian's newer packages.

Debian 12's own are too old: its headers lack types that llama.cpp uses, and its shader compiler leaves out the
cooperative-matrix and integer dot product kernels, which are most of a GPU's prefill speed. The newer packages are
unpacked into a folder of ours, with their own C library for the compiler; nothing of the system changes.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from setup_steps import Places, Progress, StepFailed, run_logged
from setup_system import family_of, os_release

OLDEST_HEADERS = (1, 4, 309)
"""The oldest that were seen to compile the engine."""
SUITE = "trixie"
_PACKAGES = ("libvulkan-dev", "spirv-headers", "glslc", "libshaderc1", "libc6", "libstdc++6", "libgcc-s1")
_INSTALLERS = {
    "fedora": "Run: sudo dnf install vulkan-headers vulkan-loader-devel spirv-headers-devel glslc.",
    "arch": "Run: sudo pacman -S --needed vulkan-headers vulkan-icd-loader spirv-headers shaderc.",
}
_OTHERS = "Install your system's vulkan-headers, spirv-headers and glslc."
_PROBE_SHADER = "#version 450\n#extension GL_KHR_cooperative_matrix : require\nvoid main() {}\n"


@dataclass(frozen=True)
class Toolchain:
    """What a build flavour adds to the plain CPU build."""

    flags: tuple[str, ...] = ()
    """CMake definitions, NAME=VALUE."""
    description: str = ""


def toolchain(places: Places, progress: Progress) -> Toolchain:
    """Find or bring headers and shader compiler. Raises StepFailed with the way out."""
    if os.environ.get("VULKAN_SDK"):
        return Toolchain(description="the SDK that VULKAN_SDK names")
    if is_system_enough():
        return Toolchain(description="the system's Vulkan headers and shader compiler")
    if not sys.platform.startswith("linux"):
        raise StepFailed(
            "The Vulkan SDK was not found.",
            "Install it from LunarG, which sets VULKAN_SDK, and run the same command in a new terminal;"
            " or use --backend cpu.",
        )
    loader = loader_path()
    if loader is None:
        raise StepFailed("The Vulkan loader is missing.", "Run: sudo apt-get install libvulkan1")
    folder = places.cache / "toolchains" / f"vulkan-{SUITE}"
    compiler = folder / "bin" / "glslc"
    if not compiler.exists():
        progress.detail(f"bringing Vulkan headers and shader compiler of Debian {SUITE}")
        _assemble(folder, places.logs)
    include = folder / "root" / "usr" / "include"
    return Toolchain(
        flags=(
            f"Vulkan_INCLUDE_DIR={include}",
            f"Vulkan_LIBRARY={loader}",
            f"Vulkan_GLSLC_EXECUTABLE={compiler}",
            f"SPIRV-Headers_DIR={folder / 'root' / 'usr' / 'share' / 'cmake' / 'SPIRV-Headers'}",
        ),
        description=f"Vulkan headers and shader compiler of Debian {SUITE}",
    )


def is_system_enough() -> bool:
    """Whether the system's headers are new enough and its shader compiler knows the extensions that matter."""
    header = next(
        (p for p in map(Path, ("/usr/include", "/usr/local/include")) if (p / "vulkan/vulkan.h").exists()), None
    )
    config = ("/usr/share/cmake/SPIRV-Headers", "/usr/lib/cmake/SPIRV-Headers", "/usr/local/share/cmake/SPIRV-Headers")
    if header is None or not shutil.which("glslc") or not any(map(os.path.isdir, config)):
        return False
    text = (header / "vulkan" / "vulkan_core.h").read_text(encoding="utf-8", errors="replace")
    return header_version(text) >= OLDEST_HEADERS and compiles_shaders("glslc")


def header_version(core_header: str) -> tuple[int, int, int]:
    """The version that vulkan_core.h states; zeros when it does not."""
    complete = re.search(r"VK_HEADER_VERSION_COMPLETE VK_MAKE_API_VERSION\(\d+, (\d+), (\d+),", core_header)
    patch = re.search(r"#define VK_HEADER_VERSION (\d+)", core_header)
    return (int(complete[1]), int(complete[2]), int(patch[1])) if complete and patch else (0, 0, 0)


def compiles_shaders(compiler: str | Path) -> bool:
    """Whether a shader compiler starts here and knows cooperative matrices."""
    command = [str(compiler), "-fshader-stage=compute", "--target-env=vulkan1.3", "-o", os.devnull, "-"]
    try:
        return subprocess.run(command, input=_PROBE_SHADER, text=True, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def loader_path(folders: Iterable[Path] | None = None) -> Path | None:
    """Where the system keeps libvulkan.so.1."""
    triplet = f"{platform.machine()}-linux-gnu"
    places = folders or [Path(p) for p in (f"/usr/lib/{triplet}", "/usr/lib64", "/usr/lib", "/usr/local/lib")]
    return next((place / "libvulkan.so.1" for place in places if (place / "libvulkan.so.1").exists()), None)


def _assemble(folder: Path, logs: Path) -> None:
    """Download the packages with apt's own tools and a state of our own, and unpack them; needs no root."""
    release = os_release()
    if family_of(release) != "debian" or not shutil.which("apt-get") or not shutil.which("dpkg-deb"):
        raise StepFailed(
            "The Vulkan headers or the shader compiler of this system are missing or too old.",
            f"{_INSTALLERS.get(family_of(release), _OTHERS)} Or install the Vulkan SDK and set VULKAN_SDK.",
        )
    shutil.rmtree(folder, ignore_errors=True)
    state = folder / "apt"
    for part in ("lists/partial", "cache/archives/partial", "debs"):
        (state / part).mkdir(parents=True)
    source = f"deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] {_mirror(release)} {SUITE} main\n"
    (state / "sources.list").write_text(source, encoding="utf-8")
    options = {
        "Dir::Etc::sourcelist": state / "sources.list",
        "Dir::Etc::sourceparts": "-",
        "Dir::State::lists": state / "lists",
        "Dir::Cache": state / "cache",
        "Acquire::Retries": 3,
        "APT::Sandbox::User": "root",
    }
    apt = ["apt-get", "-q", *(f"-o{name}={value}" for name, value in options.items())]
    run_logged([*apt, "update"], log=logs / "vulkan-update.log")
    run_logged([*apt, "download", *_PACKAGES], log=logs / "vulkan-download.log", cwd=state / "debs")
    root = folder / "root"
    for package in sorted((state / "debs").glob("*.deb")):
        run_logged(["dpkg-deb", "-x", package, root], log=logs / "vulkan-unpack.log")
    shutil.rmtree(state)
    _write_compiler(folder, root)


def _write_compiler(folder: Path, root: Path) -> None:
    """A glslc that runs with the C library it was built for, whatever the system's is."""
    libraries = root / "usr" / "lib" / f"{platform.machine()}-linux-gnu"
    linker = next(libraries.glob("ld-linux-*.so.*"), None)
    if linker is None:
        raise StepFailed("Debian's C library came without its linker.", "Use --backend cpu.")
    script = folder / "glslc.new"
    script.write_text(
        f"#!/bin/sh\nexec '{linker}' --library-path '{libraries}' '{root}/usr/bin/glslc' \"$@\"\n", encoding="utf-8"
    )
    script.chmod(0o755)
    if not compiles_shaders(script):
        raise StepFailed("The shader compiler that was brought does not start here.", "Use --backend cpu.")
    (folder / "bin").mkdir()
    script.replace(folder / "bin" / "glslc")


def _mirror(release: dict[str, str]) -> str:
    """The archive that this system already uses."""
    command = ["apt-get", "indextargets", "--format", "$(RELEASE) $(REPO_URI)", "Identifier: Packages"]
    lines = subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()
    uri = pick_mirror(lines, release.get("VERSION_CODENAME", ""))
    if uri is None:
        raise StepFailed(
            "No Debian archive is configured on this system, so newer Vulkan headers cannot be had from it.",
            "Install the Vulkan SDK and set VULKAN_SDK, or use --backend cpu.",
        )
    return uri


def pick_mirror(lines: Iterable[str], codename: str) -> str | None:
    """Of lines `suite URI`, the archive that serves this release of Debian."""
    pairs = (line.split(maxsplit=1) for line in lines if " " in line)
    uris = [uri.strip() for suite, uri in pairs if suite == codename and uri.strip().rstrip("/").endswith("/debian")]
    return uris[0] if uris else None
