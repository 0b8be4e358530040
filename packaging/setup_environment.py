"""The virtual environment and its locked packages."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

from setup_steps import Console, Places, StepFailed, pip_command, run_logged, venv_python

_STAMP = "firstlight-packages.sha256"


def install_packages(console: Console, places: Places) -> None:
    """Make the environment and bring its packages to the locked versions; nothing is done twice."""
    with console.step("Python packages") as progress:
        make_venv(places.venv, places.logs / "venv.log")
        stamp = places.venv / _STAMP
        digest = _digest(places.lock)
        if stamp.exists() and stamp.read_text(encoding="utf-8") == digest:
            progress.result("as locked")
            return
        progress.detail("downloading and installing")
        pip_install(places.python, places.lock, places.logs / "packages.log")
        stamp.write_text(digest, encoding="utf-8")
        progress.result(f"{places.lock.read_text(encoding='utf-8').count('==')} versions locked")


def make_venv(venv: Path, log: Path) -> None:
    """Make a virtual environment unless a working one is there; one whose Python has gone is made anew."""
    if is_working(venv):
        return
    if venv.exists():
        shutil.rmtree(venv)
    try:
        run_logged([sys.executable, "-m", "venv", venv], log=log)
    except StepFailed as error:
        shutil.rmtree(venv, ignore_errors=True)
        raise StepFailed(
            f"The virtual environment {venv} could not be made. {error.what}",
            "On Debian and Ubuntu run: sudo apt-get install python3-venv. Then run the same command again.",
        ) from error


def is_working(venv: Path) -> bool:
    """Whether the environment's Python starts, is this version, and has pip."""
    check = "import sys, pip; print(sys.version_info[:2] == tuple(map(int, sys.argv[1:])))"
    version = [str(part) for part in sys.version_info[:2]]
    try:
        answer = subprocess.run(
            [venv_python(venv), "-c", check, *version], capture_output=True, text=True, check=False, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return answer.stdout.strip() == "True"


def pip_install(python: Path, lock: Path, log: Path) -> None:
    """Install what a lock file names. pip comes first: the one that a new environment holds may be years old."""
    pip_pin = next(line for line in lock.read_text(encoding="utf-8").splitlines() if line.startswith("pip=="))
    try:
        run_logged(pip_command(python, "install", pip_pin), log=log)
        run_logged(pip_command(python, "install", "-r", lock), log=log)
    except StepFailed as error:
        raise StepFailed(
            f"The Python packages could not be installed. {error.what}",
            f"Check the connection and run the same command again; the whole output is in {log}.",
        ) from error


def link_checkout(places: Places) -> None:
    """Let the environment find app and engine from any working folder, without installing them, and compile them."""
    (site_packages(places.venv) / "firstlight.pth").write_text(f"{places.root}\n", encoding="utf-8")
    # The first start would do it, but not where Python is told to write no bytecode. Faults are for that start to tell.
    subprocess.run([places.python, "-m", "compileall", "-qq", "app", "engine"], cwd=places.root, check=False)


def make_twin(venv: Path, of: Path, log: Path) -> None:
    """An environment that sees another's packages, for an engine build of its own: small, and ready in seconds."""
    make_venv(venv, log)
    (site_packages(venv) / "twin.pth").write_text(f"{site_packages(of)}\n", encoding="utf-8")


def site_packages(venv: Path) -> Path:
    if sys.platform == "win32":
        return venv / "Lib" / "site-packages"
    return venv / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages"


def _digest(lock: Path) -> str:
    return hashlib.sha256(lock.read_bytes()).hexdigest()
