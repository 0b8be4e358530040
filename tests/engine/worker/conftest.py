"""Tiny models for the worker's tests: written once, loaded in milliseconds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.protocol.values import ModelSettings
from engine.worker.loading.loader import Loaded, load
from tests.engine.worker.core_bench import CoreBench
from tests.ggml import Ggml
from tests.tiny_models import Kind, write_tiny_model

LoadTiny = Callable[..., Loaded]
MakeCore = Callable[..., CoreBench]


@pytest.fixture(scope="session")
def tiny_path(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Path of a tiny model of a kind, written on first use."""
    folder = tmp_path_factory.mktemp("models")

    def path(kind: Kind = Kind.GQA, **options: object) -> Path:
        name = "-".join([str(kind), *(f"{key}-{hash(value)}" for key, value in options.items())])
        file = folder / f"{name}.gguf"
        return file if file.exists() else write_tiny_model(file, kind, **options)

    return path


@pytest.fixture
def load_tiny(tiny_path: Callable[..., Path]) -> Iterator[LoadTiny]:
    """Load a tiny model with settings; closed after the test."""
    opened: list[Loaded] = []

    def load_one(kind: Kind = Kind.GQA, **settings: object) -> Loaded:
        chosen = ModelSettings(**{"n_ctx": 512, "n_threads": 1, "n_ubatch": 64, **settings})
        loaded = load(tiny_path(kind), chosen, lambda fraction, step: True)
        opened.append(loaded)
        return loaded

    yield load_one
    for loaded in opened:
        loaded.close()


@pytest.fixture
def make_core(load_tiny: LoadTiny) -> Iterator[MakeCore]:
    benches: list[CoreBench] = []

    def make(kind: Kind = Kind.GQA, **settings: object) -> CoreBench:
        benches.append(CoreBench(load_tiny(kind, **settings)))
        return benches[-1]

    yield make
    for bench in benches:
        bench.close()


@pytest.fixture(scope="session")
def ggml() -> Ggml:
    return Ggml()
