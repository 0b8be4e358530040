"""Whatever is done to the host in whatever order: every request ends exactly once, and nothing is left over."""

from __future__ import annotations

import contextlib
import os
import random
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from host_client_stub import Client

from engine.protocol import CountTokens, DropCache, Prewarm, Priority, Terminal, UnloadModel

N_OPERATIONS = 150


@pytest.mark.parametrize("seed", [1, 2])
async def test_every_request_ends_once(client: Client, make_model: Callable[[str], Path], script, seed: int) -> None:  # type: ignore[no-untyped-def]
    script(tokens=[f" {number}" for number in range(30)])
    chance = random.Random(seed)
    models = [make_model(name) for name in ("a", "b", "c")]
    asked: list[str] = []

    def operate(number: int) -> str:
        model = chance.choice(models)
        name = f"x{number}"
        kind = chance.choices(
            ["generate", "load", "cancel", "kill", "unload", "prewarm", "count", "drop"], [50, 8, 25, 3, 4, 5, 3, 2]
        )[0]
        match kind:
            case "generate":
                return client.generate(model, priority=chance.choice(list(Priority)), max_tokens=chance.randint(1, 30))
            case "load":
                return client.load(model, keep_warm=chance.random() < 0.2)
            case "cancel" if asked:
                client.cancel(chance.choice(asked[-8:]))
            case "kill":
                pids = [warm.pid for warm in client.host.pool if warm.pid]
                if pids:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(chance.choice(pids), signal.SIGKILL)
            case "unload":
                return client.send(UnloadModel(request_id=name, model_id=str(model)))
            case "prewarm":
                return client.send(Prewarm(request_id=name, model_id=str(model), draft="Hi"))
            case "count":
                return client.send(CountTokens(request_id=name, model_id=str(model), draft="Hi"))
            case "drop":
                return client.send(DropCache(request_id=name))
        return ""

    for number in range(N_OPERATIONS):
        if rid := operate(number):
            asked.append(rid)
        if number % 10 == 9:
            await client.end_of(chance.choice(asked))
    for rid in asked:
        await client.end_of(rid)
    for rid in asked:
        events = client.of(rid)
        assert [isinstance(event, Terminal) for event in events].count(True) == 1
        assert isinstance(events[-1], Terminal)
    assert len(set(asked)) == len(asked)
    assert all(warm.n_running == warm.n_waiting == 0 for warm in client.host.pool)
