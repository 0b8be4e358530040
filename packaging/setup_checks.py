"""All checks in one go: rules, types, imports, offloading on a software device, and the tests last."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from setup_backend import Facts, choose
from setup_engine import Options, install_engine
from setup_environment import link_checkout, make_twin
from setup_steps import Console, Places, StepFailed, run_logged, user_cache
from setup_system import SOFTWARE_DEVICE, TEST_NEEDS, install_needs

STATIC_CHECKS: Mapping[str, tuple[str, ...]] = {
    "Rules (ruff check)": ("ruff", "check", "."),
    "Layout (ruff format)": ("ruff", "format", "--check", "."),
    "Types (mypy)": ("mypy",),
    "Imports (lint-imports)": ("lint-imports",),
}
"""Programs of the environment, with their arguments."""
GPU_FOLDER = "tests/gpu"


def run_checks(
    root: Path, venv: Path, pytest_arguments: Sequence[str], *, has_gpu_part: bool, engine_options: Options
) -> int:
    """Run everything, also after a failure, and return 0 only if nothing failed. pytest's last line ends the output."""
    console = Console()
    places = Places(root, venv, user_cache())
    install_needs(console, places, TEST_NEEDS, "Test tools")
    failed = [title for title, command in STATIC_CHECKS.items() if not _check(console, places, title, command)]
    if has_gpu_part and not _run_gpu_part(console, places, engine_options):
        failed.append("GPU tests")
    if failed:
        console.note(f"Failed so far: {', '.join(failed)}. Going on with the tests.")
    parallel = ("-n", str(n_processes(os.cpu_count() or 1)), "--dist", "worksteal")
    command: list[str | Path] = [places.python, "-m", "pytest", *parallel, *pytest_arguments]
    status = subprocess.run(command, cwd=root, check=False).returncode
    return status or (1 if failed else 0)


def n_processes(cores: int) -> int:
    """Of pytest: more than four would only wait for each other's windows and workers."""
    return max(1, min(cores, 4))


def _check(console: Console, places: Places, title: str, command: Sequence[str]) -> bool:
    program = places.python.with_name(command[0])
    try:
        with console.step(title) as progress:
            run_logged([program, *command[1:]], log=places.logs / f"{command[0]}.log", cwd=places.root)
            progress.result("good")
    except StepFailed:
        print((places.logs / f"{command[0]}.log").read_text(encoding="utf-8"), flush=True)
        return False
    return True


def _run_gpu_part(console: Console, places: Places, options: Options) -> bool:
    """Build the engine for Vulkan beside the other and test offloading on Mesa's software driver."""
    twin = Places(places.root, places.root / ".venv-vulkan", places.cache)
    try:
        install_needs(console, places, [SOFTWARE_DEVICE], "Software Vulkan driver")
        with console.step("Environment of the Vulkan build"):
            make_twin(twin.venv, places.venv, places.logs / "twin.log")
            link_checkout(twin)
        facts = Facts(system="linux" if sys.platform.startswith("linux") else sys.platform, machine="")
        install_engine(console, twin, choose(facts, "vulkan"), facts, options, may_fall_back=False)
    except StepFailed as error:
        console.note(f"{error.what}\n    {error.advice}")
        return False
    environment = {**os.environ, "FIRSTLIGHT_CPU_PYTHON": str(places.python)}
    # A software device compiles its kernels on the processor, which can take minutes of a single test.
    pytest_options = ["-o", "faulthandler_timeout=600", "-o", f"cache_dir={places.root / '.pytest_cache' / 'gpu'}"]
    command = [str(twin.python), "-m", "pytest", GPU_FOLDER, *pytest_options]
    return subprocess.run(command, cwd=places.root, env=environment, check=False).returncode == 0
