"""What the memory of a card means for models that are warm: loads count with it, and idle models give it back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from host_client_stub import Client

from engine.fit.target_machine import Machine
from engine.host.machine_reader import MachineReader
from engine.protocol import Device, ModelSettings, ModelUnloaded
from engine.settings import Performance

MakeModel = Callable[[str], Path]
SIZE = 1 << 30


def warm_names(client: Client) -> set[str]:
    return {model.key.path.stem for model in client.host.pool if model.is_warm}


class Cards:
    """A computer with one card of 10 GB, which the fake workers fill with what they are told to report."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, client: Client) -> None:
        self.leaving: list[dict[str, int]] = []
        self._pool = client.host.pool
        monkeypatch.setattr(MachineReader, "machine", self._machine)

    def _machine(self, leaving: Mapping[str, int]) -> Machine:
        self.leaving.append(dict(leaving))
        held = sum(model.bytes_on("GPU0") for model in self._pool)
        free = 10 * SIZE - held + leaving.get("GPU0", 0)
        card = Device(name="GPU0", description="", kind="gpu", total_bytes=10 * SIZE, free_bytes=free)
        return Machine(ram_bytes=64 * SIZE, devices=(card,))


@pytest.fixture
def cards(monkeypatch: pytest.MonkeyPatch, client: Client) -> Cards:
    return Cards(monkeypatch, client)


async def test_a_load_counts_with_what_leaving_models_hold(client, make_model, script, cards: Cards):  # type: ignore[no-untyped-def]
    """The same file again, or another one: what is warm now is no reason to put layers on the CPU."""
    script(size_bytes=7 * SIZE, device="GPU0")
    a, b = make_model("a"), make_model("b")
    await client.end_of(client.load(a))
    await client.end_of(client.load(a, settings=ModelSettings(n_ctx=512)))
    await client.end_of(client.load(b))
    assert cards.leaving == [{}, {"GPU0": 7 * SIZE}, {"GPU0": 7 * SIZE}]


async def test_pinned_models_are_not_counted_as_leaving(client, make_model, script, cards: Cards):  # type: ignore[no-untyped-def]
    script(size_bytes=7 * SIZE, device="GPU0")
    a, b = make_model("a"), make_model("b")
    await client.end_of(client.load(a, keep_warm=True))
    await client.end_of(client.load(b))
    assert cards.leaving == [{}, {}]


async def test_idle_models_leave_a_card_that_is_needed(client, make_model, script, cards: Cards):  # type: ignore[no-untyped-def]
    """Main memory has room for both, the card has not."""
    client.host.pool.limits = Performance()
    script(size_bytes=round(9.7 * SIZE), device="GPU0")
    a, b = make_model("a"), make_model("b")
    await client.end_of(client.load(a))
    await client.end_of(client.load(b))
    assert "memory was needed" in (await client.until_broadcast(ModelUnloaded)).reason
    assert warm_names(client) == {"b"}


async def test_a_model_that_is_warm_is_not_prepared_again(client, make_model, script, cards: Cards):  # type: ignore[no-untyped-def]
    a = make_model("a")
    await client.end_of(client.load(a))
    assert (await client.end_of(client.load(a))).load_time == 0
    assert len(cards.leaving) == 1
