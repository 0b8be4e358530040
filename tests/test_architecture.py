"""Rules of this project that no tool knows: file lengths, what a process may import, what must not be swallowed."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ("app", "engine", "packaging", "tests")
LONGEST_FILE = 600
"""An alarm, not a goal: a file is as long as its noun."""


def python_files() -> Iterator[Path]:
    for folder in SOURCES:
        yield from sorted((ROOT / folder).rglob("*.py"))


def names(files: Iterator[Path] | list[Path]) -> list[str]:
    return [str(file.relative_to(ROOT)) for file in files]


def test_files_are_short() -> None:
    lengths = {file: len(file.read_text(encoding="utf-8").splitlines()) for file in python_files()}
    too_long = {str(file.relative_to(ROOT)): length for file, length in lengths.items() if length > LONGEST_FILE}
    assert not too_long


def test_modules_say_what_they_are() -> None:
    silent = [file for file in python_files() if not ast.get_docstring(ast.parse(file.read_text(encoding="utf-8")))]
    assert not names([file for file in silent if file.read_text(encoding="utf-8").strip()])


def test_no_module_is_called_utils() -> None:
    assert not names([file for file in python_files() if file.stem in ("utils", "util", "helpers", "misc")])


def test_controllers_and_the_core_build_no_widgets() -> None:
    """They decide and hold; for a type alone QtWidgets may be imported under TYPE_CHECKING."""
    files = [*(ROOT / "app").rglob("*_controller.py"), *(ROOT / "app" / "core").rglob("*.py")]
    found = [file for file in files if imports_at_run_time(ast.parse(file.read_text(encoding="utf-8")), "QtWidgets")]
    assert not names(found)


def imports_at_run_time(tree: ast.AST, module: str) -> bool:
    """Whether PySide6.`module` is imported anywhere but under TYPE_CHECKING."""
    for node in ast.iter_child_nodes(tree):
        match node:
            case ast.If(test=ast.Name(id="TYPE_CHECKING")):
                continue
            case ast.ImportFrom(module="PySide6", names=taken) if any(each.name == module for each in taken):
                return True
            case ast.ImportFrom(module=str(source)) if source == f"PySide6.{module}":
                return True
            case ast.Import(names=taken) if any(each.name == f"PySide6.{module}" for each in taken):
                return True
        if imports_at_run_time(node, module):
            return True
    return False


@pytest.mark.parametrize(
    ("source", "is_import"),
    [
        ("from PySide6.QtWidgets import QMenu", True),
        ("from PySide6 import QtCore, QtWidgets", True),
        ("def make():\n    import PySide6.QtWidgets", True),
        ("if TYPE_CHECKING:\n    from PySide6.QtWidgets import QMenu", False),
        ("from PySide6.QtGui import QAction", False),
    ],
)
def test_the_rule_sees_an_import_of_widgets(source: str, is_import: bool) -> None:
    assert imports_at_run_time(ast.parse(source), "QtWidgets") is is_import


def test_packaging_is_no_package() -> None:
    """A packaging/__init__.py would hide the library named packaging."""
    assert not (ROOT / "packaging" / "__init__.py").exists()


def swallowed(tree: ast.AST) -> Iterator[int]:
    """Lines of handlers that catch everything, or nearly, and do nothing about it."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.ExceptHandler):
            continue
        caught = node.type.id if isinstance(node.type, ast.Name) else ""
        is_broad = node.type is None or caught in ("Exception", "BaseException")
        is_silent = all(isinstance(line, ast.Pass | ast.Continue) or _is_ellipsis(line) for line in node.body)
        if is_broad and is_silent:
            yield node.lineno


def _is_ellipsis(line: ast.stmt) -> bool:
    return isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant) and line.value.value is ...


def test_no_exception_is_swallowed() -> None:
    found = {
        str(f.relative_to(ROOT)): list(swallowed(ast.parse(f.read_text(encoding="utf-8")))) for f in python_files()
    }
    assert not {name: lines for name, lines in found.items() if lines}


def test_the_rule_sees_a_swallowed_exception() -> None:
    tree = ast.parse("try:\n    work()\nexcept Exception:\n    pass\ntry:\n    work()\nexcept OSError:\n    pass\n")
    assert list(swallowed(tree)) == [3]


def sleeps(tree: ast.AST) -> Iterator[int]:
    """Lines of a test that wait for a time instead of for an event."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = node.func.value.id if isinstance(node.func.value, ast.Name) else ""
            if (owner, node.func.attr) in {("time", "sleep"), ("qtbot", "wait")}:
                yield node.lineno


def test_no_test_sleeps() -> None:
    tests = [file for file in python_files() if "tests" in file.parts and "benchmarks" not in file.parts]
    found = {str(f.relative_to(ROOT)): list(sleeps(ast.parse(f.read_text(encoding="utf-8")))) for f in tests}
    assert not {name: lines for name, lines in found.items() if lines}


@pytest.mark.parametrize("module", ["engine.worker", "engine.host", "engine.protocol", "engine.store"])
def test_the_engine_runs_without_qt(module: str) -> None:
    assert not imported(module, "PySide6")


@pytest.mark.parametrize(
    "module", ["app.core.host_client", "app.core.conversation_model", "engine.host", "engine.store"]
)
def test_only_the_worker_touches_llama_cpp(module: str) -> None:
    assert not imported(module, "llama_cpp")


def imported(module: str, unwanted: str) -> str:
    """What of `unwanted` a fresh interpreter holds after importing every part of `module`."""
    code = (
        "import importlib, pkgutil, sys\n"
        f"root = importlib.import_module('{module}')\n"
        "for part in pkgutil.walk_packages(getattr(root, '__path__', []), root.__name__ + '.'):\n"
        "    if not part.name.endswith('__main__'):\n"
        "        importlib.import_module(part.name)\n"
        f"print(*[name for name in sys.modules if name.partition('.')[0] == '{unwanted}'])\n"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False)
    assert answer.returncode == 0, answer.stderr
    return answer.stdout.strip()


def test_a_start_of_the_host_does_not_wait_for_numpy() -> None:
    """A quarter of a second that only measuring the machine's limits is worth."""
    assert not imported("engine.host", "numpy")
