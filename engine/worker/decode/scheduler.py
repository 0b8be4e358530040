"""The requests of one loaded model: who waits, who runs, how each ends. A step is schedule → decode → emit."""

from __future__ import annotations

import sys
import time
import traceback
from collections.abc import Callable

from engine.errors import Code, EngineError, FirstlightError, RequestError
from engine.metrics import FinishReason
from engine.protocol.events import GenerationStarted, PrewarmFinished, Queued, RequestFailed, TokenDelta
from engine.worker.cache.kv_cache import KvCache
from engine.worker.decode.prewarm import is_replaced
from engine.worker.decode.sequence import Finish, PrewarmRequest, Request, Sequence, Status
from engine.worker.decode.stepper import ScheduledRequest, Stepper, StepResult
from engine.worker.llama import DecodeResult
from engine.worker.loading.loader import Loaded
from engine.worker.outbox import Outbox

Prepare = Callable[[Sequence], None]
"""Builds a sequence's prompt and sampler; raises FirstlightError."""
Finished = Callable[[Sequence], None]
"""Told of every answer that ended, while its slot still holds it."""


class Scheduler:
    """Not thread-safe: everything but `stepper.interrupt` belongs to the loop."""

    def __init__(self, loaded: Loaded, cache: KvCache, outbox: Outbox, *, prepare: Prepare, finished: Finished) -> None:
        self._loaded = loaded
        self._cache = cache
        self._outbox = outbox
        self._prepare = prepare
        self._finished = finished
        self._n_parallel = loaded.effective.n_parallel
        # llama.cpp looks at the flag between operations on the CPU; a state that cannot be cut is lost with the step.
        can_abort = loaded.effective.n_gpu_layers == 0 and cache.can_cut
        self.stepper = Stepper(loaded.context, cache, can_abort=can_abort)
        self._waiting: list[Request] = []
        self._running: list[Request] = []
        self._order = 0
        self._adapter = ""
        self._is_crowded = False
        """Somebody was parked because the cache was full: nobody starts until somebody has finished."""

    @property
    def is_busy(self) -> bool:
        return bool(self._running or self._waiting)

    @property
    def works(self) -> list[Request]:
        return [*self._running, *self._waiting]

    def submit(self, work: Request) -> None:
        """Take a request on; it starts when its turn comes. A newer request of a chat replaces its prewarm."""
        for old in self.works:
            if isinstance(old, PrewarmRequest) and is_replaced(old.command, work.command):
                self._end_prewarm(old)
        self._order += 1
        work.order = self._order
        self._waiting.append(work)
        self._admit()
        if work.status is Status.WAITING and isinstance(work, Sequence):
            n_ahead = sum((w.rank, w.order) < (work.rank, work.order) for w in self._waiting)
            self._outbox.put(Queued(request_id=work.request_id, n_ahead=n_ahead, reason="busy"))

    def cancel(self, request_id: str) -> bool:
        """End a request where it stands; False when it is not here."""
        for work in self.works:
            if work.request_id == request_id:
                if isinstance(work, Sequence):
                    self._finish(work, Finish(FinishReason.CANCELLED))
                elif isinstance(work, PrewarmRequest):
                    self._end_prewarm(work)
                return True
        return False

    def cancel_all(self) -> None:
        for work in self.works:
            self.cancel(work.request_id)

    def step(self) -> None:
        """Schedule, decode, emit. Does nothing when there is nothing to do."""
        self._admit()
        parts = self.stepper.fill(self._running)
        if not parts:
            return
        try:
            step = self.stepper.run(parts)
        except FirstlightError as error:
            # llama.cpp failed on the batch: its requests fail, and nothing of their slots is trusted.
            for part in parts:
                self._cache.clear(part.slot)
                self.fail(part.work, error)
            return
        if step.result is DecodeResult.OK:
            for part in parts:
                try:
                    if part.error is not None:
                        raise part.error
                    self._emit(part, step)
                except Exception as error:  # noqa: BLE001 - the other requests must go on, whatever it was
                    self._fail_on(part.work, error)
            self.stepper.learn(step)
        elif step.result is DecodeResult.NO_SLOT:
            self._make_room(parts)

    # Schedule.

    def _admit(self) -> None:
        """Start waiting work by priority while there is room; a higher priority parks a lower one."""
        if not self._waiting:
            return
        for work in sorted(self._waiting, key=lambda w: (w.rank, w.order)):
            if self._running and (self._is_crowded or work.adapter != self._adapter):
                # Adapters belong to the whole context: those that use others finish first.
                return
            if isinstance(work, PrewarmRequest):
                if any(w.rank == 0 or isinstance(w, PrewarmRequest) for w in self._running):
                    return
            elif not self._has_place(work.rank):
                return
            try:
                if not self._start(work):
                    return
            except Exception as error:  # noqa: BLE001 - the other requests must go on, whatever it was
                self._fail_on(work, error)

    def _has_place(self, rank: int) -> bool:
        running = [work for work in self._running if isinstance(work, Sequence)]
        if len(running) < self._n_parallel:
            return True
        lowest = max(running, key=lambda w: (w.rank, w.order))
        if lowest.rank <= rank:
            return False
        self._park(lowest)
        return True

    def _park(self, work: Request) -> None:
        """Stop working on a request; its slot keeps its tokens until somebody needs the room."""
        self._running.remove(work)
        work.status = Status.WAITING
        self._waiting.append(work)

    def _start(self, work: Request) -> bool:
        """Give work a slot and let it run; False when there is no slot."""
        if work.adapter != self._adapter:
            self._loaded.loras.apply(self._loaded.context, work.loras)
            self._adapter = work.adapter
        if isinstance(work, Sequence) and not work.tokens:
            work.timeline.start(time.monotonic())
            self._prepare(work)
            work.timeline.template_done(time.monotonic())
        if work.slot is None and not self._place(work):
            return False
        self._waiting.remove(work)
        work.status = Status.RUNNING
        self._running.append(work)
        if work.n_missing <= 0:
            self._complete(work)
        return True

    def _complete(self, work: Request) -> None:
        """Everything has been read before, up to what comes next."""
        if isinstance(work, PrewarmRequest):
            self._end_prewarm(work)
        elif isinstance(work, Sequence):
            part = self.stepper.take_ready(work)
            self._emit_tokens(work, part, StepResult(DecodeResult.OK, [part], time.monotonic(), n_generating=1))

    def _place(self, work: Request) -> bool:
        reuse = work.command.reuse_cache if isinstance(work, Sequence) else True
        placement = self._cache.take(work.tokens, work, chat_id=work.chat_id, adapter=work.adapter, reuse=reuse)
        if placement is None:
            return False
        if isinstance(work, Sequence) and work.placement is None:
            work.placement = placement
            work.timeline.restore_done(time.monotonic())
            self._outbox.put(
                GenerationStarted(
                    request_id=work.request_id,
                    n_prompt_tokens=work.n_prompt_tokens,
                    n_cached_tokens=placement.n_cached,
                    cache_source=placement.source,
                    cache_miss_reason=placement.miss_reason,
                    n_dropped_messages=work.n_dropped_messages,
                    summary=work.summary,
                    seed=work.sampler.seed if work.sampler else 0,
                    opens_reasoning=work.prompt.opens_reasoning,
                    notices=tuple(work.notices),
                )
            )
        return True

    def _make_room(self, parts: list[ScheduledRequest]) -> None:
        """The cache is full: forget idle slots, then set the lowest priority aside, then end the one that is left."""
        if self._cache.evict_one():
            return
        holders = [work for work in self._running if work.slot is not None]
        lowest = max(holders, key=lambda w: (w.rank, w.order))
        if isinstance(lowest, PrewarmRequest):
            self._end_prewarm(lowest)
        elif len(holders) > 1:
            self._park(lowest)
            self._is_crowded = True
            self._cache.evict_one()
        elif isinstance(lowest, Sequence) and lowest.generated:
            self._finish(lowest, Finish(FinishReason.LENGTH, is_context_full=True))
        else:
            n_tokens = len(parts[0].work.tokens)
            failure = RequestError(
                Code.CONTEXT_FULL,
                "The prompt of {n_tokens:,} tokens does not fit into the cache.",
                "Shorten it, or load the model with a longer context.",
                n_tokens=n_tokens,
            )
            self.fail(lowest, failure)

    # Emit.

    def _emit(self, part: ScheduledRequest, step: StepResult) -> None:
        work = part.work
        if isinstance(work, PrewarmRequest):
            part.slot.n_prepared = len(part.slot.tokens)
            if len(part.slot.tokens) in work.checkpoints:
                self._cache.checkpoint(part.slot)
            if work.n_missing <= 0:
                self._end_prewarm(work)
        elif isinstance(work, Sequence):
            if not part.indices:
                if len(part.slot.tokens) in work.checkpoints:
                    self._cache.checkpoint(part.slot)
                if (progress := work.progress(step.now)) is not None:
                    self._outbox.put(progress)
            else:
                self._emit_tokens(work, part, step)

    def _emit_tokens(self, sequence: Sequence, part: ScheduledRequest, step: StepResult) -> None:
        is_interfered = step.n_prefill > 0
        if part.is_decode:
            sequence.count_step(step.n_generating, step.seconds, is_interfered=is_interfered)
        # Now, not when the step ended: others' tokens of the same step went out before.
        taken = sequence.take(part.sampled, time.monotonic())
        if taken.n_tokens:
            for event in sequence.deltas(taken, step.n_generating, is_interfered=is_interfered):
                self._outbox.put(event)
        outcome = taken.outcome
        if outcome is None and len(part.slot.tokens) >= self._loaded.context.n_ctx:
            outcome = Finish(FinishReason.LENGTH, is_context_full=True)
        if outcome is not None:
            self._finish(sequence, outcome)
        elif (update := sequence.metrics_update(step.now)) is not None:
            self._outbox.put(update)

    # Ends.

    def _finish(self, sequence: Sequence, outcome: Finish) -> None:
        now = time.monotonic()
        for event in sequence.deltas(sequence.finish_text(), 1, is_interfered=False):
            if isinstance(event, TokenDelta) and event.text:
                self._outbox.put(event)
        self._finished(sequence)
        self._outbox.put(sequence.finished(outcome, now, self._loaded.effective))
        self._remove(sequence)

    def _end_prewarm(self, work: PrewarmRequest) -> None:
        self._outbox.put(
            PrewarmFinished(
                request_id=work.request_id,
                n_prepared=len(work.slot.tokens) if work.slot else 0,
                n_prompt_tokens=len(work.tokens),
                is_complete=work.slot is not None and work.n_missing <= 0,
            )
        )
        self._remove(work)

    def fail(self, work: Request, error: FirstlightError) -> None:
        """End a request with an error; what it has said stays valid."""
        metrics = work.metrics(time.monotonic()) if isinstance(work, Sequence) and work.generated else None
        self._outbox.put(RequestFailed(request_id=work.request_id, failure=error.failure, metrics=metrics))
        self._remove(work)

    def _remove(self, work: Request) -> None:
        for group in (self._running, self._waiting):
            if work in group:
                group.remove(work)
        work.status = Status.FINISHED
        self._is_crowded = False
        if work.slot is not None:
            self._cache.release(work.slot)
            work.slot = None
        if isinstance(work, Sequence):
            work.close()

    def _fail_on(self, work: Request, error: Exception) -> None:
        """An error while working on one request ends that request and nothing else."""
        if not isinstance(error, FirstlightError):
            traceback.print_exception(error, file=sys.stderr)
            error = internal_error(error)
        self.fail(work, error)


def internal_error(error: Exception) -> EngineError:
    """What the user reads about a bug of ours; the details are on stderr."""
    return EngineError(
        Code.INTERNAL,
        "Something went wrong inside Firstlight ({kind}).",
        "Try again; if it stays, load the model again and report it with the log.",
        kind=type(error).__name__,
    )
