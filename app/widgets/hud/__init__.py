"""The HUD: the strip under the chat, and the panel beside it."""

from app.widgets.hud.strip import HudStrip

__all__ = ["HudStrip"]
