"""One file's way from the hub to a verified file on disk, resumable at any byte.

The part file's length is the only progress that counts: bytes are appended unbuffered as they come, so that a killed
process or machine loses at most what the network had not delivered. The hash runs along, and is taken over the
part file again after a restart.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
import shutil
import time
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path

import httpx2

from engine.errors import Code, HubError, StorageError
from engine.files import writing_to
from engine.library.hub import Hub, RemoteFile, hub_error, retry_after

_log = logging.getLogger(__name__)

CHUNK_BYTES = 1 << 18
"""What an interruption can cost to fetch again."""
RESERVE_BYTES = 256 << 20
"""Left free on the disk beside the download."""
STALL = 20.0
"""Seconds without a byte before a connection is given up."""
BACKOFF = (1.0, 2.0, 5.0, 10.0, 30.0)
"""Seconds before each retry; the count starts anew whenever bytes came."""


class Changed(Exception):
    """The file on the hub is another one than the part on disk began with."""


class Transfer:
    """Fetches `remote` into `part`, then verifies it. `progress` gets the number of new bytes."""

    def __init__(
        self,
        hub: Hub,
        remote: RemoteFile,
        part: Path,
        progress: Callable[[int], None],
        *,
        sleep: Callable[[float], asyncio.Future[None]] | None = None,
        stall: float = STALL,
        proxy: str = "",
    ) -> None:
        self._hub, self._remote, self._part = hub, remote, part
        self._progress = progress
        self._sleep = sleep or asyncio.sleep
        self._stall = stall
        self._proxy = proxy or None
        self._digest = hashlib.sha256()

    @property
    def done_bytes(self) -> int:
        try:
            return self._part.stat().st_size
        except FileNotFoundError:
            return 0

    async def run(self) -> None:
        """Until the part file is whole and verified. Raises HubError, StorageError; cancelling keeps what came."""
        await asyncio.to_thread(self._prepare)
        timeout = httpx2.Timeout(self._stall, connect=self._stall)
        async with httpx2.AsyncClient(timeout=timeout, follow_redirects=True, proxy=self._proxy) as client:
            attempt = 0
            while (before := self.done_bytes) < self._remote.size_bytes:
                wait = 0.0
                try:
                    await self._fetch(client, before)
                except httpx2.HTTPStatusError as error:
                    wait = _wait_of(error, self._remote)
                except httpx2.HTTPError as error:
                    _log.info("%s: connection lost: %s", self._remote.file, error or type(error).__name__)
                if self.done_bytes == self._remote.size_bytes:
                    break
                attempt = 0 if self.done_bytes > before else attempt + 1
                if attempt >= len(BACKOFF):
                    raise HubError(
                        Code.HUB_UNREACHABLE,
                        "{file} stopped at {percent:.0f} %: the hub cannot be reached.",
                        "What came is kept; resume when the connection is back.",
                        file=self._remote.file,
                        percent=100 * self.done_bytes / self._remote.size_bytes,
                    )
                await self._sleep(max(wait, BACKOFF[attempt]))
        await asyncio.to_thread(self._verify)

    def _prepare(self) -> None:
        """Check the disk, and hash what is already there."""
        with writing_to(self._part.parent):
            self._part.parent.mkdir(parents=True, exist_ok=True)
            if self.done_bytes > self._remote.size_bytes:
                self._part.unlink()
            free = shutil.disk_usage(self._part.parent).free
            missing = self._remote.size_bytes - self.done_bytes
            if missing + RESERVE_BYTES > free and missing:
                raise StorageError(
                    Code.DISK_FULL,
                    "{file} needs {missing:.1f} GB more, and {free:.1f} GB are free "
                    "({reserve:.1f} GB of them stay free).",
                    "Free some space, or choose another download folder in Settings.",
                    file=self._remote.file,
                    missing=missing / 1e9,
                    free=free / 1e9,
                    reserve=RESERVE_BYTES / 1e9,
                )
            self._digest = hashlib.sha256()
            if self.done_bytes:
                with self._part.open("rb") as file:
                    while chunk := file.read(CHUNK_BYTES):
                        self._digest.update(chunk)

    async def _fetch(self, client: httpx2.AsyncClient, offset: int) -> None:
        """One connection: append what it brings from `offset` on."""
        headers = {**self._hub.headers(), "Accept-Encoding": "identity"}
        if offset:
            headers["Range"] = f"bytes={offset}-"
        async with client.stream("GET", self._remote.url, headers=headers) as response:
            if response.status_code == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
                raise Changed
            response.raise_for_status()
            offset = self._place(response, offset)
            with self._open(offset) as file:
                async for chunk in response.aiter_bytes(CHUNK_BYTES):
                    room = self._remote.size_bytes - offset
                    piece = chunk[:room]
                    await _uninterrupted(self._append, file, piece)
                    self._progress(len(piece))
                    offset += len(piece)
                    if len(chunk) > room:
                        raise Changed

    def _place(self, response: httpx2.Response, offset: int) -> int:
        """Where the answer's first byte belongs. A server that ignores ranges starts over."""
        # Whoever sends the bytes, the hub has said of which file: another one may be just as long.
        etags = {_etag(answer) for answer in (*response.history, response)} - {""}
        if etags - {self._remote.etag}:
            raise Changed
        if response.status_code != HTTPStatus.PARTIAL_CONTENT:
            length = response.headers.get("Content-Length")
            if length is not None and int(length) != self._remote.size_bytes:
                raise Changed
            return 0
        unit, _, rest = response.headers.get("Content-Range", "").partition(" ")
        span, _, total = rest.partition("/")
        start = span.partition("-")[0]
        if unit != "bytes" or start != str(offset) or total not in ("*", str(self._remote.size_bytes)):
            raise Changed
        return offset

    def _open(self, offset: int) -> _PartFile:
        if offset == 0:
            # Also where somebody has deleted the part meanwhile.
            self._digest = hashlib.sha256()
            self._progress(-self.done_bytes)
        with writing_to(self._part.parent):
            return _PartFile(self._part, offset)

    def _append(self, file: _PartFile, piece: bytes) -> None:
        with writing_to(self._part.parent):
            file.append(piece)
        self._digest.update(piece)

    def _verify(self) -> None:
        """The hash against the hub's. A file that differs is dropped: no part of it can be trusted."""
        if self._remote.sha256 and self._digest.hexdigest() != self._remote.sha256:
            self._part.unlink(missing_ok=True)
            raise HubError(
                Code.DOWNLOAD_FAILED,
                "{file} arrived damaged: its SHA-256 is not the hub's.",
                "Download it again; if it happens again, the hub's file or your connection is at fault.",
                file=self._remote.file,
            )


class _PartFile:
    """The part file, appended without a buffer and synced when it is closed."""

    def __init__(self, path: Path, offset: int) -> None:
        self._handle = os.open(path, os.O_WRONLY | os.O_CREAT, 0o644)
        os.ftruncate(self._handle, offset)
        os.lseek(self._handle, offset, os.SEEK_SET)

    def append(self, piece: bytes) -> None:
        view = memoryview(piece)
        while view:
            view = view[os.write(self._handle, view) :]

    def __enter__(self) -> _PartFile:
        return self

    def __exit__(self, *_exception: object) -> None:
        try:
            os.fsync(self._handle)
        finally:
            os.close(self._handle)


class Meter:
    """Bytes per second over the last seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, span: float = 5.0) -> None:
        self._clock, self._span = clock, span
        self._points: list[tuple[float, int]] = []

    def add(self, n_bytes: int) -> None:
        now = self._clock()
        self._points.append((now, n_bytes))
        while self._points and self._points[0][0] < now - self._span:
            self._points.pop(0)

    @property
    def rate(self) -> float:
        if not self._points:
            return 0.0
        since = self._clock() - self._points[0][0]
        return max(0.0, sum(n_bytes for _, n_bytes in self._points) / max(since, 0.2))


async def _uninterrupted(work: Callable[..., None], *arguments: object) -> None:
    """Run `work` in a thread; a cancel takes effect when it has ended, so that its file is not closed under it."""
    future = asyncio.get_running_loop().run_in_executor(None, work, *arguments)
    try:
        await asyncio.shield(future)
    except asyncio.CancelledError:
        await asyncio.wait([future])
        raise


def _etag(response: httpx2.Response) -> str:
    """The hub's name for the content it answers for, empty where it does not say."""
    return str(response.headers.get("X-Linked-Etag", "")).removeprefix("W/").strip('"')


def _wait_of(error: httpx2.HTTPStatusError, remote: RemoteFile) -> float:
    """Seconds to wait before a retry where the status allows one. Raises HubError where it does not."""
    response = error.response
    if response.status_code == HTTPStatus.TOO_MANY_REQUESTS or response.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return retry_after(response.headers)
    if response.url.netloc != httpx2.URL(remote.url).netloc:
        # The hub's storage refuses a signed address that has run out: the next attempt asks the hub for a new one.
        return 0.0
    raise hub_error(error, remote.repo) from error
