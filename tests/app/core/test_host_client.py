"""The host client against a real process: streams, faults, restarts, and an orderly end."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys

import psutil
import shiboken6
from app_scene import FAKE_HOST, Run, emitted, until
from PySide6.QtCore import QObject

from app.core.host_client import HostClient, HostState
from engine.errors import Code
from engine.metrics import FinishReason
from engine.protocol import (
    ChatMessage,
    CountTokens,
    Event,
    Generate,
    GenerationFinished,
    HardwareSample,
    MetricsUpdate,
    RequestFailed,
    Role,
    Terminal,
    TokenDelta,
    TokensCounted,
)


def generate(text: str) -> Generate:
    return Generate(messages=(ChatMessage(role=Role.USER, content=text),))


async def said(client: HostClient, text: str) -> tuple[str, Terminal]:
    pieces, last = [], None
    async for event in client.stream(generate(text)):
        if isinstance(event, TokenDelta):
            pieces.append(event.text)
        last = event
    assert isinstance(last, Terminal)
    return "".join(pieces), last


def test_streams_an_answer_to_its_terminal_event(run: Run) -> None:
    async def scene() -> None:
        client = HostClient(FAKE_HOST)
        client.start()
        text, last = await said(client, "hello\nyou")
        assert text == "You said: hello\nyou "
        assert isinstance(last, GenerationFinished)
        await client.stop()

    run(scene())


def test_answers_many_requests_at_once_each_with_its_own(run: Run) -> None:
    async def scene() -> None:
        client = HostClient(FAKE_HOST)
        client.start()
        answers = await asyncio.gather(*(said(client, f"n{number}") for number in range(20)))
        assert [text for text, _ in answers] == [f"You said: n{number} " for number in range(20)]
        await client.stop()

    run(scene())


def test_cancel_ends_a_running_answer(run: Run) -> None:
    async def scene() -> None:
        client = HostClient(FAKE_HOST)
        client.start()
        events, last = client.stream(generate("hang")), None
        async for event in events:
            last = event
            if isinstance(event, TokenDelta):
                events.cancel()
        assert isinstance(last, GenerationFinished)
        assert last.finish_reason is FinishReason.CANCELLED
        await client.stop()

    run(scene())


def test_a_stream_that_is_left_cancels_its_request(run: Run) -> None:
    async def scene() -> None:
        client = HostClient(FAKE_HOST)
        client.start()
        ends: list[GenerationFinished] = []
        client.subscribe(GenerationFinished, ends.append)
        async with contextlib.aclosing(client.stream(generate("hang"))) as events:
            async for event in events:
                if isinstance(event, TokenDelta):
                    break
        await until(lambda: bool(ends))
        assert ends[0].request_id == events.request_id
        assert ends[0].finish_reason is FinishReason.CANCELLED
        await client.stop()

    run(scene())


def test_a_token_goes_to_its_own_request_and_to_those_who_want_every_token(run: Run) -> None:
    async def scene() -> None:
        client = HostClient(FAKE_HOST)
        client.start()
        one, other = client.stream(generate("hang")), client.stream(generate("hang"))
        tokens: list[TokenDelta] = []
        others: list[Event] = []
        client.subscribe(TokenDelta, tokens.append)
        for kind in (HardwareSample, MetricsUpdate, GenerationFinished):
            client.subscribe(kind, others.append)
        await asyncio.gather(*(anext(aiter(each)) for each in (one, other)))
        await until(lambda: len(tokens) == 6)
        queues = [client._queues[each.request_id] for each in (one, other)]
        before = [queue.qsize() for queue in queues]
        delta = TokenDelta(request_id=one.request_id, text="mine")
        client.deliver(delta)
        assert [queue.qsize() for queue in queues] == [before[0] + 1, before[1]]
        assert tokens[6:] == [delta]
        assert others == []
        client.deliver(sample := HardwareSample())
        assert (tokens[6:], others) == ([delta], [sample])
        assert [queue.qsize() for queue in queues] == [before[0] + 1, before[1]]
        await client.stop()

    run(scene())


def test_who_is_deleted_hears_nothing_any_more(run: Run) -> None:
    class Listener(QObject):
        heard = 0

        def hear(self, _event: HardwareSample) -> None:
            Listener.heard += 1

    async def scene() -> None:
        client = HostClient(FAKE_HOST)
        listener = Listener()
        client.subscribe(HardwareSample, listener.hear)
        client.deliver(HardwareSample())
        shiboken6.delete(listener)
        client.deliver(HardwareSample())
        assert Listener.heard == 1

    run(scene())


def test_each_request_has_an_id_of_its_own_whatever_was_written_into_it(run: Run) -> None:
    async def scene() -> None:
        client = HostClient(FAKE_HOST)
        command = generate("hello")
        ids = {client.stream(command).request_id for _ in range(3)}
        assert len(ids) == 3
        assert all(str(os.getpid()) in each for each in ids)
        assert command.request_id == ""

    run(scene())


def test_a_host_that_dies_ends_its_requests_and_is_started_again(run: Run) -> None:
    async def scene() -> None:
        client = HostClient(FAKE_HOST)
        client.start()
        text, last = await said(client, "crash")
        assert text == "You said: crash "
        assert isinstance(last, RequestFailed)
        assert last.failure.code is Code.ENGINE_CRASHED
        assert "kept" in last.failure.sentence()
        await emitted(client.restarted)
        counted = await client.request(CountTokens(draft="one two"))
        assert isinstance(counted, TokensCounted)
        assert counted.n_tokens == 2
        await client.stop()

    run(scene())


def test_a_killed_host_is_noticed(run: Run) -> None:
    async def scene() -> None:
        client = HostClient(FAKE_HOST)
        client.start()
        await emitted(client.state_changed, lambda state: state is HostState.READY)
        os.kill(client.process_id, signal.SIGKILL)
        await emitted(client.restarted)
        assert client.state is HostState.READY
        # As a worker's death is told; Qt gives the signal's number for an exit code.
        assert str(client.failure.message).startswith("The engine was ended by the system (SIGKILL)")
        await client.stop()

    run(scene())


def test_a_host_that_keeps_dying_is_given_up_with_advice(run: Run) -> None:
    async def scene() -> None:
        client = HostClient((*FAKE_HOST, "--exit-code", "3"))
        client.start()
        await emitted(client.state_changed, lambda state: state is HostState.FAILED)
        failed = await client.request(CountTokens())
        assert isinstance(failed, RequestFailed)
        assert "3 times in a row" in str(failed.failure.message)
        assert "doctor" in str(failed.failure.advice)

    run(scene())


def test_a_host_that_is_not_there_is_one_clear_sentence(run: Run) -> None:
    async def scene() -> None:
        client = HostClient(("/nowhere/no-such-program",))
        client.start()
        failed = await client.request(CountTokens())
        assert isinstance(failed, RequestFailed)
        assert failed.failure.code is Code.ENGINE_MISSING
        assert client.state is HostState.FAILED

    run(scene())


def test_stop_leaves_no_process(run: Run) -> None:
    async def scene() -> int:
        client = HostClient(FAKE_HOST)
        client.start()
        await emitted(client.state_changed, lambda state: state is HostState.READY)
        process_id = client.process_id
        await client.stop()
        assert client.state is HostState.STOPPED
        return process_id

    assert not psutil.pid_exists(run(scene()))


def test_stop_kills_a_host_that_does_not_listen(run: Run) -> None:
    deaf = "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: time.sleep(60)"

    async def scene() -> int:
        client = HostClient((sys.executable, "-c", deaf))
        client.start()
        process_id = client.process_id
        await client.stop(patience=0.1)
        return process_id

    assert not psutil.pid_exists(run(scene()))


def test_a_line_in_pieces_and_a_line_of_nonsense_do_no_harm(run: Run) -> None:
    program = """
import json, sys
out = sys.stdout.buffer
for line in sys.stdin.buffer:
    command = json.loads(line)
    if command["type"] == "CountTokens":
        out.write(b'what is this\\n{"type": "Unheard", "request_id": "x"}\\n')
        out.flush()
        answer = {"type": "TokensCounted", "request_id": command["request_id"], "n_tokens": 7, "new": 1}
        whole = json.dumps(answer).encode() + b"\\n"
        out.write(whole[:9])
        out.flush()
        out.write(whole[9:])
        out.flush()
"""

    async def scene() -> None:
        client = HostClient((sys.executable, "-c", program))
        client.start()
        counted = await client.request(CountTokens())
        assert isinstance(counted, TokensCounted)
        assert counted.n_tokens == 7
        await client.stop()

    run(scene())


def test_a_host_of_another_version_is_refused(run: Run) -> None:
    ready = '{"type": "Ready", "protocol_version": 999, "process": "host", "pid": 1}'
    program = f"import sys\nprint({ready!r}, flush=True)\nsys.stdin.read()"

    async def scene() -> None:
        client = HostClient((sys.executable, "-c", program))
        client.start()
        failed = await client.request(CountTokens())
        assert isinstance(failed, RequestFailed)
        assert failed.failure.code is Code.PROTOCOL
        await client.stop()

    run(scene())
