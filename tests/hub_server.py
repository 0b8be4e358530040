"""A local server of the hub's protocol, as huggingface_hub speaks it, with faults on demand.

It serves real files. Faults are taken from a list, first match first, each as often as it says.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlencode, urlsplit

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@dataclass
class Fault:
    """What goes wrong. `kind`: cut, stall, status, wrong_range, ignore_range, wrong_content, longer."""

    kind: str
    method: str = "GET"
    path: str = ""
    """Part of the path; empty fits all."""
    after: int = 0
    """Bytes sent before a cut or a stall."""
    status: int = 503
    headers: dict[str, str] = field(default_factory=dict)
    times: int = 1
    is_download: bool = False
    """Only where a file is asked for to its end, not for the parts that its header is read by."""


@dataclass
class Repo:
    """One repository: files by name, and what its card says."""

    name: str
    files: dict[str, bytes] = field(default_factory=dict)
    tags: list[str] = field(default_factory=lambda: ["gguf", "license:apache-2.0"])
    gated: bool | str = False
    downloads: int = 100
    likes: int = 7
    n_params: int = 0
    moved_to: str = ""


class HubServer(ThreadingHTTPServer):
    """Serves `repos`. `sent` counts the bytes of each file's downloads, `requests` keeps every request line."""

    daemon_threads = True
    block_on_close = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.repos: dict[str, Repo] = {}
        self.faults: list[Fault] = []
        self.sent: dict[str, int] = {}
        self.requests: list[tuple[str, str]] = []
        self.tokens: list[str] = []
        self.page_size = 30
        self.chunk = 1 << 16
        self.pause = 0.0
        """Seconds before each chunk of content: the speed of the line."""
        self.starts: list[int] = []
        """Where each request for content began, but those for a part in the middle."""
        self.sent_parts = 0
        """Bytes of such parts, by which headers are read before a download."""
        self.cdn: HubServer | None = None
        """Another server that file requests are redirected to, each time under a newly signed address."""
        self.n_signed = 0
        self.is_xet = False
        """Whether files lie in the chunk store: the hub then tells their hash there."""
        self.released = threading.Event()
        """Ends a stall."""
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def add(self, name: str, **files: bytes) -> Repo:
        repo = self.repos[name] = Repo(name, {key.replace("__", "."): value for key, value in files.items()})
        return repo

    def fail(self, kind: str, **options: object) -> None:
        self.faults.append(Fault(kind, **options))  # type: ignore[arg-type]

    def take_fault(self, method: str, path: str, wanted: str) -> Fault | None:
        is_part = bool(wanted) and not wanted.endswith("-")
        with self.lock:
            for fault in self.faults:
                if fault.is_download and is_part:
                    continue
                if fault.times > 0 and fault.method == method and fault.path in path:
                    fault.times -= 1
                    return fault
        return None

    def handle_error(self, *_arguments: object) -> None:
        """A client that hangs up is part of the tests."""


@contextmanager
def serve() -> Iterator[HubServer]:
    """A running server; it ends with the block."""
    server = HubServer()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.released.set()
        server.shutdown()
        server.server_close()
        thread.join(5)


class _Handler(BaseHTTPRequestHandler):
    server: HubServer
    protocol_version = "HTTP/1.1"

    def log_message(self, *_arguments: object) -> None:
        """Silence."""

    def do_HEAD(self) -> None:
        self._serve()

    def do_GET(self) -> None:
        self._serve()

    def _serve(self) -> None:
        with self.server.lock:
            self.server.requests.append((self.command, self.path))
            self.server.tokens.append(self.headers.get("Authorization", ""))
        fault = self.server.take_fault(self.command, self.path, self.headers.get("Range", ""))
        if fault is not None and fault.kind == "status":
            self._answer(fault.status, b"", fault.headers)
            return
        path = unquote(urlsplit(self.path).path)
        if path == "/api/models":
            self._search()
        elif match := re.fullmatch(r"/api/models/([^/]+/[^/]+)(?:/revision/[^/]+)?", path):
            self._details(match[1])
        elif match := re.fullmatch(r"/([^/]+/[^/]+)/resolve/([^/]+)/(.+)", path):
            self._file(match[1], match[3], fault)
        else:
            self._answer(404, b"", {"X-Error-Code": "EntryNotFound"})

    def _search(self) -> None:
        query = parse_qs(urlsplit(self.path).query)
        words = query.get("search", [""])[0].lower()
        limit = int(query.get("limit", ["30"])[0])
        start = int(query.get("cursor", ["0"])[0])
        tags = set(query.get("filter", []))
        least, most = _range(query.get("num_parameters", [""])[0])
        found = sorted(
            (
                repo for repo in self.server.repos.values()
                if words in repo.name.lower() and tags <= set(repo.tags) and least <= repo.n_params <= most
            ),
            key=lambda repo: -(repo.likes if query.get("sort") == ["likes"] else repo.downloads),
        )  # fmt: skip
        page = found[start : start + limit]
        headers = {}
        if start + limit < len(found):
            kept = {**query, "cursor": [str(start + limit)]}
            headers["Link"] = f'<{self.server.url}/api/models?{urlencode(kept, doseq=True)}>; rel="next"'
        self._json([self._facts(repo) for repo in page], headers)

    def _details(self, name: str) -> None:
        repo = self._find(name)
        if repo is not None:
            siblings = [
                {
                    "rfilename": file,
                    "size": len(content),
                    "lfs": {"sha256": _sha256(content), "size": len(content), "pointerSize": 135},
                }
                for file, content in repo.files.items()
            ]
            self._json({**self._facts(repo), "sha": COMMIT, "siblings": siblings})

    def _facts(self, repo: Repo) -> dict[str, object]:
        return {
            "id": repo.name, "modelId": repo.name, "downloads": repo.downloads, "likes": repo.likes,
            "gated": repo.gated, "gguf": {"total": repo.n_params} if repo.n_params else None,
            "lastModified": "2026-10-01T12:00:00.000Z", "tags": repo.tags, "private": False,
        }  # fmt: skip

    def _find(self, name: str) -> Repo | None:
        repo = self.server.repos.get(name)
        if repo is None:
            self._answer(404, b"", {"X-Error-Code": "RepoNotFound"})
        elif repo.moved_to:
            location = self.path.replace(name, repo.moved_to)
            self._answer(307, b"", {"Location": location})
            return None
        return repo

    def _file(self, name: str, file: str, fault: Fault | None) -> None:
        repo = self._find(name)
        if repo is None:
            return
        if repo.gated and self.headers.get("Authorization") != "Bearer good":
            self._answer(403, b"", {"X-Error-Code": "GatedRepo"})
            return
        content = repo.files.get(file)
        if content is None:
            self._answer(404, b"", {"X-Error-Code": "EntryNotFound"})
            return
        facts = {
            "X-Repo-Commit": COMMIT,
            "X-Linked-Etag": f'"{_sha256(content)}"',
            "X-Linked-Size": str(len(content)),
            "Accept-Ranges": "bytes",
        }
        if self.server.is_xet:
            facts["X-Xet-Hash"] = _sha256(content[::-1])
            facts["Link"] = f'<{self.server.url}/api/models/{name}/xet-read-token/{COMMIT}>; rel="xet-auth"'
        if self.server.cdn is not None:
            with self.server.lock:
                self.server.n_signed += 1
            signed = f"{self.server.cdn.url}{self.path}?X-Amz-Expires=3600&Signature={self.server.n_signed}"
            self._answer(302, b"", {**facts, "Location": signed})
            return
        if self.command == "HEAD":
            self._answer(200, b"", {**facts, "Content-Length": str(len(content))})
            return
        self._send_content(file, content, facts, fault)

    def _send_content(self, file: str, content: bytes, facts: dict[str, str], fault: Fault | None) -> None:
        kind = fault.kind if fault is not None else ""
        if kind == "wrong_content":
            content = bytes(byte ^ 0xFF for byte in content)
        start, stop, status = 0, len(content), 200
        match = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if match and kind != "ignore_range":
            start, status = int(match[1]), 206
            stop = min(int(match[2]) + 1, stop) if match[2] else stop
            if start >= len(content):
                self._answer(416, b"", {"Content-Range": f"bytes */{len(content)}"})
                return
            shown = start + 7 if kind == "wrong_range" else start
            facts = {**facts, "Content-Range": f"bytes {shown}-{stop - 1}/{len(content)}"}
        body = content[start:stop] + (b"more" if kind == "longer" else b"")
        self.send_response(status)
        for name, value in {**facts, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        is_part = match is not None and bool(match[2])
        if not is_part:
            self.server.starts.append(start)
        limit = fault.after if fault is not None and kind in ("cut", "stall") else len(body)
        for position in range(0, min(limit, len(body)), self.server.chunk):
            if self.server.pause:
                self.server.released.wait(self.server.pause)
            piece = body[position : min(position + self.server.chunk, limit)]
            self.wfile.write(piece)
            with self.server.lock:
                if is_part:
                    self.server.sent_parts += len(piece)
                else:
                    self.server.sent[file] = self.server.sent.get(file, 0) + len(piece)
        if kind in ("cut", "stall"):
            self.wfile.flush()
            if kind == "stall":
                self.server.released.wait(30)
            self.close_connection = True
            self.connection.shutdown(2)

    def _json(self, value: object, headers: dict[str, str] | None = None) -> None:
        self._answer(200, json.dumps(value).encode(), {"Content-Type": "application/json", **(headers or {})})

    def _answer(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _range(text: str) -> tuple[float, float]:
    """min:3B,max:9B as numbers."""
    parts = dict(part.split(":") for part in text.split(",") if part)
    least, most = (float(parts[key].removesuffix("B")) * 1e9 if key in parts else None for key in ("min", "max"))
    return least or 0.0, most or float("inf")
