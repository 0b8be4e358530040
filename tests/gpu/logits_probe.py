"""Print the logits that a model gives after some tokens, on the devices of this engine build.

    python tests/gpu/logits_probe.py MODEL.gguf N_GPU_LAYERS KV_TYPE N_TOKENS

The same tokens on two builds show whether they compute the same; printed are float32 values as base64 in one line.
"""

from __future__ import annotations

import base64
import sys
from pathlib import Path

from engine.protocol import KvType, ModelSettings, Switch
from engine.worker.llama import backend
from engine.worker.llama.batch import Batch
from engine.worker.llama.context import Context, ContextOptions, DecodeResult
from engine.worker.llama.model import Model


def logits_after(path: Path, n_gpu_layers: int, kv_type: KvType, n_tokens: int) -> bytes:
    """Logits behind the last of a fixed row of tokens, as float32."""
    settings = ModelSettings(n_gpu_layers=n_gpu_layers)
    options = ContextOptions(
        n_ctx=512, n_batch=512, n_ubatch=512, n_sequences=1, type_k=kv_type, type_v=kv_type, flash_attn=Switch.ON
    )
    backend.start()
    model = Model(path, settings, lambda _: True)
    context = Context(model, options)
    batch = Batch(n_tokens)
    last = batch.extend([10 + 7 * index % 240 for index in range(n_tokens)], 0, 0, output_last=True)
    if context.decode(batch) is not DecodeResult.OK:
        sys.exit("The tokens could not be decoded.")
    return context.logits(last).tobytes()


if __name__ == "__main__":
    name, layers, kind, count = sys.argv[1:]
    logits = logits_after(Path(name), int(layers), KvType(kind), int(count))
    sys.stdout.write(base64.b64encode(logits).decode() + "\n")
