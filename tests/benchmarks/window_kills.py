"""Whether a download through the window survives the window: it is killed with SIGKILL at random points.

`python tests/benchmarks/window_kills.py --kills 20` prints JSON, and ends with 1 when the file is not verified or
something is left behind. Each time a new window starts at once, while the old host may still be ending; what the hub is
asked for again is compared with what had been written.
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

from engine.library.transfer import CHUNK_BYTES  # noqa: E402
from engine.settings import Models, Settings, folders, save_settings  # noqa: E402

REPO, FILE = "owner/Long-GGUF", "long-Q8_0.gguf"
PATIENCE = 90.0
LONGEST = 2.0
"""Seconds at most from the first shown progress to the kill."""


class WindowProcess:
    """A real window with its host, driven by tests/download_window.py."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(ROOT / "tests" / "download_window.py"), REPO], cwd=ROOT, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self._told: queue.SimpleQueue[dict[str, object]] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    def wait(self, key: str) -> object:
        """The next thing of this kind that the window tells. Raises queue.Empty."""
        while True:
            told = self._told.get(timeout=PATIENCE)
            if key in told:
                return told[key]

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._told.put(json.loads(line))


def kills(server: HubServer, content: bytes, n_kills: int, seed: int) -> dict[str, object]:
    """Kill the window `n_kills` times on the way."""
    chance = random.Random(seed)
    server.sent.clear()
    server.starts.clear()
    host_ends: list[float] = []
    window = WindowProcess()
    for _ in range(n_kills):
        host = int(str(window.wait("host")))
        window.wait("shown")
        time.sleep(chance.uniform(0.0, LONGEST))
        window.kill()
        killed = time.monotonic()
        window = WindowProcess()
        host_ends.append(_seconds_until_gone(host, killed))
    window.wait("end")
    window.process.wait(PATIENCE)
    path = folders().models / REPO / FILE
    size = len(content)
    return {
        "file_bytes": size,
        "kills": n_kills,
        "fetches_began_at": server.starts,
        "is_verified": hashlib.sha256(path.read_bytes()).hexdigest() == hashlib.sha256(content).hexdigest(),
        "bytes_read_of_the_header_before": server.sent_parts,
        "sent_by_hub_beyond_the_file": server.sent[FILE] - size,
        "a_kill_on_average": round((server.sent[FILE] - size) / n_kills),
        "chunk_bytes": CHUNK_BYTES,
        "host_ended_after_s": {"median": sorted(host_ends)[n_kills // 2], "longest": max(host_ends)},
        "left_behind": sorted(part.name for part in folders().models.rglob("*") if part.suffix in (".part", ".lock")),
    }


def _seconds_until_gone(pid: int, since: float) -> float:
    while time.monotonic() - since < PATIENCE:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return round(time.monotonic() - since, 3)
        time.sleep(0.005)
    return PATIENCE


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--megabytes", type=int, default=96)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", metavar="FILE", default="-", help="- prints it")
    options = parser.parse_args()
    content = chat_bytes() + random.Random(2).randbytes(options.megabytes * 10**6)
    with tempfile.TemporaryDirectory() as home, serve() as server:
        os.environ |= {
            "HOME": home, "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
            "FIRSTLIGHT_HOME": f"{home}/firstlight", "FIRSTLIGHT_STARTER": f"{home}/none.gguf",
        }  # fmt: skip
        server.pause = 0.06
        server.add(REPO).files = {FILE: content}
        settings = Settings(models=Models(hub_endpoint=server.url, last_model=""))
        save_settings(settings, folders().settings_file)
        found = kills(server, content, options.kills, options.seed)
        text = json.dumps(found, indent=2)
    if options.json == "-":
        print(text)
    else:
        Path(options.json).write_text(text, encoding="utf-8")
    return 0 if found["is_verified"] and not found["left_behind"] else 1


if __name__ == "__main__":
    sys.exit(main())
