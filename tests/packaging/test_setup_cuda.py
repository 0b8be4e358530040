"""What compiles the CUDA build: what is accepted, what is assembled, what is refused with a way out."""

from __future__ import annotations

import ctypes
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
import setup_cuda
from setup_backend import Facts, NvidiaCard
from setup_steps import Console, Places, StepFailed
from setup_vulkan import Toolchain


def machine(capability: str = "8.9", driver: str = "580.95.05", name: str = "x86_64") -> Facts:
    return Facts("linux", name, nvidia_cards=(NvidiaCard("card", capability, driver),), has_nvidia_driver=True)


Toolkit = Callable[..., Path]
Attempt = Callable[[Facts], Toolchain]


@pytest.fixture
def toolkit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Toolkit:
    """The system's toolkit, as its compiler describes itself."""

    def make(release: str, architectures: str, newest_gcc: int = 99) -> Path:
        root = tmp_path / "cuda"
        for folder in ("bin", "include/crt"):
            (root / folder).mkdir(parents=True, exist_ok=True)
        (root / "include" / "cublas_v2.h").touch()
        (root / "include" / "crt" / "host_config.h").write_text(f"#if __GNUC__ > {newest_gcc}\n#error\n")
        known = "\n".join(f"compute_{number}" for number in architectures.split())
        script = f'#!/bin/sh\n[ "$1" = --version ] && echo "release {release}, V{release}.1" || echo "{known}"\n'
        (root / "bin" / "nvcc").write_text(script)
        (root / "bin" / "nvcc").chmod(0o755)
        monkeypatch.setattr(setup_cuda, "system_toolkit", lambda: root)
        return root

    return make


@pytest.fixture
def attempt(console: Console, places: Places) -> Attempt:
    """Ask for the toolchain as the set-up does."""

    def make(facts: Facts) -> Toolchain:
        with console.step("Engine") as progress:
            return setup_cuda.toolchain(places, facts, "", False, progress)

    return make


def test_a_toolkit_that_suits_is_taken(toolkit: Toolkit, attempt: Attempt) -> None:
    root = toolkit("12.8", "75 86 89")
    found = attempt(machine(driver="550.54"))
    assert f"CMAKE_CUDA_COMPILER={root}/bin/nvcc" in found.flags
    assert "CMAKE_CUDA_ARCHITECTURES=89-real" in found.flags
    assert found.description == "the system's CUDA toolkit, for architecture 89-real"


@pytest.mark.parametrize(
    "case",
    [
        ("12.4", machine("12.0"), "does not compile for architecture 120"),
        ("13.0", machine("8.9", "590.1", "aarch64"), ""),
        ("14.0", machine("8.9", "450.80"), "CUDA 14.0 needs NVIDIA's driver 580 or newer; this is 450"),
    ],
)
def test_an_unsuited_toolkit_gives_way_to_an_assembled_one(
    case: tuple[str, Facts, str], toolkit: Toolkit, monkeypatch: pytest.MonkeyPatch, attempt: Attempt
) -> None:
    release, facts, reason = case
    root, assembled = toolkit(release, "75 86 89"), Path("/assembled")
    monkeypatch.setattr(setup_cuda, "assemble", lambda *_: assembled)
    monkeypatch.setattr(setup_cuda, "check_can_assemble", lambda *_: None)
    found = attempt(facts)
    assert f"CUDAToolkit_ROOT={assembled if reason else root}" in found.flags
    assert reason in found.description


def test_elsewhere_an_unsuited_toolkit_is_explained(toolkit: Toolkit, attempt: Attempt) -> None:
    toolkit("12.4", "75 86 89")
    facts = Facts("win32", "amd64", nvidia_cards=(NvidiaCard("card", "12.0", "580.1"),), has_nvidia_driver=True)
    with pytest.raises(StepFailed, match=r"CUDA 12.4 in .* does not compile for architecture 120") as caught:
        attempt(facts)
    assert "vulkan" in caught.value.advice


@pytest.mark.parametrize(
    ("wish", "found"),
    [("", ""), ("89", "89"), ("86,89", "86;89"), ("86; 89-real", "86;89-real"), ("90a", "90a")],
)
def test_architectures_may_be_parted_by_commas(wish: str, found: str) -> None:
    assert setup_cuda.chosen_architectures(wish) == found


@pytest.mark.parametrize("wish", ["8.9", "RTX 4090", "89;;", "sm_89"])
def test_what_is_no_architecture_is_refused(wish: str) -> None:
    with pytest.raises(StepFailed, match="no list of CUDA architectures") as caught:
        setup_cuda.chosen_architectures(wish)
    assert "--cuda-arch 89" in caught.value.advice


def test_a_compiler_that_is_too_new_gives_way_to_an_older_one(
    toolkit: Toolkit, monkeypatch: pytest.MonkeyPatch
) -> None:
    older = {"g++-13": "/usr/bin/g++-13", "g++-12": "/usr/bin/g++-12"}
    monkeypatch.delenv("CUDAHOSTCXX", raising=False)
    monkeypatch.setattr(setup_cuda, "_gcc_version", lambda _: 16)
    monkeypatch.setattr(setup_cuda.shutil, "which", older.get)
    root = toolkit("13.0", "89", 15)
    assert setup_cuda.host_compiler(root) == ["CMAKE_CUDA_HOST_COMPILER=/usr/bin/g++-13"]
    older.clear()
    with pytest.raises(StepFailed, match=r"takes g\+\+ up to 15; this system's is 16") as caught:
        setup_cuda.host_compiler(root)
    assert "g++-15" in caught.value.advice
    assert setup_cuda.host_compiler(toolkit("13.0", "89", 16)) == []
    monkeypatch.setattr(setup_cuda, "_gcc_version", lambda _: None)
    assert setup_cuda.host_compiler(toolkit("13.0", "89", 15)) == []


def test_the_systems_compiler_says_its_version() -> None:
    assert (setup_cuda._gcc_version("g++") or 0) >= 9
    assert setup_cuda._gcc_version("no-such-compiler") is None


def test_too_little_room_is_said_before_anything_is_fetched(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    places.cache.mkdir()
    monkeypatch.setattr(setup_cuda.shutil, "disk_usage", lambda _: SimpleNamespace(free=1 << 30))
    with pytest.raises(StepFailed, match=r"takes 3 GB .* and 1.1 GB are free") as caught:
        setup_cuda.check_space(places.cache)
    assert "FIRSTLIGHT_HOME" in caught.value.advice


def test_what_has_come_is_not_fetched_again(console: Console, places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    """The connection breaks at the fourth package; the next attempt begins with that one."""
    fetched: list[str] = []
    is_broken = True

    def download(command: list[str], **_: object) -> None:
        package, folder = command[-1], Path(command[-2])
        if is_broken and len(fetched) == 3:
            raise StepFailed("no connection")
        fetched.append(package)
        name, version = package.replace("-", "_").split("==")
        with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as wheel:
            for file in ("bin/nvcc", "nvvm/bin/cicc", "lib/libcublas.so.13", "include/cublas_v2.h", "include/cuda.h"):
                wheel.writestr(f"nvidia/cu13/{file}", "")

    monkeypatch.setattr(setup_cuda, "run_logged", download)
    monkeypatch.setattr(setup_cuda, "complete", lambda *_: None)
    with console.step("Engine") as progress:
        with pytest.raises(StepFailed, match=r"nvidia-cuda-runtime==.* could not be had. no connection") as caught:
            setup_cuda.assemble(places, progress)
        assert "kept" in caught.value.advice
        is_broken = False
        root = setup_cuda.assemble(places, progress)
        assert setup_cuda.assemble(places, progress) == root
    assert fetched == list(setup_cuda.PACKAGES)
    assert (root / "bin" / "nvcc").exists()
    assert not (root.parent.parent / "wheels").exists()


def test_architectures_come_from_the_cards() -> None:
    cards = tuple(NvidiaCard("card", capability) for capability in ("8.9", "12.0", "8.9", ""))
    assert setup_cuda.architectures_of(cards) == "89-real;120-real"


def test_unknown_architecture_asks_for_it() -> None:
    with pytest.raises(StepFailed) as caught:
        setup_cuda.architectures_of((NvidiaCard("card", ""),))
    assert "--cuda-arch" in caught.value.advice


@pytest.mark.parametrize(
    ("facts", "architectures", "words"),
    [
        (machine(driver="550.54"), "89", "driver 580 or newer; this is 550"),
        (machine(capability="6.1"), "89-real;61-real", "architecture 61"),
        (machine(name="riscv64"), "89", "riscv64"),
    ],
)
def test_cuda_says_why_it_cannot(facts: Facts, architectures: str, words: str) -> None:
    with pytest.raises(StepFailed, match=words) as caught:
        setup_cuda.check_can_assemble(facts, architectures)
    assert "vulkan" in caught.value.advice


def test_cuda_is_content_with_a_new_card_and_driver() -> None:
    setup_cuda.check_can_assemble(machine(), "89;120")


def test_a_toolkit_without_cublas_is_not_whole(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "include").mkdir()
    (tmp_path / "bin" / "nvcc").touch()
    assert not setup_cuda.is_whole(tmp_path)
    (tmp_path / "include" / "cublas_v2.h").touch()
    assert setup_cuda.is_whole(tmp_path)


def test_packages_become_a_toolkit(tmp_path: Path, places: Places) -> None:
    for folder in ("bin", "lib", "include", "nvvm/bin"):
        (tmp_path / folder).mkdir(parents=True)
    for file in ("bin/nvcc", "nvvm/bin/cicc", "lib/libcublas.so.13", "include/cublas_v2.h"):
        (tmp_path / file).touch(mode=0o644)
    (tmp_path / "include" / "cuda.h").write_text("CUresult CUDAAPI cuMemCreate(int x);\n#define cuFree cuFree_v2\n")
    setup_cuda.complete(tmp_path, places)
    assert (tmp_path / "lib64" / "libcublas.so").resolve() == tmp_path / "lib" / "libcublas.so.13"
    assert (tmp_path / "bin" / "nvcc").stat().st_mode & 0o111
    assert b"libcuda.so.1" in (tmp_path / "lib" / "stubs" / "libcuda.so").read_bytes()


def test_the_engine_needs_the_driver_and_without_one_finds_no_device(tmp_path: Path, places: Places) -> None:
    for folder in ("bin", "lib", "include", "nvvm/bin"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "include" / "cublas_v2.h").touch()
    (tmp_path / "include" / "cuda.h").write_text("CUresult CUDAAPI cuMemCreate(int x);\n#define cuFree cuFree_v2\n")
    setup_cuda.complete(tmp_path, places)
    (tmp_path / "engine.c").write_text(
        "int cuMemCreate(void); int cuFree_v2(void); int f(void) { return cuMemCreate(); }"
    )
    command = ["gcc", "-shared", "-fPIC", "-Wl,--as-needed", "engine.c", "-Llib/stubs", "-lcuda", "-o", "engine.so"]
    subprocess.run(command, check=True, cwd=tmp_path)
    assert b"libcuda.so.1" in (tmp_path / "engine.so").read_bytes()
    driver = ctypes.CDLL(str(tmp_path / "lib" / "stubs" / "libcuda.so.1"))
    assert (driver.cuMemCreate(), driver.cuFree_v2()) == (100, 100)
