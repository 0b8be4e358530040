"""The API beside a window: it follows the settings, and says why it is not there."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator

import msgspec
import pytest
from host_client_stub import Client

from engine.api.local_api import LocalApi
from engine.host.host import Host
from engine.protocol import ApiRead, ChangeSettings, Done, ReadApi
from engine.settings import Api, Settings, folders


@pytest.fixture
def ports() -> Iterator[tuple[int, int]]:
    """Two ports that nobody else is given: they are held, but in a way that lets them be listened to."""
    with socket.socket() as first, socket.socket() as second:
        for holder in (first, second):
            holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            holder.bind(("127.0.0.1", 0))
        yield first.getsockname()[1], second.getsockname()[1]


class Scene:
    def __init__(self, host: Host) -> None:
        self.client, self.host = Client(host), host
        self._ids = 0

    async def use(self, **api: object) -> ApiRead:
        """Change the settings as the window does, and ask what came of it."""
        settings = msgspec.structs.replace(self.host.settings, api=Api(**api))  # type: ignore[arg-type]
        self._ids += 1
        assert isinstance(
            await self.client.request(ChangeSettings(request_id=f"c{self._ids}", settings=settings)), Done
        )
        return await self.read()

    async def read(self) -> ApiRead:
        self._ids += 1
        event = await self.client.request(ReadApi(request_id=f"a{self._ids}"))
        assert isinstance(event, ApiRead)
        return event


async def get(port: int, path: str, token: str = "") -> str:
    """The status line of a GET."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    head = f"Authorization: Bearer {token}\r\n" if token else ""
    writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{head}Connection: close\r\n\r\n".encode())
    answer = (await reader.read()).decode()
    writer.close()
    await writer.wait_closed()
    return answer.splitlines()[0]


async def test_it_is_off_until_it_is_switched_on_moves_with_its_port_and_ends(ports: tuple[int, int]) -> None:
    host = Host(Settings(), folders())
    api = LocalApi(host)
    scene = Scene(host)
    await api.apply()
    assert await scene.read() == ApiRead(request_id="a1")
    first, second = ports
    served = await scene.use(is_on=True, port=first, token="secret")
    assert served.address == f"http://127.0.0.1:{first}"
    assert await get(first, "/health") == "HTTP/1.1 200 OK"
    assert await get(first, "/v1/models") == "HTTP/1.1 401 Unauthorized"
    assert await get(first, "/v1/models", "secret") == "HTTP/1.1 200 OK"
    assert (await scene.use(is_on=True, port=second)).address == f"http://127.0.0.1:{second}"
    assert await get(second, "/v1/models") == "HTTP/1.1 200 OK"
    off = await scene.use(is_on=False, port=second)
    assert (off.address, off.failure) == ("", None)
    for port in ports:
        with socket.socket() as probe:
            assert probe.connect_ex(("127.0.0.1", port))
    await api.stop()
    await host.stop()


async def test_it_says_why_it_cannot_be_served_and_the_host_goes_on() -> None:
    host = Host(Settings(), folders())
    api = LocalApi(host)
    scene = Scene(host)
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        taken = await scene.use(is_on=True, port=port)
    assert taken.failure is not None
    assert f"Port {port} is in use by another program." in str(taken.failure.message)
    open_to_all = await scene.use(is_on=True, host="0.0.0.0", port=0)
    assert open_to_all.failure is not None
    assert "a token is needed" in str(open_to_all.failure.message)
    good = await scene.use(is_on=True, port=0)
    assert good.failure is None
    await api.stop()
    await host.stop()
