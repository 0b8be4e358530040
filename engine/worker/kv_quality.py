"""What a smaller KV type costs: how far the model's predictions over a text move away from those of the first type.

Each type gets a small context of its own over the loaded model, and all of them read the text side by side, so that
the distributions of a few positions are compared exactly and none has to be kept.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from engine.errors import Code, RequestError
from engine.protocol.commands import CompareKvTypes
from engine.protocol.events import KvTypesCompared
from engine.protocol.records import KvQuality
from engine.protocol.values import KvType, Switch
from engine.worker.llama import Batch, Context
from engine.worker.loading.loader import Loaded

CHUNK = 16
"""Positions that are compared at once: rows of logits over the whole vocabulary."""
MAX_TOKENS = 2048
MIN_TOKENS = 64

Rows = npt.NDArray[np.float32]


def compare_kv_types(loaded: Loaded, command: CompareKvTypes) -> KvTypesCompared:
    """Read the text with each KV type. Raises RequestError for a text that is too short, ModelError for a refused type.

    The divergence is KL(first ‖ other) in nats, the mean over the second half of the text, where there is a cache to
    read. All contexts use flash attention, which a quantized V needs, so that only the type differs.
    """
    tokens = loaded.model.tokenize(command.text, add_special=True)[:MAX_TOKENS]
    if len(tokens) < MIN_TOKENS or len(command.kv_types) < 2:
        raise RequestError(
            Code.BAD_REQUEST,
            "A comparison needs two KV types and {n_needed:,} tokens; there are {n_tokens:,} tokens.",
            "Give a longer text.",
            n_needed=MIN_TOKENS,
            n_tokens=len(tokens),
        )
    with contextlib.ExitStack() as contexts:
        readers = []
        for kind in command.kv_types:
            context = _context(loaded, kind, len(tokens))
            contexts.callback(context.close)
            readers.append(context)
        return _read(command, readers, tokens)


def _context(loaded: Loaded, kind: KvType, n_tokens: int) -> Context:
    options = replace(
        loaded.context.options,
        n_ctx=-(-n_tokens // 256) * 256,
        n_batch=CHUNK,
        n_ubatch=CHUNK,
        n_sequences=1,
        n_outputs_max=CHUNK,
        type_k=kind,
        type_v=kind,
        flash_attn=Switch.ON,
    )
    return Context(loaded.model, options)


def _read(command: CompareKvTypes, readers: Sequence[Context], tokens: list[int]) -> KvTypesCompared:
    first_counted = len(tokens) // 2
    divergences: list[list[float]] = [[] for _ in readers]
    agreements: list[list[bool]] = [[] for _ in readers]
    for start in range(0, len(tokens), CHUNK):
        chunk = tokens[start : start + CHUNK]
        rows = [_logs(reader, chunk, start) for reader in readers]
        if start < first_counted:
            continue
        for index, row in enumerate(rows):
            divergences[index].extend(_divergence(rows[0], row))
            agreements[index].extend(np.equal(rows[0].argmax(axis=1), row.argmax(axis=1)).tolist())
    return KvTypesCompared(
        request_id=command.request_id,
        n_tokens=len(divergences[0]),
        qualities=tuple(
            KvQuality(
                kv_type=kind,
                divergence=float(np.mean(found)),
                divergence_p99=float(np.percentile(found, 99)),
                top1_agreement=float(np.mean(agreed)),
            )
            for kind, found, agreed in zip(command.kv_types, divergences, agreements, strict=True)
        ),
    )


def _logs(context: Context, chunk: list[int], start: int) -> Rows:
    """Log probabilities after each token of a chunk, shape (tokens, vocabulary)."""
    batch = Batch(CHUNK)
    batch.extend(chunk, start, 0, output_last=False)
    batch.output_all()
    context.decode(batch)
    logits = np.stack([context.logits(index) for index in range(len(chunk))])
    logits -= logits.max(axis=1, keepdims=True)
    return np.asarray(logits - np.log(np.exp(logits).sum(axis=1, keepdims=True)), dtype=np.float32)


def _divergence(reference: Rows, other: Rows) -> list[float]:
    """KL(reference ‖ other) of each row, in nats; rounding below zero is zero."""
    found = (np.exp(reference) * (reference - other)).sum(axis=1)
    return [max(0.0, value) for value in found.tolist()]
