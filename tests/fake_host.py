"""A host with a script instead of models: JSON lines on stdin and stdout, as engine.host speaks them.

The last user message of a Generate chooses the scene: `crash` ends the process in the middle of the answer, `fail` is
answered with RequestFailed, `hang` streams until it is cancelled, `deaf` streams and hears nothing any more, `slow`
sends prefill progress first, `wait` is queued behind a model's load until it is cancelled, `think` ends inside its
reasoning, `ponder` thinks and hangs in its answer, `call` with a tool call, `repeat` is answered with all that was
sent; anything else is answered with "You said: ..." word by word. A title for `long title` takes until it is
cancelled, and no other answer begins before that.

With --more-models the library has more than the starter: `other` answers, `stuck` loads until it is cancelled, `broken`
cannot be loaded, `half` is not complete.
"""

from __future__ import annotations

import argparse
import os
import sys
import threading

import msgspec

from engine.errors import Code, Failure
from engine.metrics import FinishReason, Itl, RequestMetrics
from engine.protocol import commands, events
from engine.protocol.codec import PROTOCOL_VERSION, decode_command, encode
from engine.protocol.values import Device, EffectiveSettings, KvType, MemoryUse, Notice, Priority, Role, Section
from engine.translatable import sentence

FOLDED = "This model has no place for a system prompt, so it stands at the beginning of the first message."

EFFECTIVE = EffectiveSettings(
    model_name="SmolLM2 135M", quantization="Q4_1", n_ctx=8192, n_ctx_train=8192, n_layers=31, type_k=KvType.Q8_0,
    type_v=KvType.Q8_0, n_threads=2, memory=(MemoryUse(device="CPU", weights_bytes=98_000_000, kv_bytes=24_000_000),),
)  # fmt: skip
METRICS = RequestMetrics(
    prefill_time=0.05, ttft=0.062, decode_time=0.4, e2e_latency=0.46, tpot=0.0067, decode_tps=148.0,
    n_prompt_tokens=1180, n_cached_tokens=1000, n_prepared_tokens=900, n_decoded=60, kv_bytes=23_000_000, mbu=0.78,
    itl=Itl(mean=0.0067, p50=0.0067, p90=0.008, p95=0.0085, p99=0.0091, max=0.01),
)  # fmt: skip


GPUS = (
    Device(name="Vulkan0", description="Radeon 780M", kind="igpu", total_bytes=8_000_000_000),
    Device(name="Vulkan1", description="Arc A770", kind="gpu", total_bytes=16 * 10**9, free_bytes=15 * 10**9),
    Device(name="Vulkan2", description="RX 7600", kind="gpu", total_bytes=8 * 10**9, free_bytes=7 * 10**9),
)

OTHER_MODELS = (
    events.ModelEntry(model_id="other", name="Other 4B", path="", quantization="Q4_K_M", size_bytes=2_500_000_000),
    events.ModelEntry(model_id="stuck", name="Stuck 70B", path="", quantization="Q4_K_M"),
    events.ModelEntry(model_id="broken", name="Broken 1B", path="", quantization="Q8_0"),
    events.ModelEntry(model_id="half", name="Half 8B", path="", state="incomplete"),
)


class FakeHost:
    def __init__(self, *, refuses_model: bool, n_gpus: int, has_more_models: bool) -> None:
        self._refuses_model, self._has_more_models = refuses_model, has_more_models
        self._gpus = GPUS[:n_gpus]
        self._hanging: set[str] = set()
        self._titling = ""
        self._held_up: list[commands.Generate] = []

    def emit(self, event: events.Event) -> None:
        sys.stdout.buffer.write(encode(event))
        sys.stdout.buffer.flush()

    def run(self) -> None:
        self.emit(events.Ready(protocol_version=PROTOCOL_VERSION, process="host", pid=os.getpid()))
        for line in sys.stdin.buffer:
            command = decode_command(line)
            if isinstance(command, commands.Shutdown):
                return
            self.handle(command)

    def handle(self, command: commands.Command) -> None:
        rid = command.request_id
        match command:
            case commands.Hello():
                self.emit(
                    events.Ready(request_id=rid, protocol_version=PROTOCOL_VERSION, process="host", pid=os.getpid())
                )
            case commands.LoadModel():
                self._load(command)
            case commands.Generate() if self._titling:
                self._held_up.append(command)
            case commands.Generate():
                self._generate(command)
            case commands.RenderPrompt():
                text = "\n".join(f"{message.role}: {message.content}" for message in command.messages)
                has_system = bool(command.messages) and command.messages[0].role is Role.SYSTEM
                said = Notice(code="system_folded", message=sentence(FOLDED))
                self.emit(
                    events.PromptRendered(
                        request_id=rid, text=text, n_tokens=len(text.split()), notices=(said,) if has_system else ()
                    )
                )
            case commands.Cancel(target_id=target) if target in self._hanging:
                self._hanging.discard(target)
                self.emit(
                    events.GenerationFinished(request_id=target, finish_reason=FinishReason.CANCELLED, metrics=METRICS)
                )
                if target == self._titling:
                    self._titling = ""
                    while self._held_up:
                        self._generate(self._held_up.pop(0))
            case commands.Cancel():
                pass
            case commands.Prewarm():
                self.emit(
                    events.PrewarmFinished(request_id=rid, n_prepared=1180, n_prompt_tokens=1204, is_complete=True)
                )
            case commands.CountTokens():
                words = len(command.draft.split()) + sum(len(m.content.split()) for m in command.messages)
                words += len((command.prompt or "").split())
                self.emit(events.TokensCounted(request_id=rid, n_tokens=words, n_ctx=8192))
            case commands.ListDevices():
                cpu = Device(name="CPU", description="", kind="cpu")
                build = "vulkan" if self._gpus else "cpu"
                self.emit(events.DevicesListed(request_id=rid, devices=(*self._gpus, cpu), backend=build))
            case commands.PlanLoad():
                self._plan(command)
            case commands.ListCatalog():
                small = events.CatalogEntry(
                    name="Small 1B", repo="owner/Small-GGUF", n_params=10**9, size_bytes=700_000_000
                )
                self.emit(
                    events.CatalogListed(request_id=rid, entries=(small,), recommended=small.repo, reason="it fits")
                )
            case commands.ListModels():
                entry = events.ModelEntry(
                    model_id="starter",
                    name="SmolLM2 135M",
                    path="",
                    source="starter",
                    quantization="Q4_1",
                    is_loaded=True,
                )
                more = OTHER_MODELS if self._has_more_models else ()
                self.emit(events.ModelsListed(request_id=rid, models=(entry, *more)))
            case _:
                self.emit(events.Done(request_id=rid))

    def _load(self, command: commands.LoadModel) -> None:
        if self._refuses_model or command.model_id == "broken":
            failure = Failure(
                code=Code.MODEL_NOT_FOUND, message="There is no model here.", advice="Choose another model."
            )
            self.emit(events.RequestFailed(request_id=command.request_id, failure=failure))
            return
        self.emit(
            events.LoadProgress(request_id=command.request_id, model_id=command.model_id, fraction=0.5, step="weights")
        )
        if command.model_id != "stuck":
            effective = effective_of(command.model_id)
            self.emit(
                events.ModelLoaded(
                    request_id=command.request_id, model_id=command.model_id, effective=effective, load_time=0.3
                )
            )

    def _plan(self, command: commands.PlanLoad) -> None:
        """The layers in equal parts on the devices that are named, or on all."""
        names = [gpu.name for gpu in self._gpus if gpu.name in command.settings.devices or not command.settings.devices]
        used = names or ["CPU"]
        self.emit(
            events.LoadPlanned(
                request_id=command.request_id, model_id=command.model_id,
                n_layers=32, free_bytes=dict.fromkeys(used, 10**10),
                settings=msgspec.structs.replace(command.settings, n_ctx=command.settings.n_ctx or 8192, n_cpu_moe=0),
                memory=tuple(MemoryUse(device=name, weights_bytes=10**9, kv_bytes=10**8) for name in used),
                layers={name: 32 // len(used) for name in used},
            )
        )  # fmt: skip

    def _generate(self, command: commands.Generate) -> None:
        rid, said = command.request_id, command.messages[-1].content if command.messages else ""
        if said == "wait":
            self.emit(events.Queued(request_id=rid, reason="loading"))
            self._hanging.add(rid)
            return
        if command.priority is Priority.BATCH and "long title" in said:
            self._titling = rid
            self._hanging.add(rid)
            self.emit(events.Queued(request_id=rid, reason="busy"))
            return
        self.emit(events.GenerationStarted(request_id=rid, n_prompt_tokens=12, seed=7))
        if said == "fail":
            failure = Failure(code=Code.CONTEXT_FULL, message="The chat is full.", advice="Start a new chat.")
            self.emit(events.RequestFailed(request_id=rid, failure=failure))
            return
        if said == "slow":
            self.emit(events.PrefillProgress(request_id=rid, n_done=3120, n_total=8000, rate=1200, seconds_left=4.1))
        if said == "think":
            self.emit(events.TokenDelta(request_id=rid, text="Let me see", section=Section.REASONING, gap=0.0067))
            self.emit(
                events.GenerationFinished(
                    request_id=rid, finish_reason=FinishReason.STOP, metrics=METRICS, has_open_reasoning=True
                )
            )
            return
        if said == "ponder":
            self.emit(events.TokenDelta(request_id=rid, text="Let me see", section=Section.REASONING, gap=0.0067))
        answer = (
            "/".join(each.content.strip() for each in command.messages) if said == "repeat" else f"You said: {said}"
        )
        for word in answer.split(" "):
            self.emit(events.TokenDelta(request_id=rid, text=f"{word} ", gap=0.0067))
        if said == "call":
            self.emit(events.TokenDelta(request_id=rid, text='{"name": "sum"}', section=Section.TOOL_CALL, gap=0.0067))
        if said == "crash":
            os._exit(9)
        if said == "deaf":
            threading.Event().wait()
        if said in ("hang", "slow", "ponder"):
            self._hanging.add(rid)
            return
        self.emit(events.MetricsUpdate(request_id=rid, metrics=METRICS))
        self.emit(
            events.GenerationFinished(
                request_id=rid, finish_reason=FinishReason.STOP, metrics=METRICS,
                effective=effective_of(command.model_id), seed=7,
            )
        )  # fmt: skip


def effective_of(model_id: str) -> EffectiveSettings:
    if model_id != "other":
        return EFFECTIVE
    return msgspec.structs.replace(EFFECTIVE, model_name="Other 4B", quantization="Q4_K_M")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--exit-code", type=int, help="end at once with this code")
    parser.add_argument("--refuse-model", action="store_true")
    parser.add_argument("--gpus", type=int, default=1, help="how many of its devices it finds")
    parser.add_argument("--more-models", action="store_true")
    options = parser.parse_args()
    if options.exit_code is not None:
        sys.exit(options.exit_code)
    FakeHost(refuses_model=options.refuse_model, n_gpus=options.gpus, has_more_models=options.more_models).run()
