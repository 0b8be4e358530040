"""Counts tokens, renders prompts and prepares prewarms in a thread of its own, beside the running steps."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable

from engine.errors import Code, RequestError
from engine.protocol.commands import CountTokens, Prewarm, RenderPrompt
from engine.protocol.events import PromptRendered, TokensCounted
from engine.protocol.values import ChatMessage, Role
from engine.worker.decode.prewarm import PreparedPrewarm, prepare
from engine.worker.outbox import Outbox
from engine.worker.prompt.prompt_builder import PromptBuilder

Job = CountTokens | RenderPrompt | Prewarm


class TokenizerThread:
    """Needs only the vocabulary and the template, both of which every thread may read."""

    def __init__(self, outbox: Outbox, forward: Callable[[PreparedPrewarm], None]) -> None:
        """`forward` takes a prewarm on to the loop."""
        self._outbox = outbox
        self._forward = forward
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._prompts: PromptBuilder | None = None
        self._n_ctx = 0
        self._finds_border = True
        self._thread = threading.Thread(target=self._run, name="tokenizer", daemon=True)
        self._thread.start()

    def serve(self, prompts: PromptBuilder | None, n_ctx: int, *, can_cut: bool = False) -> None:
        """Answer for this model from now on; with None the job at hand is finished first."""
        with self._lock:
            self._prompts, self._n_ctx, self._finds_border = prompts, n_ctx, not can_cut

    def submit(self, command: Job) -> None:
        self._jobs.put(command)

    def close(self) -> None:
        self._jobs.put(None)
        self._thread.join()

    def _run(self) -> None:
        while (command := self._jobs.get()) is not None:
            with self._lock:
                try:
                    self._carry_out(command)
                except Exception as error:  # noqa: BLE001 - one bad request must not end the thread
                    self._outbox.fail(command.request_id, error)

    def _carry_out(self, command: Job) -> None:
        prompts = self._prompts
        if prompts is None:
            raise RequestError(Code.MODEL_NOT_LOADED, "No model is loaded.", "Load a model first.")
        if isinstance(command, Prewarm):
            self._forward(prepare(prompts, command, finds_border=self._finds_border))
        elif isinstance(command, RenderPrompt):
            prompt = prompts.chat(command.messages, options=command.template_options)
            self._outbox.put(
                PromptRendered(
                    request_id=command.request_id, text=prompt.text, n_tokens=len(prompt.tokens), notices=prompt.notices
                )
            )
        else:
            n_tokens = self._count(prompts, command)
            self._outbox.put(TokensCounted(request_id=command.request_id, n_tokens=n_tokens, n_ctx=self._n_ctx))

    def _count(self, prompts: PromptBuilder, command: CountTokens) -> int:
        if command.prompt is not None:
            return prompts.count(command.prompt)
        messages = command.messages
        if command.draft:
            messages = (*messages, ChatMessage(role=Role.USER, content=command.draft))
        return len(prompts.chat(messages).tokens) if messages else 0
