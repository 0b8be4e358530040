"""python -m engine host: the host for a window, over stdin and stdout, with the local API when it is switched on."""

from __future__ import annotations

import argparse

from engine.api.local_api import LocalApi
from engine.host import stdio_server


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """It takes none: the settings say everything."""


def run(arguments: argparse.Namespace) -> int:
    return stdio_server.run(LocalApi)
