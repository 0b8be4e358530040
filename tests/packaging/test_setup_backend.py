"""The choice of an engine build from facts about the machine."""

from __future__ import annotations

from pathlib import Path

import pytest
from setup_backend import Facts, Flavour, NvidiaCard, Vendor, choose, gpu_vendors, parse_cards
from setup_steps import StepFailed

ADA = NvidiaCard("NVIDIA GeForce RTX 4090", "8.9", "580.95.05")
PC = Facts(system="linux", machine="x86_64")


def linux(**facts: object) -> Facts:
    return Facts(system="linux", machine="x86_64", **facts)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("facts", "flavours", "words"),
    [
        (PC, (Flavour.CPU,), "no GPU"),
        (linux(nvidia_cards=(ADA,), has_nvidia_driver=True), (Flavour.CUDA, Flavour.VULKAN, Flavour.CPU), "RTX 4090"),
        (linux(has_nvidia_driver=True), (Flavour.CUDA, Flavour.VULKAN, Flavour.CPU), "an NVIDIA card"),
        (linux(gpu_vendors=frozenset({Vendor.AMD})), (Flavour.VULKAN, Flavour.CPU), "AMD"),
        (linux(gpu_vendors=frozenset({Vendor.AMD, Vendor.INTEL})), (Flavour.VULKAN, Flavour.CPU), "AMD and Intel"),
        (linux(gpu_vendors=frozenset({Vendor.NVIDIA})), (Flavour.VULKAN, Flavour.CPU), "no NVIDIA driver"),
        (Facts(system="darwin", machine="arm64"), (Flavour.METAL, Flavour.CPU), "Metal"),
    ],
)
def test_hardware_decides(facts: Facts, flavours: tuple[Flavour, ...], words: str) -> None:
    choice = choose(facts)
    assert choice.flavours == flavours
    assert words in choice.reason
    assert not choice.is_forced


@pytest.mark.parametrize("flavour", [Flavour.CPU, Flavour.VULKAN, Flavour.CUDA])
def test_a_request_wins_over_the_hardware(flavour: Flavour) -> None:
    choice = choose(linux(nvidia_cards=(ADA,), has_nvidia_driver=True), flavour)
    assert choice.flavour is flavour
    assert choice.is_forced
    assert choice.flavours[-1] is Flavour.CPU


def test_every_choice_says_how_to_force_the_others() -> None:
    assert choose(PC).advice == "To force another: --backend vulkan or --backend cuda."
    assert choose(PC, "cuda").advice == "Another one: --backend cpu or --backend vulkan."
    assert choose(Facts(system="darwin", machine="arm64")).advice == "To force another: --backend cpu."


@pytest.mark.parametrize(
    ("facts", "requested", "words"),
    [
        (PC, "metal", "only on macOS"),
        (Facts(system="darwin", machine="arm64"), "cuda", "not on macOS"),
        (PC, "rocm", "no engine build named rocm"),
    ],
)
def test_what_cannot_work_is_refused(facts: Facts, requested: str, words: str) -> None:
    with pytest.raises(StepFailed, match=words) as caught:
        choose(facts, requested)
    assert "cpu" in caught.value.advice or "metal" in caught.value.advice


def test_cards_are_read_from_the_drivers_list() -> None:
    text = "NVIDIA GeForce RTX 4090, 8.9, 580.95.05\nTesla K80, [N/A], 470.1\n\nnot a card\n"
    cards = parse_cards(text)
    assert cards == (ADA, NvidiaCard("Tesla K80", "", "470.1"))
    assert [card.architecture for card in cards] == ["89", ""]


def test_gpus_are_listed_by_maker(tmp_path: Path) -> None:
    for card, vendor in {"card0": "0x1002\n", "card1": "0x10de\n", "card2": "0x1234\n"}.items():
        (tmp_path / card / "device").mkdir(parents=True)
        (tmp_path / card / "device" / "vendor").write_text(vendor)
    assert gpu_vendors(tmp_path) == {Vendor.AMD, Vendor.NVIDIA}
    assert gpu_vendors(tmp_path / "missing") == frozenset()
