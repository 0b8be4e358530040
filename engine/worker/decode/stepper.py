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
    """One piece of work's share of a batch."""

    work: Request
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
    parts: list[ScheduledRequest]
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
        decoding = [work for work in running if work.is_decoding]
        parts = [self._decode_part(work, len(decoding)) for work in decoding]
        if len(decoding) == len(running):
            return parts
        prefilling = [work for work in running if not work.is_decoding and work.n_missing > 0]
        if any(work.rank == 0 for work in running) or not all(isinstance(w, PrewarmRequest) for w in prefilling):
            # A prewarm stands back behind every prompt that somebody waits for, and beside an interactive answer.
            prefilling = [work for work in prefilling if not isinstance(work, PrewarmRequest)]
        if not prefilling:
            return parts
        must_yield = isinstance(prefilling[0], PrewarmRequest) and not self._can_abort
        left = min(self.budget.prefill_tokens(len(decoding), must_yield=must_yield), self._batch.room)
        for work in sorted(prefilling, key=lambda w: (w.rank, w.order)):
            if left <= 0 or self._batch.n_outputs >= self._n_outputs:
                break
            part = self._prefill_part(work, left)
            left -= len(part.tokens)
            parts.append(part)
        return parts

    def run(self, parts: list[ScheduledRequest]) -> StepResult:
        """Decode the filled batch and sample. Raises EngineError when llama.cpp fails."""
        started = time.monotonic()
        sole = parts[0].work if len(parts) == 1 else None
        prewarm = sole.command if isinstance(sole, PrewarmRequest) and self._can_abort else None
        self.interrupt.begin(sole.request_id if sole else None, prewarm)
        try:
            result = self._context.decode(self._batch)
        finally:
            self.interrupt.end()
        if result is DecodeResult.ABORTED:
            for part in parts:
                self._cache.resync(part.slot, part.tokens)
        if result is not DecodeResult.OK:
            return StepResult(result, parts)
        n_generating = n_prefill = 0
        for part in parts:
            self._cache.append(part.slot, [*part.tokens, *part.drafts] if part.drafts else part.tokens)
            if not part.is_decode:
                n_prefill += len(part.tokens)
        for part in parts:
            if isinstance(part.work, PrewarmRequest):
                self._keep_logits(part)
            elif part.indices:
                try:
                    self._sample(part)
                except Exception as error:  # noqa: BLE001 - it ends this request; the others have their tokens to get
                    part.error = error
                n_generating += 1
        if not n_generating:
            self._context.synchronize()
        now = time.monotonic()
        return StepResult(result, parts, now, now - started, n_generating, n_prefill)

    def learn(self, step: StepResult) -> None:
        """Count what the step took, for the next ones' size. After its tokens are out: nobody waits for this."""
        n_decode = n_drafted = 0
        for part in step.parts:
            n_decode += part.is_decode
            n_drafted += len(part.drafts)
        if not n_drafted:
            self.budget.observe(n_decode, step.n_prefill, step.seconds)
        if not step.n_prefill:
            self.costs.observe(n_decode + n_drafted, step.seconds)

    def _decode_part(self, work: Request, n_decoding: int) -> ScheduledRequest:
        slot = work.slot
        assert slot is not None
        position = len(slot.tokens)
        part = ScheduledRequest(work, slot, [work.tokens[-1]], is_decode=True)
        part.indices.append(self._batch.add(part.tokens[0], position, slot.index, output=True))
        if isinstance(work, Sequence) and work.speculator is not None:
            room = min(self._n_outputs - self._batch.n_outputs - n_decoding, self._context.n_ctx - position - 2)
            if limit := work.command.max_tokens:
                room = min(room, limit - len(work.generated) - 1)
            if room > 0:
                part.drafts = work.speculator.propose(n_decoding - 1, room)
        for offset, token in enumerate(part.drafts, 1):
            part.indices.append(self._batch.add(token, position + offset, slot.index, output=True))
        return part

    def _prefill_part(self, work: Request, limit: int) -> ScheduledRequest:
        slot = work.slot
        assert slot is not None
        done = len(slot.tokens)
        end = min(len(work.tokens), done + limit)
        if not self._cache.can_cut:
            # A checkpoint is made where a chunk ends.
            end = min([end, *(stop for stop in work.checkpoints if stop > done)])
        part = ScheduledRequest(work, slot, work.tokens[done:end], is_decode=False)
        is_last = end == len(work.tokens) and work.is_whole
        last = self._batch.extend(part.tokens, done, slot.index, output_last=is_last)
        if is_last:
            part.indices.append(last)
        return part

    def take_ready(self, sequence: Sequence) -> ScheduledRequest:
        """The first token of a prompt that is in its slot with the logits that follow it: it needs no step."""
        slot, sampler = sequence.slot, sequence.sampler
        assert slot is not None and slot.logits is not None and sampler is not None
        token = sampler.choose(slot.logits)
        sampler.accept(token)
        if sequence.speculator is not None:
            sequence.speculator.extend([token])
        return ScheduledRequest(sequence, slot, [], is_decode=False, sampled=[token])

    def _keep_logits(self, part: ScheduledRequest) -> None:
        if part.indices:
            part.slot.logits = self._context.logits(part.indices[0])

    def _sample(self, part: ScheduledRequest) -> None:
        """Sample after this part's last token (and its drafts); the mirror keeps what is right."""
        sequence = part.work
        assert isinstance(sequence, Sequence)
        assert sequence.sampler is not None
        if part.drafts:
            is_end = self._context.model.is_eog
            part.sampled = verify(sequence.sampler, self._context, part.indices, part.drafts, is_end)
        else:
            part.sampled = [sequence.sampler.sample(self._context, part.indices[0])]
        n_right = len(part.sampled) - 1
        if n_right < len(part.drafts):
            self._cache.cut(part.slot, len(part.slot.tokens) - len(part.drafts) + n_right)
        if sequence.speculator is not None:
            if part.drafts:
                sequence.speculator.verified(n_right)
            sequence.speculator.extend(part.sampled)
