"""The command itself: arguments, the stamp that makes a second start cheap, locked versions, system packages."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import bootstrap
import lock
import pytest
import setup_environment
import setup_system
from setup_steps import Console, Places, StepFailed
from setup_system import Need

PROJECT = {
    "project": {
        "dependencies": ["jinja2>=3", "llama-cpp-python==0.3.36"],
        "optional-dependencies": {"test": ["pytest>=9"]},
    }
}


def test_arguments_of_the_app_follow_two_dashes() -> None:
    options, rest = bootstrap.parse(["run", "--backend", "vulkan", "--", "--smoke", "Hello"])
    assert (options.command, options.backend) == ("run", "vulkan")
    assert rest == ["--", "--smoke", "Hello"]


def test_arguments_of_pytest_pass_through() -> None:
    options, rest = bootstrap.parse(["test", "tests/app", "-k", "hud"])
    assert (options.command, options.gpu) == ("test", False)
    assert rest == ["tests/app", "-k", "hud"]


def test_a_stray_argument_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert bootstrap.main(["run", "--smoke"]) == 2
    assert "--smoke" in capsys.readouterr().err


def test_the_environment_can_force_a_build(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIRSTLIGHT_BACKEND", "vulkan")
    assert bootstrap.parse(["run"])[0].backend == "vulkan"


def test_a_finished_set_up_is_recognised(tmp_path: Path) -> None:
    options, _ = bootstrap.parse(["run"])
    assert not bootstrap.is_fresh(tmp_path, options)
    (tmp_path / bootstrap.STAMP).write_text(json.dumps(bootstrap.stamp(tmp_path, options)), encoding="utf-8")
    assert bootstrap.is_fresh(tmp_path, options)
    for change in (["--backend", "vulkan"], ["--stock"]):
        other, _ = bootstrap.parse(["run", *change])
        assert not bootstrap.is_fresh(tmp_path, other)


@pytest.mark.parametrize("name", ["setup_more.py", "patches/01-more.patch", "packages.lock"])
def test_whatever_is_built_from_makes_a_set_up_stale(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bootstrap, "HERE", tmp_path)
    options, _ = bootstrap.parse(["run"])
    (tmp_path / "patches").mkdir()
    (tmp_path / name).write_text("old", encoding="utf-8")
    before = bootstrap.stamp(tmp_path, options)
    (tmp_path / name).write_text("new", encoding="utf-8")
    assert bootstrap.stamp(tmp_path, options) != before


@pytest.mark.parametrize(
    ("error", "status", "words"),
    [
        (StepFailed("The card is too old.", "Use another."), 1, ["The card is too old.", "Use another."]),
        (OSError(28, "No space left on device", ".venv"), 1, ["No space left on device", "Free some space"]),
        (KeyboardInterrupt(), 130, ["Run the same command again to continue."]),
    ],
)
def test_a_failure_is_told_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: BaseException,
    status: int,
    words: list[str],
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(bootstrap, "set_up", fail)
    assert bootstrap.main(["setup"]) == status
    message = capsys.readouterr().err
    assert all(word in message for word in words)
    assert "Traceback" not in message


def test_the_app_starts_with_its_arguments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def execute(path: Path, command: list[str]) -> None:
        raise SystemExit(" ".join(command[1:]))

    monkeypatch.setattr(os, "execv", execute)
    with pytest.raises(SystemExit, match="-m app --smoke Hello"):
        bootstrap.start(tmp_path / "python", ["--smoke", "Hello"])


def test_the_lock_covers_all_but_the_engine() -> None:
    wanted = lock.requirements(PROJECT)
    assert "pytest>=9" in wanted
    assert not any(item.startswith("llama-cpp-python") for item in wanted)
    assert lock.engine_version(PROJECT) == "0.3.36"


def test_a_version_gets_a_marker_only_where_pythons_differ() -> None:
    resolved = {
        (3, 11): {"a": "1", "b": "1", "zipp": "4"},
        (3, 12): {"a": "1", "b": "2"},
        (3, 13): {"a": "1", "b": "2"},
    }
    assert lock.merge(resolved) == [
        "a==1",
        'b==1 ; python_version < "3.12"',
        'b==2 ; python_version >= "3.12"',
        'zipp==4 ; python_version < "3.12"',
    ]


def test_this_environment_is_what_the_lock_says() -> None:
    """Every direct dependency is locked, on this Python, to the version that runs these tests."""
    import importlib.metadata

    from packaging.requirements import Requirement

    lines = (bootstrap.HERE / "requirements.lock").read_text(encoding="utf-8").splitlines()
    pins = [Requirement(line) for line in lines if line and not line.startswith("#")]
    locked = {pin.name: str(pin.specifier)[2:] for pin in pins if pin.marker is None or pin.marker.evaluate()}
    wanted = {lock.normalise(Requirement(item).name) for item in lock.requirements(lock.read_project())}
    assert wanted <= locked.keys()
    assert {name: importlib.metadata.version(name) for name in wanted - {"pip"}}.items() <= locked.items()


def test_a_broken_environment_is_made_anew_and_a_working_one_kept(places: Places, tmp_path: Path) -> None:
    places.python.parent.mkdir(parents=True)
    places.python.symlink_to(tmp_path / "gone")
    setup_environment.make_venv(places.venv, tmp_path / "log")
    assert setup_environment.is_working(places.venv)
    (places.venv / "mark").touch()
    setup_environment.make_venv(places.venv, tmp_path / "log")
    assert (places.venv / "mark").exists()
    setup_environment.link_checkout(places)
    assert str(places.root) in (setup_environment.site_packages(places.venv) / "firstlight.pth").read_text("utf-8")


def missing(package: str, *, is_required: bool = True) -> Need:
    return Need(f"the {package}", package, lambda: False, is_required)


@pytest.fixture
def no_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(setup_system, "root_prefix", lambda: None)
    monkeypatch.setattr(sys, "platform", "linux")


@pytest.mark.usefixtures("no_root")
def test_without_root_the_one_command_is_told(console: Console, places: Places) -> None:
    with pytest.raises(StepFailed, match="the libegl1") as caught:
        setup_system.install_needs(console, places, [missing("libegl1"), missing("g++")])
    assert "g++ libegl1" in caught.value.advice or "install" in caught.value.advice


@pytest.mark.usefixtures("no_root")
def test_what_is_only_recommended_does_not_stop(console: Console, places: Places) -> None:
    setup_system.install_needs(console, places, [missing("fonts-noto-cjk", is_required=False)])


@pytest.mark.parametrize(
    ("release", "words"),
    [
        ({"ID": "debian"}, "sudo apt-get install a b"),
        ({"ID": "ubuntu"}, "sudo apt-get install a b"),
        ({"ID": "linuxmint", "ID_LIKE": "ubuntu debian"}, "sudo apt-get install a b"),
        ({"ID": "fedora"}, "sudo dnf install"),
        ({"ID": "endeavouros", "ID_LIKE": "arch"}, "sudo pacman"),
        ({"ID": "nixos"}, "On Debian this is a b"),
        ({}, "On Debian this is a b"),
    ],
)
def test_each_system_gets_its_own_words(release: dict[str, str], words: str) -> None:
    assert words in setup_system.manual_advice([missing("b"), missing("a")], release)
