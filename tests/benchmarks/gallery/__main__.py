"""Pictures of the app, state by state, for eyes.

    python tests/benchmarks/gallery DIR [--language en zh_CN] [--theme light dark] [--scale 1 2] [--only NAME ...]

Each language, theme and scale has a process of its own. A scene is `async def name(stage: Stage)` in one of the files
scenes_*.py. It opens the whole app over a scripted host and over a folder of its own, brings it into one state after
the other, and takes a picture of each: DIR/LANGUAGE-THEME-SCALEx/NAME.png.
"""

# ruff: noqa: E402 - where the scenes of the tests lie has to be said first.

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "tests" / "engine" / "store" / "exchange")]

import qasync
import scenes_chat
import scenes_dialogs
import scenes_faults
import scenes_looks
import scenes_more
import scenes_rest
from PySide6.QtWidgets import QApplication
from stage import Scene, Stage

from app.core import tasks
from app.startup.first_window import make_application

SCENES = {
    scene.__name__: scene
    for part in (scenes_chat, scenes_more, scenes_dialogs, scenes_faults, scenes_rest, scenes_looks)
    for scene in part.SCENES
}
THEMES = ("light", "dark", "high_contrast", "high_contrast_light")
_SCREEN = {"name": "large", "x": 0, "y": 0, "width": 2880, "height": 1800, "dpr": 1, "logicalDpi": 96}
"""Where menus and dialogs have room also at twice the scale."""


def main() -> None:
    """Play the scenes as the command line asks; exits with 1 when one of them fails."""
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("folder", type=Path, metavar="DIR")
    reader.add_argument("--language", nargs="+", default=["en"], choices=("en", "zh_CN"))
    reader.add_argument("--theme", nargs="+", default=["light"], choices=THEMES)
    reader.add_argument("--scale", nargs="+", default=["1"])
    reader.add_argument("--only", nargs="+", default=SCENES, choices=SCENES, metavar="NAME")
    options = reader.parse_args()
    looks = list(itertools.product(options.language, options.theme, options.scale))
    if len(looks) > 1:
        sys.exit(max(_play_apart(options, *look) for look in looks))
    language, theme, scale = looks[0]
    os.environ["QT_SCALE_FACTOR"] = scale
    stage = Stage(options.folder / f"{language}-{theme}-{scale}x", language, theme)
    sys.exit(_play([SCENES[name] for name in options.only], stage))


def _play_apart(options: argparse.Namespace, language: str, theme: str, scale: str) -> int:
    look = ["--language", language, "--theme", theme, "--scale", scale, "--only", *options.only]
    return subprocess.run([sys.executable, sys.argv[0], str(options.folder), *look], check=False).returncode


def _play(scenes: Sequence[Scene], stage: Stage) -> int:
    os.environ["PYTHONPATH"] = str(ROOT)
    with tempfile.TemporaryDirectory() as folder:
        screen = Path(folder) / "screen.json"
        screen.write_text(json.dumps({"screens": [_SCREEN]}))
        os.environ.setdefault("QT_QPA_PLATFORM", f"offscreen:configfile={screen}")
        app = make_application()
    app.setCursorFlashTime(0)  # A caret that is always there.
    failed = []
    with qasync.QEventLoop(app) as loop:
        asyncio.set_event_loop(loop)
        for scene in scenes:
            with tempfile.TemporaryDirectory() as home:
                os.environ["FIRSTLIGHT_HOME"] = home
                try:
                    loop.run_until_complete(_bounded(scene(stage)))
                except Exception:  # noqa: BLE001 - the other scenes are worth a picture all the same
                    traceback.print_exc()
                    failed.append(scene.__name__)
    print(f"{stage.n_shots} pictures in {stage.folder}", *(f"failed: {name}" for name in failed), sep="\n")
    return int(bool(failed))


async def _bounded(work: Coroutine[Any, Any, None]) -> None:
    try:
        await asyncio.wait_for(work, 300)
    finally:
        for each in QApplication.topLevelWidgets():
            each.close()
        await tasks.cancel_all()


if __name__ == "__main__":
    main()
