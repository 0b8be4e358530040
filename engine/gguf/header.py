"""A GGUF header as values: metadata, the table of tensors, and what follows directly from them."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections import Counter

from engine.gguf.types import FILE_TYPE_GUESSED, FILE_TYPES, TensorType


@dataclasses.dataclass(frozen=True)
class LongArray:
    """An array that was passed over, such as a vocabulary: only its length is known."""

    length: int


Scalar = int | float | bool | str
MetadataValue = Scalar | tuple[Scalar, ...] | LongArray


@dataclasses.dataclass(frozen=True, slots=True)
class TensorInfo:
    """One tensor of the table."""

    name: str
    shape: tuple[int, ...]
    """Elements of each dimension, the row first, as ggml orders them."""
    type: TensorType
    offset: int
    """Bytes from the start of the data section."""
    part: int = 0
    """Number of the file that holds it, for split models."""

    @property
    def n_elements(self) -> int:
        return math.prod(self.shape)

    @property
    def size_bytes(self) -> int:
        return self.type.size_bytes(self.n_elements)

    @property
    def layer(self) -> int | None:
        """Number of the layer it belongs to, None for those outside the layers."""
        first, _, rest = self.name.partition(".")
        number, _, _ = rest.partition(".")
        return int(number) if first == "blk" and number.isdecimal() else None


@dataclasses.dataclass(frozen=True, eq=False)
class Header:
    """What the beginning of a GGUF file says about the model."""

    version: int
    metadata: dict[str, MetadataValue]
    tensors: tuple[TensorInfo, ...]
    alignment: int
    data_offset: int
    """Where the tensors' data begins in the file."""
    file_size: int | None = None
    """Bytes of the file, or of all parts of a split model; None where unknown."""
    n_requests: int = 0
    n_fetched_bytes: int = 0

    def text(self, key: str) -> str:
        """A string of the metadata, empty where absent or of another type."""
        value = self.metadata.get(key)
        return value if isinstance(value, str) else ""

    def number(self, key: str, default: int = 0) -> int:
        """A whole number of the metadata; of an array the largest."""
        value = self.metadata.get(key)
        if isinstance(value, tuple):
            numbers = [v for v in value if isinstance(v, (int, float))]
            return int(max(numbers)) if numbers else default
        return int(value) if isinstance(value, (int, float)) and math.isfinite(value) else default

    def of_architecture(self, key: str, default: int = 0) -> int:
        """A number under the architecture's own prefix."""
        return self.number(f"{self.architecture}.{key}", default)

    def per_layer(self, key: str, n_layers: int, default: int = 0) -> tuple[int, ...]:
        """One number a layer, from an array or from one number that holds for all."""
        value = self.metadata.get(f"{self.architecture}.{key}")
        if isinstance(value, tuple):
            numbers = [int(v) if isinstance(v, (int, float)) else default for v in value]
            return tuple((numbers + [default] * n_layers)[:n_layers])
        return (self.of_architecture(key, default),) * n_layers

    @property
    def architecture(self) -> str:
        return self.text("general.architecture")

    @property
    def name(self) -> str:
        return self.text("general.name")

    @property
    def chat_template(self) -> str:
        """The Jinja template, empty where the file carries none."""
        return self.text("tokenizer.chat_template")

    @property
    def n_layers(self) -> int:
        return self.of_architecture("block_count")

    @property
    def n_ctx_train(self) -> int:
        return self.of_architecture("context_length")

    @property
    def n_vocab(self) -> int:
        """Entries of the vocabulary."""
        tokens = self.metadata.get("tokenizer.ggml.tokens")
        if isinstance(tokens, LongArray):
            return tokens.length
        return len(tokens) if isinstance(tokens, tuple) else self.of_architecture("vocab_size")

    @property
    def n_parts(self) -> int:
        """Files of a split model, 1 for one file."""
        return max(1, self.number("split.count"))

    @property
    def part_index(self) -> int:
        """Which of the parts this file is, from 0."""
        return self.number("split.no")

    @functools.cached_property
    def n_params(self) -> int:
        return sum(t.n_elements for t in self.tensors)

    @functools.cached_property
    def weights_bytes(self) -> int:
        return sum(t.size_bytes for t in self.tensors)

    @property
    def expected_size(self) -> int:
        """The least size of a file that holds all of its tensors."""
        return self.data_offset + max((t.offset + t.size_bytes for t in self.tensors), default=0)

    @functools.cached_property
    def tensor_mix(self) -> dict[str, int]:
        """Bytes held in each tensor type, largest first."""
        mix: Counter[str] = Counter()
        for tensor in self.tensors:
            mix[tensor.type.name] += tensor.size_bytes
        return dict(mix.most_common())

    @property
    def bits_per_weight(self) -> float:
        """Bits of the file's tensors for each parameter; 0 without tensors."""
        return self.weights_bytes * 8 / self.n_params if self.n_params else 0.0

    @property
    def quantization(self) -> str:
        """The name under which the quantization is known, or else the type that holds most bytes."""
        named = FILE_TYPES.get(self.number("general.file_type", -1) & ~FILE_TYPE_GUESSED, "")
        dominant = next(iter(self.tensor_mix), "")
        families = {name.split("_")[0] for name in self.tensor_mix}
        return named if named and (not dominant or named.split("_")[0] in families) else dominant
