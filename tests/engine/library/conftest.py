"""A hub server and a hub client for the library's tests."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from hub_server import HubServer, serve
from huggingface_hub.utils import close_session

from engine.library.hub import Hub


@pytest.fixture
def server() -> Iterator[HubServer]:
    with serve() as running:
        yield running
    close_session()


@pytest.fixture
def hub(server: HubServer) -> Hub:
    return Hub(server.url)


@pytest.fixture
def content() -> bytes:
    """3 MB that do not repeat."""
    return random.Random(5).randbytes(3_000_000)
