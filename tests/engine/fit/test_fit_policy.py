"""Choosing context, layers and step size: what gives way in which order, and what is said about it."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import msgspec
import pytest
from gguf_files import write_sparse
from model_shapes import SHAPES

from engine.errors import Code, ModelError
from engine.fit.fit_policy import choose, max_context
from engine.fit.memory_estimate import Estimator
from engine.fit.target_machine import Machine
from engine.gguf import Header, read_header
from engine.protocol import Device, KvType, ModelSettings, SplitMode, Switch

GB = 10**9


@pytest.fixture(scope="module")
def headers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Header]:
    folder = tmp_path_factory.mktemp("shapes")
    made = {}
    for name in ("llama 8B", "llama 1B", "qwen3moe 30B", "gemma3 4B", "tiny"):
        shape = SHAPES[name]()
        made[name] = read_header(write_sparse(folder / f"{name}.gguf", shape.metadata, shape.tensors))
    return made


def gpu(free: float, total: float = 24, name: str = "CUDA0", kind: str = "gpu") -> Device:
    return Device(name=name, description=name, kind=kind, total_bytes=round(total * GB), free_bytes=round(free * GB))


def machine(*devices: Device, ram: float = 32) -> Machine:
    return Machine(ram_bytes=round(ram * GB), devices=(Device(name="CPU", description="", kind="cpu"), *devices))


def test_everything_fits_on_a_large_card(headers: dict[str, Header]) -> None:
    choice = choose(headers["llama 8B"], ModelSettings(), machine(gpu(23)))
    assert choice.settings.n_gpu_layers == choice.fit.n_layers == 33
    assert choice.settings.n_ctx == 32_768
    assert (choice.settings.n_batch, choice.settings.n_ubatch) == (2048, 512)
    assert choice.notices == ()
    assert [use.device for use in choice.fit.memory] == ["CPU", "CUDA0"]
    assert choice.fit.devices[0].estimated_bytes == choice.fit.devices[0].total_bytes < 23 * GB


@pytest.mark.parametrize(
    ("asked", "ram", "has_huge_pages", "chosen"),
    [
        (None, 64, True, False),
        (None, 16, True, None),
        (None, 64, False, None),
        (True, 64, True, True),
        (False, 16, False, False),
    ],
    ids=["copied", "too little memory", "no huge pages", "mapping asked for", "copy asked for"],
)
def test_weights_are_copied_into_huge_pages_where_memory_abounds(
    headers: dict[str, Header], asked: bool | None, ram: int, has_huge_pages: bool, chosen: bool | None
) -> None:
    computer = dataclasses.replace(machine(ram=ram), has_huge_pages=has_huge_pages)
    choice = choose(headers["llama 8B"], ModelSettings(n_ctx=8192, use_mmap=asked), computer)
    assert choice.settings.use_mmap is chosen
    assert choice.notices == ()


def test_weights_on_a_card_are_mapped(headers: dict[str, Header]) -> None:
    computer = dataclasses.replace(machine(gpu(23), ram=64), has_huge_pages=True)
    assert choose(headers["llama 8B"], ModelSettings(), computer).settings.use_mmap is None


def test_an_unasked_context_gives_way_silently(headers: dict[str, Header]) -> None:
    choice = choose(headers["llama 8B"], ModelSettings(), machine(gpu(7.5, 8)))
    assert choice.settings.n_gpu_layers == 33
    assert choice.settings.n_ctx == 16_384
    assert choice.notices == ()


def test_the_ladder_in_its_order(headers: dict[str, Header]) -> None:
    wished = ModelSettings(n_ctx=16_384)
    header = headers["llama 8B"]
    seen: list[tuple[int, KvType, int, int]] = []
    for free in (8.0, 6.74, 6.68, 6.0, 5.4, 4.6, 3.0):
        choice = choose(header, wished, machine(gpu(free, 8)))
        done = choice.settings
        seen.append((done.n_ubatch, done.type_k, done.n_ctx, done.n_gpu_layers))
    f16, q8 = KvType.F16, KvType.Q8_0
    assert seen[0] == (512, f16, 16_384, 33)
    assert seen[1] == (256, f16, 16_384, 33)
    assert seen[2] == (128, f16, 16_384, 33)
    assert seen[3] == (64, q8, 16_384, 33)
    assert seen[4][:2] == (64, q8)
    assert seen[4][2] < 16_384
    assert seen[5][3] < 33
    assert seen[5][:3] == (512, f16, 16_384)
    assert 0 < seen[6][3] < seen[5][3]


def test_each_step_is_said(headers: dict[str, Header]) -> None:
    choice = choose(headers["llama 8B"], ModelSettings(n_ctx=16_384), machine(gpu(6, 8)))
    assert [notice.code for notice in choice.notices] == ["smaller_ubatch", "kv_type_changed"]
    choice = choose(headers["llama 8B"], ModelSettings(n_ctx=16_384), machine(gpu(3, 8)))
    assert [notice.code for notice in choice.notices] == ["fewer_layers"]
    assert f"{choice.fit.n_gpu_layers} of 33 layers" in str(choice.notices[0].message)
    assert "CUDA0" in str(choice.notices[0].message)
    assert choice.notices[0].is_warning


def test_what_is_chosen_fits_its_budget(headers: dict[str, Header]) -> None:
    for name, header in headers.items():
        for free in (2, 4, 8, 16):
            there = machine(gpu(free, 24))
            choice = choose(header, ModelSettings(), there)
            room = there.room(choice.settings)
            for use in choice.fit.devices:
                assert use.total_bytes <= room[use.device], (name, free)


def test_a_simulated_limit(headers: dict[str, Header]) -> None:
    limited = ModelSettings(memory_limit_bytes=2 * GB)
    choice = choose(headers["llama 8B"], limited, machine(gpu(23)))
    assert choice.fit.devices[0].total_bytes <= 2 * GB
    assert 0 < choice.fit.n_gpu_layers < 33


def test_no_device_means_the_host(headers: dict[str, Header]) -> None:
    choice = choose(headers["llama 1B"], ModelSettings(), machine(ram=8))
    assert choice.settings.n_gpu_layers == 0
    assert [use.device for use in choice.fit.memory] == ["CPU"]
    assert choice.does_fit
    assert choice.settings.n_ctx == 32_768
    assert choose(headers["llama 1B"], ModelSettings(), machine(ram=2)).settings.n_ctx < 32_768


def test_too_little_memory_is_said(headers: dict[str, Header]) -> None:
    choice = choose(headers["llama 8B"], ModelSettings(), machine(ram=2))
    assert not choice.does_fit
    assert choice.notices[-1].code == "too_large"
    assert "2.0 GB are free" in str(choice.notices[-1].message)


def test_experts_are_the_first_to_stay_on_the_host(headers: dict[str, Header]) -> None:
    header = headers["qwen3moe 30B"]
    choice = choose(header, ModelSettings(), machine(gpu(11.5, 12)))
    assert choice.settings.n_gpu_layers == 49
    assert 0 < choice.settings.n_cpu_moe < 48
    assert choice.notices[-1].code == "experts_on_cpu"
    fewer = choose(header, ModelSettings(n_cpu_moe=0), machine(gpu(11.5, 12)))
    assert fewer.settings.n_cpu_moe == 0
    assert fewer.settings.n_gpu_layers < 49
    assert choose(header, ModelSettings(n_cpu_moe=10**20), machine(gpu(11.5, 12))).settings.n_cpu_moe <= 49
    assert choice.fit.devices[0].kv_bytes > fewer.fit.devices[0].kv_bytes


def test_layers_are_split_over_two_cards(headers: dict[str, Header]) -> None:
    cards = (gpu(6, 8, "CUDA0"), gpu(3, 4, "CUDA1"))
    fit = Estimator(headers["llama 8B"]).estimate(ModelSettings(n_ctx=4096), devices=cards)
    first, second = fit.devices
    assert first.kv_bytes == 22 * second.kv_bytes // 10
    assert first.kv_bytes + second.kv_bytes == 4096 * 128 * 1024
    only = Estimator(headers["llama 8B"]).estimate(ModelSettings(n_ctx=4096, devices=("CUDA1",)), devices=cards)
    assert [use.device for use in only.devices] == ["CUDA1"]
    split = Estimator(headers["llama 8B"]).estimate(ModelSettings(n_ctx=4096, tensor_split=(1.0, 3.0)), devices=cards)
    assert split.devices[0].kv_bytes < split.devices[1].kv_bytes
    first_alone = Estimator(headers["llama 8B"]).estimate(ModelSettings(n_ctx=4096, tensor_split=(1.0,)), devices=cards)
    assert [use.device for use in first_alone.devices if use.weights_bytes] == ["CUDA0"]
    turned = ModelSettings(n_ctx=4096, devices=("CUDA1", "CUDA0"))
    both = Estimator(headers["llama 8B"]).estimate(turned, devices=cards)
    assert [use.device for use in both.devices] == ["CUDA1", "CUDA0"]
    single = msgspec.structs.replace(turned, split_mode=SplitMode.NONE, main_gpu=1)
    assert [use.device for use in Estimator(headers["llama 8B"]).estimate(single, devices=cards).devices] == ["CUDA0"]


def test_a_card_with_a_screen_is_left_alone_where_there_is_another(headers: dict[str, Header]) -> None:
    screen = msgspec.structs.replace(gpu(20, 24, "CUDA0"), is_display=True)
    spared = ModelSettings(spares_display=True)
    assert choose(headers["llama 1B"], spared, machine(screen, gpu(8, 8, "CUDA1"))).settings.devices == ("CUDA1",)
    alone = choose(headers["llama 1B"], spared, machine(screen))
    assert (alone.settings.devices, alone.settings.n_gpu_layers) == (("CUDA0",), 17)
    assert choose(headers["llama 1B"], ModelSettings(), machine(screen)).settings.devices == ()
    named = ModelSettings(spares_display=True, devices=("CUDA0",))
    assert choose(headers["llama 1B"], named, machine(screen, gpu(8, 8, "CUDA1"))).settings.devices == ("CUDA0",)


def test_a_device_without_any_room_is_not_used(headers: dict[str, Header]) -> None:
    choice = choose(headers["llama 1B"], ModelSettings(memory_limit_bytes=1_000_000), machine(gpu(20)))
    assert choice.settings.devices == ("CPU",)
    assert choice.settings.n_gpu_layers == choice.settings.memory_limit_bytes == 0
    assert [notice.code for notice in choice.notices] == ["gpu_left_out"]


def test_a_card_too_small_to_help_is_left_out(headers: dict[str, Header]) -> None:
    """The buffers of a step alone fill it: with it only 10 layers would be on devices."""
    large, small = gpu(6.5, 8, "CUDA0"), gpu(0.5, 2, "CUDA1")
    choice = choose(headers["llama 8B"], ModelSettings(), machine(small, large))
    assert (choice.settings.devices, choice.settings.n_gpu_layers) == (("CUDA0",), 33)
    assert choice.notices[-1].code == "device_left_out"
    assert "CUDA1" in str(choice.notices[-1].message)
    both = choose(headers["llama 8B"], ModelSettings(devices=("CUDA0", "CUDA1")), machine(small, large))
    assert both.settings.n_gpu_layers < 33


def test_cards_that_help_are_used_together(headers: dict[str, Header]) -> None:
    choice = choose(headers["llama 8B"], ModelSettings(), machine(gpu(7.5, 8, "CUDA0"), gpu(3.5, 4, "CUDA1")))
    assert (choice.settings.devices, choice.settings.n_gpu_layers, choice.notices) == ((), 33, ())
    assert [use.device for use in choice.fit.devices] == ["CUDA0", "CUDA1"]


def test_a_card_that_two_backends_list_is_used_once(headers: dict[str, Header]) -> None:
    place = "0000:01:00.0"
    cuda, vulkan = (msgspec.structs.replace(gpu(6, 8, name), bus_id=place) for name in ("CUDA0", "Vulkan0"))
    both = Estimator(headers["tiny"]).estimate(ModelSettings(), devices=(cuda, vulkan))
    assert [use.device for use in both.devices] == ["CUDA0"]
    named = Estimator(headers["tiny"]).estimate(ModelSettings(devices=("Vulkan0",)), devices=(cuda, vulkan))
    assert [use.device for use in named.devices] == ["Vulkan0"]


@pytest.mark.parametrize(("name", "kind"), [("Vulkan0", "igpu"), ("MTL0", "gpu")])
def test_memory_that_is_shared_is_counted_once(headers: dict[str, Header], name: str, kind: str) -> None:
    """An integrated GPU calls all of main memory its own, whoever uses it."""
    inside = gpu(28, 32, name, kind)
    wished = ModelSettings(n_ctx=4096)
    whole = choose(headers["llama 8B"], wished, machine(inside, ram=12))
    assert (whole.settings.n_gpu_layers, whole.does_fit) == (33, True)
    tight = choose(headers["llama 8B"], wished, machine(inside, ram=4))
    assert tight.fit.devices[0].total_bytes < 4 * GB
    assert not tight.does_fit
    assert tight.notices[-1].code == "too_large"
    apart = choose(headers["llama 8B"], wished, machine(gpu(3.5, 4), ram=4))
    assert apart.does_fit


def test_an_integrated_card_is_only_used_alone(headers: dict[str, Header]) -> None:
    igpu = gpu(6, 8, "Vulkan1", "igpu")
    both = Estimator(headers["tiny"]).estimate(ModelSettings(), devices=(gpu(6, 8), igpu))
    assert [use.device for use in both.devices] == ["CUDA0"]
    assert [use.device for use in Estimator(headers["tiny"]).estimate(ModelSettings(), devices=(igpu,)).devices] == [
        "Vulkan1"
    ]


def test_tied_embeddings_lie_on_both_sides(headers: dict[str, Header]) -> None:
    header = headers["llama 1B"]
    embeddings = header.tensors[0].size_bytes
    fit = Estimator(header).estimate(ModelSettings(use_mmap=False), devices=(gpu(20),), n_gpu_layers=-1)
    assert fit.host.weights_bytes == embeddings
    assert fit.devices[0].weights_bytes == header.weights_bytes
    only_output = Estimator(header).estimate(ModelSettings(use_mmap=False), devices=(gpu(20),), n_gpu_layers=1)
    assert only_output.n_gpu_layers == 1
    assert only_output.devices[0].kv_bytes == 0
    assert embeddings <= only_output.devices[0].weights_bytes < embeddings + 10_000


def test_the_cache_can_stay_on_the_host(headers: dict[str, Header]) -> None:
    settings = ModelSettings(n_ctx=4096, offload_kqv=False)
    fit = Estimator(headers["llama 1B"]).estimate(settings, devices=(gpu(20),))
    assert fit.devices[0].kv_bytes == 0
    assert fit.host.kv_bytes == 4096 * 16 * 2 * 512 * 2


def test_windows_keep_the_cache_small(headers: dict[str, Header]) -> None:
    header = headers["gemma3 4B"]
    small = Estimator(header).estimate(ModelSettings(n_ctx=32_768)).kv_bytes
    full = Estimator(header).estimate(ModelSettings(n_ctx=32_768, swa_full=True)).kv_bytes
    assert small < full / 2.5
    assert full == 32_768 * 34 * 2 * 1024 * 2


def test_kv_types_by_block() -> None:
    from engine.fit.kv_memory import bytes_per_element

    assert [bytes_per_element(k) for k in (KvType.F16, KvType.Q8_0, KvType.Q4_0)] == [2.0, 34 / 32, 18 / 32]


def test_impossible_settings_are_refused(headers: dict[str, Header]) -> None:
    quantized = ModelSettings(type_k=KvType.Q8_0, type_v=KvType.Q8_0, flash_attn=Switch.OFF)
    with pytest.raises(ModelError, match="needs flash attention") as caught:
        choose(headers["llama 8B"], quantized, machine())
    assert caught.value.code is Code.CACHE_TYPE_REFUSED
    with pytest.raises(ModelError, match="does not suit this model"):
        choose(headers["tiny"], ModelSettings(type_k=KvType.Q8_0), machine())
    with pytest.raises(ModelError, match="n_parallel"):
        choose(headers["tiny"], ModelSettings(n_parallel=0), machine())


def test_a_context_beyond_training_is_said(headers: dict[str, Header]) -> None:
    choice = choose(headers["tiny"], ModelSettings(n_ctx=200_000), machine())
    assert [notice.code for notice in choice.notices] == ["context_over_training"]


def test_the_longest_context_that_fits(headers: dict[str, Header]) -> None:
    header, there = headers["llama 8B"], machine(gpu(8, 8))
    longest = max_context(header, ModelSettings(), there)
    room = there.room(ModelSettings())["CUDA0"]
    estimator = Estimator(header)

    def needed(n_ctx: int) -> int:
        return estimator.estimate(ModelSettings(n_ctx=n_ctx), devices=there.devices).devices[0].total_bytes

    assert longest % 256 == 0
    assert needed(longest) <= room < needed(longest + 512)
    assert max_context(header, ModelSettings(), machine(gpu(80, 80))) == 131_072
    assert max_context(header, ModelSettings(), machine(gpu(3, 4))) == 0


def test_repacked_weights_are_copies(starter: Path) -> None:
    header = read_header(starter)
    plain = Estimator(header).estimate(ModelSettings(n_ctx=512)).host.weights_bytes
    repacked = Estimator(header, repacked=frozenset({"Q8_0"})).estimate(ModelSettings(n_ctx=512)).host.weights_bytes
    matrices = sum(t.size_bytes for t in header.tensors if t.type.name == "Q8_0")
    assert plain == header.weights_bytes
    assert plain < repacked <= plain + matrices
