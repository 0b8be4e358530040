"""Asks llama.cpp what a model takes, without allocating it: one JSON question a line in, one JSON answer a line out.

Run as a process of its own (`python tests/llama_memory.py`), because llama.cpp aborts on what it cannot load. The sizes
come from llama_get_memory_breakdown, whose std::map is read from memory: node by node of libstdc++'s red-black tree.
"""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any


def ask(questions: Iterable[dict[str, Any]]) -> list[dict[str, list[int]]]:
    """Buffer name → bytes of weights, cache and compute, for each question (`path`, and parameters by their names)."""
    lines = "".join(json.dumps(question) + "\n" for question in questions)
    root = Path(__file__).resolve().parent.parent
    command = [sys.executable, str(Path(__file__).resolve())]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    done = subprocess.run(
        command, input=lines, capture_output=True, text=True, timeout=300, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return [json.loads(line) for line in done.stdout.splitlines()]


class _Map(ctypes.Structure):
    """std::map: comparator, header node (colour, root, leftmost, rightmost), size."""

    _fields_ = [("words", ctypes.c_uint64 * 6)]


def _word(address: int) -> int:
    return ctypes.c_uint64.from_address(address).value


def _nodes(address: int) -> Iterator[int]:
    if address:
        yield from _nodes(_word(address + 16))
        yield address
        yield from _nodes(_word(address + 24))


def _answer(question: dict[str, Any]) -> dict[str, list[int]]:
    from llama_cpp import llama_cpp as lib  # noqa: TID251

    folder = Path(os.environ.get("LLAMA_CPP_LIB_PATH") or Path(lib.__file__).parent / "lib")
    library = ctypes.CDLL(str(folder / "libllama.so"))
    base = ctypes.CDLL(str(folder / "libggml-base.so"))
    base.ggml_backend_buft_name.restype = ctypes.c_char_p
    base.ggml_backend_buft_name.argtypes = [ctypes.c_void_p]
    breakdown = library._Z26llama_get_memory_breakdownPK13llama_context
    breakdown.restype, breakdown.argtypes = _Map, [ctypes.c_void_p]

    params = lib.llama_model_default_params()
    params.no_alloc = question.get("no_alloc", True)
    params.load_mode = lib.LLAMA_LOAD_MODE_NONE if params.no_alloc else lib.LLAMA_LOAD_MODE_MMAP
    params.n_gpu_layers = question.get("n_gpu_layers", 0)
    params.use_extra_bufts = question.get("use_extra_bufts", False)
    if kept := question.get("n_cpu_moe"):
        from engine.worker.llama.model import experts_on_cpu

        overrides = experts_on_cpu(kept)
        params.tensor_buft_overrides = ctypes.cast(overrides, ctypes.c_void_p)
    model = lib.llama_model_load_from_file(question["path"].encode(), params)
    assert model, "llama.cpp did not load the model"
    options = lib.llama_context_default_params()
    options.kv_unified = True
    options.swa_full = False
    options.n_threads = options.n_threads_batch = 1
    for name in ("n_ctx", "n_batch", "n_ubatch", "n_seq_max", "n_outputs_max", "type_k", "type_v", "flash_attn_type"):
        if name in question:
            setattr(options, name, question[name])
    context = lib.llama_init_from_model(model, options)
    assert context, "llama.cpp did not make the context"
    made = breakdown(context)
    answer = {
        base.ggml_backend_buft_name(_word(node + 32)).decode(): [_word(node + 40 + 8 * n) for n in range(3)]
        for node in _nodes(made.words[2])
    }
    # Not part of the breakdown: what logits are read from, a row for each sequence.
    n_vocab = lib.llama_vocab_n_tokens(lib.llama_model_get_vocab(model))
    answer["output"] = [0, 0, 4 * n_vocab * lib.llama_n_seq_max(context)]
    lib.llama_free(context)
    lib.llama_model_free(model)
    return answer


def main() -> None:
    from llama_cpp import llama_cpp as lib  # noqa: TID251

    log = lib.llama_log_callback(lambda level, text, _data: sys.stderr.write(text.decode("utf-8", "replace")))
    lib.llama_log_set(log, None)
    lib.llama_backend_init()
    for line in sys.stdin:
        print(json.dumps(_answer(json.loads(line))), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
