"""Toolchains of the GPU builds: what is accepted, what is assembled, what is refused with a way out."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path

import pytest
import setup_cuda
import setup_vulkan
from setup_backend import Facts, NvidiaCard
from setup_steps import Places, StepFailed

HEADER = """#define VK_HEADER_VERSION 309
#define VK_HEADER_VERSION_COMPLETE VK_MAKE_API_VERSION(0, 1, 4, VK_HEADER_VERSION)
"""


def machine(capability: str = "8.9", driver: str = "580.95.05", name: str = "x86_64") -> Facts:
    return Facts("linux", name, nvidia_cards=(NvidiaCard("card", capability, driver),), has_nvidia_driver=True)


def test_header_version_is_read() -> None:
    assert setup_vulkan.header_version(HEADER) == (1, 4, 309) >= setup_vulkan.OLDEST_HEADERS
    assert setup_vulkan.header_version("nothing") == (0, 0, 0)


def test_the_mirror_of_this_release_is_used() -> None:
    lines = [
        "bookworm https://security.example/debian-security/",
        "stable https://other.example/apt/",
        "bookworm https://mirror.example/debian/",
    ]
    assert setup_vulkan.pick_mirror(lines, "bookworm") == "https://mirror.example/debian/"
    assert setup_vulkan.pick_mirror(lines, "noble") is None


def test_the_loader_is_found_where_it_lies(tmp_path: Path) -> None:
    assert setup_vulkan.loader_path([tmp_path]) is None
    (tmp_path / "libvulkan.so.1").touch()
    assert setup_vulkan.loader_path([tmp_path]) == tmp_path / "libvulkan.so.1"


def test_a_compiler_that_does_not_start_is_no_compiler(tmp_path: Path) -> None:
    assert not setup_vulkan.compiles_shaders(tmp_path / "glslc")


def test_the_software_driver_is_the_only_one_seen(places: Places, tmp_path: Path) -> None:
    places.venv.mkdir(parents=True)
    for name in ("intel_icd.x86_64.json", "lvp_icd.x86_64.json"):
        (tmp_path / name).touch()
    environment = setup_vulkan.software_device(places, tmp_path)
    assert environment["VK_DRIVER_FILES"] == str(tmp_path / "lvp_icd.x86_64.json")
    assert environment["GGML_VK_VISIBLE_DEVICES"] == "0"


def test_the_software_driver_keeps_its_buffers(places: Places, tmp_path: Path) -> None:
    """Both ways to ask for vkDestroyBuffer give a function that destroys nothing, be it of a buffer that never was."""
    places.venv.mkdir(parents=True)
    (tmp_path / "lvp_icd.x86_64.json").touch()
    shim = ctypes.CDLL(setup_vulkan.software_device(places, tmp_path)["LD_PRELOAD"])
    for lookup in (shim.vkGetInstanceProcAddr, shim.vkGetDeviceProcAddr):
        lookup.restype = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p)
        lookup(None, b"vkDestroyBuffer")(1, 1, 1)


def test_without_the_software_driver_nothing_is_preloaded(places: Places, tmp_path: Path) -> None:
    assert setup_vulkan.software_device(places, tmp_path) == {"GGML_VK_VISIBLE_DEVICES": "0"}


def test_architectures_come_from_the_cards() -> None:
    cards = tuple(NvidiaCard("card", capability) for capability in ("8.9", "12.0", "8.9", ""))
    assert setup_cuda.architectures_of(cards) == "89-real;120-real"


def test_unknown_architecture_asks_for_it() -> None:
    with pytest.raises(StepFailed) as caught:
        setup_cuda.architectures_of((NvidiaCard("card", ""),))
    assert "--cuda-arch" in caught.value.advice


@pytest.mark.parametrize(
    ("facts", "architectures", "words"),
    [
        (machine(driver="550.54"), "89", "driver 580 or newer; this is 550"),
        (machine(capability="6.1"), "89-real;61-real", "architecture 61"),
        (machine(name="riscv64"), "89", "riscv64"),
    ],
)
def test_cuda_says_why_it_cannot(facts: Facts, architectures: str, words: str) -> None:
    with pytest.raises(StepFailed, match=words) as caught:
        setup_cuda.check_can_assemble(facts, architectures)
    assert "vulkan" in caught.value.advice


def test_cuda_is_content_with_a_new_card_and_driver() -> None:
    setup_cuda.check_can_assemble(machine(), "89;120")


def test_a_toolkit_without_cublas_is_not_whole(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "include").mkdir()
    (tmp_path / "bin" / "nvcc").touch()
    assert not setup_cuda.is_whole(tmp_path)
    (tmp_path / "include" / "cublas_v2.h").touch()
    assert setup_cuda.is_whole(tmp_path)


def test_packages_become_a_toolkit(tmp_path: Path, places: Places) -> None:
    for folder in ("bin", "lib", "include", "nvvm/bin"):
        (tmp_path / folder).mkdir(parents=True)
    for file in ("bin/nvcc", "nvvm/bin/cicc", "lib/libcublas.so.13", "include/cublas_v2.h"):
        (tmp_path / file).touch(mode=0o644)
    (tmp_path / "include" / "cuda.h").write_text("CUresult CUDAAPI cuMemCreate(int x);\n#define cuFree cuFree_v2\n")
    setup_cuda.complete(tmp_path, places)
    assert (tmp_path / "lib64" / "libcublas.so").resolve() == tmp_path / "lib" / "libcublas.so.13"
    assert (tmp_path / "bin" / "nvcc").stat().st_mode & 0o111
    assert (tmp_path / setup_cuda.NO_DRIVER / "libcuda.so.1").exists()
    assert b"libcuda.so.1" in (tmp_path / "lib" / "stubs" / "libcuda.so").read_bytes()


def test_the_engine_needs_the_driver_and_without_one_finds_no_device(tmp_path: Path, places: Places) -> None:
    for folder in ("bin", "lib", "include", "nvvm/bin"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "include" / "cublas_v2.h").touch()
    (tmp_path / "include" / "cuda.h").write_text("CUresult CUDAAPI cuMemCreate(int x);\n#define cuFree cuFree_v2\n")
    setup_cuda.complete(tmp_path, places)
    (tmp_path / "engine.c").write_text(
        "int cuMemCreate(void); int cuFree_v2(void); int f(void) { return cuMemCreate(); }"
    )
    command = ["gcc", "-shared", "-fPIC", "-Wl,--as-needed", "engine.c", "-Llib/stubs", "-lcuda", "-o", "engine.so"]
    subprocess.run(command, check=True, cwd=tmp_path)
    assert b"libcuda.so.1" in (tmp_path / "engine.so").read_bytes()
    driver = ctypes.CDLL(str(tmp_path / setup_cuda.NO_DRIVER / "libcuda.so.1"))
    assert (driver.cuMemCreate(), driver.cuFree_v2()) == (100, 100)
