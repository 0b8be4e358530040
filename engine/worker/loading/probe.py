"""What llama.cpp sees on this machine, as one JSON object: `python -m engine.worker --describe`."""

from __future__ import annotations

import msgspec

from engine.protocol.values import Device
from engine.worker.llama import backend, kv_types


class Description(msgspec.Struct, frozen=True):
    """The answer to --describe."""

    versions: dict[str, str]
    backend: str
    devices: tuple[Device, ...]
    kv_types_with_flash_attn: dict[str, tuple[str, ...]]
    """By device name: the KV types, K and V equal, that it can run with flash attention."""


def describe() -> bytes:
    """The description as JSON."""
    backend.start()
    return msgspec.json.encode(
        Description(
            versions=backend.versions(),
            backend=backend.flavour(),
            devices=backend.devices(),
            kv_types_with_flash_attn=kv_types.with_flash_attn(),
        )
    )
