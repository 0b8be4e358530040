"""Two thousand random operations: memory stays flat, and every request ends exactly once."""

from __future__ import annotations

import random
from pathlib import Path

import psutil

from engine.protocol import commands as c
from engine.protocol import events as e
from engine.protocol.values import ChatMessage, ContextPolicy, Priority, Speculative
from tests.engine.worker.conftest import LoadTiny
from tests.engine.worker.core_bench import CoreBench, answered, with_seed

N_OPERATIONS = 2000
WORDS = ("the band", "the wall and", "a thing", "hall", "sing and", "<|im_end|>", "你好", "  ")


class Chats:
    """A few chats that grow, branch and vanish."""

    def __init__(self, bench: CoreBench, source: random.Random) -> None:
        self._bench = bench
        self._random = source
        self._histories: dict[str, tuple[ChatMessage, ...]] = {}
        self._pending: dict[str, tuple[str, str]] = {}
        self.requests: list[str] = []

    def operate(self) -> None:
        """One random thing that users do."""
        choice = self._random.random()
        if choice < 0.12:
            self._send()
        elif choice < 0.16:
            chat = self._chat()
            draft = self._text()
            self.requests.append(self._bench.prewarm(draft, history=self._histories.get(chat, ()), chat_id=chat))
        elif choice < 0.19 and self.requests:
            self._bench.core.cancel(self._random.choice(self.requests[-6:]))
        elif choice < 0.21:
            chat = self._chat()
            self._histories.pop(chat, None)
            self.requests.append(self._bench.submit(c.DropCache(request_id=f"d{len(self.requests)}", chat_id=chat)))
        elif choice < 0.23:
            chat = self._chat()
            self._histories[chat] = self._histories.get(chat, ())[:-2]
        elif choice < 0.25:
            self._bench.core._cache.save_idle()
        else:
            self._bench.step()
        self._settle()

    def _send(self) -> None:
        chat = self._chat()
        text = self._text()
        request = self._bench.generate(
            text,
            history=self._histories.get(chat, ()),
            chat_id=chat,
            max_tokens=self._random.randint(1, 12),
            sampling=with_seed(self._random.randrange(100)),
            priority=self._random.choice(list(Priority)),
            context_policy=self._random.choice(list(ContextPolicy)),
            speculative=self._random.choice([Speculative.OFF, Speculative.LOOKUP]),
        )
        self.requests.append(request)
        self._pending[request] = (chat, text)

    def _settle(self) -> None:
        """Answers that have come become history."""
        for request, (chat, text) in list(self._pending.items()):
            if self._bench.end(request) is not None:
                del self._pending[request]
                if answer := self._bench.text(request):
                    self._histories[chat] = (*self._histories.get(chat, ()), *answered(text, answer))

    def _chat(self) -> str:
        return self._random.choice(["", "a", "b", "c", "d"])

    def _text(self) -> str:
        return "x" + " ".join(self._random.choices(WORDS, k=self._random.randint(1, 20)))


def test_random_operations(load_tiny: LoadTiny, tmp_path: Path) -> None:
    bench = CoreBench(
        load_tiny(
            n_ctx=512,
            n_parallel=2,
            snapshot_dir=str(tmp_path),
            snapshot_memory_bytes=1 << 20,
            snapshot_disk_bytes=1 << 20,
        )
    )
    chats = Chats(bench, random.Random(5))
    process = psutil.Process()
    sizes = []
    for number in range(N_OPERATIONS):
        chats.operate()
        if number % 500 == 499:
            sizes.append(process.memory_info().rss)
        for slot in bench.core._cache.slots:
            assert bench.core._loaded.context.position_max(slot.index) == len(slot.tokens) - 1
    while bench.core.is_busy:
        bench.step()
    assert len(chats.requests) > 200
    for request in chats.requests:
        assert isinstance(bench.end(request), e.Terminal)
    assert not any(isinstance(event, e.RequestFailed) and event.failure.code == "internal" for event in bench.events)
    assert sizes[-1] - sizes[0] < 32 << 20
    bench.close()
    assert sum(path.stat().st_size for path in tmp_path.glob("*/*.kv")) <= 1 << 20
