"""Settings: language, looks, and what Enter does."""

from __future__ import annotations

from PySide6.QtCore import QLocale
from PySide6.QtGui import QFontDatabase

from app.composer.spelling import languages
from app.core.i18n import LANGUAGES
from app.core.settings_store import SettingsStore
from app.settings.settings_form import SettingsPage
from app.ui.theme import Theme


class GeneralPage(SettingsPage):
    def __init__(self, store: SettingsStore, theme: Theme) -> None:
        super().__init__(store, theme)
        self.set_title(self.tr("General"))
        as_system = self.tr("As the system")
        self.add_choice(
            ("general", "language"),
            self.tr("Language"),
            {"": as_system, **LANGUAGES},
            self.tr("Takes effect at the next start."),
        )
        self.add_choice(
            ("general", "theme"),
            self.tr("Colours"),
            {
                "system": as_system,
                "light": self.tr("Light"),
                "dark": self.tr("Dark"),
                "high_contrast": self.tr("High contrast"),
            },
        )
        families = (name for name in QFontDatabase.families() if not QFontDatabase.isPrivateFamily(name))
        self.add_choice(
            ("general", "font_family"),
            self.tr("Font"),
            {"": as_system, **{name: name for name in families}},
        )
        self.add_whole(("general", "font_size"), self.tr("Text size"), 10, 24, suffix=self.tr(" px"))
        self.add_switch(
            ("general", "is_enter_send"),
            self.tr("Enter sends"),
            self.tr("Off: Enter begins a new line, and Shift+Enter sends."),
        )
        self.add_switch(
            ("general", "is_math_on"),
            self.tr("Draw formulas"),
            self.tr("Off: mathematics is shown as the LaTeX that the model wrote."),
        )
        self.add_switch(
            ("general", "is_notifying"),
            self.tr("Notify when something long is done"),
            self.tr("Of a long answer or a download that ends while you are in another window."),
        )
        self._add_spelling()

    def _add_spelling(self) -> None:
        """What can be checked depends on what the system has."""
        known = languages()
        hint = self.tr("Underlines words while you type; code and addresses are left out.")
        if not known:
            hint = self.tr("Works where pyenchant, Enchant and a dictionary are installed; none is found here.")
        switch = self.add_switch(("general", "is_spelling_on"), self.tr("Check spelling"), hint)
        switch.setEnabled(bool(known))
        if known:
            names = {each: QLocale(each).nativeLanguageName() or each for each in known}
            self.add_choice(
                ("general", "spelling_language"),
                self.tr("Spelling language"),
                {"": self.tr("As the interface"), **{each: f"{name} ({each})" for each, name in names.items()}},
            )
