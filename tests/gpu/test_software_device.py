"""What Mesa's software driver is given."""

from __future__ import annotations

import ctypes
from pathlib import Path

from software_device import software_device, with_needs


def test_the_software_driver_is_the_only_one_seen(tmp_path: Path) -> None:
    for name in ("intel_icd.x86_64.json", "lvp_icd.x86_64.json"):
        (tmp_path / name).touch()
    environment = software_device(tmp_path, tmp_path)
    assert environment["VK_DRIVER_FILES"] == str(tmp_path / "lvp_icd.x86_64.json")
    assert environment["GGML_VK_VISIBLE_DEVICES"] == "0"


def test_the_software_driver_keeps_its_buffers(tmp_path: Path) -> None:
    """Both ways to ask for vkDestroyBuffer give a function that destroys nothing, be it of a buffer that never was."""
    (tmp_path / "lvp_icd.x86_64.json").touch()
    shim = ctypes.CDLL(software_device(tmp_path, tmp_path)["LD_PRELOAD"])
    for lookup in (shim.vkGetInstanceProcAddr, shim.vkGetDeviceProcAddr):
        lookup.restype = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p)
        lookup(None, b"vkDestroyBuffer")(1, 1, 1)


def test_without_the_software_driver_nothing_is_preloaded(tmp_path: Path) -> None:
    assert software_device(tmp_path, tmp_path) == {"GGML_VK_VISIBLE_DEVICES": "0"}


def test_what_the_user_preloads_stays() -> None:
    needs = {"LD_PRELOAD": "/ours.so", "VK_DRIVER_FILES": "/ours.json"}
    theirs = {"LD_PRELOAD": "/theirs.so /second.so", "VK_DRIVER_FILES": "/theirs.json"}
    assert with_needs({}, needs) == needs
    assert with_needs(theirs, needs) == theirs | {"LD_PRELOAD": "/ours.so:/theirs.so /second.so"}
    assert with_needs(theirs, {}) == theirs
