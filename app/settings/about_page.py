"""Settings: versions, devices, the build of the engine and why it is that one, and a bundle for reporting a fault."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QPushButton

from app.core.settings_store import SettingsStore
from app.settings.build_reason import build_reason
from app.settings.settings_form import SettingsPage
from app.ui.quantities import format_bytes
from app.ui.theme import Theme
from engine.protocol.values import Device


class AboutPage(SettingsPage):
    """`diagnostics_requested`: save what helps to find a fault."""

    diagnostics_requested = Signal()

    def __init__(self, store: SettingsStore, theme: Theme) -> None:
        super().__init__(store, theme)
        self.set_title(self.tr("About"), self.tr("Firstlight shows, explains and shortens the wait for a first token."))
        self._versions = self._value()
        self.add_row(self.tr("Versions"), self._versions, is_wide=True, is_high=True)
        self.add_heading(self.tr("Engine"))
        self._build = self._value()
        self.add_row(self.tr("Build"), self._build, is_wide=True, is_high=True)
        self._devices = self._value()
        self.add_row(self.tr("Devices"), self._devices, is_wide=True, is_high=True)
        force = self._value()
        force.setFont(theme.mono_font(-2))
        force.setText("FIRSTLIGHT_BACKEND=vulkan python3 packaging/bootstrap.py run")
        self.add_row(
            self.tr("Another build"),
            force,
            self.tr("cpu, vulkan, cuda or metal. The set-up builds it, tries it, and goes back if it fails."),
            is_wide=True,
            is_high=True,
        )
        self.add_heading(self.tr("Reporting a fault"))
        save = QPushButton(self.tr("Save a diagnostics file…"))
        save.clicked.connect(self.diagnostics_requested)
        self.add_row(
            "",
            save,
            self.tr(
                "Versions, devices, settings without secrets, logs, and figures of past answers. No chat text, no "
                "system prompts, no titles."
            ),
        )

    def set_versions(self, versions: Mapping[str, str]) -> None:
        self._versions.setText("\n".join(f"{name} {version}" for name, version in versions.items()))

    def set_engine(self, build: str, reason: str, devices: Sequence[Device]) -> None:
        """The build of llama.cpp with the reason for it, and what it can compute on."""
        self._build.setText("\n".join(text for text in (build, build_reason(reason)) if text))
        self._devices.setText("\n".join(_described(device) for device in devices) or self.tr("none"))

    def set_problem(self, text: str) -> None:
        """Why the engine could not be asked."""
        self._build.setText(text)

    def texts(self) -> str:
        """All that is shown, for a test and for copying."""
        return "\n".join(label.text() for label in (self._versions, self._build, self._devices))

    def _value(self) -> QLabel:
        label = QLabel(self.tr("…"))
        label.setWordWrap(True)
        label.setContentsMargins(0, 5, 0, 0)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        label.setFocusPolicy(Qt.FocusPolicy.StrongFocus)  # A page without controls is read by Tab.
        return label


def _described(device: Device) -> str:
    memory = f" · {format_bytes(device.total_bytes)}" if device.total_bytes else ""
    return f"{device.name}: {device.description}{memory}" if device.description else f"{device.name}{memory}"
