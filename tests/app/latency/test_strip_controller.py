"""The strip's figures: repainted at a bounded pace, whatever the engine sends."""

from __future__ import annotations

import msgspec
from pytestqt.qtbot import QtBot

from app.core.host_client import HostClient
from app.latency.strip_controller import StripController
from app.latency.strip_readings import Phase, StripReadings
from engine.metrics import FinishReason, RequestMetrics
from engine.protocol import GenerationFinished, GenerationStarted, HardwareSample, MetricsUpdate, TokenDelta
from engine.protocol.values import Role
from engine.store.chat_values import Chat, StoredMessage


def test_ten_thousand_tokens_repaint_a_few_times_and_the_end_at_once(qtbot: QtBot) -> None:
    client = HostClient()
    controller = StripController(client, client)
    shown: list[StripReadings] = []
    controller.figures_changed.connect(shown.append)
    assert 1000 / controller._throttle._interval_ms <= 10
    controller._throttle._interval_ms = 3_600_000  # However slow this machine is.
    controller.answer_started("", "r")
    client.deliver(GenerationStarted(request_id="r", n_prompt_tokens=12, seed=7))
    for number in range(10_000):
        client.deliver(TokenDelta(request_id="r", text="word ", gap=0.005))
        if number % 100 == 0:
            client.deliver(MetricsUpdate(request_id="r", metrics=RequestMetrics(decode_tps=200.0)))
            client.deliver(HardwareSample())
    assert len(shown) <= 1
    done = RequestMetrics(decode_tps=198.0, n_prompt_tokens=12, n_decoded=10_000)
    client.deliver(GenerationFinished(request_id="r", finish_reason=FinishReason.STOP, metrics=done))
    assert len(shown) <= 2
    assert (shown[-1].phase, shown[-1].metrics, shown[-1].n_context) == (Phase.IDLE, done, 10_012)


def test_the_strip_says_the_wait_that_the_answer_and_the_panel_say(qtbot: QtBot) -> None:
    client = HostClient()
    controller = StripController(client, client)
    chat, metrics = Chat(id="c", created_at=0, updated_at=0), RequestMetrics(ttft=0.06)
    controller.show_chat("c", None)
    controller.answer_started("c", "r")
    client.deliver(MetricsUpdate(request_id="r", metrics=metrics))
    assert controller.figures.ttft == 0.06
    client.deliver(GenerationFinished(request_id="r", finish_reason=FinishReason.STOP, metrics=metrics))
    answer = StoredMessage(id="a", chat_id="c", role=Role.ASSISTANT, created_at=0, metrics=metrics, perceived_ttft=0.38)
    controller.answer_finished(
        msgspec.structs.replace(chat, id="another"), msgspec.structs.replace(answer, perceived_ttft=9.0)
    )
    controller.answer_finished(chat, answer)
    assert controller.figures.ttft == 0.38
    controller.answer_started("c", "next")
    client.deliver(TokenDelta(request_id="next", text="word ", gap=0.005))
    assert controller.figures.ttft == 0.38, "the last answer's, whole"
    client.deliver(MetricsUpdate(request_id="next", metrics=metrics))
    assert controller.figures.ttft == 0.06
    controller.show_chat("d", msgspec.structs.replace(answer, chat_id="d"))
    assert controller.figures.ttft == 0.38
