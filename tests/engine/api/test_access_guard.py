"""Who may use the API: not a web page of another site, not a rebound name, not without the token."""

from __future__ import annotations

import socket

import pytest

from engine.api.access_guard import is_loopback
from engine.api.http_server import Server
from engine.errors import Code, FirstlightError
from engine.host.host import Host


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("localhost", 200),
        ("localhost:11436", 200),
        ("127.0.0.1:80", 200),
        ("[::1]:80", 200),
        ("LOCALHOST", 200),
        ("evil.example", 403),
        ("localhost.evil.example", 403),
        ("127.0.0.1.evil.example", 403),
        ("10.0.0.1", 403),
        ("", 403),
    ],
)
async def test_only_names_of_this_computer(client, name: str, status: int) -> None:  # type: ignore[no-untyped-def]
    response = await client.get("/v1/models", headers={"host": name})
    assert response.status_code == status
    if status == 403:
        assert response.json()["error"]["code"] == "host_refused"


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://localhost:3000", 200),
        ("http://127.0.0.1", 200),
        ("https://evil.example", 403),
        ("null", 403),
        ("http://localhost.evil.example", 403),
    ],
)
async def test_only_pages_of_this_computer(client, origin: str, status: int) -> None:  # type: ignore[no-untyped-def]
    response = await client.get("/v1/models", headers={"origin": origin})
    assert response.status_code == status
    if status == 200:
        assert response.headers["access-control-allow-origin"] == origin
    else:
        assert "access-control-allow-origin" not in response.headers
    preflight = await client.options("/v1/chat/completions", headers={"origin": origin})
    assert preflight.status_code == (204 if status == 200 else 403)


async def test_a_token_is_asked_for_when_there_is_one(serve, model: str) -> None:  # type: ignore[no-untyped-def]
    client = await serve(token="secret", default_model=model)
    assert (await client.get("/health")).status_code == 200
    for headers in ({}, {"authorization": "Bearer wrong"}, {"authorization": "Basic secret"}):
        response = await client.get("/v1/models", headers=headers)
        assert response.status_code == 401
        assert response.headers["www-authenticate"] == "Bearer"
    assert (await client.get("/metrics")).status_code == 401
    assert (await client.get("/v1/models", headers={"authorization": "Bearer secret"})).status_code == 200


async def test_serving_other_computers_needs_a_token(host: Host) -> None:
    with pytest.raises(FirstlightError) as caught:
        Server(host, bind="0.0.0.0", port=0)
    assert "Give a token" in caught.value.failure.sentence()


async def test_a_taken_port_is_told(host: Host, serve) -> None:  # type: ignore[no-untyped-def]
    client = await serve()
    with pytest.raises(FirstlightError) as caught:
        Server(host, bind="127.0.0.1", port=client.base_url.port)
    assert caught.value.code is Code.BAD_SETTINGS
    assert "in use" in str(caught.value.failure.message)


async def test_a_token_does_not_wait_for_the_one_before_to_be_acknowledged(
    serve,  # type: ignore[no-untyped-def]
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    accepted: list[socket.socket] = []
    accept = socket.socket.accept

    def watched(listening: socket.socket) -> tuple[socket.socket, object]:
        made, address = accept(listening)
        accepted.append(made)
        return made, address

    monkeypatch.setattr(socket.socket, "accept", watched)
    client = await serve()
    async with client.stream("GET", "/v1/models"):
        assert accepted[0].getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) != 0


@pytest.mark.parametrize(
    ("name", "expected"), [("127.0.0.1", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("x", False)]
)
def test_loopback(name: str, expected: bool) -> None:
    assert is_loopback(name) is expected
