"""Whether a download survives: the host is killed at random points of it, and its disk fills up.

`python tests/benchmarks/download_faults.py --kills 20` prints JSON. After each kill -9 a new host goes on by itself;
the file has to end verified, and what is asked of the hub again is compared with what had already been written. As
root a small tmpfs is filled while a download runs: it has to stop with a clear sentence, and go on when there is room.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import queue
import random
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from gguf_files import chat_bytes  # noqa: E402
from hub_server import HubServer, serve  # noqa: E402

from engine.errors import Code  # noqa: E402
from engine.library.transfer import CHUNK_BYTES, RESERVE_BYTES  # noqa: E402
from engine.protocol import (  # noqa: E402
    Command,
    Event,
    Pull,
    PullFinished,
    PullModel,
    PullProgress,
    ResumePull,
    Shutdown,
)
from engine.protocol.codec import decode_event, encode  # noqa: E402
from engine.settings import Models, Settings, folders, save_settings  # noqa: E402

REPO, FILE = "owner/Long-GGUF", "long-Q8_0.gguf"
PATIENCE = 60.0


class HostProcess:
    """A real host that is spoken to by lines."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "engine", "host"], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self._events: queue.SimpleQueue[Event | None] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    def send(self, command: Command) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(encode(command))
        self._process.stdin.flush()

    def pull(self, *, until: int = 1 << 62, ends: tuple[str, ...] = ("finished", "failed")) -> Pull:
        """The pull as it is when it ended in one of these states, or has this many bytes."""
        deadline = time.monotonic() + PATIENCE
        while (left := deadline - time.monotonic()) > 0:
            event = self._events.get(timeout=left)
            if isinstance(event, PullProgress | PullFinished) and (
                event.pull.state in ends or event.pull.done_bytes >= until
            ):
                return event.pull
        raise TimeoutError("the download did not get on")

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def stop(self) -> None:
        self.send(Shutdown(request_id="end"))
        self._process.wait(PATIENCE)

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._events.put(decode_event(line))


def kills(server: HubServer, content: bytes, n_kills: int, seed: int) -> dict[str, object]:
    """Kill the host `n_kills` times on the way."""
    points = sorted(random.Random(seed).sample(range(len(content) // 50, len(content)), n_kills))
    server.sent.clear()
    server.starts.clear()
    host = HostProcess()
    host.send(PullModel(request_id="pull", repo=REPO, files=(FILE,)))
    written: list[int] = []
    pull: Pull | None = None
    for point in points:
        pull = host.pull(until=point)
        if pull.state == "finished":
            break
        host.kill()
        written.append(_part_bytes())
        host = HostProcess()
    if pull is None or pull.state != "finished":
        pull = host.pull()
    host.stop()
    path = Path(pull.path)
    starts = [start for start in server.starts if start] if written else []
    again = [max(0, before - start) for before, start in zip(written, starts, strict=False)]
    return {
        "file_bytes": len(content),
        "kills": len(written),
        "killed_at_bytes": written,
        "state": pull.state,
        "is_verified": hashlib.sha256(path.read_bytes()).hexdigest() == hashlib.sha256(content).hexdigest(),
        "requests_for_content": len(server.starts),
        "bytes_asked_for_twice": sum(again),
        "most_asked_for_twice_at_one_kill": max(again, default=0),
        "chunk_bytes": CHUNK_BYTES,
        "sent_by_hub_beyond_the_file": server.sent[FILE] - len(content),
        "orphaned_parts": [part.name for part in folders().models.rglob("*.part")],
    }


def full_disk(server: HubServer, content: bytes, folder: Path) -> dict[str, object]:
    """Fill a tmpfs while the download runs, then make room."""
    subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={RESERVE_BYTES + 2 * len(content)}", "tmpfs", folder], check=True
    )
    try:
        host = HostProcess()
        host.send(PullModel(request_id="pull", repo=REPO, files=(FILE,)))
        host.pull(until=len(content) // 8)
        filler = folder / "filler"
        with filler.open("wb") as file:
            try:
                while True:
                    file.write(bytes(1 << 16))
                    file.flush()
            except OSError:
                pass
        stopped = host.pull()
        filler.unlink()
        host.send(ResumePull(request_id="again", pull_id=stopped.pull_id))
        ended = host.pull(ends=("finished",))
        host.stop()
        failure = stopped.failure
        return {
            "stopped_at_bytes": stopped.done_bytes,
            "is_told_as_full_disk": failure is not None and failure.code is Code.DISK_FULL,
            "sentence": failure.sentence() if failure is not None else "",
            "state_with_room": ended.state,
            "is_verified": hashlib.sha256(Path(ended.path).read_bytes()).digest() == hashlib.sha256(content).digest(),
        }
    finally:
        subprocess.run(["umount", folder], check=True)


def _part_bytes() -> int:
    return sum(part.stat().st_size for part in folders().models.rglob("*.part"))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--megabytes", type=int, default=48)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", metavar="FILE", default="-", help="- prints it")
    options = parser.parse_args()
    content = chat_bytes() + random.Random(2).randbytes(options.megabytes * 10**6)
    report: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as home, serve() as server:
        os.environ |= {"HOME": home, "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring"}
        server.pause = 0.004
        server.add(REPO).files = {FILE: content}
        os.environ["FIRSTLIGHT_HOME"] = f"{home}/kills"
        _settle(server)
        report["kills"] = kills(server, content, options.kills, options.seed)
        if os.name == "posix" and os.geteuid() == 0:
            disk = Path(home) / "disk"
            disk.mkdir()
            os.environ["FIRSTLIGHT_HOME"] = f"{home}/full"
            _settle(server, download_folder=str(disk))
            report["full_disk"] = full_disk(server, content, disk)
    text = json.dumps(report, indent=2)
    if options.json == "-":
        print(text)
    else:
        Path(options.json).write_text(text, encoding="utf-8")
    return 0


def _settle(server: HubServer, **models: str) -> None:
    save_settings(Settings(models=Models(hub_endpoint=server.url, last_model="", **models)), folders().settings_file)


if __name__ == "__main__":
    sys.exit(main())
