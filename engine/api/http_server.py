"""Serves the API of one host with uvicorn, inside the host's own loop."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import socket
import time
from collections.abc import Iterator

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from engine.api.access_guard import is_loopback
from engine.api.http_app import build_app
from engine.errors import Code, EngineError, RequestError
from engine.host.host import Host
from engine.translatable import reason_of


class Server:
    """Listens at once, so that a taken port is told before anything is loaded."""

    def __init__(self, host: Host, *, bind: str, port: int, token: str = "", default_model: str = "") -> None:
        """Raises RequestError for an address that must not be served, EngineError for one that cannot be."""
        if not is_loopback(bind) and not token:
            raise RequestError(
                Code.BAD_SETTINGS,
                "{bind} can be reached by other computers, so a token is needed.",
                "Give a token, or serve on 127.0.0.1.",
                bind=bind,
            )
        self._socket = _listen(bind, port)
        self.address = f"http://{f'[{bind}]' if ':' in bind else bind}:{self._socket.getsockname()[1]}"
        app = build_app(host, bind=bind, token=token, default_model=default_model)
        config = uvicorn.Config(app, http=_Connection, log_config=None, access_log=False, timeout_graceful_shutdown=1)
        self._server = _Uvicorn(config)

    async def run(self) -> None:
        """Serve until `stop`, or until the task is cancelled."""
        try:
            await self._server.serve(sockets=[self._socket])
        finally:
            self._socket.close()

    def stop(self) -> None:
        """Finish: open requests are cancelled after a second."""
        self._server.should_exit = True

    async def started(self) -> None:
        await self._server.is_up.wait()


class _Connection(HttpToolsProtocol):
    """Notes when each request came, as `accepted` in its state: reading and parsing it belongs to its latency."""

    _received = 0.0

    def data_received(self, data: bytes) -> None:
        self._received = time.monotonic()
        super().data_received(data)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.scope["state"]["accepted"] = self._received


class _Uvicorn(uvicorn.Server):
    """Leaves signals to the program that it is part of, and says when it is up."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.is_up = asyncio.Event()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.is_up.set()


def _listen(bind: str, port: int) -> socket.socket:
    try:
        family, _, _, _, address = socket.getaddrinfo(bind, port, type=socket.SOCK_STREAM)[0]
        # Named, not left to the system: asyncio turns Nagle's delay of 40 ms a token off for sockets that say TCP only.
        made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    except OSError as error:
        raise _refused(bind, port, error) from error
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
        made.listen(128)
    except OSError as error:
        made.close()
        raise _refused(bind, port, error) from error
    made.setblocking(False)
    return made


def _refused(bind: str, port: int, error: OSError) -> EngineError:
    if error.errno == errno.EADDRINUSE:
        return EngineError(
            Code.BAD_SETTINGS, "Port {port} is in use by another program.", "Choose another port.", port=port
        )
    return EngineError(
        Code.BAD_SETTINGS,
        "{bind}:{port} cannot be served: {reason}.",
        "Choose another address.",
        bind=bind,
        port=port,
        reason=reason_of(error),
    )
