"""What compiles the Vulkan build, and what its software driver is given."""

from __future__ import annotations

import ctypes
from pathlib import Path

import setup_vulkan
from setup_steps import Places

HEADER = """#define VK_HEADER_VERSION 309
#define VK_HEADER_VERSION_COMPLETE VK_MAKE_API_VERSION(0, 1, 4, VK_HEADER_VERSION)
"""


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


def test_what_is_preloaded_lies_where_no_space_is(places: Places, tmp_path: Path) -> None:
    """LD_PRELOAD parts its entries at spaces and colons, and nothing escapes them."""
    home = tmp_path / "Ada Lovelace"
    assert setup_vulkan.preload_folder([home / ".venv", tmp_path / "a:b", tmp_path]) == tmp_path
    made = setup_vulkan.preload_folder([home])
    assert made.is_dir()
    assert " " not in str(made)
    made.rmdir()


def test_without_the_software_driver_nothing_is_preloaded(places: Places, tmp_path: Path) -> None:
    assert setup_vulkan.software_device(places, tmp_path) == {"GGML_VK_VISIBLE_DEVICES": "0"}
