"""Starts a worker: commands on stdin, events on stdout, everything else on stderr."""

from __future__ import annotations

import os
import sys

import msgspec

from engine.gc_freeze import keep_what_is_loaded
from engine.protocol.values import EngineDescription
from engine.worker.llama import backend, kv_types
from engine.worker.loading import quantize_process
from engine.worker.outbox import Outbox
from engine.worker.worker import Worker


def main() -> None:
    """Serve, or print what llama.cpp sees with --describe."""
    events = os.dup(1)
    # llama.cpp and its backends may print: what they print must not land between the events.
    os.dup2(2, 1)
    if sys.argv[1:] == ["--describe"]:
        os.write(events, msgspec.json.encode(_description()) + b"\n")
        return
    if sys.argv[1:2] == ["--quantize"]:
        sys.exit(quantize_process.run(sys.argv[2:], events))
    commands = os.fdopen(os.dup(0), "rb")
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    keep_what_is_loaded()
    Worker(commands, Outbox(events)).run()
    sys.stderr.flush()
    # The reader may still wait for a line that will never come, and native threads have nothing left to do.
    os._exit(0)


def _description() -> EngineDescription:
    backend.start()
    return EngineDescription(
        versions=backend.versions(),
        backend=backend.flavour(),
        devices=backend.devices(),
        kv_types_with_flash_attn=kv_types.with_flash_attn(),
    )


if __name__ == "__main__":
    main()
