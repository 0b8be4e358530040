"""The requests of one loaded model: who waits, who runs, how each ends. A step is schedule → decode → emit."""

from __future__ import annotations

import time
from collections.abc import Callable

from engine.errors import Code, FirstlightError, RequestError
from engine.metrics import FinishReason
from engine.protocol.events import GenerationStarted, PrewarmFinished, Queued, TokenDelta
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
    def requests(self) -> list[Request]:
        return [*self._running, *self._waiting]

    def submit(self, request: Request) -> None:
        """Take a request on; it starts when its turn comes. A newer request of a chat replaces its prewarm."""
        for old in self.requests:
            if isinstance(old, PrewarmRequest) and is_replaced(old.command, request.command):
                self._end_prewarm(old)
        self._order += 1
        request.order = self._order
        self._waiting.append(request)
        self._admit()
        if request.status is Status.WAITING and isinstance(request, Sequence):
            n_ahead = sum((w.rank, w.order) < (request.rank, request.order) for w in self._waiting)
            self._outbox.put(Queued(request_id=request.request_id, n_ahead=n_ahead, reason="busy"))

    def cancel(self, request_id: str) -> bool:
        """End a request where it stands; False when it is not here."""
        for request in self.requests:
            if request.request_id == request_id:
                if isinstance(request, Sequence):
                    self._finish(request, Finish(FinishReason.CANCELLED))
                elif isinstance(request, PrewarmRequest):
                    self._end_prewarm(request)
                return True
        return False

    def cancel_all(self) -> None:
        for request in self.requests:
            self.cancel(request.request_id)

    def step(self) -> None:
        """Schedule, decode, emit. Does nothing when there is nothing to do."""
        self._admit()
        scheduled = self.stepper.fill(self._running)
        if not scheduled:
            return
        try:
            step = self.stepper.run(scheduled)
        except FirstlightError as error:
            # llama.cpp failed on the batch: its requests fail, and nothing of their slots is trusted.
            for entry in scheduled:
                self._cache.clear(entry.slot)
                self._fail(entry.request, error)
            return
        if step.result is DecodeResult.OK:
            for entry in scheduled:
                try:
                    if entry.error is not None:
                        raise entry.error
                    self._emit(entry, step)
                except Exception as error:  # noqa: BLE001 - the other requests must go on, whatever it was
                    self._fail(entry.request, error)
            self.stepper.learn(step)
        elif step.result is DecodeResult.NO_SLOT:
            self._make_room(scheduled)

    # Schedule.

    def _admit(self) -> None:
        """Start waiting requests by priority while there are free sequences; a higher priority parks a lower one."""
        if not self._waiting:
            return
        for request in sorted(self._waiting, key=lambda w: (w.rank, w.order)):
            if self._running and (self._is_crowded or request.adapter != self._adapter):
                # Adapters belong to the whole context: those that use others finish first.
                return
            if isinstance(request, PrewarmRequest):
                if any(w.rank == 0 or isinstance(w, PrewarmRequest) for w in self._running):
                    return
            elif not self._has_free_sequence(request.rank):
                return
            try:
                if not self._start(request):
                    return
            except Exception as error:  # noqa: BLE001 - the other requests must go on, whatever it was
                self._fail(request, error)

    def _has_free_sequence(self, rank: int) -> bool:
        running = [request for request in self._running if isinstance(request, Sequence)]
        if len(running) < self._n_parallel:
            return True
        lowest = max(running, key=lambda w: (w.rank, w.order))
        if lowest.rank <= rank:
            return False
        self._park(lowest)
        return True

    def _park(self, request: Request) -> None:
        """Stop working on a request; its slot keeps its tokens until somebody needs the room."""
        self._running.remove(request)
        request.status = Status.WAITING
        self._waiting.append(request)

    def _start(self, request: Request) -> bool:
        """Give a request a slot and let it run; False when there is no slot."""
        if request.adapter != self._adapter:
            self._loaded.loras.apply(self._loaded.context, request.loras)
            self._adapter = request.adapter
        if isinstance(request, Sequence) and not request.tokens:
            request.timeline.start(time.monotonic())
            self._prepare(request)
            request.timeline.template_done(time.monotonic())
        if request.slot is None and not self._take_slot(request):
            return False
        self._waiting.remove(request)
        request.status = Status.RUNNING
        self._running.append(request)
        if request.n_missing <= 0:
            self._complete(request)
        return True

    def _complete(self, request: Request) -> None:
        """Everything has been read before, up to what comes next."""
        if isinstance(request, PrewarmRequest):
            self._end_prewarm(request)
        elif isinstance(request, Sequence):
            entry = self.stepper.take_ready(request)
            self._emit_tokens(request, entry, StepResult(DecodeResult.OK, [entry], time.monotonic(), n_generating=1))

    def _take_slot(self, request: Request) -> bool:
        reuse = request.command.reuse_cache if isinstance(request, Sequence) else True
        placement = self._cache.take(
            request.tokens, request, chat_id=request.chat_id, adapter=request.adapter, reuse=reuse
        )
        if placement is None:
            return False
        if isinstance(request, Sequence) and request.placement is None:
            request.placement = placement
            request.timeline.restore_done(time.monotonic())
            self._outbox.put(
                GenerationStarted(
                    request_id=request.request_id,
                    n_prompt_tokens=request.n_prompt_tokens,
                    n_cached_tokens=placement.n_cached,
                    cache_source=placement.source,
                    cache_miss_reason=placement.miss_reason,
                    n_dropped_messages=request.n_dropped_messages,
                    summary=request.summary,
                    seed=request.sampler.seed if request.sampler else 0,
                    opens_reasoning=request.prompt.opens_reasoning,
                    notices=tuple(request.notices),
                )
            )
        return True

    def _make_room(self, scheduled: list[ScheduledRequest]) -> None:
        """The cache is full: forget idle slots, then set the lowest priority aside, then end the one that is left."""
        if self._cache.evict_one():
            return
        holders = [request for request in self._running if request.slot is not None]
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
            n_tokens = len(scheduled[0].request.tokens)
            failure = RequestError(
                Code.CONTEXT_FULL,
                "The prompt of {n_tokens:,} tokens does not fit into the cache.",
                "Shorten it, or load the model with a longer context.",
                n_tokens=n_tokens,
            )
            self._fail(lowest, failure)

    # Emit.

    def _emit(self, entry: ScheduledRequest, step: StepResult) -> None:
        request = entry.request
        if isinstance(request, PrewarmRequest):
            entry.slot.n_prepared = len(entry.slot.tokens)
            if len(entry.slot.tokens) in request.checkpoints:
                self._cache.checkpoint(entry.slot)
            if request.n_missing <= 0:
                self._end_prewarm(request)
        elif isinstance(request, Sequence):
            if not entry.indices:
                if len(entry.slot.tokens) in request.checkpoints:
                    self._cache.checkpoint(entry.slot)
                if (progress := request.progress(step.now)) is not None:
                    self._outbox.put(progress)
            else:
                self._emit_tokens(request, entry, step)

    def _emit_tokens(self, sequence: Sequence, entry: ScheduledRequest, step: StepResult) -> None:
        is_interfered = step.n_prefill > 0
        if entry.is_decode:
            sequence.count_step(step.n_generating, step.seconds, is_interfered=is_interfered)
        # Now, not when the step ended: others' tokens of the same step went out before.
        taken = sequence.take(entry.sampled, time.monotonic())
        if taken.n_tokens:
            for event in sequence.deltas(taken, step.n_generating, is_interfered=is_interfered):
                self._outbox.put(event)
        outcome = taken.outcome
        if outcome is None and len(entry.slot.tokens) >= self._loaded.context.n_ctx:
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

    def _end_prewarm(self, request: PrewarmRequest) -> None:
        self._outbox.put(
            PrewarmFinished(
                request_id=request.request_id,
                n_prepared=len(request.slot.tokens) if request.slot else 0,
                n_prompt_tokens=len(request.tokens),
                is_complete=request.slot is not None and request.n_missing <= 0,
            )
        )
        self._remove(request)

    def _fail(self, request: Request, error: Exception) -> None:
        """End a request, and nothing else, with an error; what it has said stays valid."""
        metrics = request.metrics(time.monotonic()) if isinstance(request, Sequence) and request.generated else None
        self._outbox.fail(request.request_id, error, metrics)
        self._remove(request)

    def _remove(self, request: Request) -> None:
        for group in (self._running, self._waiting):
            if request in group:
                group.remove(request)
        request.status = Status.FINISHED
        self._is_crowded = False
        if request.slot is not None:
            self._cache.release(request.slot)
            request.slot = None
        if isinstance(request, Sequence):
            request.close()
