"""The message rules of the design, each against a real process that follows a script."""

from __future__ import annotations

from pathlib import Path

import pytest
from host_client_stub import Client, gone

from engine.errors import Code
from engine.metrics import FinishReason
from engine.protocol import (
    PROTOCOL_VERSION,
    CountTokens,
    Done,
    Embed,
    Embedded,
    GenerationFinished,
    GenerationStarted,
    Hello,
    ListPulls,
    LoadProgress,
    ModelLoaded,
    ModelUnloaded,
    Prewarm,
    PrewarmFinished,
    Queued,
    Ready,
    RequestFailed,
    TokenDelta,
    UnloadModel,
    WorkerCrashed,
)


async def test_an_answer_arrives_in_order_and_ends_once(client: Client, model: Path) -> None:
    rid = client.generate(model)
    end = await client.end_of(rid)
    assert isinstance(end, GenerationFinished)
    assert end.finish_reason is FinishReason.STOP
    assert client.text(rid) == "Hello from the fake."
    kinds = [type(event) for event in client.of(rid)]
    assert kinds[0] is Queued
    assert kinds.index(LoadProgress) < kinds.index(GenerationStarted) < kinds.index(TokenDelta)
    assert kinds[-1] is GenerationFinished
    assert len(client.terminals(rid)) == 1


async def test_effective_settings_are_the_workers_not_the_wish(client: Client, model: Path) -> None:
    loaded = await client.end_of(client.load(model))
    assert isinstance(loaded, ModelLoaded)
    assert loaded.effective.n_ctx == 256
    assert loaded.requested.n_ctx == 0
    end = await client.end_of(client.generate(model))
    assert isinstance(end, GenerationFinished)
    assert end.effective == loaded.effective


async def test_waiting_is_told_as_durations_that_add_up(client: Client, model: Path) -> None:
    cold = await client.end_of(client.generate(model))
    warm = await client.end_of(client.generate(model))
    assert isinstance(cold, GenerationFinished)
    assert isinstance(warm, GenerationFinished)
    assert cold.metrics.load_time > 0.01
    assert cold.metrics.queued_time < cold.metrics.load_time
    assert cold.metrics.ttft == pytest.approx(cold.metrics.queued_time + cold.metrics.load_time)
    assert warm.metrics.load_time == 0
    assert warm.metrics.ttft == pytest.approx(warm.metrics.queued_time)


@pytest.mark.parametrize("point", ["load", "prefill", "decode"])
async def test_cancel_works_in_every_phase_and_twice(client: Client, model: Path, script, tmp_path, point) -> None:  # type: ignore[no-untyped-def]
    gate = tmp_path / f"{point}.hold"
    gate.touch()
    script(hold=str(tmp_path))
    rid = client.generate(model)
    await client.until(
        {"load": LoadProgress, "prefill": GenerationStarted, "decode": TokenDelta}[point],
        rid,
    )
    client.cancel(rid)
    client.cancel(rid)
    end = await client.end_of(rid)
    assert isinstance(end, GenerationFinished)
    assert end.finish_reason is FinishReason.CANCELLED
    client.cancel(rid)
    gate.unlink()
    # The worker lives on, and has room again.
    assert isinstance(await client.end_of(client.generate(model)), GenerationFinished)
    assert len(client.terminals(rid)) == 1


async def test_cancel_of_an_unknown_request_does_nothing(client: Client, model: Path) -> None:
    client.cancel("nobody")
    assert isinstance(await client.end_of(client.generate(model)), GenerationFinished)
    assert client.of("nobody") == []


async def test_cancelling_a_load_ends_its_worker(client: Client, model: Path, script, tmp_path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "load.hold").touch()
    script(hold=str(tmp_path))
    rid = client.load(model)
    await client.until(LoadProgress, rid)
    (loading,) = client.host.pool
    client.cancel(rid)
    end = await client.end_of(rid)
    assert isinstance(end, RequestFailed)
    assert end.failure.code is Code.CANCELLED
    assert await gone(loading.pid)
    (tmp_path / "load.hold").unlink()
    assert isinstance(await client.end_of(client.load(model)), ModelLoaded)


async def test_a_load_goes_on_for_the_others_who_wait(client: Client, model: Path, script, tmp_path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "load.hold").touch()
    script(hold=str(tmp_path))
    first, second = client.load(model), client.load(model)
    answer = client.generate(model)
    await client.until(LoadProgress, answer)
    assert len(list(client.host.pool)) == 1
    client.cancel(first)
    (tmp_path / "load.hold").unlink()
    assert isinstance(await client.end_of(first), RequestFailed)
    assert isinstance(await client.end_of(second), ModelLoaded)
    assert isinstance(await client.end_of(answer), GenerationFinished)


async def test_a_used_request_id_is_refused_without_touching_its_owner(client: Client, model: Path) -> None:
    rid = client.generate(model)
    client.send(CountTokens(request_id=rid))
    end = await client.end_of(rid)
    assert isinstance(end, GenerationFinished)
    (refusal,) = [event for event in client.events if event.request_id == ""]
    assert isinstance(refusal, RequestFailed)
    assert "in use" in str(refusal.failure.message)


async def test_hello_is_answered_and_another_version_refused(client: Client) -> None:
    client.send(Hello(request_id="h1", protocol_version=PROTOCOL_VERSION))
    assert [type(event) for event in client.of("h1")] == [Ready, Done]
    client.send(Hello(request_id="h2", protocol_version=PROTOCOL_VERSION + 1))
    (refused,) = client.of("h2")
    assert isinstance(refused, RequestFailed)
    assert refused.failure.code is Code.PROTOCOL


async def test_a_worker_of_another_version_is_a_clear_error(client: Client, model: Path, script) -> None:  # type: ignore[no-untyped-def]
    script(act="version")
    end = await client.end_of(client.generate(model))
    assert isinstance(end, RequestFailed)
    assert end.failure.code is Code.PROTOCOL
    assert "speaks" in str(end.failure.message)


@pytest.mark.parametrize("act", ["garbage", "unknown"])
async def test_an_unreadable_line_ends_the_worker_and_every_request(client: Client, model: Path, script, act) -> None:  # type: ignore[no-untyped-def]
    script(fault="decode", act=act)
    end = await client.end_of(client.generate(model))
    assert isinstance(end, RequestFailed)
    assert end.failure.code is Code.ENGINE_CRASHED
    assert "could not be read" in str(end.failure.message)


async def test_a_long_line_is_only_long(client: Client, model: Path, script) -> None:  # type: ignore[no-untyped-def]
    script(fault="decode", act="huge")
    rid = client.generate(model)
    assert isinstance(await client.end_of(rid), GenerationFinished)
    assert len(client.text(rid)) > 8 << 20


async def test_two_quick_sends_both_answer(client: Client, model: Path) -> None:
    first, second = client.generate(model), client.generate(model)
    assert isinstance(await client.end_of(first), GenerationFinished)
    assert isinstance(await client.end_of(second), GenerationFinished)
    assert client.text(first) == client.text(second) == "Hello from the fake."


async def test_every_kind_of_request_ends(client: Client, model: Path) -> None:
    await client.end_of(client.load(model))
    client.send(CountTokens(request_id="count", draft="two words"))
    client.send(Prewarm(request_id="prewarm", draft="two"))
    client.send(Embed(request_id="embed", model_id=str(model), texts=("one", "two")))
    client.send(ListPulls(request_id="unknown"))
    client.send(UnloadModel(request_id="nothing", model_id="not loaded"))
    assert (await client.end_of("count")).n_tokens == 2  # type: ignore[attr-defined]
    assert isinstance(await client.end_of("prewarm"), PrewarmFinished)
    embedded = await client.end_of("embed")
    assert isinstance(embedded, Embedded)
    assert len(embedded.vectors) == 2
    assert isinstance(await client.end_of("unknown"), RequestFailed | Done)
    assert isinstance(await client.end_of("nothing"), ModelUnloaded)


async def test_counting_tokens_never_loads_a_model(client: Client, model: Path) -> None:
    client.send(CountTokens(request_id="count", model_id=str(model), draft="two words"))
    end = await client.end_of("count")
    assert isinstance(end, RequestFailed)
    assert end.failure.code is Code.MODEL_NOT_LOADED
    assert not list(client.host.pool)


async def test_shutdown_ends_every_request(client: Client, model: Path, script, tmp_path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "decode.hold").touch()
    script(hold=str(tmp_path), n_parallel=1)
    running, queued = client.generate(model), client.generate(model)
    await client.until(TokenDelta, running)
    await client.host.stop()
    for rid in (running, queued):
        (end,) = client.terminals(rid)
        assert isinstance(end, GenerationFinished)
        assert end.finish_reason is FinishReason.CANCELLED
    late = client.generate(model)
    assert isinstance(await client.end_of(late), GenerationFinished)


async def test_a_dead_worker_fails_its_requests_but_not_the_waiting(client, model, script, tmp_path):  # type: ignore[no-untyped-def]
    script(fault="decode", act="kill", fault_once=str(tmp_path / "once"), n_parallel=1)
    rid, queued = client.generate(model), client.generate(model)
    end = await client.end_of(rid)
    assert isinstance(end, RequestFailed)
    assert end.failure.code is Code.ENGINE_CRASHED
    assert client.text(rid) == "Hello"
    crashed = await client.until_broadcast(WorkerCrashed)
    assert crashed.is_restarting
    # What the dead worker never saw is answered by the next one.
    assert isinstance(await client.end_of(queued), GenerationFinished)
