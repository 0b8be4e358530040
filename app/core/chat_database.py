"""The chat store as the app uses it: in one thread of its own, so that the window never waits and writes keep order."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from app.core.engine_texts import failure_text
from engine.errors import FirstlightError
from engine.store.chat_values import Chat
from engine.store.chats import ChatStore, open_store
from engine.translatable import Translatable

_P = ParamSpec("_P")
_T = TypeVar("_T")

Ended = Callable[[str], None]
"""Called once of something typed: with an empty text when it is stored, else with a sentence that says why not and what
to do. Who holds the text lets go of it only then.
"""


class ChatDatabase:
    """The first call opens the store; those made meanwhile wait for it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="chats")
        self._store: ChatStore | None = None
        self._notice: Translatable = ""

    async def open(self) -> Translatable:
        """Open the store; returns a sentence for the user when something was wrong with it, else an empty text."""
        await self._run(self._opened)
        return self._notice

    async def call(
        self, method: Callable[Concatenate[ChatStore, _P], _T], *arguments: _P.args, **fields: _P.kwargs
    ) -> _T:
        """Call a method of the store, given as ChatStore.method, in the thread. Raises StorageError."""
        return await self._run(lambda: method(self._opened(), *arguments, **fields))

    async def create_chat(self, title: str, new: Chat) -> Chat:
        """Store a new chat with what was chosen for it. Raises StorageError."""
        return await self.call(
            ChatStore.create_chat, title=title, preset=new.preset, system_prompt=new.system_prompt,
            context_policy=new.context_policy, is_math_on=new.is_math_on,
        )  # fmt: skip

    async def store(self) -> ChatStore:
        """The store itself, for long work in another thread: everybody else's calls then pass between its steps."""
        return await self._run(self._opened)

    async def close(self) -> None:
        """Finish what was asked for, and let go of the file; nothing can be called after it."""
        await self._run(lambda: self._opened().close())
        self._thread.shutdown(wait=False)

    async def _run(self, work: Callable[[], _T]) -> _T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def _opened(self) -> ChatStore:
        if self._store is None:
            self._store, self._notice = open_store(self._path)
        return self._store


async def report_failure(work: Awaitable[object], ended: Ended) -> bool:
    """Store it, and tell `ended`; returns whether it is stored."""
    try:
        await work
    except FirstlightError as error:
        ended(failure_text(error.failure))
        return False
    ended("")
    return True
