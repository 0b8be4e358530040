"""python -m engine doctor: versions, devices, memory, folders, and what is missing."""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import platform
import re
import shutil
from pathlib import Path

import msgspec
import psutil

from engine import __version__
from engine.errors import FirstlightError
from engine.folders import IS_CHECKOUT
from engine.hardware.cpu import read_cpu
from engine.hardware.nvml import Nvml
from engine.host.backend_probe import UNCHOSEN, BackendRecord, describe_engine, read_backend_record
from engine.host.load_planner import n_cores
from engine.host.model_resolver import STARTER_ID, known_models, resolve
from engine.protocol.values import EngineDescription
from engine.settings import Folders, Settings, folders, load_settings

_PACKAGES = ("llama-cpp-python", "PySide6-Essentials", "huggingface-hub", "msgspec", "starlette", "uvicorn")
_LOW_DISK_BYTES = 2 << 30
_UNSAID = ("system_info", "llama_cpp_python")
"""Said elsewhere."""
_REBUILD = (
    "For a GPU: CMAKE_ARGS=-DGGML_CUDA=on (or -DGGML_VULKAN=on) pip install --force-reinstall --no-deps --no-cache-dir "
    "llama-cpp-python=={version}, or take Firstlight's source, whose set-up builds by itself."
)


class CheckedFolder(msgspec.Struct, frozen=True, kw_only=True):
    """A folder that Firstlight uses."""

    name: str
    path: str
    exists: bool
    is_writable: bool
    free_bytes: int


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a doctor wants to know; sizes in bytes."""

    firstlight: str
    python: str
    system: str
    versions: dict[str, str]
    cpu: str
    n_cores: int
    ram_total_bytes: int
    ram_free_bytes: int
    backend: BackendRecord | None
    engine: EngineDescription | None
    drivers: tuple[str, ...]
    """Of NVIDIA's cards, as the driver describes them."""
    places: tuple[CheckedFolder, ...]
    models: tuple[str, ...]
    """Names in the library."""
    problems: tuple[str, ...]
    """One sentence each, with the way out."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print one object")


def run(arguments: argparse.Namespace) -> int:
    report = examine()
    if arguments.json:
        print(msgspec.json.format(msgspec.json.encode(report), indent=2).decode())
    else:
        print("\n".join(_lines(report)))
    return 1 if report.problems else 0


def examine() -> Report:
    """Look at everything; what is wrong becomes a sentence, never an exception."""
    problems: list[str] = []
    settings, notice = load_settings(folders().settings_file)
    if notice:
        problems.append(str(notice))
    versions = _versions(problems)
    engine = _engine(problems)
    memory = psutil.virtual_memory()
    places = _places(folders(), settings)
    for place in places:
        if not place.is_writable:
            problems.append(
                f"The folder {place.path} cannot be written. Check its permissions, or set FIRSTLIGHT_HOME."
            )
        elif place.free_bytes < _LOW_DISK_BYTES:
            problems.append(f"Only {_size(place.free_bytes)} are free at {place.path}. Free some space.")
    models = _models(settings, problems)
    return Report(
        firstlight=__version__,
        python=platform.python_version(),
        system=platform.platform(),
        versions=versions | (engine.versions if engine is not None else {}),
        cpu=read_cpu().name,
        n_cores=n_cores(),
        ram_total_bytes=memory.total,
        ram_free_bytes=memory.available,
        backend=read_backend_record(),
        engine=engine,
        drivers=_drivers(),
        places=places,
        models=models,
        problems=tuple(problems),
    )


def _versions(problems: list[str]) -> dict[str, str]:
    versions = {}
    for package in _PACKAGES:
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            advice = "Run python3 packaging/bootstrap.py run." if IS_CHECKOUT else "Install Firstlight again with pip."
            problems.append(f"{package} is not installed. {advice}")
    return versions


def _drivers() -> tuple[str, ...]:
    """NVIDIA's driver, and each of its cards with its compute capability; empty without one."""
    nvml = Nvml()
    cards = [nvml.read(index) for index in range(len(nvml))]
    nvml.close()
    if not cards:
        return ()
    described = []
    for card in cards:
        facts = [f"compute capability {card.compute_capability}"] if card.compute_capability else []
        if card.free_bytes is not None and card.total_bytes is not None:
            facts.append(f"{_size(card.free_bytes)} of {_size(card.total_bytes)} free")
        facts += ["a screen is on it"] if card.is_display else []
        described.append(", ".join((card.name, *facts)))
    return (f"NVIDIA {nvml.driver_version}", *described)


def _engine(problems: list[str]) -> EngineDescription | None:
    try:
        return describe_engine()
    except FirstlightError as error:
        problems.append(error.failure.sentence())
        return None


def _places(where: Folders, settings: Settings) -> tuple[CheckedFolder, ...]:
    found = {"config": where.config, "data": where.data, "cache": where.cache, "models": where.models}
    if settings.models.download_folder:
        found["downloads"] = Path(settings.models.download_folder)
    return tuple(_place(name, path) for name, path in found.items())


def _place(name: str, path: Path) -> CheckedFolder:
    """A folder that does not exist yet is as writable as the nearest one above it."""
    nearest = next(folder for folder in (path, *path.parents) if folder.exists())
    return CheckedFolder(
        name=name,
        path=str(path),
        exists=path.is_dir(),
        is_writable=nearest.is_dir() and os.access(nearest, os.W_OK),
        free_bytes=shutil.disk_usage(nearest).free,
    )


def _models(settings: Settings, problems: list[str]) -> tuple[str, ...]:
    try:
        resolve(STARTER_ID, settings, folders())
    except FirstlightError as error:
        problems.append(error.failure.sentence())
    return tuple(known_models(settings, folders()))


def _lines(report: Report) -> list[str]:
    memory = f"{_size(report.ram_free_bytes)} of {_size(report.ram_total_bytes)} free"
    lines = [
        f"Firstlight {report.firstlight}, Python {report.python}, {report.system}",
        f"CPU        {report.cpu}, {report.n_cores} cores",
        f"Memory     {memory}",
        "Versions   " + ", ".join(f"{name} {text}" for name, text in report.versions.items() if name not in _UNSAID),
        *_lines_of_build(report),
        *(f"{'' if number else 'Driver':<10} {text}" for number, text in enumerate(report.drivers)),
    ]
    if report.engine is not None:
        for device in report.engine.devices:
            memory = f", {_size(device.free_bytes)} of {_size(device.total_bytes)} free" if device.total_bytes else ""
            types = ", ".join(report.engine.kv_types_with_flash_attn.get(device.name, ()))
            lines.append(f"Device     {device.name} ({device.kind}): {device.description}{memory}")
            if types:
                lines.append(f"           KV types with flash attention: {types}")
    for place in report.places:
        state = "" if place.exists else ", not made yet"
        lines.append(f"{place.name.capitalize():<10} {place.path} ({_size(place.free_bytes)} free{state})")
    lines.append("Library    " + (", ".join(report.models) or "empty"))
    lines += ["", *(f"Problem: {problem}" for problem in report.problems)] if report.problems else ["", "All is well."]
    return lines


def _lines_of_build(report: Report) -> list[str]:
    """The engine's build, why it is that one and how to have another, and the instructions it was compiled for."""
    lines = []
    if report.backend is not None:
        advice = report.backend.advice.replace(" --backend", " python3 packaging/bootstrap.py run --backend", 1)
        lines += [
            f"Engine     {report.backend.backend}: {report.backend.reason}",
            *([f"           {advice}"] if advice else []),
        ]
        lines += [
            f"           {tried.get('backend')} {tried.get('state', 'failed')}: {tried.get('error')}"
            for tried in report.backend.fallbacks
        ]
    elif report.engine is not None:
        lines.append(f"Engine     {report.engine.backend}: {UNCHOSEN}")
        lines += (
            []
            if IS_CHECKOUT
            else [f"           {_REBUILD.format(version=report.versions.get('llama-cpp-python', ''))}"]
        )
    kernels = re.findall(r"(\w+) = 1", report.versions.get("system_info", ""))
    return lines + ([f"Kernels    {', '.join(kernels)}"] if kernels else [])


def _size(n_bytes: int | None) -> str:
    if n_bytes is None:
        return "an unknown part"
    return f"{n_bytes / (1 << 30):.1f} GiB" if n_bytes >= 1 << 30 else f"{n_bytes / (1 << 20):.0f} MiB"
