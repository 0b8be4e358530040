"""The model manager: models here, models on the hub, and downloads."""

from app.widgets.models.manager import ModelManager

__all__ = ["ModelManager"]
