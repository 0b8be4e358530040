"""Entry of the app: parse arguments, start Qt, hand over to the application."""

from __future__ import annotations

import argparse
import logging
import os
import signal
import sys
import tempfile
from pathlib import Path

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QApplication


def main(arguments: list[str] | None = None) -> int:
    """Run the app; returns the exit code."""
    options = _parse(sys.argv[1:] if arguments is None else arguments)
    logging.basicConfig(level=logging.WARNING, format="%(name)s: %(message)s", stream=sys.stderr)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if sys.platform == "linux" and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    if options.smoke is not None and "FIRSTLIGHT_HOME" not in os.environ:
        with tempfile.TemporaryDirectory(prefix="firstlight-smoke-") as home:
            os.environ["FIRSTLIGHT_HOME"] = home
            return _run(options)
    return _run(options)


def _run(options: argparse.Namespace) -> int:
    import qasync

    from app.application import Application
    from app.i18n import install_language
    from app.style import app_icon
    from app.theme import Theme
    from engine.settings import folders, load_settings

    places = folders()
    settings, notice = load_settings(places.settings_file)
    app = QApplication.instance() or QApplication([sys.argv[0]])
    if not isinstance(app, QApplication):
        raise TypeError("another kind of Qt application runs in this process")
    app.setApplicationName("Firstlight")
    app.setDesktopFileName("firstlight")
    app.setWindowIcon(app_icon())
    app.setStyle("Fusion")
    app.setQuitOnLastWindowClosed(False)
    install_language(app, options.language or settings.general.language)
    theme = Theme(options.theme or settings.general.theme, settings.general.font_size, settings.general.font_family)
    app.setFont(theme.font())
    with qasync.QEventLoop(app) as loop:
        application = Application(settings, places, theme)
        if notice:
            application.window.notices.show_notice(notice, is_warning=True)
        if options.smoke is None:
            loop.run_until_complete(application.run(options.new_window_size))
            return 0
        from app.smoke import run_smoke

        return int(
            loop.run_until_complete(
                run_smoke(application, options.smoke, options.screenshot, options.new_window_size or QSize(1440, 900))
            )
        )


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m app", description="Firstlight: chat with a model on this computer."
    )
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
