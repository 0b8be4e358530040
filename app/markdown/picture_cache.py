"""Decoded pictures, bounded by the memory that they take."""

from __future__ import annotations

from collections import OrderedDict

from PySide6.QtGui import QImage

MAX_DECODED_BYTES = 100_000_000
"""Several screens full: one picture of 32 bits a pixel takes 13 MB at most (picture_loader.MAX_SIZE)."""


class PictureCache:
    """Pictures by their address. Those used longest ago give way to new ones; the newest always stays."""

    def __init__(self, max_bytes: int = MAX_DECODED_BYTES) -> None:
        self._max_bytes = max_bytes
        self._images: OrderedDict[str, QImage] = OrderedDict()
        self._n_bytes = 0

    @property
    def n_bytes(self) -> int:
        """Memory of all pictures, decoded."""
        return self._n_bytes

    def __contains__(self, address: str) -> bool:
        return address in self._images

    def get(self, address: str) -> QImage | None:
        """The picture, which is used by that; None where it was never here or gave way."""
        if address in self._images:
            self._images.move_to_end(address)
        return self._images.get(address)

    def put(self, address: str, image: QImage) -> None:
        """Keep a picture, in the place of one of the same address."""
        self._drop(address)
        self._images[address] = image
        self._n_bytes += image.sizeInBytes()
        while self._n_bytes > self._max_bytes and len(self._images) > 1:
            self._drop(next(iter(self._images)))

    def _drop(self, address: str) -> None:
        if (image := self._images.pop(address, None)) is not None:
            self._n_bytes -= image.sizeInBytes()
