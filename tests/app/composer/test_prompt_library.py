"""The prompt library: blanks are asked for, and an empty library leads to where a prompt is written."""

from __future__ import annotations

from app_scene import Run, window
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.composer.prompt_form import PromptForm
from app.ui.command_palette import CommandPalette
from engine.settings import General, PromptTemplate, Settings


def test_a_prompt_with_blanks_asks_for_them(run: Run) -> None:
    settings = Settings(
        general=General(),
        prompts=(PromptTemplate(name="Translate", text="Into {{language}}: {{text}} ({{language}})"),),
    )

    async def scene() -> None:
        async with window(settings=settings) as application:
            application.prompt_library.insert(settings.prompts[0].text)
            form = application.window.findChildren(PromptForm)[-1]
            assert list(form.fields) == ["language", "text"]
            form.fields["language"].setPlainText("Latin")
            form.fields["text"].setPlainText("rain")
            form.accept()
            assert application.composer.text == "Into Latin: rain (Latin)"
            application.prompt_library.insert("No blanks {here}.")
            assert application.composer.text == "No blanks {here}."

    run(scene())


def test_enter_goes_from_blank_to_blank_and_inserts_after_the_last(run: Run) -> None:
    async def scene() -> None:
        async with window() as application:
            application.prompt_library.insert("Into {{language}}: {{text}}")
            form = application.window.findChildren(PromptForm)[-1]
            language, text = form.fields.values()
            QTest.keyClicks(language, "Latin")
            QTest.keyClick(language, Qt.Key.Key_Return)
            QTest.keyClicks(text, "rain")
            QTest.keyClick(text, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
            QTest.keyClicks(text, "sun")
            QTest.keyClick(text, Qt.Key.Key_Return)
            assert application.composer.text == "Into Latin: rain\nsun"

    run(scene())


def test_an_empty_prompt_library_leads_to_where_one_is_written(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            app.prompt_library.show()
            palette = app.window.findChildren(CommandPalette)[-1]
            assert palette.isVisible()
            QTest.keyClick(palette.field, Qt.Key.Key_Return)
            dialog = app.settings.dialog
            assert dialog is not None
            assert dialog.isVisible()
            assert [prompt.name for prompt in dialog.prompts.prompts] == ["New prompt"]

    run(scene())
