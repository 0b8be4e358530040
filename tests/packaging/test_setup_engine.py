"""The engine: names of builds, falling back, reusing what was compiled, and what is recorded."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
import setup_engine
from setup_backend import Choice, Facts, Flavour
from setup_engine import Build, Options, Record, n_jobs, plain_flags, read_record, write_record
from setup_environment import site_packages
from setup_patches import patches
from setup_steps import Console, Places, Progress, StepFailed
from setup_vulkan import Toolchain

FACTS = Facts(system="linux", machine="x86_64")
VERSION = "0.3.36"


@pytest.fixture
def builds(places: Places, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Fakes the compiler and pip; lists what was compiled and installed. Builds with BROKEN in a flag fail."""
    (places.root / "pyproject.toml").write_text(
        f'[project]\ndependencies = ["jinja2>=3", "llama-cpp-python=={VERSION}"]\n', encoding="utf-8"
    )
    places.venv.mkdir(parents=True)
    done: list[str] = []

    def compile_it(places: Places, build: Build, folder: Path, progress: Progress) -> Path:
        if "BROKEN=ON" in build.flags:
            raise StepFailed("The compiler ended with status 1.", "Look into the log.")
        folder.mkdir(parents=True)
        done.append(f"compiled {folder.name.split('-')[1]}")
        wheel = folder / "llama.whl"
        wheel.write_bytes(b"wheel")
        return wheel

    def install(places: Places, wheel: Path) -> None:
        (site_packages(places.venv) / "llama_cpp").mkdir(parents=True, exist_ok=True)
        done.append(f"installed {wheel.parent.name.split('-')[1]}")

    monkeypatch.setattr(setup_engine, "build_wheel", compile_it)
    monkeypatch.setattr(setup_engine, "install_wheel", install)
    monkeypatch.setattr(setup_engine, "install_needs", lambda *_: None)
    monkeypatch.setattr(setup_engine.setup_vulkan, "toolchain", lambda *_: Toolchain())
    monkeypatch.setattr(setup_engine.setup_cuda, "toolchain", lambda *_: Toolchain(("BROKEN=ON",)))
    return done


def test_every_flavour_states_every_switch() -> None:
    assert "GGML_VULKAN=ON" in plain_flags(Flavour.VULKAN)
    assert {"GGML_VULKAN=OFF", "GGML_CUDA=OFF", "GGML_METAL=OFF"} < set(plain_flags(Flavour.CPU))


def test_flags_of_an_earlier_configuration_are_overridden() -> None:
    assert {"CMAKE_C_FLAGS=", "CMAKE_CXX_FLAGS="} < set(plain_flags(Flavour.CPU))


def test_microsofts_compiler_keeps_what_cmake_gives_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(setup_engine.shutil, "which", {"cl": "cl.exe"}.get)
    assert "CMAKE_CXX_FLAGS=/DWIN32 /D_WINDOWS /EHsc" in plain_flags(Flavour.CPU)


def test_a_build_is_named_by_all_it_depends_on() -> None:
    build = Build(VERSION, Flavour.CPU, ["A=ON"], patches())
    name = build.key("machine")
    assert name == build.key("machine") != build.key("another machine")
    others = {
        replace(build, **change).key("machine")
        for change in (
            {"version": "0.3.37"},
            {"flavour": Flavour.VULKAN},
            {"flags": ["A=OFF"]},
            {"patches": patches(is_stock=True)},
            {"patches": []},
        )
    }
    assert name not in others
    assert len(others) == 5


@pytest.mark.parametrize(("cores", "gigabytes", "expected"), [(8, 64, 8), (16, 8, 4), (2, 1, 1)])
def test_compilers_fit_into_memory(cores: int, gigabytes: int, expected: int) -> None:
    assert n_jobs(cores, gigabytes << 30) == expected


def test_a_build_is_made_once(places: Places, console: Console, builds: list[str]) -> None:
    choice = Choice((Flavour.CPU,), "no GPU was found")
    for _ in range(2):
        setup_engine.install_engine(console, places, choice, FACTS, Options())
    assert builds == ["compiled cpu", "installed cpu"]


def test_a_stock_build_lies_beside_the_other_and_says_what_it_is(
    places: Places, console: Console, output: io.StringIO, builds: list[str]
) -> None:
    choice = Choice((Flavour.CPU,), "no GPU was found")
    full = setup_engine.install_engine(console, places, choice, FACTS, Options())
    stock = setup_engine.install_engine(console, places, choice, FACTS, Options(is_stock=True))
    assert builds == ["compiled cpu", "installed cpu"] * 2
    assert stock.wheel != full.wheel
    assert set(stock.patches) < set(full.patches)
    assert output.getvalue().count("Engine build: cpu without the patches for speed, because no GPU was found.") == 1


def test_switching_compiles_nothing_again(places: Places, console: Console, builds: list[str]) -> None:
    for flavour in (Flavour.CPU, Flavour.VULKAN, Flavour.CPU):
        choice = Choice((flavour,), "it was asked for", is_forced=True)
        setup_engine.install_engine(console, places, choice, FACTS, Options())
    assert builds == ["compiled cpu", "installed cpu", "compiled vulkan", "installed vulkan", "installed cpu"]


def test_a_failed_build_falls_back_and_says_so(
    places: Places, console: Console, output: io.StringIO, builds: list[str]
) -> None:
    choice = Choice((Flavour.CUDA, Flavour.VULKAN, Flavour.CPU), "found a card")
    setup_engine.install_engine(console, places, choice, FACTS, Options())
    assert builds == ["compiled vulkan", "installed vulkan"]
    assert "The cuda build failed" in output.getvalue()
    record = json.loads((places.venv / "firstlight-backend.json").read_text(encoding="utf-8"))
    assert record["backend"] == "vulkan"
    assert record["fallbacks"] == [{"backend": "cuda", "error": "The compiler ended with status 1.", "state": "failed"}]
    assert "the cuda build failed" in record["reason"]


def test_a_build_that_only_lacks_its_driver_is_kept_and_did_not_fail(
    places: Places, console: Console, output: io.StringIO, builds: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(setup_engine.setup_cuda, "toolchain", lambda *_: Toolchain())
    monkeypatch.setattr(setup_engine.setup_cuda, "check_without_driver", lambda *_: None)
    choice = Choice((Flavour.CUDA, Flavour.CPU), "it was asked for", is_forced=True)
    setup_engine.install_engine(console, places, choice, FACTS, Options())
    assert builds == ["compiled cuda", "compiled cpu", "installed cpu"]
    said = output.getvalue()
    assert "failed" not in said and "✗" not in said
    assert "The CUDA build is ready" in said and "It is kept, and is taken without compiling again" in said
    record = json.loads((places.venv / "firstlight-backend.json").read_text(encoding="utf-8"))
    assert (record["backend"], record["reason"]) == ("cpu", "it was asked for; the cuda build waits for its driver")
    assert record["fallbacks"][0]["state"] == "kept"
    with pytest.raises(StepFailed, match="no device for it without NVIDIA's driver"):
        setup_engine.install_engine(console, places, choice, FACTS, Options(), may_fall_back=False)
    facts = Facts(system="linux", machine="x86_64", has_nvidia_driver=True)
    setup_engine.install_engine(console, places, choice, facts, Options())
    assert builds[3:] == ["installed cuda"]


def test_without_fallback_a_failure_is_a_failure(places: Places, console: Console, builds: list[str]) -> None:
    choice = Choice((Flavour.CUDA, Flavour.CPU), "it was asked for")
    with pytest.raises(StepFailed, match="status 1"):
        setup_engine.install_engine(console, places, choice, FACTS, Options(), may_fall_back=False)
    assert not builds


def test_the_record_is_read_back(tmp_path: Path) -> None:
    record = Record("cpu", "reason", "advice", VERSION, ["A=ON"], "key", "2026-01-01T00:00:00+00:00")
    write_record(tmp_path, record)
    assert read_record(tmp_path) == record


@pytest.mark.parametrize("content", ["", "{", "[]", '{"backend": "cpu"}'])
def test_an_unreadable_record_is_no_record(tmp_path: Path, content: str) -> None:
    (tmp_path / "firstlight-backend.json").write_text(content, encoding="utf-8")
    assert read_record(tmp_path) is None


def test_copies_of_a_library_share_their_bytes(places: Places) -> None:
    site = site_packages(places.venv)
    for folder in ("lib", "llama_cpp/lib"):
        (site / folder).mkdir(parents=True)
        for name, content in {"libggml.so": b"1", "libggml.so.0": b"1", "libllama.so": b"2"}.items():
            (site / folder / name).write_bytes(content)
    setup_engine._share_copies(site)
    files = [*(site / "lib").iterdir(), *(site / "llama_cpp" / "lib").iterdir()]
    assert len(files) == 6
    assert len({file.stat().st_ino for file in files}) == 2
    assert (site / "llama_cpp" / "lib" / "libllama.so").read_bytes() == b"2"
