"""What is said when the GPU, and not the engine, was at fault: read off the last output of a worker that died."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from host_client_stub import Client

from engine.host.worker_process import WorkerExit
from engine.protocol import GenerationFinished, RequestFailed

LOST = "terminate called after throwing an instance of 'vk::DeviceLostError'\n  what():  ErrorDeviceLost\n"
FULL = "  what():  vk::Device::allocateMemory: ErrorOutOfDeviceMemory\n"
CUDA = "CUDA error: {}\n  current device: 0, in function synchronize at ggml-cuda.cu:2\nggml-cuda.cu:9: CUDA error\n"


@pytest.mark.parametrize(
    ("tail", "words"),
    [
        (LOST, "was reset, as after sleep or by a fault of its driver (device lost)"),
        (
            CUDA.format("unspecified launch failure"),
            "was reset, as after sleep or by a fault of its driver (unspecified",
        ),
        (CUDA.format("out of memory"), "The memory of the GPU ran out"),
        (FULL, "The memory of the GPU ran out"),
        (CUDA.format("no kernel image is available for execution on the device"), "compiled for other GPUs"),
        ("GGML_ASSERT(n > 0) failed", "The engine ended by SIGABRT. Its last words: GGML_ASSERT(n > 0) failed."),
    ],
)
def test_the_fault_is_named(tail: str, words: str) -> None:
    assert words in str(WorkerExit(returncode=-signal.SIGABRT, was_asked=False, stderr_tail=tail).describe())


async def test_a_lost_device_costs_the_running_answer_alone(client: Client, model: Path, script, tmp_path) -> None:  # type: ignore[no-untyped-def]
    script(fault="decode", act="lose", fault_once=str(tmp_path / "once"))
    end = await client.end_of(client.generate(model))
    assert isinstance(end, RequestFailed)
    assert "The GPU failed or was reset" in str(end.failure.message)
    assert "started again" in str(end.failure.advice)
    assert isinstance(await client.end_of(client.generate(model)), GenerationFinished)
