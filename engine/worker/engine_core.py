"""Everything that exists while a model is loaded: cache, snapshots, prompts, scheduler; and its commands."""

from __future__ import annotations

import time
from pathlib import Path

from engine.errors import Code, RequestError
from engine.metrics import FinishReason, RequestTimeline
from engine.protocol import commands as c
from engine.protocol import events as e
from engine.worker.cache.generated_token_cache import GeneratedTokenCache, make_answer
from engine.worker.cache.kv_cache import KvCache
from engine.worker.cache.snapshot_file import Identity
from engine.worker.cache.snapshots import SnapshotStore
from engine.worker.decode.draft_choice import make_speculator, open_draft_model
from engine.worker.decode.embedder import embed
from engine.worker.decode.interrupt import Interrupt
from engine.worker.decode.prewarm import PreparedPrewarm
from engine.worker.decode.scheduler import Scheduler
from engine.worker.decode.sequence import PrewarmRequest, Sequence
from engine.worker.kv_quality import compare_kv_types
from engine.worker.loading.loader import WARMUP_TOKENS, Loaded
from engine.worker.outbox import Outbox
from engine.worker.prompt.prompt_builder import PromptBuilder
from engine.worker.prompt.prompt_truncation import PromptTruncator
from engine.worker.sampling.sampler import Sampler, Workspace

_SAVE_GRACE_SECONDS = 1.5


class EngineCore:
    """One loaded model at work. Belongs to the loop thread, except `interrupt` and `prompts`."""

    def __init__(self, loaded: Loaded, outbox: Outbox) -> None:
        self._loaded = loaded
        self._outbox = outbox
        settings, effective = loaded.settings, loaded.effective
        identity = Identity(
            fingerprint=effective.fingerprint,
            type_k=effective.type_k,
            type_v=effective.type_v,
            flash_attn=effective.flash_attn,
            swa_full=effective.swa_full,
            engine=effective.versions.get("llama_cpp", ""),
        )
        folder = Path(settings.snapshot_dir) if settings.snapshot_dir else None
        self._snapshots = SnapshotStore(identity, folder, settings.snapshot_memory_bytes, settings.snapshot_disk_bytes)
        self._answers = GeneratedTokenCache()
        for answer in self._snapshots.answers():
            self._answers.remember(answer)
        self.prompts = PromptBuilder(loaded.model, loaded.template, self._answers)
        self._cache = KvCache(loaded.context, self._snapshots)
        self._truncator = PromptTruncator(self.prompts, loaded.context.n_ctx)
        self._workspace = Workspace(loaded.model)
        self._draft_model = open_draft_model(loaded)
        self._scheduler = Scheduler(loaded, self._cache, outbox, prepare=self._prepare, finished=self._remember)
        stepper = self._scheduler.stepper
        for seconds in loaded.decode_times:
            stepper.budget.observe(1, 0, seconds)
            stepper.costs.observe(1, seconds)
        if loaded.prefill_time:
            stepper.budget.observe(0, WARMUP_TOKENS, WARMUP_TOKENS * loaded.prefill_time)
        self._worked_at = time.monotonic()

    @property
    def interrupt(self) -> Interrupt:
        return self._scheduler.stepper.interrupt

    @property
    def can_cut(self) -> bool:
        """The cache may be cut back anywhere, so that a prewarm needs no border."""
        return self._cache.can_cut

    @property
    def is_busy(self) -> bool:
        return self._scheduler.is_busy

    @property
    def has_unsaved(self) -> bool:
        """There are chats that should be saved once nothing else is to be done."""
        return self._cache.has_unsaved

    def handle(self, command: c.Command) -> None:
        """Carry out one command. Raises FirstlightError when it cannot be."""
        if isinstance(command, c.Generate):
            self._generate(command)
        elif isinstance(command, c.Embed):
            self._outbox.put(embed(self._loaded, command))
        elif isinstance(command, c.CompareKvTypes):
            self._compare_kv_types(command)
        elif isinstance(command, c.DropCache):
            self._cache.drop(command.chat_id)
            if not command.chat_id:
                self._answers.forget()
            self._outbox.put(e.Done(request_id=command.request_id))
        else:
            raise RequestError(
                Code.BAD_REQUEST, "A worker does not know the command {kind}.", kind=type(command).__name__
            )

    def prewarm(self, prepared: PreparedPrewarm) -> None:
        """Prefill a prompt as it stands when nothing better is to be done."""
        n_tokens = len(prepared.tokens)
        if 0 < n_tokens < self._loaded.context.n_ctx - 1:
            self._scheduler.submit(PrewarmRequest(prepared, self._loaded.settings.loras))
        else:
            request_id = prepared.command.request_id
            self._outbox.put(e.PrewarmFinished(request_id=request_id, n_prompt_tokens=n_tokens))

    def cancel(self, request_id: str) -> bool:
        """End a request; False when it is not here."""
        return self._scheduler.cancel(request_id)

    def step(self) -> None:
        self._scheduler.step()
        self._worked_at = time.monotonic()

    def save_idle(self) -> None:
        """Save one chat that has changed, when nothing has happened for a while."""
        if time.monotonic() - self._worked_at >= _SAVE_GRACE_SECONDS:
            self._cache.save_idle()

    def close(self) -> None:
        """End what runs, save the chats, free the model."""
        self._scheduler.cancel_all()
        while self._cache.save_idle():
            # One state at a time is in memory beside the model.
            self._snapshots.close()
        self._snapshots.close()
        if self._draft_model is not None:
            self._draft_model.close()
        self._loaded.close()

    @staticmethod
    def cancelled_early(command: c.Generate) -> e.GenerationFinished:
        """The end of a request that never started."""
        metrics = RequestTimeline(command.accepted, load_time=command.load_time).metrics(time.monotonic())
        return e.GenerationFinished(
            request_id=command.request_id, finish_reason=FinishReason.CANCELLED, metrics=metrics
        )

    def _compare_kv_types(self, command: c.CompareKvTypes) -> None:
        if self.is_busy:
            raise RequestError(
                Code.MODEL_IN_USE, "The model is answering, and would pause for seconds.", "Wait for it to end."
            )
        self._outbox.put(compare_kv_types(self._loaded, command))

    def _generate(self, command: c.Generate) -> None:
        if self._loaded.settings.embeddings:
            raise RequestError(
                Code.MODEL_NOT_CHAT, "This model was loaded for embeddings.", "Load it again for chatting."
            )
        sequence = Sequence(command, time.monotonic(), self._loaded.settings.loras)
        sequence.kv_bytes_per_token = self._loaded.kv_bytes_per_token
        self._scheduler.submit(sequence)

    def _prepare(self, sequence: Sequence) -> None:
        """Build a sequence's prompt and sampler. Raises FirstlightError."""
        command = sequence.command
        truncated = self._truncator.prompt(command)
        sampler = Sampler(command.sampling, self._loaded.model, self._workspace)
        sampler.accept_prompt(truncated.prompt.tokens)
        sequence.begin(truncated.prompt, self._loaded.model, sampler)
        sequence.n_dropped_messages = truncated.n_dropped
        sequence.notices.extend(truncated.notices)
        sequence.speculator = make_speculator(
            command.speculative or self._loaded.settings.speculative,
            self._loaded,
            self._scheduler.stepper.costs,
            self._draft_model,
            can_cut=self._cache.can_cut,
        )
        if sequence.speculator is not None:
            sequence.speculator.extend(sequence.tokens)

    def _remember(self, sequence: Sequence) -> None:
        """Keep the answer's own tokens for the next turn."""
        if not sequence.generated:
            return
        before = sequence.prompt.answers
        tokens, content = list(sequence.generated), sequence.content
        if sequence.command.continue_answer and sequence.command.messages:
            begun = sequence.command.messages[-1].content
            content = begun + content
            known = self._answers.find(begun)
            tokens = [*(known.content_tokens if known else self._loaded.model.tokenize(begun)), *tokens]
        answer = make_answer(self._loaded.model, tokens, content)
        self._answers.remember(answer)
        if sequence.slot is not None and answer.tokens:
            sequence.slot.answers = (*before, answer)
