"""The llama.cpp library as a whole: start-up, its log, its version and the devices it sees."""

from __future__ import annotations

import ctypes
import enum
import importlib.metadata
import os
import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
from llama_cpp import _utils
from llama_cpp import llama_cpp as lib
from llama_cpp._ctypes_extensions import load_shared_library

from engine.protocol.values import Device, KvType
from engine.translatable import phrase

# llama_cpp opens them for classes that are not used here, and never closes them.
_utils.outnull_file.close()
_utils.errnull_file.close()

NO_REASON = phrase("llama.cpp gave no reason")
GGML_TYPES: dict[KvType, int] = {
    KvType.F32: lib.GGML_TYPE_F32,
    KvType.F16: lib.GGML_TYPE_F16,
    KvType.BF16: 30,
    KvType.Q8_0: lib.GGML_TYPE_Q8_0,
    KvType.Q5_1: lib.GGML_TYPE_Q5_1,
    KvType.Q5_0: lib.GGML_TYPE_Q5_0,
    KvType.Q4_1: lib.GGML_TYPE_Q4_1,
    KvType.Q4_0: lib.GGML_TYPE_Q4_0,
    KvType.IQ4_NL: lib.GGML_TYPE_IQ4_NL,
}
"""ggml's number of each KV type; llama-cpp-python 0.3.36 has no name for GGML_TYPE_BF16."""

_KINDS = ("cpu", "gpu", "igpu", "accel", "meta")


class _Properties(ctypes.Structure):
    """ggml_backend_dev_props, with more room than it takes today."""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("description", ctypes.c_char_p),
        ("memory_free", ctypes.c_size_t),
        ("memory_total", ctypes.c_size_t),
        ("kind", ctypes.c_int),
        ("device_id", ctypes.c_char_p),
        ("capabilities", ctypes.c_bool * 32),
    ]


class LogLevel(enum.IntEnum):
    """ggml_log_level; CONT continues the line before."""

    DEBUG = 1
    INFO = 2
    WARN = 3
    ERROR = 4
    CONT = 5


class Log:
    """llama.cpp's log lines: warnings go to stderr, and the last ones are kept to explain failures and read sizes."""

    def __init__(self) -> None:
        self.echo_level = LogLevel[os.environ.get("FIRSTLIGHT_LLAMA_LOG", "WARN").upper()]
        self._recent: deque[tuple[int, str]] = deque(maxlen=400)
        self._captures: list[tuple[int, list[str]]] = []
        self.abort_flags: list[Callable[[], bool]] = []
        """While one is raised a decode is being aborted, which llama.cpp reports as errors."""
        self._level: int = LogLevel.INFO

    def receive(self, level: int, text: bytes, _data: object) -> None:
        """The callback; llama.cpp calls it from the thread that works."""
        if level == LogLevel.CONT:
            level = self._level
        self._level = level
        if level < min(LogLevel.INFO, self.echo_level, *(wanted for wanted, _ in self._captures)):
            return
        line = text.decode("utf-8", "replace")
        if level >= self.echo_level and not any(is_set() for is_set in self.abort_flags):
            sys.stderr.write(line)
            sys.stderr.flush()
        if level >= LogLevel.INFO:
            self._recent.append((level, line.strip()))
        for wanted, lines in self._captures:
            if level >= wanted:
                lines.append(line.strip())

    @contextmanager
    def capture(self, wanted: LogLevel = LogLevel.INFO) -> Iterator[list[str]]:
        """Collect the lines of this level and above that are logged inside the block."""
        lines: list[str] = []
        self._captures.append((wanted, lines))
        try:
            yield lines
        finally:
            self._captures = [capture for capture in self._captures if capture[1] is not lines]

    def last_errors(self, count: int = 3) -> str:
        """The last error lines as one text, for a failure's details; empty when there were none."""
        errors = [line for level, line in self._recent if level == LogLevel.ERROR and line]
        return "; ".join(errors[-count:])

    def forget(self) -> None:
        """Start anew, so that the next failure is not explained by an older one."""
        self._recent.clear()


log = Log()
_log_callback = lib.llama_log_callback(log.receive)
_state: dict[str, Any] = {}


def start() -> None:
    """Initialise llama.cpp once for this process, with its log going to `log`."""
    if "started" in _state:
        return
    lib.llama_log_set(_log_callback, None)
    lib.llama_backend_init()
    _state["started"] = True


def ggml() -> ctypes.CDLL:
    """ggml's registry of backends (the library behind llama.cpp)."""
    if "ggml" not in _state:
        registry = load_shared_library("ggml", _library_folder())
        registry.ggml_backend_dev_count.restype = ctypes.c_size_t
        registry.ggml_backend_dev_get.restype = ctypes.c_void_p
        registry.ggml_backend_dev_get.argtypes = [ctypes.c_size_t]
        _state["ggml"] = registry
    return _state["ggml"]  # type: ignore[no-any-return]


def ggml_base() -> ctypes.CDLL:
    """ggml's tensors and device properties."""
    if "base" not in _state:
        base = load_shared_library("ggml-base", _library_folder())
        base.ggml_backend_reg_name.restype = ctypes.c_char_p
        base.ggml_backend_reg_name.argtypes = [ctypes.c_void_p]
        base.ggml_backend_dev_get_props.argtypes = [ctypes.c_void_p, ctypes.POINTER(_Properties)]
        base.ggml_backend_dev_get_props.restype = None
        base.ggml_backend_dev_backend_reg.argtypes = [ctypes.c_void_p]
        base.ggml_backend_dev_backend_reg.restype = ctypes.c_void_p
        _state["base"] = base
    return _state["base"]  # type: ignore[no-any-return]


def _library_folder() -> Path:
    override = os.environ.get("LLAMA_CPP_LIB_PATH")
    return Path(override) if override else Path(lib.__file__).resolve().parent / "lib"


def device_pointers() -> list[int]:
    """ggml_backend_dev_t of every device, in ggml's order."""
    start()
    registry = ggml()
    return [registry.ggml_backend_dev_get(index) for index in range(registry.ggml_backend_dev_count())]


def describe_device(pointer: int) -> Device:
    """Name, kind, place and memory of one device; memory is None where the backend does not say."""
    said = _Properties()
    ggml_base().ggml_backend_dev_get_props(pointer, ctypes.byref(said))
    kind = _KINDS[said.kind]
    # The CPU backend reports all memory as free.
    n_free = int(psutil.virtual_memory().available) if kind == "cpu" else said.memory_free
    return Device(
        name=said.name.decode(),
        description=(said.description or b"").decode("utf-8", "replace").strip(),
        kind=kind,
        bus_id=(said.device_id or b"").decode("ascii", "replace").lower(),
        total_bytes=said.memory_total or None,
        free_bytes=n_free if said.memory_total else None,
    )


def devices() -> tuple[Device, ...]:
    """Every device that llama.cpp sees, the CPU included."""
    return tuple(describe_device(pointer) for pointer in device_pointers())


def flavour() -> str:
    """The build: the first backend that is not the CPU's, in lower case (cuda, vulkan, metal, ...), else cpu."""
    base = ggml_base()
    names = [base.ggml_backend_reg_name(base.ggml_backend_dev_backend_reg(p)).decode() for p in device_pointers()]
    others = [name for name in names if name not in ("CPU", "BLAS", "AMX")]
    return {"MTL": "metal"}.get(others[0], others[0].lower()) if others else "cpu"


def has_faulty_amx() -> bool:
    """Whether this build has AMX kernels without the patches that packaging/bootstrap.py applies."""
    if b"AMX_INT8 = 1" not in lib.llama_print_system_info():
        return False
    try:
        return not hasattr(load_shared_library("ggml-cpu", _library_folder()), "ggml_amx_is_corrected")
    except (FileNotFoundError, RuntimeError):
        return True


def versions() -> dict[str, str]:
    """Versions that decide behaviour and speed: llama.cpp's and its Python binding's."""
    return {
        "llama_cpp_python": importlib.metadata.version("llama-cpp-python"),
        "llama_cpp": lib.llama_version().decode(),
        "system_info": lib.llama_print_system_info().decode().strip(" |"),
    }
