"""Makes another quantization of a local model, in a process that is ended to cancel it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shutil
from pathlib import Path

from engine import gguf
from engine.errors import Code, EngineError, RequestError, StorageError
from engine.files import writing_to
from engine.host.host import Host
from engine.host.requests import Emit
from engine.host.services.library_service import LibraryService
from engine.host.worker_process import worker_command
from engine.library.manifest import Downloaded, Manifest
from engine.protocol.codec import decode_event
from engine.protocol.commands import QuantizeModel
from engine.protocol.events import QuantizeFinished, QuantizeProgress, RequestFailed
from engine.protocol.quantization_types import FULL, QUANTIZATION_TYPES, SOURCES, QuantizationType, quantization_type
from engine.translatable import listed

RESERVE_BYTES = 256 << 20
"""Left free on the disk beside the new file."""
FOLDER = "made-here"
_PROJECT = Path(__file__).resolve().parents[3]
_KEPT_WORDS = 8192


class QuantizeService:
    """Registers QuantizeModel with the host; one file is made at a time, the next ones wait."""

    def __init__(self, host: Host, library: LibraryService) -> None:
        self._library = library
        self._turn = asyncio.Lock()
        host.serve(QuantizeModel, self._quantize)

    async def _quantize(self, command: QuantizeModel, emit: Emit) -> QuantizeFinished:
        source = self._library.path(command.path)
        made = _type_named(command.quantization)
        header = await asyncio.to_thread(gguf.check_file, source)
        _check_source(header, source, made, allows=command.allow_requantize)
        folder = self._library.library.own_folder / FOLDER
        target = folder / f"{_stem(source)}-{made.name}.gguf"
        size = (await self._run(command, source, target, emit, is_dry_run=True)).size_bytes
        if command.is_dry_run:
            return QuantizeFinished(path=str(target), size_bytes=size)
        if size >= header.weights_bytes and not command.allow_requantize:
            raise RequestError(
                Code.BAD_REQUEST,
                "{name} would take {size:,.0f} MB instead of {now:,.0f} MB: what is lost does not come back.",
                "Choose a smaller type, or allow it with --allow-requantize.",
                name=made.name,
                size=size / 1e6,
                now=header.weights_bytes / 1e6,
            )
        async with self._turn:
            return await self._make(command, source, target, size, emit)

    async def _make(
        self, command: QuantizeModel, source: Path, target: Path, size: int, emit: Emit
    ) -> QuantizeFinished:
        part = target.with_name(target.name + ".part")
        await asyncio.to_thread(_prepare, target, part, size)
        try:
            await self._run(command, source, part, emit)
            return await asyncio.to_thread(self._keep, part, target)
        except EngineError as error:
            raise await asyncio.to_thread(_explained, error, target.parent) from error
        finally:
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)

    def _keep(self, part: Path, target: Path) -> QuantizeFinished:
        """Check the whole part file, give it its name, and note that it is ours."""
        header = gguf.check_file(part)
        own = self._library.library.own_folder
        with writing_to(target.parent):
            with part.open("rb") as file:
                os.fsync(file.fileno())
            _refuse_existing(target)
            part.replace(target)
        size = target.stat().st_size
        Manifest(own).add(target, Downloaded(repo="", file=target.name, commit="", sha256="", size_bytes=size))
        return QuantizeFinished(path=str(target), size_bytes=size, tensor_mix=header.tensor_mix)

    async def _run(
        self, command: QuantizeModel, source: Path, target: Path, emit: Emit, *, is_dry_run: bool = False
    ) -> QuantizeFinished:
        """Run the quantizer's process to its end; cancelling this kills it. Raises EngineError."""
        options = ["--dry-run"] if is_dry_run else []
        process = await asyncio.create_subprocess_exec(
            *worker_command(), "--quantize", str(source), str(target), command.quantization.upper(),
            "--allow-requantize", *options, cwd=_PROJECT, stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, start_new_session=os.name == "posix",
        )  # fmt: skip
        assert process.stdout is not None and process.stderr is not None
        words = asyncio.create_task(_last_words(process.stderr))
        try:
            async for line in process.stdout:
                event = decode_event(line)
                if isinstance(event, QuantizeProgress) and not is_dry_run:
                    emit(event)
                elif isinstance(event, QuantizeFinished):
                    return event
                elif isinstance(event, RequestFailed):
                    raise EngineError.of(event.failure)
            reason = await words or f"it ended with exit code {await process.wait()}"
            raise EngineError(
                Code.ENGINE_CRASHED, "Quantizing {name} failed: {reason}.", name=source.name, reason=reason
            )
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
            await words


def _type_named(name: str) -> QuantizationType:
    made = quantization_type(name)
    if made is None:
        raise RequestError(
            Code.BAD_REQUEST,
            "{name} is no type that can be made here.",
            "Choose one of: {names}.",
            name=name,
            names=listed([known.name for known in QUANTIZATION_TYPES]),
        )
    return made


def _check_source(header: gguf.Header, source: Path, made: QuantizationType, *, allows: bool) -> None:
    """Raises RequestError where the result would lose twice, or be the same."""
    if header.quantization == made.name:
        raise RequestError(
            Code.BAD_REQUEST,
            "{name} is {quantization} already.",
            "Choose another type.",
            name=source.name,
            quantization=made.name,
        )
    if header.quantization not in SOURCES and not allows:
        raise RequestError(
            Code.BAD_REQUEST,
            "{name} is {quantization} already, so another quantization of it would lose twice.",
            "Start from its F16, BF16 or Q8_0, or allow it with --allow-requantize.",
            quantization=header.quantization,
            name=source.name,
        )
    if header.quantization in FULL - {made.name} and made.name in FULL and not allows:
        raise RequestError(
            Code.BAD_REQUEST,
            "{name} is no smaller than {quantization}.",
            "Choose a type.",
            name=made.name,
            quantization=header.quantization,
        )


def _stem(source: Path) -> str:
    """The model's name without its old quantization and part number."""
    stem = re.sub(r"-\d{5}-of-\d{5}$", "", source.stem)
    return re.sub(r"[-._](I?Q\d\w*|B?F16|F32)$", "", stem, flags=re.IGNORECASE) or stem


def _refuse_existing(target: Path) -> None:
    if target.exists():
        raise RequestError(
            Code.BAD_REQUEST, "{name} is there already.", "Delete it first, or use it.", name=target.name
        )


def _prepare(target: Path, part: Path, size: int) -> None:
    """Raises RequestError and StorageError: nothing is overwritten, and it has to fit on the disk."""
    _refuse_existing(target)
    with writing_to(target.parent):
        target.parent.mkdir(parents=True, exist_ok=True)
        part.unlink(missing_ok=True)
        free = shutil.disk_usage(target.parent).free
    if free < size + RESERVE_BYTES:
        raise StorageError(
            Code.DISK_FULL,
            "{name} takes {size:,.0f} MB, and {free:,.0f} MB are free on the disk.",
            "Free some space, or choose another folder for models in the settings.",
            name=target.name,
            size=size / 1e6,
            free=free / 1e6,
        )


def _explained(error: EngineError, folder: Path) -> EngineError | StorageError:
    """llama.cpp calls a full disk a failed write: look for oneself."""
    if shutil.disk_usage(folder).free < 1 << 20:
        return StorageError(
            Code.DISK_FULL, "The disk is full: {folder}.", "Free some space and try again.", folder=folder
        )
    return error


async def _last_words(stream: asyncio.StreamReader) -> str:
    kept = b""
    while chunk := await stream.read(4096):
        kept = (kept + chunk)[-_KEPT_WORDS:]
    lines = kept.decode(errors="replace").strip().splitlines()
    return lines[-1].rstrip(".") if lines else ""
