"""The clock of a request starts when its host has it, or else the worker's reader; not when the loop sees it."""

from __future__ import annotations

import io
import os
import time

import pytest

from engine.protocol.codec import encode
from engine.protocol.commands import Generate
from engine.worker.outbox import Outbox
from engine.worker.worker import Worker


@pytest.mark.parametrize("accepted", [0.0, 12.5])
def test_a_request_is_timed_from_its_arrival(accepted: float) -> None:
    sink = os.open(os.devnull, os.O_WRONLY)
    outbox = Outbox(sink)
    worker = Worker(io.BytesIO(), outbox)
    before = time.monotonic()
    worker._receive(encode(Generate(request_id="r1", prompt="Once", accepted=accepted)))
    command = worker._inbox.get_nowait()
    assert isinstance(command, Generate)
    if accepted:
        assert command.accepted == accepted
    else:
        assert before <= command.accepted <= time.monotonic()
    outbox.close()
    os.close(sink)
