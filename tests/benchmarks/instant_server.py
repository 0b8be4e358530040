"""A server that answers at once: what a client measures there is its own work and the way there and back."""

from __future__ import annotations

import json
import socketserver
import threading
import time
from types import TracebackType

N_TOKENS = 8
GAP = 0.005
"""Seconds between tokens, so that the client reads the first one alone as it does from an engine."""
_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
_NOT_FOUND = b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n"


class InstantServer(socketserver.ThreadingTCPServer):
    """OpenAI-compatible text completions, streamed, with nothing behind them. As a context it gives its address."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Connection)
        self.address = f"http://127.0.0.1:{self.server_address[1]}/v1"

    def __enter__(self) -> InstantServer:
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.shutdown()
        self.server_close()


class _Connection(socketserver.StreamRequestHandler):
    """One client's requests, one after the other."""

    disable_nagle_algorithm = True
    wbufsize = 0

    def handle(self) -> None:
        while line := self.rfile.readline():
            n_body = 0
            while (header := self.rfile.readline()).strip():
                name, _, value = header.partition(b":")
                if name.lower() == b"content-length":
                    n_body = int(value)
            self.rfile.read(n_body)
            if line.startswith(b"POST /v1/completions "):
                self._answer()
            else:
                self.wfile.write(_NOT_FOUND)

    def _answer(self) -> None:
        self.wfile.write(_HEAD)
        for number in range(N_TOKENS):
            if number:
                time.sleep(GAP)
            choice = {"index": 0, "text": " word", "finish_reason": None}
            self._send({"object": "text_completion", "choices": [choice]})
        usage = {"prompt_tokens": 1, "completion_tokens": N_TOKENS, "total_tokens": N_TOKENS + 1}
        self._send({"object": "text_completion", "choices": [], "usage": usage})
        self._write(b"data: [DONE]\n\n")
        self.wfile.write(b"0\r\n\r\n")

    def _send(self, chunk: dict[str, object]) -> None:
        self._write(b"data: " + json.dumps(chunk).encode() + b"\n\n")

    def _write(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
