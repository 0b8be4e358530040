"""System libraries: what Qt and the compiler need, and the one command that brings what is missing."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from setup_steps import Console, Places, StepFailed, run_logged


@dataclass(frozen=True)
class Need:
    """One thing this machine must have, and the Debian package that brings it."""

    what: str
    package: str
    is_there: Callable[[], bool]
    is_required: bool = True


def library(soname: str) -> Callable[[], bool]:
    """Whether the dynamic linker finds a library."""

    def is_there() -> bool:
        try:
            ctypes.CDLL(soname)
        except OSError:
            return False
        return True

    return is_there


def program(*names: str) -> Callable[[], bool]:
    return lambda: any(shutil.which(name) for name in names)


def font(*patterns: str) -> Callable[[], bool]:
    """Whether a font file with such a name is installed for all users or for this one."""
    folders = [Path("/usr/share/fonts"), Path("/usr/local/share/fonts"), Path.home() / ".local" / "share" / "fonts"]
    return lambda: any(next(folder.rglob(pattern), None) for folder in folders for pattern in patterns)


QT_LIBRARIES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libdbus-1.so.3": "libdbus-1-3",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libwayland-egl.so.1": "libwayland-egl1",
    "libgssapi_krb5.so.2": "libgssapi-krb5-2",
}

LINUX_NEEDS = (
    Need("a C++ compiler", "g++", program("g++", "c++")),
    Need("virtual environments", "python3-venv", lambda: bool(importlib.util.find_spec("ensurepip"))),
    Need("a C compiler", "gcc", program("gcc", "cc")),
    *(Need(soname, package, library(soname)) for soname, package in QT_LIBRARIES.items()),
    Need("font settings", "fontconfig", program("fc-list"), is_required=False),
    Need("a text font", "fonts-dejavu-core", font("Inter*", "DejaVuSans*", "NotoSans-*", "Cantarell*")),
    Need("a font for Chinese, Japanese and Korean", "fonts-noto-cjk", font("*CJK*", "wqy-*"), is_required=False),
    Need("a font for emoji", "fonts-noto-color-emoji", font("*Emoji*"), is_required=False),
)

VULKAN_DRIVERS = (Path("/usr/share/vulkan/icd.d"), Path("/etc/vulkan/icd.d"), Path("/usr/local/share/vulkan/icd.d"))
VULKAN_NEEDS = (
    Need("the Vulkan loader", "libvulkan1", library("libvulkan.so.1")),
    Need("a Vulkan driver", "mesa-vulkan-drivers", lambda: any(map(_holds_drivers, VULKAN_DRIVERS))),
)

_OTHER_INSTALLERS = {
    "fedora": "sudo dnf install gcc-c++ libglvnd-egl libglvnd-glx libxkbcommon-x11 xcb-util-cursor xcb-util-wm"
    " xcb-util-image xcb-util-keysyms xcb-util-renderutil libwayland-client libwayland-cursor libwayland-egl dbus-libs"
    " glib2 krb5-libs fontconfig freetype dejavu-sans-fonts google-noto-sans-cjk-fonts google-noto-color-emoji-fonts"
    " vulkan-loader mesa-vulkan-drivers",
    "arch": "sudo pacman -S --needed gcc libglvnd libxkbcommon-x11 xcb-util-cursor xcb-util-wm xcb-util-image"
    " xcb-util-keysyms xcb-util-renderutil wayland dbus glib2 krb5 fontconfig freetype2 ttf-dejavu noto-fonts-cjk"
    " noto-fonts-emoji vulkan-icd-loader vulkan-intel vulkan-radeon",
}

TEST_NEEDS = (Need("Prometheus' promtool", "prometheus", program("promtool"), is_required=False),)

SOFTWARE_DEVICE = Need(
    "Mesa's software Vulkan driver",
    "mesa-vulkan-drivers",
    lambda: any(Path("/usr/share/vulkan/icd.d").glob("lvp_icd*.json")),
)


def install_needs(
    console: Console, places: Places, needs: Iterable[Need] = LINUX_NEEDS, title: str = "System libraries"
) -> None:
    """Bring what is missing, or raise StepFailed with the one command that does."""
    if not sys.platform.startswith("linux"):
        _check_other_system()
        return
    with console.step(title) as progress:
        missing = [need for need in needs if not need.is_there()]
        if not missing:
            progress.result("all there")
            return
        _install(missing, places, console)
        still = [need for need in missing if need.is_required and not need.is_there()]
        if still:
            raise StepFailed(f"Still missing after the installation: {_names(still)}.", manual_advice(still))
        packages = ", ".join(need.package for need in missing)
        progress.result(f"installed {packages if len(missing) < 5 else f'{len(missing)} packages'}")


def _install(missing: list[Need], places: Places, console: Console) -> None:
    required = [need for need in missing if need.is_required]
    prefix = root_prefix()
    if shutil.which("apt-get") is None or prefix is None:
        if not required:
            console.note(f"Recommended, not needed: {_names(missing)}. {manual_advice(missing)}")
            return
        raise StepFailed(f"This machine lacks {_names(required)}.", manual_advice(missing))
    environment = {"DEBIAN_FRONTEND": "noninteractive"}
    apt = [*prefix, "apt-get", "-q", "-o", "DPkg::Lock::Timeout=120", "-o", "Acquire::Retries=3"]
    run_logged([*apt, "update"], log=places.logs / "apt-update.log", environment=environment)
    packages = [need.package for need in missing]
    try:
        run_logged(
            [*apt, "install", "-y", "--no-install-recommends", *packages],
            log=places.logs / "apt-install.log",
            environment=environment,
        )
    except StepFailed as error:
        raise StepFailed(
            f"The system libraries could not be installed. {error.what}", manual_advice(missing)
        ) from error


def root_prefix() -> list[str] | None:
    """How to run a command as root without asking for a password; None where that is not possible."""
    if os.geteuid() == 0:
        return []
    if (
        shutil.which("sudo")
        and subprocess.run(["sudo", "-n", "true"], capture_output=True, check=False).returncode == 0
    ):
        return ["sudo", "-n"]
    return None


def manual_advice(needs: Iterable[Need], release: Mapping[str, str] | None = None) -> str:
    """The one command for this system, or clear words where we do not know it."""
    family = family_of(os_release() if release is None else release)
    packages = " ".join(sorted({need.package for need in needs}))
    if family == "debian":
        return f"Run: sudo apt-get install {packages}\n    Then run the same command again."
    if family in _OTHER_INSTALLERS:
        return f"Run: {_OTHER_INSTALLERS[family]}\n    Then run the same command again."
    return f"On Debian this is {packages}; install what your system calls it, then run the same command again."


def family_of(release: Mapping[str, str]) -> str:
    """debian, fedora, arch, or empty for a system we do not know."""
    names = f"{release.get('ID', '')} {release.get('ID_LIKE', '')}".split()
    return next(
        (family for family in ("debian", "fedora", "arch") if family in names or _alias(family) & set(names)), ""
    )


def _alias(family: str) -> set[str]:
    return {"debian": {"ubuntu"}, "fedora": {"rhel", "centos"}, "arch": {"manjaro"}}[family]


def os_release() -> dict[str, str]:
    try:
        return platform.freedesktop_os_release()
    except OSError:
        return {}


def _holds_drivers(folder: Path) -> bool:
    return any(folder.glob("*.json"))


def _names(needs: Iterable[Need]) -> str:
    return ", ".join(need.what for need in needs)


def _check_other_system() -> None:
    if sys.platform == "darwin" and shutil.which("clang++") is None:
        raise StepFailed("Apple's compiler is missing.", "Run: xcode-select --install, then the same command again.")
    if sys.platform == "win32" and not (shutil.which("cl") or shutil.which("g++")):
        raise StepFailed(
            "A C++ compiler is missing.",
            "Install the Build Tools of Visual Studio with 'Desktop development with C++', open the 'x64 Native Tools"
            " Command Prompt' and run the same command there.",
        )
