"""Entry of the app: parse arguments, show the window, hand over to the application."""

from __future__ import annotations

from app.startup import fast_imports  # noqa: F401

# isort: split

import argparse
import os
import signal
import sys
import tempfile
from pathlib import Path

from PySide6.QtCore import QSize

from app.startup.first_window import Look, import_meanwhile, make_application, show_window, tell_failure
from app.startup.single_instance import SingleInstance
from app.ui.style_sheet import app_icon
from engine.folders import folders


def main(arguments: list[str] | None = None) -> int:
    """Run the app; returns the exit code."""
    options = _parse(sys.argv[1:] if arguments is None else arguments)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if options.smoke is not None and "FIRSTLIGHT_HOME" not in os.environ:
        with tempfile.TemporaryDirectory(prefix="firstlight-smoke-") as home:
            os.environ["FIRSTLIGHT_HOME"] = home
            return _run(options)
    return _run(options)


def _run(options: argparse.Namespace) -> int:
    app = make_application()
    is_smoke = options.smoke is not None
    one = SingleInstance(folders().data)
    if not is_smoke and one.is_second():
        return 0
    size = options.new_window_size or (QSize(1440, 900) if is_smoke else None)
    window = show_window(app, folders(), Look(theme=options.theme or "", language=options.language or "", size=size))
    try:
        import_meanwhile(window, "app.smoke" if is_smoke else "app.application")
    except Exception as error:
        if is_smoke:
            raise
        tell_failure(app, window, error)
        return 1
    app.setWindowIcon(app_icon())
    from app.application import run_application

    if not is_smoke:
        one.listen(window)
        run_application(app, window, lambda application: application.run())
        return 0
    from app.smoke import run_smoke

    return int(
        run_application(app, window, lambda application: run_smoke(application, options.smoke, options.screenshot))
    )


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m app", description="Chat with a model on this computer.")
    parser.add_argument("--smoke", metavar="PROMPT", help="ask this in the real window, print one JSON object, and end")
    parser.add_argument("--screenshot", type=Path, metavar="FILE", help="with --smoke: save a picture of the window")
    parser.add_argument("--new-window-size", type=_size, metavar="WxH", help="such as 1440x900")
    parser.add_argument("--language", choices=("en", "zh_CN"), help="instead of the one in the settings")
    parser.add_argument("--theme", choices=("system", "light", "dark", "high_contrast"))
    return parser.parse_args(arguments)


def _size(text: str) -> QSize:
    width, _, height = text.lower().partition("x")
    if not (width.isdecimal() and height.isdecimal()):
        raise argparse.ArgumentTypeError(f"{text} is not a size such as 1440x900")
    return QSize(int(width), int(height))


if __name__ == "__main__":
    sys.exit(main())
