"""Who may talk to the local API: no page of another site, no name rebound to this computer, no wrong token."""

from __future__ import annotations

import ipaddress
import secrets
import socket
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from engine.api.error_responses import error_response

_OPEN_PATHS = frozenset({"/health"})
_METHODS = "GET, POST, OPTIONS"


class Guard:
    """ASGI middleware.

    A page that rebinds its own domain name to 127.0.0.1 sends that name as Host, and any page sends its Origin: both
    must name this computer itself. Numeric addresses cannot be rebound, so they pass when the server is bound to them.
    """

    def __init__(self, app: ASGIApp, *, host: str, token: str) -> None:
        self._app = app
        self._token = token.encode()
        self._names = {"localhost", host.lower()}
        self._is_local = is_loopback(host)
        if not self._is_local:
            self._names.add(socket.gethostname().lower())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        origin = headers.get("origin", "")
        refusal = self._refusal(scope, headers, origin)
        if refusal is not None:
            await refusal(scope, receive, send)
        elif scope["method"] == "OPTIONS":
            await Response(status_code=204, headers=_cors(origin))(scope, receive, send)
        else:
            await self._app(scope, receive, _with_cors(send, origin) if origin else send)

    def _refusal(self, scope: Scope, headers: Headers, origin: str) -> Response | None:
        if not self._knows(_host_name(headers.get("host", ""))):
            return error_response(403, "This name is not served here: use localhost or the address.", "host_refused")
        if origin and not self._knows(urlsplit(origin).hostname or ""):
            return error_response(403, f"Pages of {origin} may not use this API.", "origin_refused")
        if not self._token or scope["method"] == "OPTIONS" or scope["path"] in _OPEN_PATHS:
            return None
        kind, _, given = headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer" and secrets.compare_digest(given.strip().encode(), self._token):
            return None
        message = "A token is needed: send it as Authorization: Bearer TOKEN."
        return error_response(401, message, "token_refused", headers={"www-authenticate": "Bearer"})

    def _knows(self, name: str) -> bool:
        if name.lower() in self._names:
            return True
        return is_loopback(name) or (not self._is_local and _is_address(name))


def is_loopback(name: str) -> bool:
    """Whether a host name or address can only mean this computer."""
    if name.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _host_name(header: str) -> str:
    """The name in a Host header, without port and brackets."""
    return urlsplit(f"//{header}").hostname or "" if header.isascii() else ""


def _cors(origin: str) -> dict[str, str]:
    if not origin:
        return {}
    return {
        "access-control-allow-origin": origin,
        "access-control-allow-methods": _METHODS,
        "access-control-allow-headers": "authorization, content-type",
        "vary": "origin",
    }


def _with_cors(send: Send, origin: str) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            extra = [(name.encode(), value.encode()) for name, value in _cors(origin).items()]
            message = {**message, "headers": [*message.get("headers", ()), *extra]}
        await send(message)

    return send_with_headers
