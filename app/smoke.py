"""The smoke run: a user's first minute in the real window, from the first key to the last painted word."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
from PySide6.QtCore import QCoreApplication, Qt, SignalInstance
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest

from app.application import Application
from app.core.host_client import HostState
from app.models.model_status import ModelState, ModelStatus
from engine.errors import Code, EngineError, FirstlightError
from engine.store.chat_values import MessageState, StoredMessage

_MODEL_SECONDS = 180.0
_ANSWER_SECONDS = 600.0


async def run_smoke(application: Application, prompt: str, screenshot: Path | None) -> int:
    """Type `prompt`, press Enter, wait, print one JSON object; returns the exit code."""
    running = asyncio.get_running_loop().create_task(application.run())
    code = 0
    try:
        await _wait_for_model(application)
        answer = await _ask(application, prompt)
        if screenshot is not None:
            _save_picture(application, screenshot)
        sys.stdout.write(_report(answer) + "\n")
    except FirstlightError as error:
        sys.stderr.write(error.failure.sentence() + "\n")
        code = 1
    application.quit()
    await running
    return code


async def _wait_for_model(application: Application) -> None:
    def outcome(status: ModelStatus) -> ModelStatus | None:
        return status if status.state in (ModelState.WARM, ModelState.FAILED) else None

    def host_outcome(state: HostState) -> ModelStatus | None:
        if state is HostState.FAILED:
            return ModelStatus(ModelState.FAILED, failure=application.client.failure)
        return None

    status = await _first(
        _MODEL_SECONDS,
        "The model did not load in time.",
        (application.models.status_changed, outcome),
        (application.client.state_changed, host_outcome),
    )
    if status.failure is not None:
        raise EngineError(status.failure.code, status.failure.message, status.failure.advice)


async def _ask(application: Application, prompt: str) -> StoredMessage:
    edit = application.composer.edit
    edit.setFocus()
    for character in prompt:
        if character == "\n":
            QTest.keyClick(edit, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
        elif character.isascii() and character.isprintable():
            QTest.keyClicks(edit, character)
        else:
            committed = QInputMethodEvent()
            committed.setCommitString(character)
            QCoreApplication.sendEvent(edit, committed)
    await asyncio.sleep(0)
    waiting = asyncio.ensure_future(
        _first(
            _ANSWER_SECONDS,
            "The answer did not end in time.",
            (application.chats.answer_finished, lambda _chat, message: message),
            (application.chats.failed, lambda failure: failure),
        )
    )
    await asyncio.sleep(0)
    modifier = Qt.KeyboardModifier.NoModifier if edit.is_enter_send else Qt.KeyboardModifier.ShiftModifier
    QTest.keyClick(edit, Qt.Key.Key_Return, modifier)
    answer = await waiting
    if not isinstance(answer, StoredMessage):
        raise EngineError(answer.code, answer.message, answer.advice)
    if answer.state is MessageState.FAILED or not (answer.content or answer.reasoning):
        raise EngineError(Code.INTERNAL, answer.note or "The answer is empty.")
    return answer


async def _first(seconds: float, late: str, *sources: tuple[SignalInstance, Callable[..., object]]) -> Any:
    """The first result that is not None of the sources' functions, called with their signals' arguments."""
    found: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    connections = []
    for signal, function in sources:

        def received(*arguments: object, function: Callable[..., object] = function) -> None:
            if not found.done() and (result := function(*arguments)) is not None:
                found.set_result(result)

        connections.append((signal, signal.connect(received)))
    try:
        return await asyncio.wait_for(found, seconds)
    except TimeoutError as error:
        raise EngineError(Code.INTERNAL, late, "Try again on a quieter machine.") from error
    finally:
        for signal, connection in connections:
            signal.disconnect(connection)


def _save_picture(application: Application, file: Path) -> None:
    if application.transcript is not None:
        application.transcript.finish_drawing()
    if not application.window.grab().save(str(file)):
        raise EngineError(Code.READ_ONLY, f"The screenshot could not be saved to {file}.", "Choose another file.")


def _report(answer: StoredMessage) -> str:
    metrics = msgspec.to_builtins(answer.metrics) if answer.metrics is not None else {}
    return msgspec.json.encode(
        {
            "text": answer.content,
            "reasoning": answer.reasoning,
            "finish_reason": answer.finish_reason,
            "metrics": {**metrics, "perceived_ttft": answer.perceived_ttft},
            "effective": msgspec.to_builtins(answer.effective),
        }
    ).decode()
