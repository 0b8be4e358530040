"""An answer to a raw prompt is passed on as it comes; only that to a chat is split into sections."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from engine.protocol.commands import Generate
from engine.protocol.values import ChatMessage, Role, Section
from engine.worker.decode.sequence import Sequence
from engine.worker.prompt.prompt_builder import Prompt

PIECES = (b"\n", b"<think>", b"\nSo", b"</think>", b"Yes")
MODEL: Any = SimpleNamespace(piece=PIECES.__getitem__, is_eog=lambda token: False)
CHAT = Generate(request_id="r", messages=(ChatMessage(role=Role.USER, content="Hi"),))


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (Generate(request_id="r", prompt="Hi"), [[(Section.ANSWER, piece.decode())] for piece in PIECES]),
        (CHAT, [[], [], [(Section.REASONING, "So")], [], [(Section.ANSWER, "Yes")]]),
    ],
)
def test_what_each_token_brings(command: Generate, expected: list[list[tuple[Section, str]]]) -> None:
    sequence = Sequence(command, 0.0)
    sampler: Any = None
    sequence.begin(Prompt([7], "Hi"), MODEL, sampler)
    assert [sequence.take([token], float(token)).pieces for token in range(len(PIECES))] == expected
