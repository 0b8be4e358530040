"""A failure as the user reads it: in the user's language where the kind of failure has a sentence in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

if TYPE_CHECKING:
    from engine.errors import Failure

_KINDS: dict[str, object] = {
    "bad_request": QT_TRANSLATE_NOOP("failures", "This cannot be done as it was asked."),
    "bad_settings": QT_TRANSLATE_NOOP("failures", "These settings do not go together. Change them and try again."),
    "cache_type_refused": QT_TRANSLATE_NOOP(
        "failures", "The device cannot run this KV cache type with flash attention. Choose f16 or q8_0."
    ),
    "cancelled": QT_TRANSLATE_NOOP("failures", "Cancelled."),
    "chats_busy": QT_TRANSLATE_NOOP(
        "failures", "The chats are in use by another program. Close the other window of Firstlight and try again."
    ),
    "chats_damaged": QT_TRANSLATE_NOOP(
        "failures", "The file with the chats is damaged. Start Firstlight again: what can be read is recovered."
    ),
    "chats_newer": QT_TRANSLATE_NOOP(
        "failures", "The chats were written by a newer Firstlight. Update Firstlight to open them."
    ),
    "context_full": QT_TRANSLATE_NOOP(
        "failures", "The text is longer than the context. Shorten it, or load the model with a longer context."
    ),
    "disk_full": QT_TRANSLATE_NOOP("failures", "The disk is full. Free some space and try again."),
    "download_failed": QT_TRANSLATE_NOOP(
        "failures", "The download did not succeed. Try again: what is here already is kept."
    ),
    "engine_crashed": QT_TRANSLATE_NOOP(
        "failures", "The engine ended unexpectedly. Try a smaller context or fewer layers on the GPU."
    ),
    "engine_missing": QT_TRANSLATE_NOOP("failures", "The engine cannot run. Run the set-up again."),
    "hub_gated": QT_TRANSLATE_NOOP(
        "failures", "This model's licence has to be accepted on the hub first, and a token is needed in the settings."
    ),
    "hub_not_found": QT_TRANSLATE_NOOP("failures", "The hub does not have this."),
    "hub_rate_limited": QT_TRANSLATE_NOOP("failures", "The hub asks for a pause. Try again in a few minutes."),
    "hub_unreachable": QT_TRANSLATE_NOOP(
        "failures", "The hub cannot be reached. Check the connection, the proxy and the hub's address."
    ),
    "import_failed": QT_TRANSLATE_NOOP("failures", "This could not be imported."),
    "internal": QT_TRANSLATE_NOOP("failures", "Something unexpected went wrong. The logs have the details."),
    "model_damaged": QT_TRANSLATE_NOOP("failures", "The model file is damaged or incomplete. Download it again."),
    "model_in_use": QT_TRANSLATE_NOOP("failures", "The model is in use. Unload it first."),
    "model_not_chat": QT_TRANSLATE_NOOP("failures", "This file is not a chat model. Choose another one."),
    "model_not_found": QT_TRANSLATE_NOOP("failures", "The model is not there. Choose another one."),
    "model_not_loaded": QT_TRANSLATE_NOOP("failures", "No model is loaded. Load one first."),
    "model_unsupported": QT_TRANSLATE_NOOP(
        "failures", "This version of the engine does not know the model's architecture."
    ),
    "offline": QT_TRANSLATE_NOOP("failures", "Firstlight is set to stay offline. The switch is in the settings."),
    "out_of_memory": QT_TRANSLATE_NOOP(
        "failures", "There is not enough memory. Choose a smaller context, a smaller quantization, or fewer layers."
    ),
    "prompt_empty": QT_TRANSLATE_NOOP("failures", "There is nothing to answer yet."),
    "protocol": QT_TRANSLATE_NOOP("failures", "The parts of Firstlight do not understand each other. Start it again."),
    "read_only": QT_TRANSLATE_NOOP("failures", "The place cannot be written. Check its permissions."),
    "template_failed": QT_TRANSLATE_NOOP("failures", "The model's chat template cannot be used with this chat."),
}
"""By the values of engine.errors.Code, whose import the first window does without."""


def failure_text(failure: Failure) -> str:
    """What happened and what to do about it.

    The engine writes its sentences in English, with the numbers. In another language the kind of failure is told in
    that language, and the engine's sentence follows for the details.
    """
    kind = str(_KINDS[failure.code])
    told = QCoreApplication.translate("failures", kind)
    if told == kind or _is_chinese(failure.message):
        return failure.sentence()
    return f"{told} ({failure.message})"


def _is_chinese(text: str) -> bool:
    """The app's own failures are written in the user's language already."""
    return any("\u4e00" <= character <= "\u9fff" for character in text)
