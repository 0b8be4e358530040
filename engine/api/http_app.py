"""The HTTP application: OpenAI-compatible routes over one host."""

from __future__ import annotations

import asyncio
import base64
import logging
import uuid
from array import array
from pathlib import Path
from typing import Any

import msgspec
from prometheus_client import generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from engine import __version__
from engine.api.access_guard import Guard
from engine.api.completions import chat_completions, text_completions
from engine.api.error_responses import error_response, failure_response
from engine.api.event_streams import Call, unless_gone
from engine.api.prometheus import Exporter
from engine.api.schemas import EmbeddingBody, bad_request, parse
from engine.errors import FirstlightError
from engine.host.host import Host
from engine.host.model_resolver import known_models
from engine.protocol.commands import Embed
from engine.protocol.events import Embedded, RequestFailed, Terminal

_log = logging.getLogger(__name__)


def build_app(host: Host, *, bind: str = "127.0.0.1", token: str = "", default_model: str = "") -> Starlette:
    """The application for a host; `bind` is the address that the server listens on."""
    app = Starlette(
        routes=[
            Route("/health", _health),
            Route("/metrics", _metrics),
            Route("/v1/models", _models),
            Route("/v1/models/{model_id:path}", _model),
            Route("/v1/chat/completions", chat_completions, methods=["POST"]),
            Route("/v1/completions", text_completions, methods=["POST"]),
            Route("/v1/embeddings", _embeddings, methods=["POST"]),
        ],
        middleware=[Middleware(Guard, host=bind, token=token)],
        exception_handlers={FirstlightError: _on_failure, HTTPException: _on_http_error, Exception: _on_fault},
    )
    app.state.host = host
    app.state.default_model = default_model
    app.state.exporter = Exporter(host)
    return app


async def _health(request: Request) -> Response:
    models = [model.model_id for model in request.app.state.host.pool if model.is_warm]
    return _json({"status": "ok", "version": __version__, "warm_models": models})


async def _metrics(request: Request) -> Response:
    # Read in the loop: the figures are the loop's own, and a page is made in a few milliseconds.
    return Response(generate_latest(request.app.state.exporter.registry), media_type=CONTENT_TYPE_LATEST)


async def _models(request: Request) -> Response:
    return _json({"object": "list", "data": await _model_objects(request)})


async def _model(request: Request) -> Response:
    name = request.path_params["model_id"]
    for model in await _model_objects(request):
        if model["id"] == name:
            return _json(model)
    return error_response(404, f"There is no model called {name}. /v1/models lists those there are.", "model_not_found")


async def _model_objects(request: Request) -> list[dict[str, Any]]:
    host: Host = request.app.state.host
    loaded = {model.model_id: model.key.path for model in host.pool}

    def listed() -> list[dict[str, Any]]:
        known = known_models(host.settings, host.folders)
        files = set(known.values())  # What was loaded by its path has a name here already.
        known.update((name, path) for name, path in loaded.items() if name not in known and path not in files)
        return [_model_object(name, path) for name, path in known.items()]

    return await asyncio.to_thread(listed)


def _model_object(name: str, path: Path) -> dict[str, Any]:
    try:
        created = int(path.stat().st_mtime)
    except OSError:  # Its file is gone, or its disk; a worker may have it still.
        created = 0
    return {"id": name, "object": "model", "created": created, "owned_by": "firstlight"}


async def _embeddings(request: Request) -> Response:
    body = parse(await request.body(), EmbeddingBody)
    if body.encoding_format not in ("float", "base64"):
        raise bad_request(f"The encoding {body.encoding_format} is not supported: use float or base64.")
    texts = (body.input,) if isinstance(body.input, str) else tuple(body.input)
    if not texts:
        raise bad_request("There is nothing to embed: input is empty.")
    model = body.model or request.app.state.default_model
    command = Embed(request_id=uuid.uuid4().hex, model_id=model, texts=texts)
    end = await unless_gone(request, _end_of(request.app.state.host, command))
    if isinstance(end, RequestFailed):
        return failure_response(end.failure)
    if not isinstance(end, Embedded):
        return Response(status_code=499)
    is_packed = body.encoding_format == "base64"
    data = [
        {"object": "embedding", "index": index, "embedding": _packed(vector) if is_packed else vector}
        for index, vector in enumerate(end.vectors)
    ]
    usage = {"prompt_tokens": end.n_tokens, "total_tokens": end.n_tokens}
    return _json({"object": "list", "data": data, "model": model, "usage": usage})


async def _end_of(host: Host, command: Embed) -> Terminal:
    with Call(host, command) as call:
        _, end = await call.end()
    return end


def _packed(vector: tuple[float, ...]) -> str:
    """Little-endian 32-bit floats in base64, as OpenAI's clients unpack them."""
    return base64.b64encode(array("f", vector).tobytes()).decode()


def _json(content: object) -> Response:
    return Response(msgspec.json.encode(content), media_type="application/json")


async def _on_failure(request: Request, error: Exception) -> Response:
    assert isinstance(error, FirstlightError)
    return failure_response(error.failure)


async def _on_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    message = f"{error.detail}: {request.method} {request.url.path}."
    return error_response(error.status_code, message, "not_found" if error.status_code == 404 else "bad_request")


async def _on_fault(request: Request, error: Exception) -> Response:
    _log.error("%s %s failed", request.method, request.url.path, exc_info=error)
    return error_response(500, "The server met an unexpected fault; its log has the details.", "internal")
