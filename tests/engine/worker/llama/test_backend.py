"""Builds whose AMX kernels are not to be used."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from engine.worker.llama import backend


def test_a_build_without_amx_has_no_faulty_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backend.lib, "llama_print_system_info", lambda: b"AVX512 = 1 | ")
    assert not backend.has_faulty_amx()


def test_amx_is_trusted_where_it_was_corrected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backend.lib, "llama_print_system_info", lambda: b"AVX512 = 1 | AMX_INT8 = 1 | ")
    corrected = SimpleNamespace(ggml_amx_is_corrected=print)
    monkeypatch.setattr(backend, "load_shared_library", lambda *_: corrected)
    assert not backend.has_faulty_amx()
    monkeypatch.setattr(backend, "load_shared_library", lambda *_: SimpleNamespace())
    assert backend.has_faulty_amx()


def test_a_build_of_unknown_libraries_is_not_trusted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(backend.lib, "llama_print_system_info", lambda: b"AMX_INT8 = 1 | ")
    monkeypatch.setenv("LLAMA_CPP_LIB_PATH", str(tmp_path))
    assert backend.has_faulty_amx()
