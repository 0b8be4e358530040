"""One window for one folder of chats: a second start brings the window that is there to the front, and ends."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QLockFile

if TYPE_CHECKING:
    from PySide6.QtNetwork import QLocalServer
    from PySide6.QtWidgets import QWidget

_WAIT = 5.0
"""Seconds for a window that is just coming or going; one that hangs keeps nobody from starting another."""
_STEP_MS = 100
_SHOWN = b"shown"
_TOKEN = "XDG_ACTIVATION_TOKEN"
"""With what a Wayland desktop lets a start take the focus."""


class SingleInstance:
    """Of this data folder; the lock goes with the process."""

    def __init__(self, data: Path) -> None:
        self._data = data
        self._lock = QLockFile(str(data / "window.lock"))
        self._lock.setStaleLockTime(0)
        self._server: QLocalServer | None = None

    def is_second(self) -> bool:
        """Whether another window was there and is in front now; a folder that cannot be locked is used all the same."""
        deadline = time.monotonic() + _WAIT
        try:
            self._data.mkdir(parents=True, exist_ok=True)
        except OSError:
            return False
        while not self._lock.tryLock(_STEP_MS):
            if self._lock.error() is not QLockFile.LockError.LockFailedError or time.monotonic() > deadline:
                return False
            if self._call():
                return True
        return False

    def listen(self, window: QWidget) -> None:
        """Come to the front when another start asks for it, as long as the window is not being closed."""
        from PySide6.QtNetwork import QLocalServer  # Not needed for the first frame.

        server = self._server = QLocalServer(window)
        server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        name = self._name()
        QLocalServer.removeServer(name)
        server.newConnection.connect(lambda: self._on_call(server, window))
        server.listen(name)

    def _name(self) -> str:
        """Of the local socket."""
        import hashlib  # Not needed for the first frame.

        return "firstlight-" + hashlib.sha256(str(self._data).encode()).hexdigest()[:16]

    def _call(self) -> bool:
        from PySide6.QtNetwork import QLocalSocket

        socket = QLocalSocket()
        socket.connectToServer(self._name())
        if not socket.waitForConnected(_STEP_MS):
            return False
        socket.write(os.environ.get(_TOKEN, "").encode() + b"\n")
        socket.waitForReadyRead(round(1000 * _WAIT))
        return socket.readAll().data() == _SHOWN

    def _on_call(self, server: QLocalServer, window: QWidget) -> None:
        socket = server.nextPendingConnection()
        socket.disconnected.connect(socket.deleteLater)
        if not window.isVisible():
            socket.abort()
            return

        def show() -> None:
            if socket.canReadLine():
                if token := bytes(socket.readLine().data()).decode().strip():
                    os.environ[_TOKEN] = token
                if window.isMinimized():
                    window.showNormal()
                window.raise_()
                window.activateWindow()
                socket.write(_SHOWN)
                socket.flush()

        socket.readyRead.connect(show)
        show()
