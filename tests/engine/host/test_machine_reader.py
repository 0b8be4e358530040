"""Which weights the host will lay out anew, from the processor and the build."""

from __future__ import annotations

import pytest

from engine.fit.placement import AMX_REPACKED, AVX512_REPACKED
from engine.hardware.cpu import Cpu
from engine.host import machine_reader
from engine.host.backend_probe import BackendRecord
from engine.host.machine_reader import repacked_types


def test_amx_counts_only_in_builds_that_were_corrected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine_reader.sys, "platform", "linux")
    cpu = Cpu(name="", n_physical=2, n_logical=2, n_usable=2, features=frozenset({"avx2", "avx512", "amx_int8"}))
    assert repacked_types(cpu, BackendRecord(backend="cpu", patches=("03-amx-marker",))) == AMX_REPACKED
    assert repacked_types(cpu, BackendRecord(backend="cpu")) == AVX512_REPACKED
    assert repacked_types(cpu, None) == AVX512_REPACKED
