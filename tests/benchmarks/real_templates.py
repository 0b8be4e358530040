"""Runs the chat templates of a folder (*.jinja) through ours: which work as they are, which need help, which do not.

`python tests/benchmarks/real_templates.py FOLDER [--json FILE|-]`: llama.cpp's source has 71 in models/templates.
A template passes when it shows every message of a chat with a system prompt; ChatML in its place counts as a failure.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from engine.errors import RequestError
from engine.protocol.values import ChatMessage, Role
from engine.worker.prompt.chat_template import ChatTemplate

CHAT = (
    ChatMessage(role=Role.SYSTEM, content="SYSTEM-TEXT"),
    ChatMessage(role=Role.USER, content="FIRST-QUESTION"),
    ChatMessage(role=Role.ASSISTANT, content="FIRST-ANSWER", reasoning="FIRST-THOUGHT"),
    ChatMessage(role=Role.USER, content="SECOND-QUESTION"),
)


def examine(source: str) -> dict[str, Any]:
    """What becomes of one template."""
    started = time.perf_counter()
    template = ChatTemplate(source, "<s>", "</s>")
    compiled = time.perf_counter()
    try:
        rendered = template.render(CHAT)
    except RequestError as error:
        return {"passes": False, "why": str(error)}
    missing = [message.content for message in CHAT if message.content not in rendered.text]
    return {
        "passes": template.has_template and not missing,
        "missing": missing,
        "opens_reasoning": rendered.opens_reasoning,
        "notices": [notice.code for notice in (*template.notices, *rendered.notices)],
        "load_seconds": compiled - started,
        "render_seconds": time.perf_counter() - compiled,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--json", help="write the findings to a file, or - for stdout")
    arguments = parser.parse_args()
    found = {path.stem: examine(path.read_text("utf-8")) for path in sorted(arguments.folder.glob("*.jinja"))}
    n_passed = sum(result["passes"] for result in found.values())
    if arguments.json == "-":
        print(json.dumps(found, indent=2))
    elif arguments.json:
        Path(arguments.json).write_text(json.dumps(found, indent=2) + "\n")
    else:
        for name, result in found.items():
            print(f"{'pass' if result['passes'] else 'FAIL'}  {name}  {result.get('why') or result['notices']}")
    print(f"{n_passed} of {len(found)} templates pass", file=sys.stderr)
    return 0 if found and n_passed == len(found) else 1


if __name__ == "__main__":
    sys.exit(main())
