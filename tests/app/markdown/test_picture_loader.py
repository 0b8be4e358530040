"""Pictures: local ones, data, remote ones after a click only, and all that is none."""

from __future__ import annotations

import base64
from pathlib import Path
from urllib.parse import quote

import pytest
from PySide6.QtCore import QBuffer, QIODevice, QPointF, QRectF, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtNetwork import QHostAddress, QTcpServer
from pytestqt.qtbot import QtBot

from app.markdown import picture_loader
from app.markdown.blocks import Paragraph, Picture, block_text
from app.markdown.formula_cache import FormulaCache
from app.markdown.highlight_cache import HighlightCache
from app.markdown.markdown_parser import Parser
from app.markdown.message_style import TextStyle, Typesetter
from app.markdown.picture_cache import PictureCache
from app.markdown.picture_layout import MAX_HEIGHT, PictureLayout
from app.markdown.picture_loader import MAX_SIZE, PictureLoader, PictureState, host_of, read_picture
from app.ui.theme import Theme

REMOTE = "https://example.org/cat.png?q=1"


def png(width: int, height: int, color: Qt.GlobalColor = Qt.GlobalColor.red) -> bytes:
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(color)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")
    return bytes(buffer.data().data())


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "a cat 猫.png"
    made.write_bytes(png(1000, 200))
    return made


@pytest.fixture
def loader(qtbot: QtBot) -> PictureLoader:
    return PictureLoader()


class Proxy(QTcpServer):
    """Answers each request with the same body, of whatever length, and keeps the requests' first lines."""

    def __init__(self, body: bytes) -> None:
        super().__init__()
        self.asked: list[bytes] = []
        self._body = body
        self.newConnection.connect(self._take)
        self.listen(QHostAddress(QHostAddress.SpecialAddress.LocalHost))

    def _take(self) -> None:
        socket = self.nextPendingConnection()

        def answer() -> None:
            self.asked.append(bytes(socket.readAll().data()).partition(b"\r\n")[0])
            socket.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + self._body)
            socket.disconnectFromHost()

        socket.readyRead.connect(answer)


def layout_of(loader: PictureLoader, address: str, alt: str = "a cat") -> PictureLayout:
    typesetter = Typesetter(TextStyle.of(Theme("light")), FormulaCache(), HighlightCache(), loader)
    return PictureLayout(Picture(address=address, alt=alt), typesetter)


def painted(layout: PictureLayout) -> QImage:
    image = QImage(700, 500, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    layout.paint(painter, QPointF(0, 0), QRectF(image.rect()), None)
    painter.end()
    return image


def test_only_a_picture_that_stands_alone_is_a_block() -> None:
    alone, amid = (Parser().blocks(text)[0] for text in ("![a *cat*](cat.png)", "see ![cat](cat.png)"))
    assert alone == Picture(address="cat.png", alt="a cat")
    assert isinstance(amid, Paragraph)
    assert [block_text(block) for block in (alone, Parser().blocks("![](cat.png)")[0])] == ["a cat", "cat.png"]


def test_a_local_picture_is_read_and_fits_the_column(loader: PictureLoader, file: Path, qtbot: QtBot) -> None:
    address = quote(str(file))
    with qtbot.waitSignal(loader.changed):
        first = layout_of(loader, address)
        assert (first.state, first.is_waiting) == (PictureState.LOADING, True)
    layout = layout_of(loader, address)
    assert (layout.state, layout.is_waiting) == (PictureState.SHOWN, False)
    assert (layout.arrange(500), layout.natural_width) == (100, 500)
    assert painted(layout).pixelColor(250, 50) == Qt.GlobalColor.red
    assert layout.arrange(2000) == 200


def test_a_remote_one_waits_for_a_click_and_names_its_host(
    loader: PictureLoader, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetched: list[str] = []
    monkeypatch.setattr(loader, "_fetch", fetched.append)
    layout = layout_of(loader, REMOTE)
    layout.arrange(600)
    painted(layout)
    assert (fetched, layout.facts()) == ([], "Click to load it from example.org")
    assert layout.control_at(QPointF(20, 20)) is not None
    loader.ask(REMOTE)
    loader.ask(REMOTE)
    assert fetched == [REMOTE]
    with qtbot.waitSignal(loader.changed):
        loader._start(REMOTE, png(10, 900))
    shown = layout_of(loader, REMOTE)
    assert (shown.arrange(600), shown.control_at(QPointF(2, 2))) == (MAX_HEIGHT, None)


def test_the_cache_is_bounded_by_bytes_and_drops_what_was_used_longest_ago() -> None:
    cache = PictureCache(max_bytes=2_500)
    for name in ("a", "b"):
        cache.put(name, QImage(20, 10, QImage.Format.Format_RGB32))
    cache.put("a", QImage(10, 10, QImage.Format.Format_RGB32))
    assert cache.n_bytes == 800 + 400
    assert cache.get("b") is not None
    cache.put("c", QImage(20, 20, QImage.Format.Format_RGB32))
    assert ([name in cache for name in "abc"], cache.n_bytes) == ([False, True, True], 2_400)
    cache.put("huge", QImage(100, 100, QImage.Format.Format_RGB32))
    assert ([name in cache for name in ("b", "c", "huge")], cache.n_bytes) == ([False, False, True], 40_000)


def test_a_picture_that_gave_way_is_read_again_where_it_is_painted(
    loader: PictureLoader, file: Path, qtbot: QtBot, tmp_path: Path
) -> None:
    loader._images = PictureCache(max_bytes=1)
    with qtbot.waitSignal(loader.changed):
        loader.state(str(file))
    layout = layout_of(loader, str(file))
    assert layout.arrange(500) == 100
    (other := tmp_path / "other.png").write_bytes(png(9, 9))
    with qtbot.waitSignal(loader.changed):
        loader.state(str(other))
    with qtbot.waitSignal(loader.changed):
        painted(layout)
        assert (layout.state, layout.is_waiting) == (PictureState.LOADING, True)
    again = layout_of(loader, str(file))
    assert (again.state, again.arrange(500)) == (PictureState.SHOWN, 100)
    assert painted(again).pixelColor(250, 50) == Qt.GlobalColor.red


def test_offline_nothing_is_fetched(loader: PictureLoader, monkeypatch: pytest.MonkeyPatch) -> None:
    fetched: list[str] = []
    monkeypatch.setattr(loader, "_fetch", fetched.append)
    loader.is_offline = True
    loader.ask(REMOTE)
    assert (fetched, layout_of(loader, REMOTE).facts()) == ([], "Firstlight is set to stay offline: example.org")


def test_a_host_that_does_not_answer_is_told(loader: PictureLoader, qtbot: QtBot) -> None:
    address = "http://127.0.0.1:9/cat.png"
    loader.ask(address)
    qtbot.waitUntil(lambda: loader.state(address) is PictureState.MISSING)
    assert layout_of(loader, address).facts() == "Not found: 127.0.0.1"


@pytest.mark.parametrize(("limit", "state"), [(20_000, PictureState.SHOWN), (50, PictureState.TOO_LARGE)])
def test_the_proxy_is_asked_and_too_much_is_given_up(
    loader: PictureLoader, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, limit: int, state: PictureState
) -> None:
    monkeypatch.setattr(picture_loader, "MAX_BYTES", limit)
    proxy, address = Proxy(png(30, 20)), "http://pictures.invalid/cat.png"
    loader.proxy = f"http://127.0.0.1:{proxy.serverPort()}"
    loader.ask(address)
    qtbot.waitUntil(lambda: loader.state(address) is not PictureState.LOADING)
    assert (loader.state(address), proxy.asked) == (state, [b"GET http://pictures.invalid/cat.png HTTP/1.1"])


def test_data_and_sizes_are_bounded(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = "data:image/png;base64," + base64.b64encode(png(3, 2)).decode()
    state, image = read_picture(data)
    assert (state, image.size().toTuple() if image else None) == (PictureState.SHOWN, (3, 2))
    _, wide = read_picture("", png(MAX_SIZE.width() * 2, 10))
    _, high = read_picture("", png(10, MAX_SIZE.height() * 2))
    assert wide is not None
    assert high is not None
    assert (wide.width(), high.height()) == (MAX_SIZE.width(), MAX_SIZE.height())
    monkeypatch.setattr(picture_loader, "MAX_BYTES", 10)
    assert read_picture(str(file))[0] is PictureState.TOO_LARGE


@pytest.mark.parametrize(
    ("address", "raw", "state"),
    [
        ("/no/such/file.png", b"", PictureState.MISSING),
        ("//host/share/a.png", b"", PictureState.MISSING),
        ("\\\\host\\share\\a.png", b"", PictureState.MISSING),
        ("/\\host/share/a.png", b"", PictureState.MISSING),
        ("/", b"", PictureState.MISSING),
        ("data:image/png;base64,!!", b"", PictureState.UNREADABLE),
        ("x", b"<svg xmlns='http://www.w3.org/2000/svg'/>", PictureState.UNREADABLE),
        ("x", png(4, 4)[:40], PictureState.UNREADABLE),
    ],
)
def test_what_is_no_picture_is_told(address: str, raw: bytes, state: PictureState) -> None:
    assert read_picture(address, raw) == (state, None)


def test_hosts_are_those_of_web_addresses_only() -> None:
    assert [host_of(each) for each in (REMOTE, "/a.png", "ftp://x/a.png", "data:image/png,x")] == [
        "example.org",
        "",
        "",
        "",
    ]
