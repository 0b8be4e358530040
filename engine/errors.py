"""The one error tree: each error has a code, a sentence, and advice the user can act on."""

from __future__ import annotations

import enum
from typing import Self

import msgspec

from engine.translatable import Translatable, joined, sentence


class Code(enum.StrEnum):
    """Stable names of what can go wrong."""

    BAD_REQUEST = "bad_request"
    BAD_SETTINGS = "bad_settings"
    CACHE_TYPE_REFUSED = "cache_type_refused"
    CANCELLED = "cancelled"
    CHATS_BUSY = "chats_busy"
    CHATS_DAMAGED = "chats_damaged"
    CHATS_NEWER = "chats_newer"
    CONTEXT_FULL = "context_full"
    DISK_FULL = "disk_full"
    DOWNLOAD_FAILED = "download_failed"
    ENGINE_CRASHED = "engine_crashed"
    ENGINE_MISSING = "engine_missing"
    HUB_GATED = "hub_gated"
    HUB_NOT_FOUND = "hub_not_found"
    HUB_RATE_LIMITED = "hub_rate_limited"
    HUB_UNREACHABLE = "hub_unreachable"
    IMPORT_FAILED = "import_failed"
    INTERNAL = "internal"
    MODEL_DAMAGED = "model_damaged"
    MODEL_IN_USE = "model_in_use"
    MODEL_NOT_CHAT = "model_not_chat"
    MODEL_NOT_FOUND = "model_not_found"
    MODEL_NOT_LOADED = "model_not_loaded"
    MODEL_UNSUPPORTED = "model_unsupported"
    OFFLINE = "offline"
    OUT_OF_MEMORY = "out_of_memory"
    PROMPT_EMPTY = "prompt_empty"
    PROTOCOL = "protocol"
    READ_ONLY = "read_only"
    TEMPLATE_FAILED = "template_failed"


class Failure(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An error as it crosses a process border and as the user reads it."""

    code: Code
    message: Translatable
    """One sentence: what happened, with the numbers."""
    advice: Translatable = ""
    """One sentence: what to do about it."""

    @property
    def said(self) -> Translatable:
        """Message and advice together."""
        return joined(self.message, self.advice)

    def sentence(self) -> str:
        """The same in English."""
        return str(self.said)


class FirstlightError(Exception):
    """Base of every error that is meant to be read by a user; anything else that is raised is a bug.

    Message and advice are what sentence() takes: templates for the values, which both of them may name.
    """

    def __init__(self, code: Code, message: Translatable, advice: Translatable = "", **values: object) -> None:
        message, advice = (sentence(part, **values) if isinstance(part, str) else part for part in (message, advice))
        super().__init__(str(message))
        self.failure = Failure(code=code, message=message, advice=advice)

    @classmethod
    def of(cls, failure: Failure) -> Self:
        """The error that a failure of another process stands for."""
        return cls(failure.code, failure.message, failure.advice)

    @property
    def code(self) -> Code:
        return self.failure.code


class ModelError(FirstlightError):
    """The model file cannot be used, or cannot be used like this."""


class RequestError(FirstlightError):
    """The request cannot be carried out as asked."""


class EngineError(FirstlightError):
    """A worker or the host failed."""


class HubError(FirstlightError):
    """The hub, or the way to it, failed."""


class StorageError(FirstlightError):
    """Something on disk could not be read or written."""


class ProtocolError(FirstlightError):
    """A message that cannot be understood, or from another version."""

    def __init__(
        self, message: Translatable, advice: Translatable = "Start Firstlight again.", **values: object
    ) -> None:
        super().__init__(Code.PROTOCOL, message, advice, **values)
