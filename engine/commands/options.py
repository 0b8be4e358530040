"""Options that several commands share: the model, and how it is loaded."""

from __future__ import annotations

import argparse
import math

import msgspec

from engine.protocol.values import KvType, ModelSettings, SplitMode, Switch
from engine.settings import Settings


def add_model_options(parser: argparse.ArgumentParser) -> None:
    """--model and the settings of its load."""
    parser.add_argument("--model", default="", help="a path, a name from the library, or starter (default: the last)")
    parser.add_argument("--kv", type=kv_type, help="element type of the KV cache, such as f16 or q8_0")
    parser.add_argument("--ctx", type=positive, help="context in tokens")
    parser.add_argument("--threads", type=positive, help="threads for prefill and decode")
    parser.add_argument("--gpu-layers", type=int, help="layers on the GPU (-1: what fits)")
    parser.add_argument("--cpu-experts", type=int, help="layers whose experts stay on the CPU (-1: as few as fit)")
    parser.add_argument("--devices", type=names, help="devices to use, such as CUDA0,CUDA1, or CPU for none")
    parser.add_argument("--split-mode", type=SplitMode, choices=list(SplitMode), help="how several devices share")
    parser.add_argument("--tensor-split", type=shares, help="the devices' shares, such as 3,1 (default: free memory)")
    parser.add_argument("--main-gpu", type=int, help="the number of the one device with --split-mode none")
    parser.add_argument("--spare-display", action="store_true", default=None, help="leave the card of the screen alone")
    parser.add_argument("--flash-attn", type=Switch, choices=list(Switch), help="flash attention (default: auto)")
    parser.add_argument("--parallel", type=positive, help="sequences that can run at once")


def settings_with(arguments: argparse.Namespace, settings: Settings) -> tuple[str, Settings]:
    """The model asked for, and settings in which it is loaded as the options say."""
    model_id = arguments.model or settings.models.last_model or "starter"
    asked = {
        "type_k": arguments.kv,
        "type_v": arguments.kv,
        "n_ctx": arguments.ctx,
        "n_threads": arguments.threads,
        "n_threads_batch": arguments.threads,
        "n_gpu_layers": arguments.gpu_layers,
        "n_cpu_moe": arguments.cpu_experts,
        "devices": arguments.devices,
        "split_mode": arguments.split_mode,
        "tensor_split": arguments.tensor_split,
        "main_gpu": arguments.main_gpu,
        "spares_display": arguments.spare_display,
        "flash_attn": arguments.flash_attn,
        "n_parallel": arguments.parallel,
    }
    return model_id, load_with(
        settings, model_id, **{name: value for name, value in asked.items() if value is not None}
    )


def load_with(settings: Settings, model_id: str, **changes: object) -> Settings:
    """Settings in which the model is loaded with these changes."""
    own: ModelSettings = settings.models.per_model.get(model_id) or settings.performance.load
    if not changes:
        return settings
    per_model = settings.models.per_model | {model_id: msgspec.structs.replace(own, **changes)}
    return msgspec.structs.replace(settings, models=msgspec.structs.replace(settings.models, per_model=per_model))


def kv_type(text: str) -> KvType:
    try:
        return KvType(text.lower())
    except ValueError:
        raise argparse.ArgumentTypeError(f"there is no KV type {text}, there are {', '.join(KvType)}") from None


def names(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def shares(text: str) -> tuple[float, ...]:
    try:
        found = tuple(float(part) for part in text.split(","))
    except ValueError:
        found = ()
    if not found or not all(0 <= part < math.inf for part in found) or not any(found):
        raise argparse.ArgumentTypeError(f"{text} is no list of shares such as 3,1")
    return found


def port(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) > 65_535:
        raise argparse.ArgumentTypeError(f"{text} is no port: those are numbers from 0 to 65535")
    return int(text)


def positive(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a number of 1 or more")
    return number
