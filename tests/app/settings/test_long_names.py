"""Names that are longer than their list."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot
from settings_in_memory import settings_store

from app.settings.presets_page import PresetsPage
from app.settings.prompts_page import PromptsPage
from app.ui.theme import Theme


@pytest.mark.parametrize("kind", [PresetsPage, PromptsPage])
def test_a_long_name_makes_no_scroll_bar(kind: type[PresetsPage] | type[PromptsPage], qtbot: QtBot) -> None:
    page = kind(settings_store(), Theme("light"))
    qtbot.addWidget(page)
    page.list.addItem("A name that goes on. " * 40)
    page.list.doItemsLayout()
    assert page.list.horizontalScrollBar().maximum() == 0
