"""What compiles the CUDA build: the system's toolkit, or one assembled from NVIDIA's packages in Python's index."""

from __future__ import annotations

import os
import platform
import re
import shutil
import tempfile
import zipfile
from pathlib import Path

from setup_backend import Facts, NvidiaCard
from setup_environment import make_venv
from setup_steps import Places, Progress, StepFailed, pip_command, run_logged, venv_python
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
NO_DRIVER = "no-driver"
"""Folder of a stand-in for libcuda.so.1, outside of every search path."""
_NO_DEVICE = 100
"""CUDA_ERROR_NO_DEVICE in cuda.h."""
_COUNT_DEVICES = "import llama_cpp; print('GPU:', llama_cpp.llama_supports_gpu_offload())"
OLDEST_DRIVER = 580
"""What CUDA 13 asks for."""
OLDEST_ARCHITECTURE = 75
"""CUDA 13 compiles for Turing and newer."""


def toolchain(places: Places, facts: Facts, architectures: str, has_all_kv: bool, progress: Progress) -> Toolchain:
    """Find or assemble the toolkit. Raises StepFailed with the way out."""
    if facts.system != "linux" and not system_toolkit():
        raise StepFailed(
            "NVIDIA's CUDA toolkit was not found.",
            "Install it from NVIDIA, then run the same command again; or use --backend vulkan, which needs none.",
        )
    targets = architectures or architectures_of(facts.nvidia_cards)
    root, description = system_toolkit(), "the system's CUDA toolkit"
    if root is None:
        check_can_assemble(facts, targets)
        root = assemble(places, progress)
        description = f"CUDA {RELEASE} from NVIDIA's packages"
    flags = [f"CMAKE_CUDA_COMPILER={root / 'bin' / 'nvcc'}", f"CUDAToolkit_ROOT={root}"]
    flags += [f"CMAKE_CUDA_ARCHITECTURES={targets}", f"CMAKE_SHARED_LINKER_FLAGS=-Wl,-rpath,{root / 'lib64'}"]
    flags += ["GGML_CUDA_NCCL=OFF", f"GGML_CUDA_FA_ALL_QUANTS={'ON' if has_all_kv else 'OFF'}"]
    return Toolchain(tuple(flags), f"{description}, for architecture {targets}")


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
    drivers = [int(card.driver.partition(".")[0]) for card in facts.nvidia_cards if card.driver[:1].isdigit()]
    if drivers and min(drivers) < OLDEST_DRIVER:
        raise StepFailed(
            f"CUDA {RELEASE} needs NVIDIA's driver {OLDEST_DRIVER} or newer; this is {min(drivers)}.",
            "Update the driver, or install an older CUDA toolkit with nvcc on PATH, or use --backend vulkan.",
        )
    numbers = [item.partition("-")[0] for item in architectures.split(";")]
    too_old = [number for number in numbers if number.isdigit() and int(number) < OLDEST_ARCHITECTURE]
    if too_old:
        raise StepFailed(
            f"CUDA {RELEASE} no longer compiles for architecture {too_old[0]}.",
            "Install CUDA 12 with nvcc on PATH, or use --backend vulkan.",
        )


def check_without_driver(places: Places, wheel: Path) -> None:
    """Where there is no driver: check that the library loads and finds no device, then raise StepFailed saying so."""
    root = places.cache / "toolchains" / f"cuda-{RELEASE}" / "nvidia" / f"cu{RELEASE.partition('.')[0]}"
    with tempfile.TemporaryDirectory(prefix="firstlight-") as folder:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)
        environment = {"PYTHONPATH": folder, "LD_LIBRARY_PATH": str(root / NO_DRIVER)}
        command = [str(places.python), "-c", _COUNT_DEVICES]
        output = run_logged(command, log=places.logs / "cuda-check.log", environment=environment)
    if output.splitlines()[-1] != "GPU: False":
        raise StepFailed(f"Without a driver the library should find no device, but said: {output.splitlines()[-1]}")
    raise StepFailed(
        "The CUDA build was compiled and its library loads, but this machine has no NVIDIA driver and so no device.",
        "It is kept, and is taken without compiling again once NVIDIA's driver is installed.",
    )


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
    """Lay NVIDIA's packages into one folder and add the links that CMake looks for. About 2 GB unpacked."""
    folder = places.cache / "toolchains" / f"cuda-{RELEASE}"
    done = folder / "complete"
    root = folder / "nvidia" / f"cu{RELEASE.partition('.')[0]}"
    if done.exists():
        return root
    progress.detail(f"bringing CUDA {RELEASE} from NVIDIA's packages, about 0.6 GB")
    shutil.rmtree(folder, ignore_errors=True)
    installer = places.cache / "toolchains" / "installer"
    make_venv(installer, places.logs / "cuda-venv.log")
    options = ("--no-cache-dir", "--no-deps", "--target", folder)
    command = pip_command(venv_python(installer), "install", *options, *PACKAGES)
    run_logged(command, log=places.logs / "cuda-packages.log")
    complete(root, places)
    done.touch()
    return root


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
    (libraries / "stubs").mkdir(exist_ok=True)
    header = (root / "include" / "cuda.h").read_text(encoding="utf-8", errors="replace")
    calls = sorted(set(re.findall(r"CUDAAPI\s+(cu\w+)\(", header)) | set(re.findall(r"\bcu[A-Z]\w+_v\d+\b", header)))
    source = libraries / "stubs" / "no_driver.c"
    source.write_text("".join(f"int {call}(void) {{ return {_NO_DEVICE}; }}\n" for call in calls), encoding="utf-8")
    stub = libraries / "stubs" / "libcuda.so"
    command: list[str | Path] = ["gcc", "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", source, "-o", stub]
    run_logged(command, log=places.logs / "cuda-stub.log")
    (root / NO_DRIVER).mkdir(exist_ok=True)
    shutil.copy2(stub, root / NO_DRIVER / "libcuda.so.1")
    for program in (*(root / "bin").iterdir(), *(root / "nvvm" / "bin").iterdir()):
        if program.is_file():
            program.chmod(0o755)
    if not (root / "include" / "cublas_v2.h").exists():
        raise StepFailed(
            f"NVIDIA's packages came without cuBLAS's headers for {platform.machine()}.", "Use --backend vulkan."
        )
