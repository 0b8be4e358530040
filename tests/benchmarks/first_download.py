"""How long a newcomer waits from the first start to the first token of a downloaded model, with pictures of each step.

The hub is local, so the download's time is the disk's. `python tests/benchmarks/first_download.py --screenshots DIR`
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from engine.host.model_resolver import STARTER_FILE  # noqa: E402

STARTER = ROOT / ".cache" / "models" / STARTER_FILE


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--screenshots", type=Path, metavar="DIR")
    parser.add_argument("--json", type=Path, metavar="FILE", help="- prints it")
    options = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory() as home:
        os.environ |= {
            "FIRSTLIGHT_HOME": f"{home}/firstlight", "HOME": f"{home}/user",
            "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
        }  # fmt: skip
        report = _measure(options.screenshots)
    text = json.dumps(report, indent=2)
    if options.json is not None and str(options.json) != "-":
        options.json.write_text(text, encoding="utf-8")
    else:
        print(text)
    return 0


def _measure(pictures: Path | None) -> dict[str, object]:
    import qasync
    from first_download import FILE, REPO, first_start, play
    from hub_server import serve
    from PySide6.QtWidgets import QApplication, QWidget

    app = QApplication([])
    started = time.perf_counter()
    steps: dict[str, float] = {}

    def show(name: str, widget: QWidget) -> None:
        steps[name] = round(time.perf_counter() - started, 3)
        if pictures is not None:
            pictures.mkdir(parents=True, exist_ok=True)
            widget.grab().save(str(pictures / f"{name}.png"))

    async def scene() -> dict[str, object]:
        async with first_start() as application:
            answer = await play(application, show)
            return {"seconds": steps, "perceived_ttft": answer.perceived_ttft, "answer": answer.content}

    with serve() as server:
        os.environ["HF_ENDPOINT"] = server.url
        server.add(REPO).files = {FILE: STARTER.read_bytes()}
        with qasync.QEventLoop(app) as loop:
            report: dict[str, object] = loop.run_until_complete(scene())
        return report | {"sent_bytes": server.sent[FILE], "file_bytes": STARTER.stat().st_size}


if __name__ == "__main__":
    sys.exit(main())
