"""The download queue: pulls that survive restarts, split sets as one item, and an atomic, verified finish."""

from __future__ import annotations

import asyncio
import contextlib
import enum
import hashlib
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from engine.errors import Code, Failure, FirstlightError, HubError, StorageError
from engine.files import read_json, write_atomically, writing_to
from engine.library.file_lock import is_locked, locked
from engine.library.hub import Hub, RemoteFile
from engine.library.manifest import Downloaded, Manifest
from engine.library.transfer import STALL, Changed, Meter, Transfer
from engine.protocol.records import Pull

_log = logging.getLogger(__name__)

PROGRESS_INTERVAL = 0.1
"""Seconds between two progress reports of one pull."""
MAX_RUNNING = 2
MAX_CHANGES = 3
"""How often the hub may answer for another file before a pull fails."""


def pull_id_of(repo: str, files: tuple[str, ...]) -> str:
    """The same files of a repository are the same pull, in every process and after every restart."""
    return hashlib.sha256("\n".join((repo, *files)).encode()).hexdigest()[:16]


class PullState(enum.StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    PAUSED = "paused"
    VERIFYING = "verifying"
    FINISHED = "finished"
    FAILED = "failed"
    CANCELLED = "cancelled"


class _Saved(msgspec.Struct, frozen=True, kw_only=True):
    """A pull as it lies on disk, so that a restart goes on with it."""

    repo: str
    revision: str
    files: tuple[str, ...]
    remotes: tuple[RemoteFile, ...] = ()
    is_paused: bool = False

    @property
    def pull_id(self) -> str:
        return pull_id_of(self.repo, self.files)


@dataclass(slots=True)
class _Job:
    saved: _Saved
    pull: Pull
    meter: Meter = field(default_factory=Meter)
    task: asyncio.Task[None] | None = None
    timer: asyncio.TimerHandle | None = None
    """Tells what came since the last report, so that the last bytes before a stall are seen too."""
    is_ours: bool = False
    """Whether this process holds its lock."""
    reported: float = 0.0


class Downloads:
    """Runs pulls below `folder`. `report` gets each pull's new state, at most ten times a second while it runs."""

    def __init__(
        self, folder: Path, hub: Hub, report: Callable[[Pull], None], *, proxy: str = "", stall: float = STALL
    ) -> None:
        self._folder = folder
        self._hub = hub
        self._report = report
        self._proxy, self._stall = proxy, stall
        self._jobs: dict[str, _Job] = {}
        self._slots = asyncio.Semaphore(MAX_RUNNING)

    @property
    def pulls(self) -> tuple[Pull, ...]:
        """All pulls of this session and the unfinished ones of earlier ones."""
        return tuple(job.pull for job in self._jobs.values())

    def resume_all(self) -> None:
        """Take up what an earlier run left; paused pulls stay paused."""
        for path in sorted(self._state_folder.glob("*.json")):
            if (saved := read_json(path, _Saved)) is not None and saved.pull_id not in self._jobs:
                job = self._jobs[saved.pull_id] = _Job(saved, _pull_of(saved, self._done_bytes(saved)))
                if not saved.is_paused:
                    self._start(job)

    def add(self, repo: str, files: tuple[str, ...], revision: str = "main") -> Pull:
        """Queue a pull, or go on with the one that fetches the same files.

        Raises StorageError when its state cannot be kept or a name would leave our folder.
        """
        pull_id = pull_id_of(repo, files)
        job = self._jobs.get(pull_id)
        if job is None or job.pull.state in (PullState.FINISHED, PullState.CANCELLED):
            saved = read_json(self._state_path(pull_id), _Saved) or _Saved(repo=repo, revision=revision, files=files)
            job = _Job(saved, _pull_of(saved, 0))
            for file in files:
                self._final(saved, file)
            self._jobs[pull_id] = job
        self.resume(pull_id)
        return job.pull

    async def pause(self, pull_id: str) -> None:
        """Stop fetching; what came is kept. Pausing twice is no error."""
        job = self._job(pull_id)
        if job.pull.state in (PullState.FINISHED, PullState.CANCELLED):
            return
        job.saved = msgspec.structs.replace(job.saved, is_paused=True)
        self._save(job.saved)
        await self._stop(job)
        self._set(job, state=PullState.PAUSED, rate=0.0, seconds_left=None)

    def resume(self, pull_id: str) -> None:
        """Go on with a paused or failed pull."""
        job = self._job(pull_id)
        if job.task is None or job.task.done():
            job.saved = msgspec.structs.replace(job.saved, is_paused=False)
            self._save(job.saved)
            self._start(job)

    async def cancel(self, pull_id: str, *, remove_parts: bool = True) -> None:
        """End a pull for good. Cancelling twice is no error. Raises HubError while another process is at it."""
        job = self._job(pull_id)
        if not job.is_ours and is_locked(self._lock_path(pull_id)):
            raise HubError(
                Code.BAD_REQUEST, "{repo} is being downloaded by another window or command of Firstlight.",
                "Cancel it there.", repo=job.saved.repo,
            )  # fmt: skip
        # Before the lock is given back, so that nobody who waits for it goes on.
        self._state_path(pull_id).unlink(missing_ok=True)
        await self._stop(job)
        if remove_parts:
            for file in job.saved.files:
                self._part(job.saved, file).unlink(missing_ok=True)
        self._set(job, state=PullState.CANCELLED, rate=0.0, seconds_left=None)

    async def stop(self) -> None:
        """Stop all transfers; the next run goes on with them."""
        for job in self._jobs.values():
            await self._stop(job)

    def _start(self, job: _Job) -> None:
        self._set(job, state=PullState.QUEUED, failure=None)
        job.task = asyncio.get_running_loop().create_task(self._run(job), name=f"pull {job.saved.repo}")

    async def _stop(self, job: _Job) -> None:
        if job.task is not None and not job.task.done():
            job.task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await job.task

    async def _run(self, job: _Job) -> None:
        try:
            async with locked(self._lock_path(job.saved.pull_id)) as has_waited:
                job.is_ours = True
                if has_waited and not self._take_over(job):
                    return
                async with self._slots:
                    self._set(job, state=PullState.RUNNING)
                    await self._fetch_all(job)
        except FirstlightError as error:
            done = self._done_bytes(job.saved)
            self._set(job, state=PullState.FAILED, failure=error.failure, rate=0.0, seconds_left=None, done_bytes=done)
        except Exception:  # noqa: BLE001  a bug must end as a state that the user sees, not as a silent task
            _log.exception("the download of %s failed", job.saved.repo)
            failure = Failure(
                code=Code.INTERNAL, message="The download stopped for a reason that Firstlight does not know.",
                advice="What came is kept; resume it, or report it with the log from Settings, About.",
            )  # fmt: skip
            self._set(job, state=PullState.FAILED, failure=failure, rate=0.0, seconds_left=None)
        finally:
            job.is_ours = False

    async def _fetch_all(self, job: _Job) -> None:
        if not job.saved.remotes:
            remotes = [
                await asyncio.to_thread(self._hub.file, job.saved.repo, file, job.saved.revision)
                for file in job.saved.files
            ]
            job.saved = msgspec.structs.replace(job.saved, remotes=tuple(remotes))
            self._save(job.saved)
        total = sum(remote.size_bytes for remote in job.saved.remotes)
        self._set(job, total_bytes=total, done_bytes=self._done_bytes(job.saved))
        for index in range(len(job.saved.files)):
            await self._fetch(job, index)
        self._state_path(job.saved.pull_id).unlink(missing_ok=True)
        self._finished(job)

    def _take_over(self, job: _Job) -> bool:
        """After another process was at it: go on where it stopped, or say how it ended there."""
        saved = read_json(self._state_path(job.saved.pull_id), _Saved)
        if saved is not None:
            job.saved = msgspec.structs.replace(saved, is_paused=job.saved.is_paused)
        elif all(Manifest(self._folder).get(self._final(job.saved, file)) for file in job.saved.files):
            self._finished(job)
        else:
            self._set(job, state=PullState.CANCELLED, rate=0.0, seconds_left=None)
        return saved is not None

    def _finished(self, job: _Job) -> None:
        first, done = self._final(job.saved, job.saved.files[0]), self._done_bytes(job.saved)
        self._set(
            job, state=PullState.FINISHED, path=str(first), rate=0.0, seconds_left=None, done_bytes=done,
            total_bytes=done,
        )  # fmt: skip

    async def _fetch(self, job: _Job, index: int) -> None:
        """One file until it stands verified under its final name."""
        for _ in range(MAX_CHANGES):
            remote = job.saved.remotes[index]
            final, part = self._final(job.saved, remote.file), self._part(job.saved, remote.file)
            if self._is_there(final, remote):
                return
            if final.exists() and not part.exists():
                self._advance(job, -final.stat().st_size)  # Counted so far, and yet not what the hub has.
            transfer = Transfer(
                self._hub, remote, part, lambda n_bytes: self._advance(job, n_bytes),
                proxy=self._proxy, stall=self._stall,
            )  # fmt: skip
            try:
                await transfer.run()
            except Changed:
                await self._look_again(job, index)
                continue
            self._set(job, state=PullState.VERIFYING)
            await asyncio.to_thread(self._finish, part, final, remote)
            self._set(job, state=PullState.RUNNING)
            return
        raise HubError(
            Code.DOWNLOAD_FAILED,
            "The hub keeps sending something else for {file}.",
            "Try again later.",
            file=job.saved.files[index],
        )

    async def _look_again(self, job: _Job, index: int) -> None:
        """The hub answered for another file: a changed one starts anew, and its old part goes."""
        old = job.saved.remotes[index]
        new = await asyncio.to_thread(self._hub.file, old.repo, old.file, job.saved.revision)
        if (new.etag, new.size_bytes) != (old.etag, old.size_bytes):
            _log.info("%s changed on the hub; its download starts anew", old.file)
            self._part(job.saved, old.file).unlink(missing_ok=True)
        remotes = (*job.saved.remotes[:index], new, *job.saved.remotes[index + 1 :])
        job.saved = msgspec.structs.replace(job.saved, remotes=remotes)
        self._save(job.saved)
        total = sum(remote.size_bytes for remote in remotes)
        self._set(job, total_bytes=total, done_bytes=self._done_bytes(job.saved))

    def _finish(self, part: Path, final: Path, remote: RemoteFile) -> None:
        """Verified: give it its name and note that it is ours."""
        with writing_to(final.parent):
            part.replace(final)
        Manifest(self._folder).add(
            final,
            Downloaded(
                repo=remote.repo, file=remote.file, commit=remote.commit, sha256=remote.sha256,
                size_bytes=remote.size_bytes,
            ),
        )  # fmt: skip

    def _is_there(self, final: Path, remote: RemoteFile) -> bool:
        known = Manifest(self._folder).get(final)
        is_known = known is not None and known.sha256 == remote.sha256
        return is_known and final.exists() and final.stat().st_size == remote.size_bytes  # It may have been cut since.

    def _advance(self, job: _Job, n_bytes: int) -> None:
        """Bytes that came, or a negative count of those that have to come again."""
        if n_bytes > 0:
            job.meter.add(n_bytes)
        done, rate = job.pull.done_bytes + n_bytes, job.meter.rate
        left = (job.pull.total_bytes - done) / rate if rate > 0 else None
        job.pull = msgspec.structs.replace(job.pull, done_bytes=done, rate=rate, seconds_left=left)
        if job.timer is None:
            job.timer = asyncio.get_running_loop().call_at(job.reported + PROGRESS_INTERVAL, self._tell, job)

    def _set(self, job: _Job, **changes: object) -> None:
        job.pull = msgspec.structs.replace(job.pull, **changes)
        self._tell(job)

    def _tell(self, job: _Job) -> None:
        if job.timer is not None:
            job.timer.cancel()
            job.timer = None
        job.reported = asyncio.get_running_loop().time()
        self._report(job.pull)

    def _job(self, pull_id: str) -> _Job:
        if pull_id not in self._jobs:
            raise HubError(Code.BAD_REQUEST, "This download is not in the list any more.", "Start it again.")
        return self._jobs[pull_id]

    @property
    def _state_folder(self) -> Path:
        return self._folder / ".downloads"

    def _state_path(self, pull_id: str) -> Path:
        return self._state_folder / f"{pull_id}.json"

    def _lock_path(self, pull_id: str) -> Path:
        return self._state_folder / f"{pull_id}.lock"

    def _save(self, saved: _Saved) -> None:
        write_atomically(self._state_path(saved.pull_id), msgspec.json.encode(saved))

    def _final(self, saved: _Saved, file: str) -> Path:
        """Where a file will stand. Raises StorageError for a name that would leave our folder."""
        target = (self._folder / saved.repo / file).resolve()
        if not target.is_relative_to(self._folder.resolve()):
            raise StorageError(
                Code.BAD_REQUEST, "The hub names a file outside our folder: {file}.", "It is not fetched.", file=file
            )
        return target

    def _part(self, saved: _Saved, file: str) -> Path:
        final = self._final(saved, file)
        return final.with_name(final.name + ".part")

    def _done_bytes(self, saved: _Saved) -> int:
        done = 0
        for file in saved.files:
            for path in (self._part(saved, file), self._final(saved, file)):
                if path.exists():
                    done += path.stat().st_size
                    break
        return done


def _pull_of(saved: _Saved, done_bytes: int) -> Pull:
    return Pull(
        pull_id=saved.pull_id, repo=saved.repo, files=saved.files, done_bytes=done_bytes,
        state=PullState.PAUSED if saved.is_paused else PullState.QUEUED,
        total_bytes=sum(remote.size_bytes for remote in saved.remotes),
    )  # fmt: skip
