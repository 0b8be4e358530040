"""python -m engine embed: texts into vectors."""

from __future__ import annotations

import argparse
import sys

import msgspec

from engine.commands.host_session import Session
from engine.commands.options import add_model_options, settings_with
from engine.errors import Code, RequestError
from engine.protocol.commands import Embed
from engine.protocol.events import Embedded
from engine.settings import folders, load_settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_model_options(parser)
    parser.add_argument("text", nargs="*", help="texts; without any, each line of stdin is one")
    parser.add_argument("--json", action="store_true", help="print one object instead of a vector a line")


def run(arguments: argparse.Namespace) -> int:
    settings, _ = load_settings(folders().settings_file)
    model_id, settings = settings_with(arguments, settings)
    texts = tuple(arguments.text) or tuple(line for line in sys.stdin.read().splitlines() if line.strip())
    if not texts:
        raise RequestError(Code.PROMPT_EMPTY, "There is nothing to embed.", "Give a text, or lines on stdin.")
    with Session(settings, folders()) as session:
        end = session.request(Embed(model_id=model_id, texts=texts), Embedded)
    if arguments.json:
        print(msgspec.json.encode({"vectors": end.vectors, "n_tokens": end.n_tokens}).decode())
    else:
        for vector in end.vectors:
            print(" ".join(f"{value:.6g}" for value in vector))
    return 0
