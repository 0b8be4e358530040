"""A dead worker costs its open requests and nothing else, and is explained rather than restarted for ever."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from host_client_stub import Client, gone

from engine.errors import Code
from engine.host import warm_model, worker_link
from engine.metrics import FinishReason
from engine.protocol import (
    GenerationFinished,
    GenerationStarted,
    LoadProgress,
    ModelLoaded,
    ModelUnloaded,
    RequestFailed,
    TokenDelta,
    WorkerCrashed,
)

EVENT_OF = {"load": LoadProgress, "prefill": GenerationStarted, "decode": TokenDelta}


@pytest.mark.parametrize("point", ["load", "prefill", "decode"])
async def test_killed_from_outside(client: Client, model: Path, script, tmp_path: Path, point: str) -> None:  # type: ignore[no-untyped-def]
    gate = tmp_path / f"{point}.hold"
    gate.touch()
    script(hold=str(tmp_path))
    rid = client.load(model) if point == "load" else client.generate(model)
    await client.until(EVENT_OF[point], rid)
    (warm,) = client.host.pool
    first_pid = warm.pid
    os.kill(first_pid, signal.SIGKILL)
    end = await client.end_of(rid)
    gate.unlink()
    assert isinstance(end, RequestFailed)
    assert end.failure.code is Code.ENGINE_CRASHED
    assert "SIGKILL" in str(end.failure.message)
    assert "started again" in str(end.failure.advice)
    assert (await client.until_broadcast(WorkerCrashed)).is_restarting
    # A new worker is there without anybody having asked for one, and answers.
    (warm,) = client.host.pool
    assert isinstance(await client.end_of(client.generate(model)), GenerationFinished)
    assert warm.pid != first_pid
    assert len(client.terminals(rid)) == 1


async def test_dying_twice_in_a_row_is_explained(client: Client, model: Path, script) -> None:  # type: ignore[no-untyped-def]
    script(fault="load", act="exit")
    rid = client.generate(model)
    end = await client.end_of(rid)
    assert isinstance(end, RequestFailed)
    assert end.failure.code is Code.ENGINE_CRASHED
    assert "2 times in a row while loading" in str(end.failure.message)
    assert "the device has failed" in str(end.failure.message)
    assert "smaller context" in str(end.failure.advice)
    assert [event.is_restarting for event in client.broadcasts if isinstance(event, WorkerCrashed)] == [True, False]
    await client.until_broadcast(ModelUnloaded)
    assert not list(client.host.pool)


async def test_an_answer_between_two_deaths_makes_the_second_a_first(client, model, script, tmp_path):  # type: ignore[no-untyped-def]
    once = tmp_path / "once"
    script(fault="decode", act="kill", fault_once=str(once))
    for _ in range(2):
        assert isinstance(await client.end_of(client.generate(model)), RequestFailed)
        script(fault="decode", act="kill", fault_once=str(once))
        assert isinstance(await client.end_of(client.generate(model)), GenerationFinished)
        once.unlink()
    assert all(event.is_restarting for event in client.broadcasts if isinstance(event, WorkerCrashed))


async def test_a_refused_load_is_told_as_it_is(client: Client, model: Path, script) -> None:  # type: ignore[no-untyped-def]
    script(fault="load", act="refuse")
    end = await client.end_of(client.load(model))
    assert isinstance(end, RequestFailed)
    assert end.failure.code is Code.OUT_OF_MEMORY
    script()
    assert isinstance(await client.end_of(client.load(model)), ModelLoaded)


async def test_a_worker_stuck_after_a_cancel_is_replaced(client, model, script, tmp_path, monkeypatch):  # type: ignore[no-untyped-def]
    monkeypatch.setattr(warm_model, "CANCEL_GRACE", 0.2)
    (tmp_path / "decode.hold").touch()
    script(fault="cancel", act="stall", hold=str(tmp_path))
    rid = client.generate(model)
    await client.until(TokenDelta, rid)
    (warm,) = client.host.pool
    pid = warm.pid
    client.cancel(rid)
    end = await client.end_of(rid)
    assert isinstance(end, GenerationFinished)
    assert end.finish_reason is FinishReason.CANCELLED
    assert "did not stop" in str((await client.until_broadcast(WorkerCrashed)).failure.message)
    assert await gone(pid)


async def test_a_worker_that_never_starts_is_told(client: Client, model: Path, script, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr(worker_link, "READY_TIMEOUT", 0.3)
    script(fault="start", act="stall")
    end = await client.end_of(client.generate(model))
    assert isinstance(end, RequestFailed)
    assert "did not start" in str(end.failure.message)


async def test_a_missing_engine_is_told_with_the_way_out(client: Client, model: Path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setenv("FIRSTLIGHT_WORKER", "/no/such/program")
    end = await client.end_of(client.generate(model))
    assert isinstance(end, RequestFailed)
    assert end.failure.code is Code.ENGINE_MISSING
    assert "bootstrap.py" in str(end.failure.advice)
