"""Which models stay warm: budget, order, pins, idle time, and no running answer cut."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from host_client_stub import Client, gone

from engine.host.pool import read_ahead
from engine.metrics import FinishReason
from engine.protocol import (
    GenerationFinished,
    LoadProgress,
    ModelLoaded,
    ModelSettings,
    ModelUnloaded,
    Queued,
    TokenDelta,
    UnloadModel,
)
from engine.settings import Performance

MakeModel = Callable[[str], Path]
SIZE = 1 << 30


@pytest.fixture
def limit(client: Client) -> Callable[..., None]:
    def set_limits(**limits: object) -> None:
        client.host.pool.limits = msgspec.convert(
            {"warm_memory_bytes": 1 << 50, "max_warm_models": 9} | limits, Performance
        )

    return set_limits


def warm_names(client: Client) -> set[str]:
    return {model.key.path.stem for model in client.host.pool if model.is_warm}


async def test_asking_twice_loads_once(client: Client, model: Path) -> None:
    first, second = client.load(model), client.load(model)
    assert isinstance(await client.end_of(first), ModelLoaded)
    assert isinstance(await client.end_of(second), ModelLoaded)
    (warm,) = client.host.pool
    again = await client.end_of(client.load(model))
    assert isinstance(again, ModelLoaded)
    assert again.load_time == 0
    assert [m.pid for m in client.host.pool] == [warm.pid]


async def test_switching_to_a_warm_model_costs_nothing(client: Client, make_model: MakeModel) -> None:
    a, b = make_model("a"), make_model("b")
    for path in (a, b):
        await client.end_of(client.load(path))
    assert warm_names(client) == {"a", "b"}
    switched = client.generate(a)
    end = await client.end_of(switched)
    assert isinstance(end, GenerationFinished)
    assert end.metrics.load_time == 0
    assert not any(isinstance(event, LoadProgress) for event in client.of(switched))
    # Without a name the answer comes from the model that was used last.
    end = await client.end_of(client.generate())
    assert isinstance(end, GenerationFinished)
    assert end.effective is not None
    assert end.effective.model_name == "a"


async def test_the_least_recently_used_leaves(client: Client, make_model: MakeModel, script, limit) -> None:  # type: ignore[no-untyped-def]
    script(size_bytes=SIZE)
    limit(warm_memory_bytes=int(2.5 * SIZE))
    a, b, c = make_model("a"), make_model("b"), make_model("c")
    for path in (a, b, c):
        await client.end_of(client.load(path))
        if path is b:
            await client.end_of(client.generate(a))
    gone_event = await client.until_broadcast(ModelUnloaded)
    assert gone_event.model_id == str(b)
    assert "memory was needed" in gone_event.reason
    assert warm_names(client) == {"a", "c"}


async def test_pinned_models_stay(client: Client, make_model: MakeModel, limit) -> None:  # type: ignore[no-untyped-def]
    limit(max_warm_models=2)
    a, b, c = make_model("a"), make_model("b"), make_model("c")
    await client.end_of(client.load(a, keep_warm=True))
    await client.end_of(client.load(b))
    await client.end_of(client.load(c))
    assert warm_names(client) == {"a", "c"}
    # Where only pinned ones are in the way, what the user asks for is loaded all the same.
    await client.end_of(client.load(c, keep_warm=True))
    assert isinstance(await client.end_of(client.load(b)), ModelLoaded)
    assert warm_names(client) >= {"a", "c"}


async def test_a_running_answer_is_never_cut(client: Client, make_model: MakeModel, script, limit, tmp_path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "decode.hold").touch()
    script(hold=str(tmp_path))
    limit(max_warm_models=1)
    a, b = make_model("a"), make_model("b")
    running = client.generate(a)
    await client.until(TokenDelta, running)
    waiting = client.generate(b)
    queued = await client.until(Queued, waiting)
    assert queued.reason == "memory"
    (tmp_path / "decode.hold").unlink()
    end = await client.end_of(running)
    assert isinstance(end, GenerationFinished)
    assert client.text(running) == "Hello from the fake."
    assert isinstance(await client.end_of(waiting), GenerationFinished)
    assert warm_names(client) == {"b"}


async def test_other_settings_replace_the_model_after_its_answer(client, model, script, tmp_path):  # type: ignore[no-untyped-def]
    (tmp_path / "decode.hold").touch()
    script(hold=str(tmp_path))
    running = client.generate(model)
    await client.until(TokenDelta, running)
    (old,) = client.host.pool
    other = client.load(model, settings=ModelSettings(n_ctx=512))
    await client.until(LoadProgress, other)
    (tmp_path / "decode.hold").unlink()
    assert isinstance(await client.end_of(running), GenerationFinished)
    loaded = await client.end_of(other)
    assert isinstance(loaded, ModelLoaded)
    assert loaded.effective.n_ctx == 512
    assert await gone(old.pid)
    assert [m.pid for m in client.host.pool] != [old.pid]


async def test_unload_waits_for_the_answer_and_for_the_process(client: Client, model: Path, script, tmp_path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "decode.hold").touch()
    script(hold=str(tmp_path))
    running = client.generate(model)
    await client.until(TokenDelta, running)
    (warm,) = client.host.pool
    client.send(UnloadModel(request_id="unload", model_id=str(model)))
    (tmp_path / "decode.hold").unlink()
    assert isinstance(await client.end_of("unload"), ModelUnloaded)
    assert client.text(running) == "Hello from the fake."
    assert await gone(warm.pid)
    assert not list(client.host.pool)


async def test_unloading_a_model_gives_its_load_up_and_what_waits_for_it(client, model, script, tmp_path):  # type: ignore[no-untyped-def]
    (tmp_path / "load.hold").touch()
    script(hold=str(tmp_path))
    waiting = client.generate(model)
    await client.until(Queued, waiting)
    (loading,) = client.host.pool
    client.send(UnloadModel(request_id="unload", model_id=str(model)))
    assert isinstance(await client.end_of("unload"), ModelUnloaded)
    end = await client.end_of(waiting)
    assert isinstance(end, GenerationFinished)
    assert end.finish_reason is FinishReason.CANCELLED
    assert await gone(loading.pid)
    assert not list(client.host.pool)


async def test_idle_models_leave_after_their_time(client: Client, model: Path, limit) -> None:  # type: ignore[no-untyped-def]
    limit(idle_unload_minutes=0.05 / 60)
    await client.end_of(client.generate(model))
    left = await client.until_broadcast(ModelUnloaded)
    assert left.reason == "it was idle"


async def test_a_model_larger_than_expected_sends_idle_ones_away(client, make_model, script, limit):  # type: ignore[no-untyped-def]
    limit(warm_memory_bytes=SIZE)
    await client.end_of(client.load(make_model("a")))
    script(size_bytes=2 * SIZE)
    await client.end_of(client.load(make_model("b")))
    await client.until_broadcast(ModelUnloaded)
    assert warm_names(client) == {"b"}


async def test_a_waiting_load_can_be_cancelled(client: Client, make_model: MakeModel, script, limit, tmp_path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "decode.hold").touch()
    script(hold=str(tmp_path))
    limit(max_warm_models=1)
    running = client.generate(make_model("a"))
    await client.until(TokenDelta, running)
    b = make_model("b")
    waiting, load = client.generate(b), client.load(b)
    await client.until(Queued, waiting)
    for rid in (waiting, load):
        client.cancel(rid)
        await client.end_of(rid)
    (tmp_path / "decode.hold").unlink()
    assert isinstance(await client.end_of(running), GenerationFinished)
    assert warm_names(client) == {"a"}


def test_read_ahead_takes_any_file(tmp_path: Path) -> None:
    path = tmp_path / "weights"
    path.write_bytes(bytes(1 << 20))
    read_ahead(path)
    read_ahead(tmp_path / "missing")
