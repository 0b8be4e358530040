"""The clock of a request starts when the worker's reader has it, not when the running step lets the loop see it."""

from __future__ import annotations

import io
import os
import time

from engine.protocol.codec import encode
from engine.protocol.commands import Generate
from engine.worker.outbox import Outbox
from engine.worker.worker import Asked, Worker


def test_what_a_request_waits_for_the_running_step_is_queued_time() -> None:
    sink = os.open(os.devnull, os.O_WRONLY)
    outbox = Outbox(sink)
    worker = Worker(io.BytesIO(), outbox)
    before = time.monotonic()
    worker._receive(encode(Generate(request_id="r1", prompt="Once", queued_time=0.1)))
    asked = worker._inbox.get_nowait()
    assert isinstance(asked, Asked)
    assert before <= asked.arrived <= time.monotonic()
    assert 0.1 <= asked.stamped().queued_time <= 0.1 + time.monotonic() - before
    a_step_later = asked._replace(arrived=asked.arrived - 0.4)
    assert a_step_later.stamped().queued_time >= 0.5
    outbox.close()
    os.close(sink)
