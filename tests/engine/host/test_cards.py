"""Which card is which device of the engine, which of them has a screen, and what is free on them now."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from engine.hardware.nvml import GpuReading
from engine.host import machine_reader
from engine.host.backend_probe import BackendRecord
from engine.host.machine_reader import FRESH_SECONDS, MachineReader, card_of, readings, with_screens
from engine.protocol import Device
from engine.protocol.values import EngineDescription
from engine.settings import folders

TWINS = (
    Device(name="CUDA0", description="RTX 4090", kind="gpu"),
    Device(name="CUDA1", description="RTX 3060", kind="gpu"),
    Device(name="CUDA2", description="RTX 4090", kind="gpu"),
    Device(name="CPU", description="Some processor", kind="cpu"),
)
CARDS = (
    GpuReading(index=0, name="RTX 3060"),
    GpuReading(index=1, name="RTX 4090"),
    GpuReading(index=2, name="RTX 4090", is_display=True),
)


def test_cards_of_one_name_come_in_the_same_order() -> None:
    found = [card_of(device, TWINS, CARDS) for device in TWINS]
    assert [card.index if card else None for card in found] == [1, 0, 2, None]


def test_the_screen_is_on_the_second_twin() -> None:
    found = with_screens(TWINS, readings(TWINS, CARDS))
    assert [device.is_display for device in found] == [False, False, True, False]


def test_without_a_driver_no_screen_is_known() -> None:
    assert with_screens(TWINS, readings(TWINS, ())) == TWINS


def test_a_place_on_the_bus_says_more_than_a_name() -> None:
    """CUDA_VISIBLE_DEVICES may hide the first of two cards of one name."""
    cards = [GpuReading(index=n, name="RTX 4090", bus_id=f"0000:0{n + 1}:00.0") for n in range(2)]
    second = Device(name="CUDA0", description="RTX 4090", kind="gpu", bus_id="0000:02:00.0")
    assert readings([second], cards) == [cards[1]]


def test_what_shares_main_memory_has_no_reading_of_its_own() -> None:
    inside = Device(name="CUDA0", description="RTX 4090", kind="igpu")
    assert readings([inside], CARDS) == [None]


GB = 1 << 30


class Engine:
    """Stands for the engine's word on its devices, for the cards' driver, and for the clock."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *devices: Device) -> None:
        self.devices = devices
        self.cards: list[GpuReading] = []
        self.now = 100.0
        self.n_asked = 0
        monkeypatch.setattr(machine_reader, "describe_engine", self._describe)
        monkeypatch.setattr(machine_reader, "read_backend_record", lambda: BackendRecord(backend="vulkan"))
        monkeypatch.setattr(machine_reader, "Nvml", lambda: self)
        monkeypatch.setattr(machine_reader, "time", SimpleNamespace(monotonic=lambda: self.now))

    def _describe(self) -> EngineDescription:
        self.n_asked += 1
        return EngineDescription(backend="vulkan", devices=self.devices)

    def __len__(self) -> int:
        return len(self.cards)

    def read(self, index: int) -> GpuReading:
        return self.cards[index]

    def close(self) -> None:
        pass


def card(free: int, name: str = "RTX 4090") -> GpuReading:
    return GpuReading(index=0, name=name, used_bytes=24 * GB - free, total_bytes=24 * GB)


def device(free: int, kind: str = "gpu") -> Device:
    return Device(name="GPU0", description="RTX 4090", kind=kind, total_bytes=24 * GB, free_bytes=free)


def free_of(reader: MachineReader, **leaving: int) -> int | None:
    return reader.machine(leaving).devices[0].free_bytes


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> MachineReader:
    found = MachineReader(folders())
    monkeypatch.setattr(found.rooflines, "add_card", lambda *_: None)
    return found


def test_the_driver_tells_what_is_free_now(reader: MachineReader, monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine saw half a gigabyte less than the driver: that is what a process takes that uses the card."""
    engine = Engine(monkeypatch, device(20 * GB - GB // 2))
    engine.cards = [card(20 * GB)]
    assert free_of(reader) == 20 * GB - GB // 2
    engine.cards, engine.now = [card(5 * GB)], engine.now + 60
    assert free_of(reader) == 5 * GB - GB // 2
    engine.cards = [card(GB // 4)]
    assert free_of(reader) == 0
    assert engine.n_asked == 1


def test_without_a_driver_the_engine_is_asked_again(reader: MachineReader, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Engine(monkeypatch, device(20 * GB))
    assert free_of(reader) == 20 * GB
    engine.devices = (device(5 * GB),)
    engine.now += FRESH_SECONDS / 2
    assert (free_of(reader), engine.n_asked) == (20 * GB, 1)
    engine.now += FRESH_SECONDS
    assert (free_of(reader), engine.n_asked) == (5 * GB, 2)


def test_a_driver_that_fails_on_the_way_is_replaced_by_the_engine(
    reader: MachineReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = Engine(monkeypatch, device(20 * GB))
    engine.cards = [card(20 * GB)]
    assert free_of(reader) == 20 * GB
    engine.cards, engine.devices, engine.now = [], (device(3 * GB),), engine.now + 60
    assert (free_of(reader), engine.n_asked) == (3 * GB, 2)


def test_a_device_that_is_gone_is_not_counted_with(reader: MachineReader, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a driver's reset the engine may see no device, and later see it again."""
    engine = Engine(monkeypatch, device(20 * GB))
    assert len(reader.machine().devices) == 1
    engine.devices, engine.now = (), engine.now + 60
    assert reader.machine().devices == ()
    engine.devices, engine.now = (device(20 * GB),), engine.now + 60
    assert free_of(reader) == 20 * GB


def test_what_leaving_models_hold_counts_as_free(reader: MachineReader, monkeypatch: pytest.MonkeyPatch) -> None:
    Engine(monkeypatch, device(2 * GB))
    assert free_of(reader, GPU0=6 * GB) == 8 * GB
    assert free_of(reader, GPU0=60 * GB) == 24 * GB
    before = reader.machine().ram_bytes
    assert reader.machine({"CPU": 1 << 45}).ram_bytes > before + (1 << 44)
