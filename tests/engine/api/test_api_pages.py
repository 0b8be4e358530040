"""Models, embeddings, health and the Prometheus page."""

from __future__ import annotations

import asyncio
import base64
import json
import re
import shutil
import struct
import subprocess
from pathlib import Path

import httpx2
import pytest
from prometheus_client.parser import text_string_to_metric_families

from engine.api.prometheus import Exporter
from engine.folders import folders
from engine.host.host import Host
from engine.metrics import FinishReason, RequestMetrics, gap_bucket
from engine.protocol import EffectiveSettings, Generate, GenerationFinished, HardwareSample, Priority

DASHBOARD = Path(__file__).resolve().parents[3] / "resources" / "grafana-dashboard.json"
HELLO = [{"role": "user", "content": "Hi"}]


async def test_models_are_listed(client: httpx2.AsyncClient) -> None:
    listed = (await client.get("/v1/models")).json()
    assert listed["object"] == "list"
    entry = next(model for model in listed["data"] if model["id"] == "tiny")
    assert entry["object"] == "model"
    assert entry["created"] > 0
    assert (await client.get("/v1/models/tiny")).json() == entry
    assert (await client.get("/v1/models/none")).status_code == 404


async def test_a_model_loaded_by_its_path_is_listed_once(client: httpx2.AsyncClient, tmp_path: Path) -> None:
    inside, outside = folders().models / "tiny.gguf", tmp_path / "elsewhere.gguf"
    outside.write_bytes(inside.read_bytes())
    for path in (inside, outside):
        answer = await client.post("/v1/chat/completions", json={"messages": HELLO, "model": str(path)})
        assert answer.status_code == 200
    ids = [model["id"] for model in (await client.get("/v1/models")).json()["data"]]
    assert sorted(name for name in ids if name != "starter") == [str(outside), "tiny"]


async def test_health_names_what_is_warm(client: httpx2.AsyncClient) -> None:
    assert (await client.get("/health")).json()["warm_models"] == []
    await client.post("/v1/chat/completions", json={"messages": HELLO})
    assert (await client.get("/health")).json()["warm_models"] == ["tiny"]


async def test_embeddings_in_both_encodings(client: httpx2.AsyncClient) -> None:
    plain = (await client.post("/v1/embeddings", json={"input": ["one", "two"]})).json()
    assert [item["embedding"] for item in plain["data"]] == [[1.0, 0.5], [1.0, 0.5]]
    assert plain["usage"]["prompt_tokens"] == 2
    packed = (await client.post("/v1/embeddings", json={"input": "one", "encoding_format": "base64"})).json()
    assert struct.unpack("<2f", base64.b64decode(packed["data"][0]["embedding"])) == (1.0, 0.5)
    assert (await client.post("/v1/embeddings", json={"input": []})).status_code == 400
    assert (await client.post("/v1/embeddings", json={"input": "x", "encoding_format": "hex"})).status_code == 400


async def test_promtool_accepts_the_page(client: httpx2.AsyncClient) -> None:
    """Debian's package prometheus brings promtool."""
    promtool = shutil.which("promtool")
    if promtool is None:
        pytest.fail("promtool is missing: run python3 packaging/bootstrap.py test, or install the package prometheus.")
    for priority in ("interactive", "batch"):
        await client.post("/v1/chat/completions", json={"messages": HELLO, "priority": priority})
    await client.post("/v1/chat/completions", json={"messages": HELLO, "model": "nobody"})
    text = (await client.get("/metrics")).content
    command = [promtool, "check", "metrics"]
    done = await asyncio.to_thread(subprocess.run, command, input=text, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert b"firstlight_alert" in text


def test_the_dashboard_asks_for_what_the_page_has(host: Host) -> None:
    dashboard = json.loads(DASHBOARD.read_text("utf-8"))
    asked = {
        name
        for panel in dashboard["panels"]
        for target in panel.get("targets", ())
        for name in re.findall(r"firstlight_[a-z0-9_]+", target["expr"])
    }
    exporter = Exporter(host)
    exporter.now.hardware = HardwareSample(
        gpu_utilisation=0.5, vram_used_bytes=1, vram_total_bytes=2, power_watts=1.0, temperature_celsius=1.0
    )
    end = GenerationFinished(
        request_id="a", finish_reason=FinishReason.STOP,
        metrics=RequestMetrics(ttft=0.1, tpot=0.1, n_decoded=2, gap_histogram={3: 1}),
    )  # fmt: skip
    exporter.observe(Generate(request_id="a"), end, None)
    known = set()
    for family in exporter.registry.collect():
        kinds = {"histogram": ("_bucket", "_sum", "_count"), "counter": ("_total",)}.get(family.type, ("",))
        known |= {family.name + kind for kind in kinds}
    assert len(asked) > 12
    assert asked <= known


def test_alerts_are_a_gauge(host: Host) -> None:
    exporter = Exporter(host)
    value = exporter.registry.get_sample_value
    assert value("firstlight_alert", {"code": "ttft_p99"}) == 0
    for number in range(12):
        end = GenerationFinished(
            request_id=str(number), finish_reason=FinishReason.STOP, metrics=RequestMetrics(ttft=2.0, n_decoded=1)
        )
        exporter.observe(Generate(request_id=str(number)), end, None)
    host.broadcast(HardwareSample(vram_used_bytes=95, vram_total_bytes=100))
    assert value("firstlight_alert", {"code": "ttft_p99"}) == 1
    assert value("firstlight_alert", {"code": "vram"}) == 1
    assert value("firstlight_alert", {"code": "queue"}) == 0


async def test_the_page_counts_what_was_answered(client: httpx2.AsyncClient) -> None:
    await client.post("/v1/chat/completions", json={"messages": HELLO})
    await client.post("/v1/chat/completions", json={"messages": HELLO, "priority": "batch"})
    await client.post("/v1/chat/completions", json={"messages": HELLO, "model": "nobody"})
    text = (await client.get("/metrics")).text
    samples = {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }
    model = (("model", "tiny"), ("quant", "Q4_1"))
    for priority in ("api", "batch"):
        labels = tuple(sorted((("finish_reason", "stop"), *model, ("priority", priority))))
        assert samples["firstlight_requests_total", labels] == 1
        assert samples["firstlight_ttft_seconds_count", labels] == 1
    assert samples["firstlight_request_errors_total", (("code", "model_not_found"),)] == 1
    assert samples["firstlight_output_tokens_total", model] == 10
    assert samples["firstlight_cached_tokens_total", model] == 8
    assert samples["firstlight_models_warm", ()] == 1
    assert samples["firstlight_sequences_running", ()] == 0


def test_a_histogram_of_gaps_keeps_their_number_and_sum(host: Host) -> None:
    exporter = Exporter(host)
    exporter.now.hardware = HardwareSample(gpu_utilisation=0.5, vram_used_bytes=1 << 30)
    metrics = RequestMetrics(
        ttft=0.2, tpot=0.01, n_decoded=101, e2e_latency=1.2, gap_histogram={gap_bucket(0.01): 90, gap_bucket(0.12): 10}
    )
    end = GenerationFinished(
        request_id="a",
        finish_reason=FinishReason.LENGTH,
        metrics=metrics,
        effective=EffectiveSettings(model_name="m", quantization="q"),
    )
    exporter.observe(Generate(request_id="a", priority=Priority.INTERACTIVE), end, None)
    labels = {"model": "m", "quant": "q", "priority": "interactive", "finish_reason": "length"}
    value = exporter.registry.get_sample_value
    assert value("firstlight_itl_seconds_count", labels) == 100
    assert value("firstlight_itl_seconds_sum", labels) == pytest.approx(90 * 0.01 + 10 * 0.12, rel=0.05)
    assert value("firstlight_itl_seconds_bucket", labels | {"le": "0.05"}) == 90
    assert value("firstlight_ttft_seconds_bucket", labels | {"le": "0.2"}) == 1
    assert value("firstlight_gpu_utilisation_ratio") == 0.5
    assert value("firstlight_gpu_memory_total_bytes") is None
