"""Times what a user would feel, on this side's own clock: one engine, one model, one kind of work a method."""

from __future__ import annotations

import dataclasses
import statistics
import threading
import time
from collections.abc import Callable
from typing import Self

from engine.commands.host_session import Session, ended
from engine.commands.options import load_with
from engine.commands.typing_simulator import Typist
from engine.commands.workloads import COUNTING, STORY, edit_task, prose
from engine.errors import Code, RequestError
from engine.metrics import FinishReason, percentile
from engine.protocol.commands import CompareKvTypes, CountTokens, Generate, Prewarm
from engine.protocol.events import (
    GenerationFinished,
    KvTypesCompared,
    PrefillProgress,
    PrewarmFinished,
    TokenDelta,
    TokensCounted,
)
from engine.protocol.values import ChatMessage, EffectiveSettings, KvType, Role, Sampling, Speculative
from engine.settings import Folders, Settings

GREEDY = Sampling(temperature=0.0, seed=1)


@dataclasses.dataclass(frozen=True, slots=True)
class Timed:
    """One answer with the seconds at which its tokens arrived here, counted from the request."""

    text: str
    finished: GenerationFinished
    arrivals: tuple[float, ...]

    @property
    def ttft(self) -> float:
        """Raises RequestError where no token came."""
        return self.arrived(1)[0]

    @property
    def total(self) -> float:
        """Seconds to the last token. Raises RequestError where none came."""
        return self.arrived(1)[-1]

    @property
    def decode_tps(self) -> float:
        """Tokens per second after the first. Raises RequestError where none came after it."""
        arrivals = self.arrived(2)
        return (len(arrivals) - 1) / (arrivals[-1] - arrivals[0])

    @property
    def gaps(self) -> list[float]:
        return [later - earlier for earlier, later in zip(self.arrivals, self.arrivals[1:], strict=False)]

    def arrived(self, n_tokens: int) -> tuple[float, ...]:
        """The arrivals. Raises RequestError where there are fewer than `n_tokens`."""
        if len(self.arrivals) < n_tokens:
            raise RequestError(
                Code.BAD_REQUEST, "The model ended after {n_tokens:,} tokens.", n_tokens=len(self.arrivals)
            )
        return self.arrivals


class Ended(Exception):
    """A measurement took longer than it may."""


class Engine:
    """A host with one loaded model. `changes` are ModelSettings fields."""

    def __init__(self, settings: Settings, folders: Folders, model_id: str, **changes: object) -> None:
        self.model_id = model_id
        self.effective: EffectiveSettings | None = None
        self._limit = threading.TIMEOUT_MAX
        self._running = ""
        self._cancelled: set[str] = set()
        self._is_ended = False
        self._is_over = threading.Event()
        self._watch = threading.Thread(target=self._end_in_time, name="limit", daemon=True)
        self._session = Session(load_with(settings, model_id, **changes), folders)

    def within(self, seconds: float) -> Self:
        """End whatever runs after so long, loading included."""
        self._limit = min(seconds, threading.TIMEOUT_MAX)
        return self

    def __enter__(self) -> Self:
        self._session.__enter__()
        try:
            self._watch.start()
            # Loads the model, so that no measurement waits for that.
            self.effective = self.answer(prompt="Hello", max_tokens=2).finished.effective
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._watch.join()
        self._session.__exit__(None, None, None)

    def _end_in_time(self) -> None:
        seconds = self._limit
        while not self._is_over.wait(seconds):
            self._is_ended = True
            self._session.cancel(self._running)
            # What has only just begun is not cancelled yet.
            seconds = 0.2

    def answer(
        self,
        *texts: str,
        on_token: Callable[[int, str], None] | None = None,
        on_prefill: Callable[[str], None] | None = None,
        **fields: object,
    ) -> Timed:
        """Generate and time it; texts are turns of user and assistant.

        Raises EngineError, Ended at the limit, and KeyboardInterrupt where Ctrl+C has cut it short.
        """
        command = Generate(
            request_id=self._session.new_request_id(),
            model_id=self.model_id,
            messages=turns(*texts),
            **({"sampling": GREEDY} | fields),  # type: ignore[arg-type]
        )
        parts: list[str] = []
        arrivals: list[float] = []
        self._running = command.request_id
        started = time.perf_counter()
        for event in self._session.events(command):
            if isinstance(event, TokenDelta):
                parts.append(event.text)
                arrivals += [time.perf_counter() - started] * event.n_tokens
                if on_token is not None:
                    on_token(len(arrivals), command.request_id)
            elif isinstance(event, PrefillProgress) and on_prefill is not None:
                on_prefill(command.request_id)
        if self._is_ended:
            raise Ended
        finished = ended(event, GenerationFinished)
        if finished.finish_reason is FinishReason.CANCELLED and command.request_id not in self._cancelled:
            raise KeyboardInterrupt
        return Timed("".join(parts), finished, tuple(arrivals))

    # One kind of work each; figures are seconds and tokens per second.

    def decode_tps(self, n_tokens: int = 128) -> float:
        return self.answer(STORY, max_tokens=n_tokens + 1).decode_tps

    def decode_tps_from_start(self, n_tokens: int = 128) -> float:
        """The rate over the first tokens of an empty context, which is what llama-bench's tg measures."""
        timed = self.answer(prompt=COUNTING, max_tokens=n_tokens + 1, reuse_cache=False)
        timed.arrived(n_tokens + 1)
        return timed.decode_tps

    def prefill_tps(self, n_tokens: int, seed: int) -> float:
        metrics = self.answer(prose(n_tokens, seed), max_tokens=1, reuse_cache=False).finished.metrics
        return metrics.n_prompt_tokens / metrics.prefill_time

    def turn_ttfts(self, n_turns: int, seed: int, *, n_tokens: int = 1000) -> list[float]:
        """TTFT of each turn of one chat that begins with a long message."""
        texts = [prose(n_tokens, seed) + " What is this about?"]
        found = []
        for turn in range(n_turns):
            timed = self.answer(*texts, chat_id=f"turns-{seed}", max_tokens=48)
            found.append(timed.ttft)
            texts += [timed.text, f"And what else, in a few words? This is question {turn + 2}."]
        return found

    def prewarmed_ttft(self, seed: int, *, n_tokens: int = 2000, is_patient: bool = False) -> tuple[float, float]:
        """TTFT at Enter after a long paste and three seconds of typing, and one decode step for comparison.

        Enter is the next key after the last; a patient typist looks the question over until the machine has read it.
        """
        paste = prose(n_tokens, seed)
        question = "\n\nWhat does the woman do?"
        chat_id = f"prewarm-{seed}"
        typist = Typist(self.count, lambda draft: self.prewarm(draft, chat_id))
        typist.type(paste, question)
        if is_patient:
            typist.wait()
        timed = self.answer(paste + question, chat_id=chat_id, max_tokens=24)
        typist.wait()
        return timed.ttft, statistics.median(timed.gaps)

    def count(self, draft: str) -> None:
        """Count the tokens of what a user types."""
        self._session.request(CountTokens(model_id=self.model_id, draft=draft), TokensCounted)

    def prewarm(self, draft: str, chat_id: str, *texts: str) -> None:
        """Read ahead what a user types after these turns; returns when that is done."""
        command = Prewarm(model_id=self.model_id, messages=turns(*texts), draft=draft, chat_id=chat_id)
        self._session.request(command, PrewarmFinished)

    def compare_kv_types(self, text: str, *kinds: KvType) -> KvTypesCompared:
        """How far predictions over a text move from those of the first type. Raises EngineError."""
        command = CompareKvTypes(model_id=self.model_id, text=text, kv_types=kinds)
        return self._session.request(command, KvTypesCompared)

    def parallel_tps(self, n_requests: int, *, n_tokens: int = 64, seed: int = 0) -> float:
        """Tokens per second summed over requests that start together, prefill included."""
        answers: list[Timed] = []
        started = time.perf_counter()
        threads = [
            threading.Thread(
                target=lambda number: answers.append(
                    self.answer(f"{STORY} This is version {seed}-{number}.", max_tokens=n_tokens)
                ),
                args=(number,),
            )
            for number in range(n_requests)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return sum(len(timed.arrivals) for timed in answers) / (time.perf_counter() - started)

    def interference(self, seed: int, *, n_tokens: int = 256, n_other: int = 2000) -> tuple[float, float]:
        """ITL P50 and P99 of an answer during which another chat's long prompt is read."""
        other = threading.Thread(target=lambda: self.answer(prose(n_other, seed), max_tokens=1, reuse_cache=False))

        def on_token(count: int, _: str) -> None:
            if count == n_tokens // 8:
                other.start()

        timed = self.answer(STORY, max_tokens=n_tokens, on_token=on_token)
        other.join()
        return percentile(timed.gaps, 50), percentile(timed.gaps, 99)

    def lookup_tps(self, kind: Speculative, *, is_edit: bool, n_tokens: int = 160) -> float:
        """Decode rate with or without prompt lookup, on a text to be copied or a free one."""
        if is_edit:
            timed = self.answer(prompt=edit_task(), max_tokens=n_tokens, speculative=kind)
        else:
            timed = self.answer(STORY, max_tokens=n_tokens, speculative=kind)
        return timed.decode_tps

    def cancel_seconds(self, seed: int, *, in_prefill: bool) -> float:
        """From the wish to cancel until the worker says that the answer has ended."""
        cancelled_at: list[float] = []

        def cancel(request_id: str) -> None:
            if not cancelled_at:
                cancelled_at.append(time.perf_counter())
                self._cancelled.add(request_id)
                self._session.cancel(request_id)

        if in_prefill:
            self.answer(prose(4000, seed), on_prefill=cancel, reuse_cache=False)
        else:
            self.answer(STORY, on_token=lambda count, rid: cancel(rid) if count >= 16 else None)
        return time.perf_counter() - cancelled_at[0]


def turns(*texts: str) -> tuple[ChatMessage, ...]:
    """User and assistant in turn, beginning with the user."""
    roles = (Role.USER, Role.ASSISTANT)
    return tuple(ChatMessage(role=roles[number % 2], content=text) for number, text in enumerate(texts))


OpenEngine = Callable[..., Engine]
"""Engine with its settings, folders and model given: what is left are the changes."""


def resumed_ttft(
    open_engine: OpenEngine, seed: int, *, n_tokens: int = 4000, **changes: object
) -> tuple[float, float, str]:
    """Cold TTFT of a long chat, its TTFT after a full restart, and where its cache came from then."""
    first = prose(n_tokens, seed) + " What is this about?"
    chat_id = f"resume-{seed}"
    with open_engine(**changes) as engine:
        cold = engine.answer(first, chat_id=chat_id, max_tokens=16)
    with open_engine(**changes) as engine:
        again = engine.answer(first, cold.text, "Tell me more.", chat_id=chat_id, max_tokens=16)
    return cold.ttft, again.ttft, again.finished.metrics.cache_source
