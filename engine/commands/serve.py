"""python -m engine serve: the host with the OpenAI-compatible API, without a window."""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys

from engine.api.http_server import Server
from engine.commands.options import add_model_options, port, settings_with
from engine.errors import Failure
from engine.gc_freeze import keep_what_is_loaded
from engine.host.host import Host
from engine.host.log_files import log_to
from engine.host.services import Services
from engine.protocol.commands import LoadModel
from engine.protocol.events import Event, ModelLoaded, RequestFailed
from engine.settings import Settings, folders, load_settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_model_options(parser)
    parser.add_argument("--host", help="address to serve on (default: this computer only)")
    parser.add_argument("--port", type=port, help="port (default: 11436; 0 takes a free one)")
    parser.add_argument("--token", help="clients must send it as Authorization: Bearer TOKEN")


def run(arguments: argparse.Namespace) -> int:
    settings, notice = load_settings(folders().settings_file)
    if notice:
        print(notice, file=sys.stderr)
    model_id, settings = settings_with(arguments, settings)
    log_to(folders().logs)
    return asyncio.run(_serve(arguments, model_id, settings))


async def _serve(arguments: argparse.Namespace, model_id: str, settings: Settings) -> int:
    host = Host(settings, folders())
    server = Server(
        host,
        bind=arguments.host or settings.api.host,
        port=settings.api.port if arguments.port is None else arguments.port,
        token=arguments.token if arguments.token is not None else settings.api.token,
        default_model=model_id,
    )
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, server.stop)
    services = Services(host)
    await host.start()
    await services.start()
    failures: list[Failure] = []

    def on_event(event: Event) -> None:
        match event:
            case ModelLoaded():
                print(f"{event.effective.model_name or model_id} is warm after {event.load_time:.2f} s.", flush=True)
            case RequestFailed():
                failures.append(event.failure)
                server.stop()

    host.handle(LoadModel(request_id="serve", model_id=model_id, keep_warm=True), on_event)
    print(f"Serving {server.address}/v1; Ctrl+C ends it.", flush=True)
    keep_what_is_loaded()
    try:
        await server.run()
    finally:
        await services.stop()
        await host.stop()
    for failure in failures:
        print(failure.sentence(), file=sys.stderr)
    return 1 if failures else 0
