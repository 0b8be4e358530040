"""A real worker killed during load, prefill and decode costs the running answer and nothing else."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from host_client_stub import Client, gone

from engine.commands.options import load_with
from engine.errors import Code
from engine.host.host import Host
from engine.protocol import (
    Event,
    GenerationFinished,
    LoadProgress,
    PrefillProgress,
    RequestFailed,
    Sampling,
    TokenDelta,
    WorkerCrashed,
)
from engine.settings import Models, Settings, folders

pytestmark = pytest.mark.model


@pytest.mark.parametrize("phase", [LoadProgress, PrefillProgress, TokenDelta])
async def test_a_killed_worker_is_replaced(starter: Path, phase: type[Event]) -> None:
    settings = load_with(Settings(models=Models(last_model="")), str(starter), n_ctx=4096, n_threads=1)
    host = Host(settings, folders())
    await host.start()
    client = Client(host)
    text = "Tell me more about rivers. " * (400 if phase is PrefillProgress else 1)
    rid = client.load(starter) if phase is LoadProgress else client.generate(starter, text)
    await client.until(phase, rid)
    (model,) = host.pool
    first_pid = model.pid
    os.kill(first_pid, signal.SIGKILL)
    end = await client.end_of(rid)
    assert isinstance(end, RequestFailed)
    assert end.failure.code is Code.ENGINE_CRASHED
    assert (await client.until_broadcast(WorkerCrashed)).is_restarting
    if phase is TokenDelta:
        assert client.text(rid)
    # The same pool entry, a new process, a whole answer.
    again = client.generate(starter, "Say hello.", sampling=Sampling(temperature=0), max_tokens=4)
    assert isinstance(await client.end_of(again), GenerationFinished)
    assert client.text(again).strip()
    pids = [model.pid for model in host.pool]
    assert pids != [first_pid]
    await host.stop()
    assert all([await gone(pid) for pid in pids])
