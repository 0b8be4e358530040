"""Pictures in messages: local ones are read at once, remote ones only after a click that named their host."""

from __future__ import annotations

import base64
import binascii
import enum
import logging
import re
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, unquote_to_bytes

from PySide6.QtCore import (
    QBuffer,
    QByteArray,
    QIODevice,
    QObject,
    QRunnable,
    QSize,
    Qt,
    QThreadPool,
    QUrl,
    Signal,
    SignalInstance,
)
from PySide6.QtGui import QImage, QImageReader

from app.markdown.picture_cache import PictureCache

if TYPE_CHECKING:
    from PySide6.QtNetwork import QNetworkAccessManager, QNetworkProxy, QNetworkReply

MAX_BYTES = 20_000_000
MAX_SIZE = QSize(2_400, 1_400)
"""Pixels: what is drawn at most, on the finest screens; larger pictures are made smaller while they are read."""
TIMEOUT_MS = 20_000
_ALLOCATION_MB = 256
_FORMATS = frozenset({b"png", b"jpeg", b"jpg", b"gif", b"webp", b"bmp"})
"""No SVG: it can refer to further addresses."""
_TOO_LARGE = "isTooLarge"
_DATA = re.compile(r"data:image/[a-z.+-]+(;base64)?,", re.IGNORECASE)


_log = logging.getLogger(__name__)


class PictureState(enum.Enum):
    OFFERED = "offered"
    """Remote: it waits for a click."""
    LOADING = "loading"
    SHOWN = "shown"
    MISSING = "missing"
    """There is no file of this name, or the host does not give it."""
    UNREADABLE = "unreadable"
    TOO_LARGE = "too_large"
    OFFLINE = "offline"
    """Firstlight is set to stay offline."""


def host_of(address: str) -> str:
    """The host that a remote picture comes from; empty for local ones."""
    url = QUrl(address)
    return url.host() if url.scheme() in ("http", "https") else ""


class PictureLoader(QObject):
    """Pictures by their address. Reading happens in threads; nothing is fetched before `ask`.

    Signals:
        changed(): a picture has arrived or cannot be had.
    """

    changed = Signal()
    _read = Signal(str, object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.is_offline = False
        self.proxy = ""
        """Its address, as in the settings; empty for none."""
        self._states: dict[str, PictureState] = {}
        self._images = PictureCache()
        self._threads = QThreadPool(self)
        self._threads.setMaxThreadCount(1)
        self._network: QNetworkAccessManager | None = None
        self._read.connect(self._keep, Qt.ConnectionType.QueuedConnection)

    def state(self, address: str) -> PictureState:
        """How it stands with a picture; a local one that was never asked for begins to be read."""
        if address not in self._states:
            if host_of(address):
                return PictureState.OFFERED
            self._states[address] = PictureState.LOADING
            self._start(address, b"")
        elif self._states[address] is PictureState.SHOWN and address not in self._images:
            del self._states[address]  # Given up for others: read, or offered, again.
            return self.state(address)
        return self._states[address]

    def image(self, address: str) -> QImage | None:
        """The picture, where its state is SHOWN."""
        return self._images.get(address)

    def ask(self, address: str) -> None:
        """The reader wants to see a remote picture."""
        if self.is_offline:
            self._settle(address, PictureState.OFFLINE)
        elif self._states.get(address) is not PictureState.LOADING:
            self._states[address] = PictureState.LOADING
            self.changed.emit()
            self._fetch(address)

    def _fetch(self, address: str) -> None:
        from PySide6.QtNetwork import QNetworkAccessManager, QNetworkRequest  # Most chats have no remote pictures.

        if self._network is None:
            self._network = QNetworkAccessManager(self)
        self._network.setProxy(_proxy(self.proxy))
        request = QNetworkRequest(QUrl(address))
        request.setTransferTimeout(TIMEOUT_MS)
        request.setMaximumRedirectsAllowed(5)
        load = QNetworkRequest.LoadControl.Manual
        for what in (
            QNetworkRequest.Attribute.CookieLoadControlAttribute,
            QNetworkRequest.Attribute.CookieSaveControlAttribute,
        ):
            request.setAttribute(what, load)
        reply = self._network.get(request)

        def bound(n_done: int, n_total: int) -> None:
            if max(n_done, n_total) > MAX_BYTES:
                reply.setProperty(_TOO_LARGE, True)
                reply.abort()

        reply.downloadProgress.connect(bound)
        reply.finished.connect(lambda: self._on_fetched(address, reply))

    def _on_fetched(self, address: str, reply: QNetworkReply) -> None:
        is_too_large = bool(reply.property(_TOO_LARGE))
        raw = b"" if is_too_large else bytes(reply.readAll().data())
        is_fine = reply.error() is reply.NetworkError.NoError
        reply.deleteLater()
        if is_too_large:
            self._settle(address, PictureState.TOO_LARGE)
        elif is_fine and raw:
            self._start(address, raw)
        else:
            self._settle(address, PictureState.MISSING)

    def _start(self, address: str, raw: bytes) -> None:
        self._threads.start(_ReadPicture(self._read, address, raw))

    def _keep(self, address: str, state: PictureState, image: QImage | None) -> None:
        if image is not None:
            self._images.put(address, image)
        self._settle(address, state)

    def _settle(self, address: str, state: PictureState) -> None:
        self._states[address] = state
        self.changed.emit()


class _ReadPicture(QRunnable):
    """Reads and decodes one picture in a thread."""

    def __init__(self, done: SignalInstance, address: str, raw: bytes) -> None:
        super().__init__()
        self._done, self._address, self._raw = done, address, raw

    def run(self) -> None:
        state, image = read_picture(self._address, self._raw)
        try:
            self._done.emit(self._address, state, image)
        except RuntimeError:
            _log.debug("the transcript is gone before the picture %s was read", self._address)


def read_picture(address: str, raw: bytes = b"") -> tuple[PictureState, QImage | None]:
    """Decode a picture from `raw`, or from the local file or the data that `address` names."""
    if not raw:
        found = _local_bytes(address)
        if isinstance(found, PictureState):
            return found, None
        raw = found
    buffer = QBuffer()
    buffer.setData(QByteArray(raw))
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    QImageReader.setAllocationLimit(_ALLOCATION_MB)
    reader = QImageReader(buffer)
    reader.setAutoTransform(True)
    if bytes(reader.format().data()) not in _FORMATS:
        return PictureState.UNREADABLE, None
    size = reader.size()
    if size.isValid() and (size.width() > MAX_SIZE.width() or size.height() > MAX_SIZE.height()):
        reader.setScaledSize(size.scaled(MAX_SIZE, Qt.AspectRatioMode.KeepAspectRatio))
    image = reader.read()
    return (PictureState.UNREADABLE, None) if image.isNull() else (PictureState.SHOWN, image)


def _local_bytes(address: str) -> bytes | PictureState:
    if found := _DATA.match(address):
        try:
            rest = address[found.end() :]
            return base64.b64decode(unquote(rest), validate=True) if found[1] else unquote_to_bytes(rest)
        except binascii.Error:
            return PictureState.UNREADABLE
    name = unquote(address)
    if name.replace("\\", "/").startswith("//"):
        return PictureState.MISSING  # Windows would ask another computer for it.
    try:
        path = Path(name).expanduser()
        if not path.is_file():
            return PictureState.MISSING
        return PictureState.TOO_LARGE if path.stat().st_size > MAX_BYTES else path.read_bytes()
    except (OSError, ValueError, RuntimeError):
        return PictureState.MISSING


def _proxy(address: str) -> QNetworkProxy:
    from PySide6.QtNetwork import QNetworkProxy

    url = QUrl(address)
    if not url.host():
        return QNetworkProxy(QNetworkProxy.ProxyType.DefaultProxy)
    is_socks = url.scheme().startswith("socks")
    kind = QNetworkProxy.ProxyType.Socks5Proxy if is_socks else QNetworkProxy.ProxyType.HttpProxy
    return QNetworkProxy(kind, url.host(), url.port(1080 if is_socks else 80), url.userName(), url.password())
