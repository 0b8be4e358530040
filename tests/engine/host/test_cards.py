"""Which of NVIDIA's cards is which device of the engine, and which of them has a screen."""

from __future__ import annotations

from engine.hardware import GpuReading
from engine.host.machine_reader import card_of, with_screens
from engine.protocol import Device

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
    assert [device.is_display for device in with_screens(TWINS, CARDS)] == [False, False, True, False]


def test_without_a_driver_no_screen_is_known() -> None:
    assert with_screens(TWINS, ()) == TWINS
