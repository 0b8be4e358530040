"""The library's commands through a host, against a local hub."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest
from gguf_files import chat_bytes
from host_client_stub import Client
from hub_server import HubServer, serve

from engine.errors import Code
from engine.host.host import Host
from engine.host.services import Services, library_maintenance
from engine.library import verification as verify_module
from engine.library.downloads import pull_id_of
from engine.protocol import (
    CancelPull,
    ChangeSettings,
    CleanUp,
    Command,
    Done,
    Estimate,
    Estimated,
    HeaderRead,
    HubResults,
    InspectRepo,
    ListModels,
    ListPulls,
    ModelsListed,
    PausePull,
    PullFinished,
    PullModel,
    PullProgress,
    PullsListed,
    ReadHeader,
    RemoveModel,
    RepoInspected,
    RequestFailed,
    RestoreModel,
    ResumePull,
    SearchHub,
    Terminal,
    VerifyModel,
    VerifyProgress,
)
from engine.settings import General, Models, Settings, folders, save_settings

REPO, FILES = "owner/Tiny-GGUF", ("tiny-Q8_0.gguf",)
PULL = pull_id_of(REPO, FILES)


@pytest.fixture
def server() -> Iterator[HubServer]:
    with serve() as running:
        running.add(REPO).files = {"tiny-Q8_0.gguf": chat_bytes() + bytes(3_000_000), "tiny-F16.gguf": chat_bytes()}
        yield running


@pytest.fixture
async def client(server: HubServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Client]:
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("FIRSTLIGHT_STARTER", str(tmp_path / "none.gguf"))
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    settings = Settings(models=Models(hub_endpoint=server.url))
    save_settings(settings, folders().settings_file)
    host = Host(settings, folders())
    services = Services(host)
    await host.start()
    await services.start()
    yield Client(host)
    await host.stop()
    await services.stop()


def change(path: str) -> None:
    with Path(path).open("r+b") as file:
        file.seek(-1, 2)
        file.write(b"?")


def fetched(client: Client) -> bool:
    """Whether any pull has brought bytes."""
    told = [*client.events, *client.broadcasts]
    return any(isinstance(event, PullProgress) and event.pull.done_bytes for event in told)


async def test_search_inspect_and_header_before_any_download(client: Client) -> None:
    results = await client.request(SearchHub(request_id="1", query="tiny"))
    assert isinstance(results, HubResults)
    assert [model.repo for model in results.models] == [REPO]
    repo = await client.request(InspectRepo(request_id="2", repo=REPO))
    assert isinstance(repo, RepoInspected)
    assert [item.name for item in repo.quantizations] == ["F16", "Q8_0"]
    header = await client.request(ReadHeader(request_id="3", repo=REPO, file="tiny-Q8_0.gguf"))
    assert isinstance(header, HeaderRead)
    assert (header.shape.architecture, header.shape.n_layers) == ("llama", 1)
    assert header.shape.n_requests <= 3


async def test_a_repository_of_parts_only_is_estimated_as_a_whole(client: Client, server: HubServer) -> None:
    files = {f"big-Q8_0-0000{n}-of-00003.gguf": chat_bytes() for n in (1, 2, 3)}
    server.add("owner/Big-GGUF").files = dict(files)
    found = await client.request(Estimate(request_id="e", repo="owner/Big-GGUF", n_ctx=64))
    assert isinstance(found, Estimated)
    (row,) = found.rows
    assert row.verdict == "fits"
    assert row.file_bytes == sum(len(content) for content in files.values())
    assert row.weights_bytes > 0


async def test_a_pull_ends_as_a_model_that_can_be_removed_and_taken_back(client: Client) -> None:
    finished = await client.request(PullModel(request_id="p", repo=REPO, files=("tiny-F16.gguf",)))
    assert isinstance(finished, PullFinished)
    assert finished.pull.state == "finished"
    assert any(isinstance(event, PullProgress) and event.request_id == "p" for event in client.events)
    listed = await client.request(ListModels(request_id="l1"))
    assert isinstance(listed, ModelsListed)
    (entry,) = listed.models
    assert (entry.is_ours, entry.state, entry.repo) == (True, "ready", REPO)
    assert listed.disk_free_bytes > 0
    assert isinstance(await client.request(RemoveModel(request_id="r", model_id=entry.model_id)), Done)
    assert isinstance(await client.request(RestoreModel(request_id="b", model_id=entry.model_id)), Done)
    again = await client.request(ListModels(request_id="l2"))
    assert isinstance(again, ModelsListed)
    assert [found.model_id for found in again.models] == [entry.model_id]


async def test_pause_and_resume_keep_the_request_open(client: Client, server: HubServer) -> None:
    server.fail("stall", after=1_000_000)
    client.send(PullModel(request_id="p", repo=REPO, files=("tiny-Q8_0.gguf",)))
    await client.until_true(lambda: fetched(client))
    assert isinstance(await client.request(PausePull(request_id="a", pull_id=PULL)), Done)
    pulls = await client.request(ListPulls(request_id="b"))
    assert isinstance(pulls, PullsListed)
    assert [pull.state for pull in pulls.pulls] == ["paused"]
    assert isinstance(await client.request(ResumePull(request_id="c", pull_id=PULL)), Done)
    finished = await client.until(PullFinished, "p")
    assert isinstance(finished, PullFinished)
    assert finished.pull.state == "finished"


async def test_the_end_of_a_request_or_of_the_host_ends_no_download(client: Client, server: HubServer) -> None:
    server.fail("stall", after=1_000_000)
    client.send(PullModel(request_id="p", repo=REPO, files=FILES))
    await client.until_true(lambda: fetched(client))
    client.cancel("p")
    assert isinstance(await client.until(RequestFailed, "p"), RequestFailed)
    client.send(PullModel(request_id="q", repo=REPO, files=FILES))
    await client.until_true(lambda: any(event.request_id == "q" for event in client.events))
    (part,) = folders().models.rglob("*.part")
    await client.host.stop()
    assert part.stat().st_size > 0
    assert list((folders().models / ".downloads").glob("*.json"))


async def test_cancel_ends_the_pull_once_and_leaves_nothing(client: Client, server: HubServer) -> None:
    server.fail("stall", after=1_000_000)
    client.send(PullModel(request_id="p", repo=REPO, files=("tiny-Q8_0.gguf",)))
    await client.until_true(lambda: fetched(client))
    await client.request(CancelPull(request_id="c", pull_id=PULL))
    await client.until(PullFinished, "p")
    client.cancel("p")
    terminals = [event for event in client.events if isinstance(event, Terminal) and event.request_id == "p"]
    assert len(terminals) == 1
    assert not list(folders().models.rglob("*.part"))


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (InspectRepo(request_id="x", repo="owner/none"), Code.HUB_NOT_FOUND),
        (ReadHeader(request_id="x", path="nowhere"), Code.MODEL_NOT_FOUND),
        (RemoveModel(request_id="x", model_id="nowhere"), Code.MODEL_NOT_FOUND),
        (PausePull(request_id="x", pull_id="nowhere"), Code.BAD_REQUEST),
    ],
)
async def test_mistakes_are_sentences(client: Client, command: Command, code: Code) -> None:
    failed = await client.request(command)
    assert isinstance(failed, RequestFailed)
    assert failed.failure.code is code
    assert failed.failure.advice


async def test_going_offline_stops_a_transfer_and_every_packet(client: Client, server: HubServer) -> None:
    server.fail("stall", after=1_000_000)
    client.send(PullModel(request_id="p", repo=REPO, files=("tiny-Q8_0.gguf",)))
    await client.until_true(lambda: fetched(client))
    offline = Settings(models=Models(hub_endpoint=server.url, is_offline=True))
    await client.request(ChangeSettings(request_id="s", settings=offline))
    failed = await client.request(SearchHub(request_id="q", query="x"))
    assert isinstance(failed, RequestFailed)
    assert failed.failure.code is Code.OFFLINE
    before = len(server.requests)
    await client.request(InspectRepo(request_id="i", repo=REPO))
    assert len(server.requests) == before


async def test_a_setting_of_something_else_leaves_a_transfer_alone(client: Client, server: HubServer) -> None:
    server.fail("stall", after=1_000_000)
    client.send(PullModel(request_id="p", repo=REPO, files=("tiny-Q8_0.gguf",)))
    await client.until_true(lambda: fetched(client))
    before = len(server.requests)
    models = Models(hub_endpoint=server.url, last_model="another.gguf")
    larger = Settings(models=models, general=General(font_size=20))
    await client.request(ChangeSettings(request_id="s", settings=larger))
    await asyncio.sleep(0.5)
    assert len(server.requests) == before


async def test_a_model_is_verified_with_progress_and_a_changed_one_is_told(client: Client) -> None:
    finished = await client.request(PullModel(request_id="p", repo=REPO, files=FILES))
    assert isinstance(finished, PullFinished)
    path = finished.pull.path
    assert isinstance(await client.request(VerifyModel(request_id="v", model_id=path)), Done)
    assert any(isinstance(event, VerifyProgress) for event in client.of("v"))
    change(path)
    failed = await client.request(VerifyModel(request_id="w", model_id=path))
    assert isinstance(failed, RequestFailed)
    assert failed.failure.code is Code.MODEL_DAMAGED


async def test_a_check_is_told_ten_times_a_second_however_fast_it_goes(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    finished = await client.request(PullModel(request_id="p", repo=REPO, files=FILES))
    assert isinstance(finished, PullFinished)
    seconds = count(1_000, 0.001)
    monkeypatch.setattr(library_maintenance, "time", SimpleNamespace(monotonic=lambda: next(seconds)))
    monkeypatch.setattr(verify_module, "_PIECE", 1_000)
    assert isinstance(await client.request(VerifyModel(request_id="v", model_id=finished.pull.path)), Done)
    n_seconds = next(seconds) - 1_000
    assert n_seconds > 3
    told = [event.fraction for event in client.of("v") if isinstance(event, VerifyProgress)]
    assert 9 * n_seconds <= len(told) <= 10 * n_seconds + 1
    assert told == sorted(told)


async def test_the_trash_is_counted_and_emptied(client: Client) -> None:
    finished = await client.request(PullModel(request_id="p", repo=REPO, files=FILES))
    assert isinstance(finished, PullFinished)
    await client.request(RemoveModel(request_id="r", model_id=finished.pull.path))
    listed = await client.request(ListModels(request_id="l"))
    assert isinstance(listed, ModelsListed)
    assert listed.trash_bytes > 3_000_000
    assert str(folders().models) in listed.watched
    await client.request(CleanUp(request_id="c", what="trash"))
    again = await client.request(ListModels(request_id="m"))
    assert isinstance(again, ModelsListed)
    assert again.trash_bytes == 0
    assert isinstance(await client.request(RestoreModel(request_id="b", model_id=finished.pull.path)), RequestFailed)
