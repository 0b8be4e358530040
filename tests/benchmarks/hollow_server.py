"""A server without an engine, whose answers cost nothing but a known wait: what else a client measures is its own."""

from __future__ import annotations

import json
import socketserver
import threading
import time
from types import TracebackType

import numpy as np

HOLD = 0.02
"""Seconds before the first token."""
GAP = 0.005
"""Seconds between tokens."""
N_TOKENS = 8
_PIECE = 1 << 20
_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
_NOT_FOUND = b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n"


class HollowServer(socketserver.ThreadingTCPServer):
    """OpenAI-compatible text completions, streamed. As a context it serves and gives itself.

    It waits by reading memory, one step at a time as an engine does: a client beside it has a core fewer, and finds
    nothing of its own in the caches when a token comes.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Connection)
        self.address = f"http://127.0.0.1:{self.server_address[1]}/v1"
        self.waits: list[float] = []
        """Seconds from the first byte of each request to its first token, in the order of the tokens."""
        self._memory = np.ones((16, _PIECE), np.float32)
        self._step = threading.Lock()

    def __enter__(self) -> HollowServer:
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.shutdown()
        self.server_close()

    def work(self, seconds: float) -> None:
        with self._step:
            end = time.monotonic() + seconds
            number = 0
            while time.monotonic() < end:
                self._memory[number % len(self._memory)].sum()
                number += 1


class _Connection(socketserver.StreamRequestHandler):
    """One client's requests, one after the other."""

    server: HollowServer
    disable_nagle_algorithm = True
    wbufsize = 0

    def handle(self) -> None:
        while line := self.rfile.readline():
            received = time.monotonic()
            n_body = 0
            while (header := self.rfile.readline()).strip():
                name, _, value = header.partition(b":")
                if name.lower() == b"content-length":
                    n_body = int(value)
            self.rfile.read(n_body)
            if line.startswith(b"POST /v1/completions "):
                self._answer(received)
            else:
                self.wfile.write(_NOT_FOUND)

    def _answer(self, received: float) -> None:
        self.wfile.write(_HEAD)
        for number in range(N_TOKENS):
            self.server.work(GAP if number else HOLD)
            if not number:
                self.server.waits.append(time.monotonic() - received)
            self._send({"object": "text_completion", "choices": [{"index": 0, "text": " word", "finish_reason": None}]})
        usage = {"prompt_tokens": 1, "completion_tokens": N_TOKENS, "total_tokens": N_TOKENS + 1}
        self._send({"object": "text_completion", "choices": [], "usage": usage})
        self._write(b"data: [DONE]\n\n")
        self.wfile.write(b"0\r\n\r\n")

    def _send(self, chunk: dict[str, object]) -> None:
        self._write(b"data: " + json.dumps(chunk).encode() + b"\n\n")

    def _write(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
