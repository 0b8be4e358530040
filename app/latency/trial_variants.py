"""The settings that are worth trying against those a model is loaded with."""

from __future__ import annotations

import msgspec
from PySide6.QtCore import QCoreApplication

from engine.protocol import EffectiveSettings, KvType, ModelSettings, Speculative, Switch

translate = QCoreApplication.translate


def trial_variants(own: ModelSettings, effective: EffectiveSettings) -> list[tuple[str, ModelSettings]]:
    """Names and settings; the first are the model's own, the others each differ from them in one thing.

    The context is kept as it is, so that no side is given more memory to choose from.
    """
    base = msgspec.structs.replace(own, n_ctx=own.n_ctx or effective.n_ctx)
    found = [(translate("trial", "as it is loaded now"), own)]

    def add(text: str, **changes: object) -> None:
        found.append((text, msgspec.structs.replace(base, **changes)))

    for kind in (KvType.F16, KvType.Q8_0, KvType.Q4_0):
        if effective.type_k is not kind:
            flash = own.flash_attn if kind is KvType.F16 else Switch.ON
            add(translate("trial", "KV cache {kind}").format(kind=kind), type_k=kind, type_v=kind, flash_attn=flash)
    if effective.flash_attn and effective.type_v is KvType.F16:
        add(translate("trial", "flash attention off"), flash_attn=Switch.OFF)
    elif not effective.flash_attn:
        add(translate("trial", "flash attention on"), flash_attn=Switch.ON)
    if effective.speculative is Speculative.OFF:
        add(translate("trial", "tokens drafted from the prompt"), speculative=Speculative.LOOKUP)
    else:
        add(translate("trial", "no drafted tokens"), speculative=Speculative.OFF)
    for n_ubatch in (effective.n_ubatch // 2, effective.n_ubatch * 2):
        if 32 <= n_ubatch <= 4096:
            text = translate("trial", "prompt in steps of {n} tokens", None, n_ubatch).format(n=n_ubatch)
            add(text, n_ubatch=n_ubatch, n_batch=max(effective.n_batch, n_ubatch))
    for n_threads in (effective.n_threads - 1, effective.n_threads + 1):
        if n_threads >= 1:
            add(translate("trial", "{n} threads", None, n_threads).format(n=n_threads), n_threads=n_threads)
    return found
