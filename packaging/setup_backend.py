"""Which build of llama.cpp suits this machine: the facts, the choice, its reason, and what comes next if it fails."""

from __future__ import annotations

import csv
import ctypes
import enum
import platform
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from setup_steps import StepFailed


class Flavour(enum.StrEnum):
    """Builds of llama.cpp that can be made here."""

    CPU = "cpu"
    VULKAN = "vulkan"
    CUDA = "cuda"
    METAL = "metal"


class Vendor(enum.StrEnum):
    """Makers of GPUs, as people call them."""

    AMD = "AMD"
    INTEL = "Intel"
    NVIDIA = "NVIDIA"


_PCI_VENDORS = {"0x1002": Vendor.AMD, "0x8086": Vendor.INTEL, "0x10de": Vendor.NVIDIA}


@dataclass(frozen=True)
class NvidiaCard:
    """One card, as the driver names it."""

    name: str
    compute_capability: str
    """Such as 8.9; empty when the driver does not say."""
    driver: str = ""

    @property
    def architecture(self) -> str:
        """The number that CUDA's compiler wants: 89 for 8.9."""
        return self.compute_capability.replace(".", "")


@dataclass(frozen=True)
class Facts:
    """What the choice rests on."""

    system: str
    """linux, darwin or win32."""
    machine: str
    """x86_64, arm64, ..."""
    nvidia_cards: tuple[NvidiaCard, ...] = ()
    has_nvidia_driver: bool = False
    gpu_vendors: frozenset[Vendor] = frozenset()

    @property
    def has_gpu(self) -> bool:
        return self.has_nvidia_driver or bool(self.gpu_vendors)


@dataclass(frozen=True)
class Choice:
    """The flavours to try in order; the first is the one that was chosen."""

    flavours: tuple[Flavour, ...]
    reason: str
    is_forced: bool = False
    is_mac: bool = False

    @property
    def flavour(self) -> Flavour:
        return self.flavours[0]

    @property
    def advice(self) -> str:
        """How to have another, in one sentence."""
        known = (Flavour.METAL, Flavour.CPU) if self.is_mac else (Flavour.CPU, Flavour.VULKAN, Flavour.CUDA)
        others = " or ".join(f"--backend {flavour}" for flavour in known if flavour != self.flavour)
        return f"Another one: {others}." if self.is_forced else f"To force another: {others}."


def choose(facts: Facts, requested: str = "auto") -> Choice:
    """The best build for this hardware, or the requested one. Raises StepFailed for one that cannot work here."""
    best = _best(facts)
    if requested == "auto":
        return best
    try:
        flavour = Flavour(requested)
    except ValueError as error:
        names = ", ".join(("auto", *Flavour))
        raise StepFailed(f"There is no engine build named {requested}.", f"Choose one of: {names}.") from error
    if (flavour is Flavour.METAL) != (facts.system == "darwin") and flavour is not Flavour.CPU:
        place = "only on macOS" if flavour is Flavour.METAL else "not on macOS"
        raise StepFailed(f"The {flavour} build exists {place}.", f"Use --backend {best.flavour}.")
    fallbacks = () if flavour is Flavour.CPU else (Flavour.CPU,)
    return Choice((flavour, *fallbacks), "it was asked for", is_forced=True, is_mac=facts.system == "darwin")


def _best(facts: Facts) -> Choice:
    if facts.system == "darwin":
        return Choice((Flavour.METAL, Flavour.CPU), "this is a Mac, whose GPU is reached through Metal", is_mac=True)
    if facts.has_nvidia_driver:
        names = ", ".join(card.name for card in facts.nvidia_cards) or "an NVIDIA card"
        return Choice((Flavour.CUDA, Flavour.VULKAN, Flavour.CPU), f"found {names} with NVIDIA's driver")
    if others := facts.gpu_vendors:
        names = " and ".join(sorted(others))
        hint = ", which has no NVIDIA driver here" if others == {Vendor.NVIDIA} else ""
        return Choice((Flavour.VULKAN, Flavour.CPU), f"found a GPU by {names}{hint}; it is reached through Vulkan")
    return Choice((Flavour.CPU,), "no GPU was found")


def look() -> Facts:
    """The facts about this machine, found in well under a second."""
    cards = nvidia_cards()
    return Facts(
        system="linux" if sys.platform.startswith("linux") else sys.platform,
        machine=platform.machine().lower(),
        nvidia_cards=cards,
        has_nvidia_driver=bool(cards) or _has_nvidia_driver(),
        gpu_vendors=gpu_vendors(),
    )


def nvidia_cards() -> tuple[NvidiaCard, ...]:
    """What nvidia-smi lists; empty where there is no driver."""
    if not (program := shutil.which("nvidia-smi")):
        return ()
    command = [program, "--query-gpu=name,compute_cap,driver_version", "--format=csv,noheader"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, check=False, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return ()
    return parse_cards(answer.stdout) if answer.returncode == 0 else ()


def parse_cards(text: str) -> tuple[NvidiaCard, ...]:
    """Lines of `name, compute capability, driver`."""
    rows = [row for row in csv.reader(text.splitlines(), skipinitialspace=True) if len(row) == 3]
    return tuple(
        NvidiaCard(name, capability if capability[:1].isdigit() else "", driver) for name, capability, driver in rows
    )


def _has_nvidia_driver() -> bool:
    """Whether the driver's library opens and finds a card, also where nvidia-smi is not installed."""
    try:
        cuda = ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
        count = ctypes.c_int(0)
        return cuda.cuInit(0) == 0 and cuda.cuDeviceGetCount(ctypes.byref(count)) == 0 and count.value > 0
    except (OSError, AttributeError):
        return False


def gpu_vendors(drm: Path = Path("/sys/class/drm")) -> frozenset[Vendor]:
    """Makers of the GPUs that Linux lists; virtual ones are left out."""
    found = set()
    for file in drm.glob("card*/device/vendor"):
        try:
            vendor = _PCI_VENDORS.get(file.read_text(encoding="ascii").strip())
        except OSError:
            continue
        if vendor:
            found.add(vendor)
    return frozenset(found)
