"""What compiles the Vulkan build."""

from __future__ import annotations

from pathlib import Path

import setup_vulkan

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
