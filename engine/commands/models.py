"""python -m engine models: list, search, inspect, fit, fetch, import, remove, quantize and warm models."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec

from engine.commands.host_session import Session, ended
from engine.commands.options import kv_type, positive
from engine.errors import Code, EngineError, RequestError
from engine.protocol.commands import (
    Command,
    Estimate,
    InspectRepo,
    ListModels,
    LoadModel,
    PausePull,
    PullModel,
    QuantizeModel,
    ReadHeader,
    RemoveModel,
    SearchHub,
)
from engine.protocol.events import (
    Done,
    Estimated,
    HeaderRead,
    HubResults,
    LoadProgress,
    ModelLoaded,
    ModelsListed,
    PullFinished,
    PullProgress,
    QuantizeFinished,
    QuantizeProgress,
    RepoInspected,
    RequestFailed,
    Terminal,
)
from engine.protocol.quantization_types import QUANTIZATION_TYPES
from engine.protocol.records import Pull, RepoQuantization
from engine.protocol.values import KvType
from engine.settings import folders, load_settings, save_settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    actions.add_parser("list", help="models on this computer")
    search = actions.add_parser("search", help="search the hub")
    search.add_argument("query")
    search.add_argument("--limit", type=positive, default=20)
    info = actions.add_parser("info", help="what a file or a repository holds")
    info.add_argument("name", help="a path, a library name, or owner/name on the hub")
    fit = actions.add_parser("fit", help="what a model needs here, and how fast it should run")
    fit.add_argument("name", help="a path, a library name, or owner/name on the hub")
    fit.add_argument("--ctx", type=positive, default=8192)
    fit.add_argument("--kv", type=kv_type, default=KvType.F16)
    pull = actions.add_parser("pull", help="download a quantization")
    pull.add_argument("repo", help="owner/name")
    pull.add_argument("quantization", help="such as Q4_K_M, or a file's name")
    add = actions.add_parser("import", help="look for models in a folder too, in place")
    add.add_argument("folder")
    remove = actions.add_parser("remove", help="delete a model that Firstlight downloaded")
    remove.add_argument("name")
    quantize = actions.add_parser("quantize", help="make another quantization of a local model")
    quantize.add_argument("name", help="a path or a library name")
    quantize.add_argument("type", help=f"one of {', '.join(made.name for made in QUANTIZATION_TYPES)}")
    quantize.add_argument("--allow-requantize", action="store_true", help="also from a quantization, losing twice")
    warm = actions.add_parser("warm", help="load a model and say how long each step took")
    warm.add_argument("name")


def run(arguments: argparse.Namespace) -> int:
    if arguments.action == "import":
        return _import(arguments)
    settings, _ = load_settings(folders().settings_file)
    with Session(settings, folders(), has_services=True) as session:
        return _ACTIONS[arguments.action](session, arguments)


def _list(session: Session, arguments: argparse.Namespace) -> int:
    listed = session.request(ListModels(), ModelsListed)
    if arguments.json:
        return _print_json(listed)
    for model in listed.models:
        state = "loaded" if model.is_loaded else model.state
        facts = f"{model.quantization or model.kind:<10} {_size(model.size_bytes):>8}  {state:<10} {model.source:<10}"
        print(f"{model.name:<44} {facts} {model.problem}".rstrip())
    count = "1 model" if len(listed.models) == 1 else f"{len(listed.models)} models"
    print(f"{count}, {_size(listed.disk_used_bytes)}; {_size(listed.disk_free_bytes)} free on disk")
    return 0


def _search(session: Session, arguments: argparse.Namespace) -> int:
    results = session.request(SearchHub(query=arguments.query, limit=arguments.limit), HubResults)
    if arguments.json:
        return _print_json(results)
    for model in results.models:
        gate = "gated" if model.is_gated else ""
        print(f"{model.repo:<56} {model.licence:<14} {model.downloads:>10,} downloads {gate}".rstrip())
    return 0


def _info(session: Session, arguments: argparse.Namespace) -> int:
    if _is_repo(arguments.name):
        repo = session.request(InspectRepo(repo=arguments.name), RepoInspected)
        if arguments.json:
            return _print_json(repo)
        print(f"{repo.model.repo}, {repo.model.licence or 'no licence named'}, commit {repo.commit[:12]}")
        for item in repo.quantizations:
            print(f"{item.name:<16} {_size(item.size_bytes):>8}  {item.files[0]}")
        return 0
    header = session.request(ReadHeader(path=arguments.name), HeaderRead)
    if arguments.json:
        return _print_json(header)
    shape = header.shape
    print(f"{shape.name or arguments.name}: {shape.architecture}, {shape.quantization}, {shape.n_layers} layers")
    params, bits = f"{shape.n_params / 1e6:,.0f} M parameters", f"{shape.bits_per_weight:.2f} bits each"
    print(f"{params}, {bits}, context {shape.n_ctx_train:,}")
    print(shape.traits)
    _print_mix(shape.tensor_mix)
    return 0


def _fit(session: Session, arguments: argparse.Namespace) -> int:
    source = {"repo": arguments.name} if _is_repo(arguments.name) else {"path": arguments.name}
    command = Estimate(n_ctx=arguments.ctx, type_k=arguments.kv, type_v=arguments.kv, **source)
    found = session.request(command, Estimated)
    if arguments.json:
        return _print_json(found)
    print(f"{'quantization':<16} {'file':>8} {'needs':>8}  {'verdict':<12} {'keeps':<13} {'tok/s':>7}")
    for row in found.rows:
        needs = row.weights_bytes + row.kv_bytes + row.compute_bytes
        rate = f"{row.decode_tps:.0f}" if row.decode_tps else "–"
        mark = f"  recommended: {row.reason}" if row.is_recommended else ""
        print(
            f"{row.name:<16} {_size(row.file_bytes):>8} {_size(needs):>8}  {row.verdict:<12} "
            f"{row.quality:<13} {rate:>7}{mark}"
        )
    print(f"{_size(found.device_free_bytes)} free; the longest context that fits whole is {found.n_ctx_max:,} tokens.")
    return 0


def _pull(session: Session, arguments: argparse.Namespace) -> int:
    repo = session.request(InspectRepo(repo=arguments.repo), RepoInspected)
    wanted = _quantization(arguments.quantization, repo.quantizations)
    command = PullModel(repo=arguments.repo, files=wanted.files)
    shows = not arguments.json and sys.stderr.isatty()
    pull_id = ""
    for event in session.events(command):
        if isinstance(event, PullProgress):
            pull_id = event.pull.pull_id
            if shows:
                print(f"\r{_progress(event.pull):<70}", end="", file=sys.stderr, flush=True)
        elif isinstance(event, RequestFailed) and event.failure.code is Code.CANCELLED and pull_id:
            session.request(PausePull(pull_id=pull_id), Done)
            raise EngineError(Code.CANCELLED, "Stopped. What came is kept.", "The same command goes on with it.")
    end = ended(event, PullFinished)
    if shows:
        print(file=sys.stderr)
    if end.pull.failure is not None:
        raise EngineError.of(end.pull.failure)
    if arguments.json:
        return _print_json(end)
    print(f"{end.pull.path} is complete and verified.")
    return 0


def _import(arguments: argparse.Namespace) -> int:
    folder = Path(arguments.folder).expanduser().resolve()
    if not folder.is_dir():
        raise RequestError(
            Code.BAD_REQUEST, "There is no folder {folder}.", "Give a folder that holds .gguf files.", folder=folder
        )
    settings, _ = load_settings(folders().settings_file)
    if str(folder) not in settings.models.folders:
        models = msgspec.structs.replace(settings.models, folders=(*settings.models.folders, str(folder)))
        save_settings(msgspec.structs.replace(settings, models=models), folders().settings_file)
    print(f"Models in {folder} are used in place from now on.")
    return 0


def _remove(session: Session, arguments: argparse.Namespace) -> int:
    listed = session.request(ListModels(), ModelsListed)
    found = [model for model in listed.models if arguments.name in (model.model_id, model.name)]
    if len(found) != 1:
        raise RequestError(
            Code.MODEL_NOT_FOUND, "{n} models are called {name}.",
            "python -m engine models list shows the names; a path says which of several.",
            n=len(found) or "No", name=arguments.name,
        )  # fmt: skip
    session.request(RemoveModel(model_id=found[0].model_id), Done)
    print(f"{found[0].name} was moved to Firstlight's trash.")
    return 0


def _quantize(session: Session, arguments: argparse.Namespace) -> int:
    command = QuantizeModel(
        path=arguments.name, quantization=arguments.type,
        allow_requantize=arguments.allow_requantize,
    )  # fmt: skip
    for event in session.events(command):
        if isinstance(event, QuantizeProgress) and not arguments.json and sys.stderr.isatty():
            print(f"\r{event.fraction:4.0%}", end="", file=sys.stderr, flush=True)
    end = ended(event, QuantizeFinished)
    if arguments.json:
        return _print_json(end)
    print(f"\r{end.path}, {_size(end.size_bytes)}")
    _print_mix(end.tensor_mix)
    return 0


def _print_mix(tensor_mix: dict[str, int]) -> None:
    total = sum(tensor_mix.values()) or 1
    for name, size in sorted(tensor_mix.items(), key=lambda entry: -entry[1]):
        print(f"  {name:<8} {_size(size):>8}  {size / total:.1%}")


def _warm(session: Session, arguments: argparse.Namespace) -> int:
    for event in session.events(LoadModel(model_id=arguments.name)):
        if isinstance(event, LoadProgress) and not arguments.json and sys.stderr.isatty():
            print(f"\r{event.step:<10} {event.fraction:4.0%}", end="", file=sys.stderr, flush=True)
    end = ended(event, ModelLoaded)
    if arguments.json:
        return _print_json(end)
    times = end.times
    print(
        f"\rwarm after {end.load_time:.2f} s: open {times.open_time:.2f}, weights {times.weights_time:.2f}, "
        f"context {times.context_time:.2f}, warm-up {times.warmup_time:.2f}"
    )
    return 0


_ACTIONS: dict[str, Callable[[Session, argparse.Namespace], int]] = {
    "list": _list, "search": _search, "info": _info, "fit": _fit, "pull": _pull, "remove": _remove,
    "quantize": _quantize, "warm": _warm,
}  # fmt: skip


def _quantization(name: str, found: tuple[RepoQuantization, ...]) -> RepoQuantization:
    for item in found:
        if name.upper() == item.name.upper() or name in item.files:
            return item
    names = ", ".join(item.name for item in found) or "none"
    raise RequestError(
        Code.HUB_NOT_FOUND, "There is no {name} in this repository.", "It has: {names}.", name=name, names=names
    )


def _is_repo(name: str) -> bool:
    """owner/name, and not a path that exists or ends in .gguf."""
    return name.count("/") == 1 and not name.startswith((".", "/", "~")) and not name.lower().endswith(".gguf")


def _progress(pull: Pull) -> str:
    share = pull.done_bytes / pull.total_bytes if pull.total_bytes else 0.0
    left = f", {pull.seconds_left:.0f} s left" if pull.seconds_left is not None else ""
    return f"{pull.state} {share:4.0%} of {_size(pull.total_bytes)}, {_size(round(pull.rate))}/s{left}"


def _size(size_bytes: int) -> str:
    return f"{size_bytes / 1e9:.2f} GB" if size_bytes >= 1e9 else f"{size_bytes / 1e6:.1f} MB"


def _print_json(message: Terminal | Command) -> int:
    print(msgspec.json.format(msgspec.json.encode(message), indent=2).decode())
    return 0
