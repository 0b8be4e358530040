"""Find in chat, in the whole window: it counts, goes round, and marks the place."""

from __future__ import annotations

from app_scene import Run, ask, until, window
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest


def test_find_in_chat_counts_goes_round_and_marks_the_place(run: Run) -> None:
    async def scene() -> None:
        async with window() as application:
            await ask(application, "Lisbon and lisbon")
            await until(lambda: application.transcript is not None)
            transcript = application.transcript
            assert transcript is not None
            application.actions["find"].trigger()
            bar, finder = application.find_bar, application.finder
            assert bar.field.hasFocus()
            QTest.keyClicks(bar.field, "LISBON")
            QTest.keyClick(bar.field, Qt.Key.Key_Return)
            assert bar.count_text == "4 of 4"
            QTest.keyClick(bar.field, Qt.Key.Key_Return)
            assert bar.count_text == "1 of 4"
            QTest.keyClick(bar.field, Qt.Key.Key_Return)
            assert finder.current == (application.conversation.item(0).id, 1)
            marked = [card.interaction.selected_text for card in transcript.area.visible_cards()]
            assert [text for text in marked if text] == ["lisbon"]
            QTest.keyClick(bar.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
            assert bar.count_text == "1 of 4"
            assert bar.field.hasFocus()
            bar.field.setText("nowhere")
            QTest.keyClick(bar.field, Qt.Key.Key_Return)
            assert bar.count_text == "nothing found"
            QTest.keyClick(bar.field, Qt.Key.Key_Escape)
            assert not bar.isVisible()
            assert application.composer.edit.hasFocus()

    run(scene())
