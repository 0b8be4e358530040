"""A GGUF file's header, from a file or from byte ranges, without loading the model."""

from engine.gguf.byte_source import BytesReader, FileReader, RangeReader
from engine.gguf.chat_check import Kind, check_file, fingerprint, kind, part_paths, read_file
from engine.gguf.header import Header, LongArray, TensorInfo
from engine.gguf.layers import Layer, layers, swa_window, trunk_layers
from engine.gguf.reader import read_header
from engine.gguf.shape import shape, traits
from engine.gguf.types import TENSOR_TYPES_BY_NAME, TensorType

__all__ = [
    "TENSOR_TYPES_BY_NAME",
    "BytesReader",
    "FileReader",
    "Header",
    "Kind",
    "Layer",
    "LongArray",
    "RangeReader",
    "TensorInfo",
    "TensorType",
    "check_file",
    "fingerprint",
    "kind",
    "layers",
    "part_paths",
    "read_file",
    "read_header",
    "shape",
    "swa_window",
    "traits",
    "trunk_layers",
]
