"""Reading ahead: the newest draft tells, none is cut short by the next, and nothing that was sent is read."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any, cast

import pytest
from app_scene import Run, until, window

from app.composer.draft_controller import PrewarmRequests
from app.core.host_client import HostClient
from engine.protocol import Command, Prewarm, PrewarmFinished, Terminal


class Engine:
    """Ends a prewarm when it is told to."""

    def __init__(self) -> None:
        self.cancelled: list[str] = []
        self._open: dict[str, asyncio.Future[Terminal]] = {}

    async def request(self, command: Command) -> Terminal:
        assert isinstance(command, Prewarm)
        self._open[command.draft] = asyncio.get_running_loop().create_future()
        try:
            return await self._open[command.draft]
        except asyncio.CancelledError:
            self.cancelled.append(command.draft)
            raise

    def end(self, draft: str, n_prepared: int) -> None:
        self._open[draft].set_result(PrewarmFinished(request_id=draft, n_prepared=n_prepared))


def reading(engine: Engine) -> tuple[PrewarmRequests, list[int]]:
    made, prepared = PrewarmRequests(cast(HostClient, engine)), list[int]()
    made.prepared.connect(prepared.append)
    return made, prepared


def test_the_newest_draft_tells_and_the_one_before_is_left_to_the_engine(run: Run) -> None:
    async def scene() -> None:
        engine = Engine()
        ahead, prepared = reading(engine)
        for draft in ("the ", "the band "):
            ahead.begin(Prewarm(request_id=draft, draft=draft))
            await asyncio.sleep(0)
        engine.end("the ", 3)
        engine.end("the band ", 5)
        await until(lambda: bool(prepared))
        assert (prepared, engine.cancelled) == ([5], [])

    run(scene())


def test_what_is_no_longer_written_is_given_up(run: Run) -> None:
    async def scene() -> None:
        engine = Engine()
        ahead, prepared = reading(engine)
        ahead.begin(Prewarm(request_id="p", draft="the "))
        await asyncio.sleep(0)
        ahead.stop()
        await until(lambda: engine.cancelled == ["the "])
        assert prepared == []

    run(scene())


def test_a_message_that_is_sent_is_not_read_ahead_once_more(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene() -> None:
        async with window() as app:
            sent: list[Any] = []
            send = app.client._write
            monkeypatch.setattr(app.client, "_write", lambda command: sent.append(command) or send(command))
            app.drafts.set_draft("the band", ())
            app.drafts._on_pause()
            counting = app.drafts._counting
            assert counting is not None
            app.drafts.set_busy(True)
            with contextlib.suppress(asyncio.CancelledError):
                await counting
            assert counting.cancelled()
            assert not any(isinstance(command, Prewarm) and command.draft == "the band" for command in sent)

    run(scene())
