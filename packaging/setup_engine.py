"""llama.cpp for this machine: compiled once, kept as a wheel, put into the environment, tried, and recorded."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import setup_cuda
import setup_patches
import setup_vulkan
from lock import engine_version, read_project
from setup_backend import Choice, Facts, Flavour
from setup_environment import make_venv, pip_install, site_packages
from setup_patches import Patch
from setup_steps import Console, Places, Progress, StepFailed, pip_command, run_logged, venv_python
from setup_system import VULKAN_NEEDS, install_needs, os_release
from setup_vulkan import Toolchain

RECORD = "firstlight-backend.json"
_SWITCHES = {Flavour.VULKAN: "GGML_VULKAN", Flavour.CUDA: "GGML_CUDA", Flavour.METAL: "GGML_METAL"}
_MEMORY_PER_JOB = 2 << 30
_TRIAL = "import llama_cpp; print(llama_cpp.llama_print_system_info().decode())"


@dataclass(frozen=True)
class Options:
    """What the user may ask of a build."""

    cuda_architectures: str = ""
    """Such as 89 or 86;89; empty takes those of the cards found."""
    has_all_kv_kernels: bool = False
    """CUDA: flash attention for every pair of KV types."""
    is_stock: bool = False
    """Without the patches that only make it faster."""


@dataclass(frozen=True)
class Build:
    """What is compiled."""

    version: str
    flavour: Flavour
    flags: list[str]
    """CMake definitions."""
    patches: list[Patch]

    def key(self, machine: str | None = None) -> str:
        """Names it: another version, set of patches, flavour, flag, processor or C library gives another name."""
        parts = [self.version, setup_patches.digest(self.patches), *self.flags, machine or machine_id()]
        digest = hashlib.sha256("\n".join(parts).encode()).hexdigest()
        return f"{self.version}-{self.flavour}-{digest[:12]}"


@dataclass
class Record:
    """The engine that an environment holds, as the app and `doctor` show it."""

    backend: str
    reason: str
    advice: str
    version: str
    flags: list[str]
    wheel: str
    built_at: str
    requested: str = "auto"
    patches: list[str] = field(default_factory=list)
    """Names of those applied to llama.cpp's source."""
    fallbacks: list[dict[str, str]] = field(default_factory=list)
    """Builds that were tried before: {backend, error, state}, which failed, or are kept until there is a driver."""


def install_engine(
    console: Console, places: Places, choice: Choice, facts: Facts, options: Options, *, may_fall_back: bool = True
) -> Record:
    """Bring the chosen build, or the next one that works. Raises StepFailed when none does."""
    how = " without the patches for speed" if options.is_stock else ""
    console.note(f"Engine build: {choice.flavour}{how}, because {choice.reason}. {choice.advice}")
    failures: list[dict[str, str]] = []
    for flavour in choice.flavours:
        try:
            record = _install_flavour(console, places, flavour, facts, options)
        except StepFailed as error:
            if not may_fall_back or flavour is choice.flavours[-1]:
                raise
            is_kept = isinstance(error, setup_cuda.DriverMissing)
            failures.append({"backend": flavour.value, "error": error.what, "state": "kept" if is_kept else "failed"})
            console.note(error.what if is_kept else f"The {flavour} build failed: {error.what}")
            console.note(f"{error.advice} Going on with the next build.")
            continue
        record.reason = choice.reason
        if failures:
            what = "waits for its driver" if failures[0]["state"] == "kept" else "failed"
            record.reason += f"; the {failures[0]['backend']} build {what}"
        record.advice = choice.advice
        record.requested = choice.flavour.value if choice.is_forced else "auto"
        record.fallbacks = failures
        write_record(places.venv, record)
        return record
    raise AssertionError("a choice has at least one flavour")


def _install_flavour(console: Console, places: Places, flavour: Flavour, facts: Facts, options: Options) -> Record:
    if flavour is Flavour.VULKAN:
        install_needs(console, places, VULKAN_NEEDS, "Vulkan loader")
    with console.step(f"llama.cpp for {flavour}") as progress:
        version = engine_version(read_project(places.root))
        tools = _toolchain(places, flavour, facts, options, progress)
        flags = [*plain_flags(flavour), *tools.flags]
        build = Build(version, flavour, flags, setup_patches.patches(is_stock=options.is_stock))
        key = build.key()
        folder = places.cache / "engine" / "wheels" / key
        installed = read_record(places.venv)
        if wheel := next(folder.glob("*.whl"), None):
            result = "compiled before"
        else:
            wheel = build_wheel(places, build, folder, progress)
            result = f"compiled, {wheel.stat().st_size / 1e6:.0f} MB"
        has_driver = flavour is not Flavour.CUDA or facts.has_nvidia_driver
        if not has_driver:
            setup_cuda.check_without_driver(places, wheel)
        elif installed is None or installed.wheel != key or not (site_packages(places.venv) / "llama_cpp").is_dir():
            install_wheel(places, wheel)
        progress.result(f"{version}, {result}" + (f", with {tools.description}" if tools.description else ""))
    if not has_driver:
        raise setup_cuda.DriverMissing
    built_at = datetime.fromtimestamp(wheel.stat().st_mtime, UTC).isoformat(timespec="seconds")
    names = [patch.name for patch in build.patches]
    return Record(flavour.value, "", "", version, flags, key, built_at, patches=names)


def _toolchain(places: Places, flavour: Flavour, facts: Facts, options: Options, progress: Progress) -> Toolchain:
    match flavour:
        case Flavour.VULKAN:
            return setup_vulkan.toolchain(places, progress)
        case Flavour.CUDA:
            return setup_cuda.toolchain(places, facts, options.cuda_architectures, options.has_all_kv_kernels, progress)
        case _:
            return Toolchain()


def plain_flags(flavour: Flavour) -> list[str]:
    """CMake definitions of a flavour; every switch is stated, because flavours share one build tree."""
    switches = [f"{name}={'ON' if flavour is kind else 'OFF'}" for kind, name in _SWITCHES.items()]
    # What CMake gives Microsoft's compiler by itself; without /EHsc exceptions would leave objects behind.
    c, cxx = ("/DWIN32 /D_WINDOWS", "/DWIN32 /D_WINDOWS /EHsc") if shutil.which("cl") else ("", "")
    return ["GGML_NATIVE=ON", "LLAMA_OPENSSL=OFF", f"CMAKE_C_FLAGS={c}", f"CMAKE_CXX_FLAGS={cxx}", *switches]


def machine_id() -> str:
    """What native code depends on: the processor's features, the system and its C library."""
    release = os_release()
    system = [platform.system(), release.get("ID", ""), release.get("VERSION_ID", ""), "-".join(platform.libc_ver())]
    return "\n".join([*system, platform.machine(), _processor_features()])


def _processor_features() -> str:
    try:
        cpu = re.search(r"^(flags|Features)\s*:.*$", Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.MULTILINE)
    except OSError:
        return platform.processor()
    return cpu[0] if cpu else ""


def n_jobs(cores: int, memory_bytes: int) -> int:
    """Compilers to run at once: one a core, but each needs up to 2 GB."""
    return max(1, min(cores, memory_bytes // _MEMORY_PER_JOB))


def build_wheel(places: Places, build: Build, folder: Path, progress: Progress) -> Path:
    """Compile the engine. An interrupted build goes on where it stopped; flavours share what they have in common."""
    home = places.cache / "engine"
    with _locked(home):
        tools = _build_tools(places, progress)
        source = bring_source(places, build.version, progress)
        setup_patches.apply(source, build.patches)
        shutil.rmtree(source / "llama_cpp" / "lib", ignore_errors=True)
        tree = home / f"tree-{build.version}-{hashlib.sha256(machine_id().encode()).hexdigest()[:12]}"
        out = home / "wheels" / ".new"
        shutil.rmtree(out, ignore_errors=True)
        progress.detail("configuring")
        options = ("--verbose", "--no-deps", "--no-build-isolation", "--no-cache-dir", "--wheel-dir", out)
        settings = [
            f"--config-settings=build-dir={tree}",
            *(f"--config-settings=cmake.define.{flag}" for flag in build.flags),
        ]
        path = f"{venv_python(tools).parent}{os.pathsep}{os.environ.get('PATH', '')}"
        run_logged(
            pip_command(venv_python(tools), "wheel", *options, *settings, source),
            log=places.logs / "engine-build.log",
            progress=progress,
            environment={"PATH": path, "CMAKE_BUILD_PARALLEL_LEVEL": str(n_jobs(os.cpu_count() or 1, _memory_bytes()))},
            label="compiling, ",
        )
        shutil.rmtree(folder, ignore_errors=True)
        folder.parent.mkdir(parents=True, exist_ok=True)
        out.replace(folder)
    return next(folder.glob("*.whl"))


def _build_tools(places: Places, progress: Progress) -> Path:
    """CMake, Ninja and the build backend in an environment of their own, so that a build tree finds them again."""
    digest = hashlib.sha256(places.build_lock.read_bytes() + sys.version.encode()).hexdigest()[:12]
    tools = places.cache / "engine" / f"tools-{digest}"
    done = tools / "complete"
    if not done.exists():
        progress.detail("bringing CMake and Ninja")
        make_venv(tools, places.logs / "tools-venv.log")
        pip_install(venv_python(tools), places.build_lock, places.logs / "tools.log")
        done.touch()
    return tools


def bring_source(places: Places, version: str, progress: Progress) -> Path:
    """llama-cpp-python with its llama.cpp, unpacked; fetched once."""
    home = places.cache / "engine"
    source = home / f"source-{version}"
    if source.is_dir():
        return source
    python = venv_python(_build_tools(places, progress))
    progress.detail("fetching the source")
    downloads = home / "downloads"
    options = ("--no-deps", "--no-build-isolation", "--no-binary", ":all:", "--dest", downloads)
    command = pip_command(python, "download", *options, f"llama-cpp-python=={version}")
    run_logged(command, log=places.logs / "engine-source.log")
    part = home / "source.part"
    shutil.rmtree(part, ignore_errors=True)
    with tarfile.open(next(downloads.glob(f"llama_cpp_python-{version}.tar.gz"))) as archive:
        archive.extractall(part, filter="data")
    next(part.iterdir()).replace(source)
    shutil.rmtree(part)
    shutil.rmtree(downloads)
    return source


def install_wheel(places: Places, wheel: Path) -> None:
    """Put the engine into the environment and try it. Raises StepFailed when it does not start."""
    command = pip_command(places.python, "install", "--no-deps", "--no-index", "--force-reinstall", wheel)
    (places.venv / RECORD).unlink(missing_ok=True)
    run_logged(command, log=places.logs / "engine-install.log")
    _share_copies(site_packages(places.venv))
    trial = subprocess.run([places.python, "-c", _TRIAL], capture_output=True, text=True, check=False)
    if trial.returncode != 0:
        last = (trial.stderr.strip().splitlines() or ["no message"])[-1]
        raise StepFailed(f"The engine was compiled but does not start here: {last}", "Try --backend cpu.")


def _share_copies(site: Path) -> None:
    """A wheel holds no links, so each library is in it six times: keep one copy of each."""
    copies: dict[str, Path] = {}
    for library in sorted([*(site / "lib").glob("*.so*"), *(site / "llama_cpp" / "lib").glob("*.so*")]):
        digest = hashlib.sha256(library.read_bytes()).hexdigest()
        if first := copies.get(digest):
            spare = library.with_name(f".{library.name}")
            with contextlib.suppress(OSError):  # a file system without hard links keeps its copies
                os.link(first, spare)
                spare.replace(library)
        else:
            copies[digest] = library


def read_record(venv: Path) -> Record | None:
    """The engine that an environment holds; None when it is not known."""
    try:
        return Record(**json.loads((venv / RECORD).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def write_record(venv: Path, record: Record) -> None:
    (venv / RECORD).write_text(json.dumps(vars(record), indent=2) + "\n", encoding="utf-8")


def _memory_bytes() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 8 << 30


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """One build at a time in a cache that checkouts share; where the system has no such lock there is none."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        import fcntl
    except ImportError:
        yield
        return
    with (folder / "lock").open("w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
