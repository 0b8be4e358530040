"""The conversation on screen: virtualised message cards over the conversation model."""

from app.widgets.transcript.view import Transcript

__all__ = ["Transcript"]
