"""python -m engine: the command line. Each subcommand is a module, imported only when it is called."""

from __future__ import annotations

import argparse
import importlib
import io
import sys
from collections.abc import Sequence
from typing import NoReturn

from engine import __version__
from engine.errors import FirstlightError

COMMANDS = {
    "chat": "Chat in the terminal, or answer one prompt.",
    "host": "Serve a window, over stdin and stdout.",
    "serve": "Serve the OpenAI-compatible API and the Prometheus page.",
    "models": "List, search, inspect, fetch, import, quantize and remove models.",
    "embed": "Turn texts into vectors.",
    "bench": "Measure this machine with a model.",
    "metrics": "Show percentiles of past answers, or export their figures.",
    "tune": "Find the fastest settings for a model on this machine, and keep them if you say so.",
    "doctor": "Show versions, devices, folders, and what is missing.",
}
"""Each is the module engine.commands.NAME with `add_arguments(parser)` and `run(arguments) -> exit code`."""

EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_INTERRUPTED = 130


class CommandParser(argparse.ArgumentParser):
    """Says what was wrong in one sentence instead of a page of usage."""

    def error(self, message: str) -> NoReturn:
        self.exit(EXIT_USAGE, f"{message[:1].upper()}{message[1:]}. {self.prog} --help shows what is possible.\n")


def main(argv: Sequence[str] | None = None) -> int:
    arguments = list(sys.argv[1:] if argv is None else argv)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # Models say what a terminal may have no character for, and file names may be no text.
            stream.reconfigure(errors="replace")
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        print(_overview())
        return 0 if arguments else EXIT_USAGE
    if arguments[0] in ("-V", "--version"):
        print(f"Firstlight {__version__}")
        return 0
    name, *rest = arguments
    if name not in COMMANDS:
        print(f"There is no command {name}. There are: {', '.join(COMMANDS)}.", file=sys.stderr)
        return EXIT_USAGE
    command = importlib.import_module(f"engine.commands.{name}")
    parser = CommandParser(prog=f"python -m engine {name}", description=COMMANDS[name])
    command.add_arguments(parser)
    try:
        return int(command.run(parser.parse_args(rest)))
    except FirstlightError as error:
        print(error.failure.sentence(), file=sys.stderr)
        return EXIT_FAILED
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader of our output has gone, as with `| head`: nothing is left to tell anybody.
        sys.stderr.close()
        return EXIT_FAILED


def _overview() -> str:
    width = max(map(len, COMMANDS))
    lines = [f"  {name:<{width}}  {text}" for name, text in COMMANDS.items()]
    return "\n".join(["python -m engine COMMAND [options]", "", *lines, "", "COMMAND --help shows its options."])


if __name__ == "__main__":
    sys.exit(main())
