"""What all charts of the HUD have in common: a picture that screen readers can be told."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget


class Chart(QWidget):
    """Painted by its subclass."""

    def spoken(self) -> str:
        """All that the picture says; asked for only where somebody listens."""
        return self.accessibleName()
