"""The quantizations that can be made here, without statistics of the model's activations (an importance matrix)."""

from __future__ import annotations

from dataclasses import dataclass

FULL = frozenset({"F32", "F16", "BF16"})
"""Sources that are no quantizations."""
SOURCES = FULL | {"Q8_0"}
"""Sources from which a quantization is made without a noticeable second loss."""


@dataclass(frozen=True, slots=True)
class QuantizationType:
    """One type to quantize to. `quality` is FitRow's key; bits count the layers' matrices, as llama.cpp mixes them."""

    name: str
    bits_per_weight: float
    quality: str


QUANTIZATION_TYPES = (
    QuantizationType("F16", 16.0, "original"),
    QuantizationType("BF16", 16.0, "original"),
    QuantizationType("Q8_0", 8.5, "as_good"),
    QuantizationType("Q6_K", 6.56, "hard_to_tell"),
    QuantizationType("Q5_K_M", 5.69, "close"),
    QuantizationType("Q5_K_S", 5.52, "close"),
    QuantizationType("Q4_K_M", 4.85, "close"),
    QuantizationType("Q4_K_S", 4.58, "close"),
    QuantizationType("Q4_0", 4.55, "noticeable"),
    QuantizationType("IQ4_NL", 4.5, "close"),
    QuantizationType("IQ4_XS", 4.25, "noticeable"),
    QuantizationType("Q3_K_M", 3.91, "noticeable"),
    QuantizationType("Q3_K_S", 3.5, "heavy"),
    QuantizationType("Q2_K", 2.96, "heavy"),
)
"""From the finest to the coarsest. Types below these need an importance matrix to be of use, and are not offered."""


def quantization_type(name: str) -> QuantizationType | None:
    """The type of that name, however it is written."""
    return next((known for known in QUANTIZATION_TYPES if known.name == name.upper()), None)


def expected_bytes(n_params: int, made: QuantizationType) -> int:
    """About how large the file becomes; llama.cpp keeps some tensors finer, so small models come out larger."""
    return round(n_params * made.bits_per_weight / 8)
