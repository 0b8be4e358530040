"""llama.cpp's quantizer: one file in, one file out, its progress read from its log."""

from __future__ import annotations

import ctypes
import os
import re
from collections.abc import Callable

from llama_cpp import llama_cpp as lib

from engine.worker.llama import backend

FILE_TYPES = {
    name.removeprefix("LLAMA_FTYPE_MOSTLY_").removeprefix("LLAMA_FTYPE_ALL_"): value
    for name, value in vars(lib).items()
    if name.startswith(("LLAMA_FTYPE_MOSTLY_", "LLAMA_FTYPE_ALL_"))
}
"""llama.cpp's number of each type by name."""

_TENSOR = re.compile(rb"^\[\s*(\d+)/\s*(\d+)\]")
_SIZE = re.compile(rb"quant size\s*=\s*([\d.]+) MiB")


class QuantizeError(Exception):
    """Why llama.cpp gave up, in its own words."""


def quantize(
    source: str, target: str, quantization: str, on_fraction: Callable[[float], None], *,
    allow_requantize: bool = False, is_dry_run: bool = False,
) -> int:  # fmt: skip
    """Write `target`; returns the bytes of its tensors, to a hundredth of a MiB. Raises QuantizeError.

    A dry run only reckons them. Blocks for as long as it takes; the process is ended to cancel it.
    """
    size_bytes = 0
    last_error = ""

    def receive(level: int, text: bytes, data: object) -> None:
        nonlocal size_bytes, last_error
        if found := _TENSOR.match(text):
            on_fraction((int(found[1]) - 1) / int(found[2]))
        elif found := _SIZE.search(text):
            size_bytes = round(float(found[1]) * 2**20)
        elif level == backend.LogLevel.ERROR:
            last_error = text.decode("utf-8", "replace").strip()
            backend.log.receive(level, text, data)

    callback = lib.llama_log_callback(receive)
    backend.start()
    lib.llama_log_set(callback, None)
    params = lib.llama_model_quantize_default_params()
    params.ftype = FILE_TYPES[quantization]
    params.allow_requantize = allow_requantize
    params.dry_run = is_dry_run
    try:
        failed = lib.llama_model_quantize(os.fsencode(source), os.fsencode(target), ctypes.byref(params))
    finally:
        lib.llama_log_set(backend._log_callback, None)
    if failed:
        raise QuantizeError(last_error.rpartition("failed to quantize: ")[2] or f"error {failed}")
    return size_bytes
