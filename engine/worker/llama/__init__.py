"""The wall around llama.cpp: the only package that imports llama_cpp."""

from __future__ import annotations

from engine.worker.llama.batch import Batch
from engine.worker.llama.context import Context, ContextOptions, DecodeResult, StateKind
from engine.worker.llama.lora import LoraShelf
from engine.worker.llama.model import LoadCancelled, Model

__all__ = ["Batch", "Context", "ContextOptions", "DecodeResult", "LoadCancelled", "LoraShelf", "Model", "StateKind"]
