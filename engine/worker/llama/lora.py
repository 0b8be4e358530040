"""LoRA adapters: loaded once per model, applied to a context with a scale each."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from llama_cpp import llama_cpp as lib

from engine.errors import Code, ModelError
from engine.protocol.values import LoraAdapter
from engine.worker.llama import backend
from engine.worker.llama.context import Context
from engine.worker.llama.model import Model


class LoraShelf:
    """The adapters of a model by path. They are freed with the model."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._loaded: dict[str, Any] = {}

    def load(self, path: str) -> Any:
        """llama_adapter_lora * of a file; raises ModelError when it is missing or made for another model."""
        known = self._loaded.get(path)
        if known is not None:
            return known
        name = Path(path).name
        if not Path(path).is_file():
            raise ModelError(
                Code.MODEL_NOT_FOUND, "The adapter {name} is not there.", "Choose the file again.", name=name
            )
        backend.log.forget()
        pointer = lib.llama_adapter_lora_init(self._model.pointer, path.encode())
        if not pointer:
            raise ModelError(
                Code.MODEL_UNSUPPORTED,
                "The adapter {name} does not fit this model: {reason}.",
                "Choose an adapter made for this model.",
                name=name,
                reason=backend.log.last_errors() or backend.NO_REASON,
            )
        self._loaded[path] = pointer
        return pointer

    def apply(self, context: Context, adapters: Sequence[LoraAdapter]) -> None:
        """Make exactly these adapters active in a context."""
        pointers = [self.load(adapter.path) for adapter in adapters]
        array = (lib.llama_adapter_lora_p_ctypes * len(pointers))(*pointers)
        scales = (ctypes.c_float * len(pointers))(*[adapter.scale for adapter in adapters])
        code = lib.llama_set_adapters_lora(context.pointer, array, len(pointers), scales)
        if code != 0:
            raise ModelError(
                Code.MODEL_UNSUPPORTED,
                "llama.cpp refused the adapters.",
                "Switch them off, or choose adapters made for this model.",
            )
