"""What compiles the CUDA build: the system's toolkit, or one assembled from NVIDIA's packages in Python's index."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import tempfile
import zipfile
from pathlib import Path

from setup_backend import Facts, NvidiaCard
from setup_steps import Places, Progress, StepFailed, pip_command, run_logged
from setup_vulkan import Toolchain

RELEASE = "13.0"
PACKAGES = (
    "nvidia-cuda-nvcc==13.0.88",
    "nvidia-cuda-crt==13.0.88",
    "nvidia-nvvm==13.0.88",
    "nvidia-cuda-runtime==13.0.96",
    "nvidia-cuda-cccl==13.0.85",
    "nvidia-cublas==13.0.2.14",
)
"""One release of the toolkit; NVIDIA's packages lay themselves into one folder."""
_NO_DEVICE = 100
"""CUDA_ERROR_NO_DEVICE in cuda.h."""
_COUNT_DEVICES = "import llama_cpp; print('GPU:', llama_cpp.llama_supports_gpu_offload())"
DOWNLOAD = "0.6 GB"
NEEDED_BYTES = 3 << 30
"""Packages, the toolkit that they become (0.9 GB), and what is compiled with it."""
OLDEST_DRIVERS = {11: 450, 12: 525, 13: 580}
"""By release of the toolkit, as NVIDIA's table of minor version compatibility has them."""
OLDEST_ARCHITECTURE = 75
"""CUDA 13 compiles for Turing and newer."""
_ARCHITECTURES = re.compile(r"\d+[af]?(-real|-virtual)?(;\d+[af]?(-real|-virtual)?)*")
_NEWEST_GCC = re.compile(r"^#if __GNUC__ > (\d+)", re.MULTILINE)


def toolchain(places: Places, facts: Facts, architectures: str, has_all_kv: bool, progress: Progress) -> Toolchain:
    """Find or assemble the toolkit. Raises StepFailed with the way out."""
    targets = chosen_architectures(architectures) or architectures_of(facts.nvidia_cards)
    root, description = system_toolkit(), "the system's CUDA toolkit"
    reason = unsuited(root, facts, targets) if root else "NVIDIA's CUDA toolkit was not found."
    if root is None or reason:
        if facts.system != "linux":
            advice = "Install a toolkit from NVIDIA that suits, or use --backend vulkan, which needs none."
            raise StepFailed(reason, advice)
        check_can_assemble(facts, targets)
        description = f"CUDA {RELEASE} from NVIDIA's packages" + (f" ({reason.rstrip('.')})" if root else "")
        root = assemble(places, progress)
    compiler = root / "bin" / ("nvcc.exe" if os.name == "nt" else "nvcc")
    flags = [f"CMAKE_CUDA_COMPILER={compiler.as_posix()}", f"CUDAToolkit_ROOT={root.as_posix()}"]
    flags += [f"CMAKE_CUDA_ARCHITECTURES={targets}"]
    if facts.system == "linux":
        flags += [f"CMAKE_SHARED_LINKER_FLAGS=-Wl,-rpath,{root / 'lib64'}", *host_compiler(root)]
    flags += ["GGML_CUDA_NCCL=OFF", f"GGML_CUDA_FA_ALL_QUANTS={'ON' if has_all_kv else 'OFF'}"]
    return Toolchain(tuple(flags), f"{description}, for architecture {targets}")


def chosen_architectures(wish: str) -> str:
    """CMake's list of what was asked for, which may be parted by commas: a shell takes a semicolon for its own."""
    found = ";".join(re.split(r"[\s,;]+", wish.strip()))
    if found and not _ARCHITECTURES.fullmatch(found):
        raise StepFailed(
            f"{wish} is no list of CUDA architectures.",
            "Give numbers such as --cuda-arch 89 or --cuda-arch 86,89: 89 is compute capability 8.9.",
        )
    return found


def unsuited(root: Path, facts: Facts, targets: str) -> str:
    """Why a toolkit does not suit this driver and these cards, in a sentence; empty when it does, or does not say."""
    said = _answer_of(root, "--version")
    release = re.search(r"release (\d+)\.(\d+)", said)
    if release and (reason := _driver_problem(facts, int(release[1]), f"{release[1]}.{release[2]}")):
        return reason
    known = set(re.findall(r"compute_(\d+)", _answer_of(root, "--list-gpu-arch")))
    missing = [number for number in _numbers(targets) if known and number not in known]
    name = f"CUDA {release[1]}.{release[2]}" if release else "The CUDA toolkit"
    return f"{name} in {root} does not compile for architecture {missing[0]}." if missing else ""


def host_compiler(root: Path) -> list[str]:
    """What makes nvcc take a C++ compiler that it knows. Raises StepFailed where the system has only newer ones."""
    try:
        limit = _NEWEST_GCC.search((root / "include" / "crt" / "host_config.h").read_text("utf-8", "replace"))
    except OSError:
        limit = None
    found = None if os.environ.get("CUDAHOSTCXX") else _gcc_version("g++")
    if limit is None or found is None or found <= (newest := int(limit[1])):
        return []
    for number in range(newest, 8, -1):
        if older := shutil.which(f"g++-{number}"):
            return [f"CMAKE_CUDA_HOST_COMPILER={older}"]
    raise StepFailed(
        f"The CUDA toolkit takes g++ up to {newest}; this system's is {found}.",
        f"Install g++-{newest} beside it and run the same command again, or use --backend vulkan.",
    )


def _gcc_version(compiler: str) -> int | None:
    """Its first number; None where it is not there, or is no GNU compiler."""
    try:
        answer = subprocess.run([compiler, "-dumpversion"], capture_output=True, text=True, check=False)
    except OSError:
        return None
    number = answer.stdout.strip().partition(".")[0]
    return int(number) if answer.returncode == 0 and number.isdigit() else None


def _answer_of(root: Path, question: str) -> str:
    try:
        return subprocess.run(
            [root / "bin" / "nvcc", question], capture_output=True, text=True, check=False, timeout=60
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""


def _numbers(targets: str) -> list[str]:
    return [item.partition("-")[0].rstrip("af") for item in targets.split(";")]


def _driver_problem(facts: Facts, major: int, release: str) -> str:
    drivers = [int(card.driver.partition(".")[0]) for card in facts.nvidia_cards if card.driver[:1].isdigit()]
    needed = OLDEST_DRIVERS.get(major, max(OLDEST_DRIVERS.values()) if major > max(OLDEST_DRIVERS) else 0)
    if drivers and min(drivers) < needed:
        return f"CUDA {release} needs NVIDIA's driver {needed} or newer; this is {min(drivers)}."
    return ""


def architectures_of(cards: tuple[NvidiaCard, ...]) -> str:
    """CMake's list for the cards found, code for just these. Raises StepFailed when the driver names none."""
    found = sorted({card.architecture for card in cards if card.architecture}, key=int)
    if not found:
        raise StepFailed(
            "The driver does not say which CUDA architecture the card has.",
            "Give it yourself, for example --cuda-arch 89 for an RTX 40, 120 for an RTX 50, 90 for an H100.",
        )
    return ";".join(f"{number}-real" for number in found)


def check_can_assemble(facts: Facts, architectures: str) -> None:
    """Raises StepFailed where CUDA 13 cannot work with this machine, driver or card."""
    if facts.machine not in ("x86_64", "aarch64"):
        raise StepFailed(f"NVIDIA has no packages for {facts.machine}.", "Use --backend vulkan.")
    if reason := _driver_problem(facts, int(RELEASE.partition(".")[0]), RELEASE):
        raise StepFailed(
            reason, "Update the driver, or install an older CUDA toolkit with nvcc on PATH, or use --backend vulkan."
        )
    too_old = [number for number in _numbers(architectures) if number.isdigit() and int(number) < OLDEST_ARCHITECTURE]
    if too_old:
        raise StepFailed(
            f"CUDA {RELEASE} no longer compiles for architecture {too_old[0]}.",
            "Install CUDA 12 with nvcc on PATH, or use --backend vulkan.",
        )


def make_stand_in(root: Path, folder: Path, places: Places) -> Path:
    """A library in place of the driver's, with all functions that a toolkit's header declares: each finds no device."""
    header = (root / "include" / "cuda.h").read_text(encoding="utf-8", errors="replace")
    calls = sorted(set(re.findall(r"CUDAAPI\s+(cu\w+)\(", header)) | set(re.findall(r"\bcu[A-Z]\w+_v\d+\b", header)))
    folder.mkdir(parents=True, exist_ok=True)
    source, library = folder / "no_driver.c", folder / "libcuda.so.1"
    source.write_text("".join(f"int {call}(void) {{ return {_NO_DEVICE}; }}\n" for call in calls), encoding="utf-8")
    command: list[str | Path] = ["gcc", "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", source, "-o", library]
    run_logged(command, log=places.logs / "cuda-stub.log")
    return library


class DriverMissing(StepFailed):
    """The build is there and works; only the driver is missing, without which there is no device for it."""

    def __init__(self) -> None:
        super().__init__(
            "The CUDA build is ready, and its library loads, but there is no device for it without NVIDIA's driver.",
            "It is kept, and is taken without compiling again once the driver is installed.",
        )


def check_without_driver(places: Places, wheel: Path) -> None:
    """Where there is no driver: that the library loads and finds no device. Raises StepFailed where that is not so."""
    assembled = places.cache / "toolchains" / f"cuda-{RELEASE}" / "nvidia" / f"cu{RELEASE.partition('.')[0]}"
    root = assembled if (assembled / "include").exists() else system_toolkit() or assembled
    with tempfile.TemporaryDirectory(prefix="firstlight-") as folder:
        driver = make_stand_in(root, Path(folder) / "driver", places).parent
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)
        environment = {"PYTHONPATH": folder, "LD_LIBRARY_PATH": str(driver)}
        command = [str(places.python), "-c", _COUNT_DEVICES]
        output = run_logged(command, log=places.logs / "cuda-check.log", environment=environment)
    if output.splitlines()[-1] != "GPU: False":
        raise StepFailed(f"Without a driver the library should find no device, but said: {output.splitlines()[-1]}")


def system_toolkit() -> Path | None:
    """A whole toolkit of the system: compiler, headers and cuBLAS beside each other."""
    homes = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda", "/opt/cuda"]
    candidates = [Path(home) for home in homes if home]
    if compiler := shutil.which("nvcc"):
        candidates.insert(0, Path(compiler).resolve().parent.parent)
    return next((root for root in candidates if is_whole(root)), None)


def is_whole(root: Path) -> bool:
    """Whether a toolkit can compile the engine: many have the compiler and lack cuBLAS."""
    compiler = root / "bin" / ("nvcc.exe" if os.name == "nt" else "nvcc")
    return compiler.exists() and (root / "include" / "cublas_v2.h").exists()


def assemble(places: Places, progress: Progress) -> Path:
    """Lay NVIDIA's packages into one folder and add the links that CMake looks for. What has been brought is kept."""
    folder = places.cache / "toolchains" / f"cuda-{RELEASE}"
    done = folder / "complete"
    root = folder / "nvidia" / f"cu{RELEASE.partition('.')[0]}"
    if done.exists():
        return root
    wheels = folder / "wheels"
    wheels.mkdir(parents=True, exist_ok=True)
    check_space(folder)
    for number, package in enumerate(PACKAGES, start=1):
        progress.detail(f"bringing CUDA {RELEASE}, {DOWNLOAD}: package {number} of {len(PACKAGES)}, {package}")
        wheel = bring_package(places, package, wheels)
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)
    complete(root, places)
    shutil.rmtree(wheels)
    done.touch()
    return root


def check_space(folder: Path) -> None:
    """Raises StepFailed where toolkit and build have no room: better said now than found in the middle."""
    free = shutil.disk_usage(folder).free
    if free < NEEDED_BYTES:
        raise StepFailed(
            f"The CUDA build takes {NEEDED_BYTES / 1e9:.0f} GB in {folder.parent}, and {free / 1e9:.1f} GB are free.",
            "Free some space, or set FIRSTLIGHT_HOME to a folder on another disk; or use --backend vulkan.",
        )


def bring_package(places: Places, package: str, folder: Path) -> Path:
    """The wheel of one package; one that is there whole is not fetched again."""
    name, _, version = package.partition("==")
    pattern = f"{name.replace('-', '_')}-{version}-*.whl"
    if not any(folder.glob(pattern)):
        # What is under way lies in TMPDIR, which may be a small one in memory.
        command = pip_command(places.python, "download", "--no-cache-dir", "--no-deps", "--dest", folder, package)
        try:
            run_logged(command, log=places.logs / "cuda-packages.log", environment={"TMPDIR": str(folder)})
        except StepFailed as error:
            raise StepFailed(
                f"NVIDIA's package {package} could not be had. {error.what}",
                "Check the connection and run the same command again: what has come is kept. Where your package index"
                " has none of NVIDIA's, install the CUDA toolkit with nvcc on PATH, or use --backend vulkan.",
            ) from error
    return next(folder.glob(pattern))


def complete(root: Path, places: Places) -> None:
    """Add what the packages leave out: names without a version, lib64, and a stand-in for the driver's library.

    The stand-in is linked against (without its functions the linker would leave the driver out of what the engine
    needs); at run time the driver's own libcuda.so.1 takes its place.
    """
    libraries = root / "lib"
    for library in libraries.glob("lib*.so.*"):
        plain = libraries / f"{library.name.partition('.so.')[0]}.so"
        if not plain.exists():
            plain.symlink_to(library.name)
    if not (root / "lib64").exists():
        (root / "lib64").symlink_to("lib")
    stand_in = make_stand_in(root, libraries / "stubs", places)
    shutil.copy2(stand_in, stand_in.with_name("libcuda.so"))
    for program in (*(root / "bin").iterdir(), *(root / "nvvm" / "bin").iterdir()):
        if program.is_file():
            program.chmod(0o755)
    if not (root / "include" / "cublas_v2.h").exists():
        raise StepFailed(
            f"NVIDIA's packages came without cuBLAS's headers for {platform.machine()}.", "Use --backend vulkan."
        )
