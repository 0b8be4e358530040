"""Settings: language, looks, and what Enter does."""

from __future__ import annotations

from PySide6.QtGui import QFontDatabase

from app.i18n import LANGUAGES
from app.settings_state import SettingsState
from app.theme import Theme
from app.widgets.settings.form import SettingsPage


class GeneralPage(SettingsPage):
    def __init__(self, state: SettingsState, theme: Theme) -> None:
        super().__init__(state, theme)
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
            {"": self.tr("The one that fits the system"), **{name: name for name in families}},
        )
        self.add_whole(("general", "font_size"), self.tr("Text size"), 10, 24, suffix=self.tr(" px"))
        self.add_switch(
            ("general", "is_enter_send"),
            self.tr("Enter sends"),
            self.tr("Off: Enter begins a new line, and Shift+Enter sends."),
        )
