"""Print the logits that models give after the same tokens, on the devices of this engine build.

    python tests/gpu/logits_probe.py '[["MODEL.gguf", N_GPU_LAYERS, "KV_TYPE"], ...]'

Two builds that compute the same give nearly the same numbers. Each case is one line: float32 values as base64. All
cases run in one process, because a Vulkan device compiles its kernels anew in each.
"""

from __future__ import annotations

import base64
import json
import sys
from pathlib import Path

from engine.protocol import KvType, ModelSettings, Switch
from engine.worker.llama import backend
from engine.worker.llama.batch import Batch
from engine.worker.llama.context import Context, ContextOptions, DecodeResult
from engine.worker.llama.model import Model

N_TOKENS = 40


def logits_after(path: Path, n_gpu_layers: int, kv_type: KvType) -> bytes:
    """Logits behind the last of a fixed row of tokens, as float32."""
    options = ContextOptions(
        n_ctx=256, n_batch=64, n_ubatch=64, n_sequences=1, type_k=kv_type, type_v=kv_type, flash_attn=Switch.ON
    )
    model = Model(path, ModelSettings(n_gpu_layers=n_gpu_layers), lambda _: True)
    context = Context(model, options)
    batch = Batch(N_TOKENS)
    last = batch.extend([10 + 7 * index % 240 for index in range(N_TOKENS)], 0, 0, output_last=True)
    if context.decode(batch) is not DecodeResult.OK:
        sys.exit("The tokens could not be decoded.")
    logits = context.logits(last).tobytes()
    context.close()
    model.close()
    return logits


if __name__ == "__main__":
    backend.start()
    for name, layers, kind in json.loads(sys.argv[1]):
        sys.stdout.write(base64.b64encode(logits_after(Path(name), layers, KvType(kind))).decode() + "\n")
