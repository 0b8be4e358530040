"""One step: fills a batch with every sequence's next tokens, decodes it, and samples."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from engine.worker.cache.kv_cache import KvCache
from engine.worker.cache.slots import Slot
from engine.worker.decode.interrupt import Interrupt
from engine.worker.decode.sequence import PrewarmRequest, Request, Sequence
from engine.worker.decode.speculative import StepCosts, verify
from engine.worker.decode.step_budget import StepBudget
from engine.worker.llama import Batch, Context, DecodeResult


@dataclass(slots=True)
class ScheduledRequest:
    """One request's share of a batch."""

    request: Request
    slot: Slot
    tokens: list[int]
    is_decode: bool
    drafts: list[int] = field(default_factory=list)
    indices: list[int] = field(default_factory=list)
    """Batch rows with logits: the last token's and the drafts'; empty where nothing is sampled yet."""
    sampled: list[int] = field(default_factory=list)
    """What came out of them."""
    error: Exception | None = None
    """Why nothing did."""


@dataclass(frozen=True, slots=True)
class StepResult:
    """What a step did, in seconds and tokens."""

    result: DecodeResult
    scheduled: list[ScheduledRequest]
    now: float = 0.0
    seconds: float = 0.0
    n_generating: int = 0
    """Sequences that got a token."""
    n_prefill: int = 0
    """Prompt tokens that ran along."""


class Stepper:
    """Runs steps over the context of one model."""

    def __init__(self, context: Context, cache: KvCache, *, can_abort: bool) -> None:
        """`can_abort`: a step may be ended in the middle and costs nothing but itself."""
        self._context = context
        self._cache = cache
        self._can_abort = can_abort
        self._batch = Batch(context.n_ubatch)
        self._n_outputs = context.options.n_outputs_max or context.n_ubatch
        self.budget = StepBudget(context.n_ubatch)
        self.costs = StepCosts()
        self.interrupt = Interrupt(context.abort)

    def fill(self, running: list[Request]) -> list[ScheduledRequest]:
        """The next batch: what decodes first, then prefill by priority up to the budget."""
        self._batch.clear()
        decoding = [request for request in running if request.is_decoding]
        scheduled = [self._schedule_decode(request, len(decoding)) for request in decoding]
        if len(decoding) == len(running):
            return scheduled
        prefilling = [request for request in running if not request.is_decoding and request.n_missing > 0]
        if any(request.rank == 0 for request in running) or not all(isinstance(w, PrewarmRequest) for w in prefilling):
            # A prewarm stands back behind every prompt that somebody waits for, and beside an interactive answer.
            prefilling = [request for request in prefilling if not isinstance(request, PrewarmRequest)]
        if not prefilling:
            return scheduled
        must_yield = isinstance(prefilling[0], PrewarmRequest) and not self._can_abort
        left = min(self.budget.prefill_tokens(len(decoding), must_yield=must_yield), self._batch.room)
        for request in sorted(prefilling, key=lambda w: (w.rank, w.order)):
            if left <= 0 or self._batch.n_outputs >= self._n_outputs:
                break
            entry = self._schedule_prefill(request, left)
            left -= len(entry.tokens)
            scheduled.append(entry)
        return scheduled

    def run(self, scheduled: list[ScheduledRequest]) -> StepResult:
        """Decode the filled batch and sample. Raises EngineError when llama.cpp fails."""
        started = time.monotonic()
        sole = scheduled[0].request if len(scheduled) == 1 else None
        prewarm = sole.command if isinstance(sole, PrewarmRequest) and self._can_abort else None
        self.interrupt.begin(sole.request_id if sole else None, prewarm)
        try:
            result = self._context.decode(self._batch)
        finally:
            self.interrupt.end()
        if result is DecodeResult.ABORTED:
            for entry in scheduled:
                self._cache.resync(entry.slot, entry.tokens)
        if result is not DecodeResult.OK:
            return StepResult(result, scheduled)
        n_generating = n_prefill = 0
        for entry in scheduled:
            self._cache.append(entry.slot, [*entry.tokens, *entry.drafts] if entry.drafts else entry.tokens)
            if not entry.is_decode:
                n_prefill += len(entry.tokens)
        for entry in scheduled:
            if isinstance(entry.request, PrewarmRequest):
                self._keep_logits(entry)
            elif entry.indices:
                try:
                    self._sample(entry)
                except Exception as error:  # noqa: BLE001 - it ends this request; the others have their tokens to get
                    entry.error = error
                n_generating += 1
        if not n_generating:
            self._context.synchronize()
        now = time.monotonic()
        return StepResult(result, scheduled, now, now - started, n_generating, n_prefill)

    def learn(self, step: StepResult) -> None:
        """Count what the step took, for the next ones' size. After its tokens are out: nobody waits for this."""
        n_decode = n_drafted = 0
        for entry in step.scheduled:
            n_decode += entry.is_decode
            n_drafted += len(entry.drafts)
        if not n_drafted:
            self.budget.observe(n_decode, step.n_prefill, step.seconds)
        if not step.n_prefill:
            self.costs.observe(n_decode + n_drafted, step.seconds)

    def _schedule_decode(self, request: Request, n_decoding: int) -> ScheduledRequest:
        slot = request.slot
        assert slot is not None
        position = len(slot.tokens)
        entry = ScheduledRequest(request, slot, [request.tokens[-1]], is_decode=True)
        entry.indices.append(self._batch.add(entry.tokens[0], position, slot.index, output=True))
        if isinstance(request, Sequence) and request.speculator is not None:
            room = min(self._n_outputs - self._batch.n_outputs - n_decoding, self._context.n_ctx - position - 2)
            if limit := request.command.max_tokens:
                room = min(room, limit - len(request.generated) - 1)
            if room > 0:
                entry.drafts = request.speculator.propose(n_decoding - 1, room)
        for offset, token in enumerate(entry.drafts, 1):
            entry.indices.append(self._batch.add(token, position + offset, slot.index, output=True))
        return entry

    def _schedule_prefill(self, request: Request, limit: int) -> ScheduledRequest:
        slot = request.slot
        assert slot is not None
        done = len(slot.tokens)
        end = min(len(request.tokens), done + limit)
        if not self._cache.can_cut:
            # A checkpoint is made where a chunk ends.
            end = min([end, *(stop for stop in request.checkpoints if stop > done)])
        entry = ScheduledRequest(request, slot, request.tokens[done:end], is_decode=False)
        is_last = end == len(request.tokens) and request.is_whole
        last = self._batch.extend(entry.tokens, done, slot.index, output_last=is_last)
        if is_last:
            entry.indices.append(last)
        return entry

    def take_ready(self, sequence: Sequence) -> ScheduledRequest:
        """The first token of a prompt that is in its slot with the logits that follow it: it needs no step."""
        slot, sampler = sequence.slot, sequence.sampler
        assert slot is not None and slot.logits is not None and sampler is not None
        token = sampler.choose(slot.logits)
        sampler.accept(token)
        if sequence.speculator is not None:
            sequence.speculator.extend([token])
        return ScheduledRequest(sequence, slot, [], is_decode=False, sampled=[token])

    def _keep_logits(self, entry: ScheduledRequest) -> None:
        if entry.indices:
            entry.slot.logits = self._context.logits(entry.indices[0])

    def _sample(self, entry: ScheduledRequest) -> None:
        """Sample after its last token (and its drafts); the mirror keeps what is right."""
        sequence = entry.request
        assert isinstance(sequence, Sequence)
        assert sequence.sampler is not None
        if entry.drafts:
            is_end = self._context.model.is_eog
            entry.sampled = verify(sequence.sampler, self._context, entry.indices, entry.drafts, is_end)
        else:
            entry.sampled = [sequence.sampler.sample(self._context, entry.indices[0])]
        n_right = len(entry.sampled) - 1
        if n_right < len(entry.drafts):
            self._cache.cut(entry.slot, len(entry.slot.tokens) - len(entry.drafts) + n_right)
        if sequence.speculator is not None:
            if entry.drafts:
                sequence.speculator.verified(n_right)
            sequence.speculator.extend(entry.sampled)
