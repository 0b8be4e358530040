"""Pastes a long text into the composer and measures how long the event loop stalls: as a file, and as text.

stall_*: lateness of a 4 ms timer; work_*: CPU time that the window used between ticks, whatever else runs here.
attach: the paste becomes a file, as it does by itself. insert: it is written into the message field.
type: one character a tick is typed behind it. choose: the file is opened to choose a part of it.
"""

from __future__ import annotations

import time

from PySide6.QtWidgets import QApplication
from ui_chat import StallMeter, make_app, parser, report

from app.chat.chat_prompt import with_attachments
from app.composer.attachments import pasted
from app.composer.composer import Composer
from app.composer.part_dialog import PartDialog
from app.ui.theme import Theme


def measured(app: QApplication, work: object, seconds: float = 1.0) -> tuple[float, float]:
    """The longest stall and the longest work in ms, from `work` on."""
    meter = StallMeter()
    meter.start()
    until = time.perf_counter() + 0.1
    while time.perf_counter() < until:
        app.processEvents()
    work()  # type: ignore[operator]
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        app.processEvents()
    meter.stop()
    return meter.max_ms, max(meter.work)


def measure(n_lines: int) -> dict[str, float | int]:
    app = make_app()
    text = "".join(
        f"{number:6}  the quick brown fox jumps over the lazy dog = {number * 7}\n" for number in range(n_lines)
    )
    composer = Composer(Theme("light"))
    composer.resize(860, 300)
    composer.set_window_height(800)
    composer.paste_offered.connect(lambda long: composer.files.add(pasted(long, "Pasted text")))
    drafts: list[str] = []
    composer.attachments_changed.connect(lambda: drafts.append(with_attachments(composer.text, composer.attachments)))
    composer.show()
    app.processEvents()
    found: dict[str, float | int] = {"n_lines": n_lines, "n_characters": len(text)}

    def keep(name: str, work: object) -> None:
        found[f"{name}_stall_max_ms"], found[f"{name}_work_max_ms"] = measured(app, work)

    keep("attach", lambda: composer.edit.long_text_pasted.emit(text))
    dialogs: list[PartDialog] = []

    def choose() -> None:
        dialogs.append(PartDialog(composer.theme, composer.attachments[0], n_lines * 15, 7_000, composer))
        dialogs[0].show()

    keep("choose", choose)
    dialogs[0].reject()
    keep("insert", lambda: composer.insert_attachment(composer.attachments[0], text))
    keep("type", lambda: composer.edit.insertPlainText("a"))
    return found


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("--lines", type=int, default=20_000)
    chosen = arguments.parse_args()
    report(measure(chosen.lines), chosen.json)


if __name__ == "__main__":
    main()
