"""What the scheduler runs: an answer being generated, or a prompt being prefilled ahead of time."""

from __future__ import annotations

import enum
from bisect import insort
from dataclasses import dataclass

from engine.metrics import CacheSource, FinishReason, RequestMetrics, RequestTimeline, memory_bandwidth_utilisation
from engine.protocol.commands import Generate, Prewarm
from engine.protocol.events import Event, GenerationFinished, MetricsUpdate, PrefillProgress, TokenDelta
from engine.protocol.values import PREWARM_RANK, EffectiveSettings, LoraAdapter, Notice, Section
from engine.worker.cache.kv_cache import CachePlacement
from engine.worker.cache.slots import Slot
from engine.worker.decode.prewarm import PreparedPrewarm
from engine.worker.decode.speculative import Speculator
from engine.worker.llama import Model
from engine.worker.prompt.prompt_builder import Prompt
from engine.worker.prompt.section_parser import PlainText, SectionParser
from engine.worker.sampling.detokenizer import Detokenizer
from engine.worker.sampling.sampler import Sampler
from engine.worker.sampling.stop_strings import StopScanner

_PROGRESS_INTERVAL = 0.1
_METRICS_INTERVAL = 0.25


class Status(enum.Enum):
    """Where a request stands."""

    WAITING = enum.auto()
    """Not started, or parked with its tokens kept."""
    RUNNING = enum.auto()
    FINISHED = enum.auto()


class Request:
    """Tokens that are to be in the cache. What is missing is prefilled; one missing token is a decode step."""

    def __init__(self, command: Generate | Prewarm, rank: int, loras: tuple[LoraAdapter, ...] = ()) -> None:
        self.command = command
        self.request_id = command.request_id
        self.chat_id = command.chat_id
        self.rank = rank
        self.loras = loras
        self.adapter = ",".join(f"{lora.path}*{lora.scale:g}" for lora in loras)
        self.status = Status.WAITING
        self.order = 0
        self.tokens: list[int] = []
        self.slot: Slot | None = None
        self.is_whole = True
        """What follows the last of `tokens` is wanted, too."""

    @property
    def checkpoints(self) -> tuple[int, ...]:
        """Lengths worth a checkpoint where the cache cannot be cut."""
        return ()

    @property
    def can_be_parked(self) -> bool:
        return self.status is Status.WAITING

    @property
    def n_missing(self) -> int:
        """Tokens that are not in the cache yet."""
        return len(self.tokens) - (len(self.slot.tokens) if self.slot else 0)

    @property
    def is_decoding(self) -> bool:
        """Its next step brings a new token."""
        return False


class PrewarmRequest(Request):
    """The next prompt, prefilled while the user types."""

    command: Prewarm

    def __init__(self, prepared: PreparedPrewarm, loras: tuple[LoraAdapter, ...] = ()) -> None:
        super().__init__(prepared.command, PREWARM_RANK, loras)
        self.tokens = prepared.tokens
        self.is_whole = prepared.is_whole
        self._n_stable = prepared.n_stable

    @property
    def checkpoints(self) -> tuple[int, ...]:
        """Where to come back to when the typing goes on."""
        return (self._n_stable,)


@dataclass(slots=True)
class Finish:
    """Why a sequence ended."""

    reason: FinishReason
    stop_text: str = ""
    is_context_full: bool = False


@dataclass(slots=True)
class Taken:
    """What the tokens of one step brought."""

    pieces: list[tuple[Section, str]]
    """The text that became certain."""
    outcome: Finish | None
    """Why the answer ends, if it does."""
    n_tokens: int
    """How many of them counted."""
    gap: float
    """Seconds before the first of them; the others came with it."""


class Sequence(Request):
    """One answer: its prompt, its sampler, its text and its timing."""

    command: Generate

    def __init__(self, command: Generate, now: float, default_loras: tuple[LoraAdapter, ...] = ()) -> None:
        super().__init__(command, command.priority.rank, command.loras or default_loras)
        self.timeline = RequestTimeline(command.accepted or now, load_time=command.load_time)
        self.prompt = Prompt([], "")
        self.placement: CachePlacement | None = None
        self.generated: list[int] = []
        self.sampler: Sampler | None = None
        self.speculator: Speculator | None = None
        self.notices: list[Notice] = []
        self.n_dropped_messages = 0
        self.summary = ""
        self.kv_bytes_per_token = 0.0
        self._model: Model | None = None
        self._detokenizer: Detokenizer | None = None
        self._stops = StopScanner(command.stop)
        self._stop_tokens: dict[int, str] = {}
        """Stops that are special tokens of the vocabulary, whose text is never shown and so never found in it."""
        self._sections: SectionParser | PlainText = PlainText()
        self._answer: list[str] = []
        self._n_interfering = 0
        self._batch_sizes = 0
        self._n_steps = 0
        self._step_times: list[float] = []
        """In rising order."""
        self._new_step_times: list[float] = []
        self._progress_at = 0.0
        self._metrics_at = now

    def begin(self, prompt: Prompt, model: Model, sampler: Sampler) -> None:
        """The prompt is known and the request is about to get a slot."""
        self.prompt = prompt
        self.tokens = list(prompt.tokens)
        self.sampler = sampler
        self._model = model
        self._detokenizer = Detokenizer(model.piece)
        for stop in self.command.stop:
            if (token := model.control_token(stop)) is not None:
                self._stop_tokens[token] = stop
        if self.command.prompt is None:
            # Nobody said that markers mean anything in what follows a raw text.
            self._sections = SectionParser(prompt.opens_reasoning)
        self.notices.extend(prompt.notices)

    @property
    def is_decoding(self) -> bool:
        return bool(self.generated) and self.n_missing == 1

    @property
    def n_prompt_tokens(self) -> int:
        return len(self.prompt.tokens)

    @property
    def checkpoints(self) -> tuple[int, ...]:
        """Prompt lengths worth a checkpoint: before the last user turn (edit), before the last token (regenerate)."""
        return self.prompt.border, self.n_prompt_tokens - 1

    @property
    def content(self) -> str:
        """The visible answer so far."""
        return "".join(self._answer)

    def take(self, tokens: list[int], now: float) -> Taken:
        """Count sampled tokens."""
        assert self._model is not None and self._detokenizer is not None
        text = ""
        outcome: Finish | None = None
        n_counted = 0
        gap = 0.0
        limit = self.command.max_tokens
        for token in tokens:
            if self._model.is_eog(token):
                outcome = Finish(FinishReason.STOP)
                break
            if token in self._stop_tokens:
                outcome = Finish(FinishReason.STOP, stop_text=self._stop_tokens[token])
                break
            gap = self.timeline.token(now) + gap
            self.tokens.append(token)
            self.generated.append(token)
            n_counted += 1
            text += self._stops.feed(self._detokenizer.feed(token))
            if self._stops.hit:
                outcome = Finish(FinishReason.STOP, stop_text=self._stops.hit)
                break
            if limit and len(self.generated) >= limit:
                outcome = Finish(FinishReason.LENGTH)
                break
        pieces = self._sections.feed(text)
        self._keep(pieces)
        return Taken(pieces, outcome, n_counted, gap)

    def finish_text(self) -> Taken:
        """The text that was held back until now."""
        rest = self._stops.finish()
        if self._detokenizer is not None:
            rest += self._detokenizer.finish()
        pieces = [*self._sections.feed(rest), *self._sections.finish()]
        self._keep(pieces)
        return Taken(pieces, None, 0, 0.0)

    def count_step(self, n_sequences: int, seconds: float, *, is_interfered: bool) -> None:
        """Remember what a decode step of this answer looked like."""
        self._n_steps += 1
        self._batch_sizes += n_sequences
        self._n_interfering += is_interfered
        self._new_step_times.append(seconds)

    def _keep(self, pieces: list[tuple[Section, str]]) -> None:
        for section, text in pieces:
            if section is Section.ANSWER:
                self._answer.append(text)

    # Events.

    def deltas(self, taken: Taken, batch_size: int, *, is_interfered: bool) -> list[Event]:
        """One event per section; the first carries the token count and the gap."""
        pieces = taken.pieces or [(self._sections.section, "")]
        return [
            TokenDelta(
                request_id=self.request_id,
                text=text,
                section=section,
                n_tokens=taken.n_tokens if index == 0 else 0,
                gap=taken.gap if index == 0 else 0.0,
                batch_size=batch_size,
                is_interfered=is_interfered,
            )
            for index, (section, text) in enumerate(pieces)
        ]

    def progress(self, now: float) -> PrefillProgress | None:
        """How far the prefill is, at most ten times a second; None in between and once it is over."""
        if (
            self.generated
            or self.slot is None
            or self.placement is None
            or now - self._progress_at < _PROGRESS_INTERVAL
        ):
            return None
        self._progress_at = now
        n_cached = self.placement.n_cached
        n_done, n_total = len(self.slot.tokens) - n_cached, self.n_prompt_tokens - n_cached
        seconds = now - self.timeline.prefill_started
        rate = n_done / seconds if seconds > 0 and n_done > 0 else 0.0
        return PrefillProgress(
            request_id=self.request_id,
            n_done=n_done,
            n_total=n_total,
            n_cached=n_cached,
            rate=rate,
            seconds_left=(n_total - n_done) / rate if rate else None,
        )

    def metrics_update(self, now: float) -> MetricsUpdate | None:
        """Metrics of the running answer, four times a second."""
        if now - self._metrics_at < _METRICS_INTERVAL or not self.generated:
            return None
        self._metrics_at = now
        return MetricsUpdate(request_id=self.request_id, metrics=self.metrics(now))

    def metrics(self, now: float) -> RequestMetrics:
        placement = self.placement
        steps = self._step_times
        for seconds in self._new_step_times:
            insort(steps, seconds)
        self._new_step_times.clear()
        return self.timeline.metrics(
            now,
            prefill_limit=self.command.prefill_limit,
            n_prompt_tokens=self.n_prompt_tokens,
            n_cached_tokens=placement.n_cached if placement else 0,
            n_prepared_tokens=placement.n_prepared if placement else 0,
            cache_source=placement.source if placement else CacheSource.NONE,
            cache_miss_reason=placement.miss_reason if placement else "",
            n_drafted=self.speculator.n_drafted if self.speculator else 0,
            n_accepted=self.speculator.n_accepted if self.speculator else 0,
            batch_size_mean=self._batch_sizes / self._n_steps if self._n_steps else 1.0,
            n_interfering_steps=self._n_interfering,
            step_p50=steps[len(steps) // 2] if steps else None,
            kv_bytes=round(self.kv_bytes_per_token * len(self.tokens)),
            mbu=self._bandwidth_utilisation(),
        )

    def _bandwidth_utilisation(self) -> float | None:
        """Against the measured bandwidth. Tokens that speculation brings along in a step read nothing of their own."""
        command, n_gaps = self.command, self.timeline.n_decoded - 1
        if not command.bandwidth or not command.weight_bytes or n_gaps < 1 or self.timeline.decode_time <= 0:
            return None
        share = self._n_steps / n_gaps
        kv_bytes = self.kv_bytes_per_token * (self.n_prompt_tokens + self.timeline.n_decoded / 2)
        return memory_bandwidth_utilisation(
            command.weight_bytes * share, kv_bytes * share, n_gaps / self.timeline.decode_time, command.bandwidth
        )

    def finished(self, outcome: Finish, now: float, effective: EffectiveSettings | None) -> GenerationFinished:
        return GenerationFinished(
            request_id=self.request_id,
            finish_reason=outcome.reason,
            metrics=self.metrics(now),
            effective=effective,
            stop_text=outcome.stop_text,
            is_context_full=outcome.is_context_full,
            has_open_reasoning=self._sections.has_open_reasoning,
            seed=self.sampler.seed if self.sampler else 0,
            notices=tuple(self.notices),
        )

    def close(self) -> None:
        """Free what is native."""
        if self.sampler is not None:
            self.sampler.close()
        if self.speculator is not None:
            self.speculator.close()
