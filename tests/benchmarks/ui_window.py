"""How much memory the whole app takes with a long chat open: window, latency panel, chats and all, without the engine.

    python tests/benchmarks/ui_window.py [--messages N] [--json -|FILE]

Prints one JSON object: `app_rss_mb`, the resident memory of the app's process after it opened the chat from its
database, showed the latency panel, and was scrolled from end to end; `shared_mb`, the part of it that other processes
share: the libraries of Qt and Python.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from ui_chat import long_chat, parser, report

from engine.folders import folders
from engine.store.chats import open_store

ROOT = Path(__file__).resolve().parents[2]
_SCROLL_STEPS = 200
_TIMEOUT_S = 170


def measure(n_messages: int) -> dict[str, float | int]:
    """Write the chat, and measure an app that opens it in a process of its own."""
    with tempfile.TemporaryDirectory() as home:
        os.environ["FIRSTLIGHT_HOME"] = home
        write_chat(n_messages)
        done = subprocess.run(
            [sys.executable, __file__, "--child", str(n_messages)],
            capture_output=True,
            text=True,
            timeout=_TIMEOUT_S,
            check=False,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
    if done.returncode:
        raise SystemExit(f"the app failed: {done.stderr.strip()[-800:]}")
    rss, shared = (float(part) for part in done.stdout.split())
    return {"app_rss_mb": rss, "shared_mb": shared, "n_messages": n_messages}


def write_chat(n_messages: int) -> None:
    places = folders()
    places.data.mkdir(parents=True, exist_ok=True)
    store, _ = open_store(places.chats_file)
    chat = store.create_chat(title="A long chat")
    with store.together():
        for item in long_chat(n_messages):
            store.add_message(chat.id, item.role, item.content, metrics=item.metrics)
    store.close()


def child(n_messages: int) -> None:
    """The app, as it is started, and what a user does with it."""
    from app import __main__
    from app.startup import first_window

    app = first_window.make_application()
    window = first_window.show_window(app, folders(), first_window.Look(theme="light", language="en"))
    first_window.import_meanwhile(window, "app.application")
    import asyncio

    import psutil

    from app.application import Application, run_application

    async def until(condition: Callable[[], bool]) -> None:
        while not condition():  # noqa: ASYNC110 - there is no one event for all that is waited for
            await asyncio.sleep(0.01)

    async def use(application: Application) -> None:
        running = asyncio.ensure_future(application.run())
        await until(lambda: application.latency is not None and bool(application.chat_list.chats))
        application.window.toggle_panel()
        application.chats.open_chat(application.chat_list.chats[0].id)
        await until(lambda: application.conversation.rowCount() >= n_messages)
        assert application.transcript is not None
        bar = application.transcript.area.verticalScrollBar()
        for step in range(_SCROLL_STEPS, -1, -1):
            bar.setValue(round(bar.maximum() * step / _SCROLL_STEPS))
            await asyncio.sleep(0.016)
        memory = psutil.Process().memory_info()
        print(memory.rss / 1e6, memory.shared / 1e6, flush=True)
        application.quit()
        await running

    assert __main__.fast_imports
    run_application(app, window, use)


def main() -> None:
    chosen = parser(__doc__).parse_args()
    report(measure(chosen.messages), chosen.json)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(int(sys.argv[2]))
    else:
        main()
