"""Errors of the API: a status, and the error object that OpenAI's clients know."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from starlette.responses import Response

from engine.errors import Code, Failure

_STATUS = {
    Code.BAD_REQUEST: 400,
    Code.BAD_SETTINGS: 400,
    Code.CACHE_TYPE_REFUSED: 400,
    Code.CANCELLED: 499,
    Code.CONTEXT_FULL: 400,
    Code.MODEL_DAMAGED: 422,
    Code.MODEL_NOT_CHAT: 400,
    Code.MODEL_NOT_FOUND: 404,
    Code.MODEL_NOT_LOADED: 409,
    Code.MODEL_UNSUPPORTED: 422,
    Code.OUT_OF_MEMORY: 503,
    Code.PROMPT_EMPTY: 400,
    Code.TEMPLATE_FAILED: 422,
    Code.ENGINE_CRASHED: 503,
    Code.ENGINE_MISSING: 503,
}


class ErrorBody(msgspec.Struct, frozen=True):
    message: str
    type: str
    code: str
    param: str | None = None


class ErrorObject(msgspec.Struct, frozen=True):
    error: ErrorBody


def error_object(failure: Failure) -> ErrorObject:
    """A failure as OpenAI's clients read it."""
    return _object(_status(failure), failure.sentence(), failure.code)


def failure_response(failure: Failure) -> Response:
    return error_response(_status(failure), failure.sentence(), failure.code)


def error_response(status: int, message: str, code: str, *, headers: Mapping[str, str] | None = None) -> Response:
    """An error of the API itself."""
    content = msgspec.json.encode(_object(status, message, code))
    return Response(content, status_code=status, media_type="application/json", headers=dict(headers or {}))


def _status(failure: Failure) -> int:
    return _STATUS.get(failure.code, 500)


def _object(status: int, message: str, code: str) -> ErrorObject:
    kind = "invalid_request_error" if status < 500 else "server_error"
    return ErrorObject(ErrorBody(message=message, type=kind, code=code))
