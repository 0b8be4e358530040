"""Links: opened at once where they say where they lead, else after a question."""

from __future__ import annotations

import pytest
from app_scene import Run, until, window
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from app.application import Application
from app.transcript.link_question import LinkQuestion, open_link


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the browser was asked to show."""
    addresses: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: addresses.append(url.toString()))
    return addresses


async def question(application: Application) -> LinkQuestion:
    open_link("https://example.org/a?b=c", "a link", application.window)
    made = application.window.findChildren(LinkQuestion)[-1]
    await until(made.isVisible)
    return made


def test_the_question_before_a_link_shows_its_address_in_line_with_the_edge(run: Run, opened: list[str]) -> None:
    async def scene() -> None:
        async with window() as application:
            asked = await question(application)
            words = [each for each in asked.findChildren(QLabel) if each.isVisible()]
            assert [each.text() for each in words] == ["Open this address in the browser?", "https://example.org/a?b=c"]
            layout = asked.layout()
            assert layout is not None
            assert {each.x() for each in words} == {layout.contentsMargins().left()}
            asked.reject()
            assert opened == []
            (await question(application)).accept()
            assert opened == ["https://example.org/a?b=c"]

    run(scene())


def test_a_link_that_shows_its_address_is_opened_at_once(qapp: QApplication, opened: list[str]) -> None:
    window = QWidget()
    open_link("https://example.org/", " https://example.org", window)
    assert opened == ["https://example.org/"]
