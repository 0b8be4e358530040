"""The hub through huggingface_hub's real client against a local server."""

from __future__ import annotations

import pytest
from hub_server import COMMIT, HubServer, serve

from engine.errors import Code, HubError
from engine.library.hub import Hub, quantization_name


def test_search_pages_through_all_results_by_downloads(server: HubServer, hub: Hub) -> None:
    for number in range(7):
        server.add(f"owner/Smol-{number}-GGUF").downloads = number
    server.add("owner/Other-GGUF")
    first, cursor = hub.search("smol", limit=4)
    second, end = hub.search("smol", limit=4, cursor=cursor)
    assert [model.repo for model in (*first, *second)] == [f"owner/Smol-{number}-GGUF" for number in range(6, -1, -1)]
    assert end == ""
    assert first[0].licence == "apache-2.0"


def test_filters_narrow_every_page(hub: Hub, server: HubServer) -> None:
    for n in range(6):
        repo = server.add(f"owner/M{n}-GGUF")
        repo.n_params, repo.likes = n * 2 * 10**9, n
        repo.tags = ["gguf", "license:mit" if n % 2 else "license:apache-2.0"]
    found, cursor = hub.search("", limit=2, sort="likes", n_params="min:3B,max:9B")
    assert [model.repo for model in found] == ["owner/M4-GGUF", "owner/M3-GGUF"]
    rest, end = hub.search("", cursor=cursor, limit=2)
    assert ([model.repo for model in rest], end) == (["owner/M2-GGUF"], "")
    assert [model.repo for model in hub.search("", licence="mit")[0]] == [f"owner/M{n}-GGUF" for n in (1, 3, 5)]


def test_a_cursor_of_another_hub_is_refused(hub: Hub, server: HubServer) -> None:
    with pytest.raises(HubError) as caught:
        hub.search("x", cursor="http://elsewhere.invalid/api/models?cursor=2")
    assert caught.value.code is Code.BAD_REQUEST
    assert server.requests == []


def test_a_repository_shows_its_quantizations_with_split_ones_whole(hub: Hub, server: HubServer) -> None:
    repo = server.add("owner/M-GGUF")
    repo.files = {
        "M-Q8_0-00001-of-00002.gguf": b"a" * 300, "M-Q8_0-00002-of-00002.gguf": b"b" * 200,
        "M-Q4_K_M.gguf": b"c" * 100, "mmproj-F16.gguf": b"d", "M-F16-00001-of-00003.gguf": b"e", "README.md": b"f",
    }  # fmt: skip
    model, commit, found = hub.inspect("owner/M-GGUF")
    assert (model.repo, commit) == ("owner/M-GGUF", COMMIT)
    assert [(item.name, item.size_bytes, len(item.files), item.kind) for item in found] == [
        ("Q4_K_M", 100, 1, "chat"), ("Q8_0", 500, 2, "chat"), ("F16", 1, 1, "mmproj"),
    ]  # fmt: skip
    assert all(len(digest) == 64 for item in found for digest in item.sha256)


@pytest.mark.parametrize(
    ("stem", "name"),
    [
        ("Qwen3-8B-Q4_K_M", "Q4_K_M"), ("m.Q8_0", "Q8_0"), ("model-UD-IQ2_XXS", "UD-IQ2_XXS"), ("x-bf16", "BF16"),
        ("gpt-oss-20b-MXFP4", "MXFP4"), ("plain", "plain"), ("Q5_K_S/model-Q5_K_S", "Q5_K_S"),
    ],
)  # fmt: skip
def test_quantization_names(stem: str, name: str) -> None:
    assert quantization_name(stem) == name


def test_a_file_has_a_size_and_a_hash_also_behind_a_cdn(hub: Hub, server: HubServer) -> None:
    server.add("owner/M-GGUF", m__gguf=b"x" * 1000)
    with serve() as cdn:
        server.cdn = cdn
        remote = hub.file("owner/M-GGUF", "m.gguf")
        assert cdn.requests == []
    assert (remote.size_bytes, len(remote.sha256), remote.commit) == (1000, 64, COMMIT)


def test_ranges_are_read_and_counted(hub: Hub, server: HubServer) -> None:
    server.add("owner/M-GGUF", m__gguf=bytes(range(200)))
    reader = hub.reader(hub.file("owner/M-GGUF", "m.gguf"))
    assert reader.read(10, 5) == bytes(range(10, 15))
    assert reader.read(190, 50) == bytes(range(190, 200))
    assert reader.read(200, 5) == b""
    assert (reader.n_requests, reader.n_bytes) == (2, 15)


def test_a_renamed_repository_is_followed(hub: Hub, server: HubServer) -> None:
    server.add("owner/New-GGUF", m__gguf=b"x" * 10)
    server.add("owner/Old-GGUF").moved_to = "owner/New-GGUF"
    assert hub.file("owner/Old-GGUF", "m.gguf").size_bytes == 10


@pytest.mark.parametrize(
    ("fault", "code", "says"),
    [
        ({"status": 429, "headers": {"Retry-After": "30"}}, Code.HUB_RATE_LIMITED, "30 s"),
        ({"status": 503}, Code.HUB_UNREACHABLE, "503"),
        ({"status": 401}, Code.HUB_GATED, "token"),
        ({"status": 403, "headers": {"X-Error-Code": "GatedRepo"}}, Code.HUB_GATED, "licence"),
        ({"status": 404, "headers": {"X-Error-Code": "RepoNotFound"}}, Code.HUB_NOT_FOUND, "owner/M"),
    ],
)
def test_refusals_are_sentences(hub: Hub, server: HubServer, fault: dict[str, object], code: Code, says: str) -> None:
    server.add("owner/M-GGUF", m__gguf=b"x")
    server.fail("status", times=9, method="HEAD", **fault)
    with pytest.raises(HubError) as caught:
        hub.file("owner/M-GGUF", "m.gguf")
    assert caught.value.code is code
    assert says in caught.value.failure.sentence()


def test_a_name_that_is_no_repository(hub: Hub) -> None:
    with pytest.raises(HubError) as caught:
        hub.inspect("not a repo!!")
    assert caught.value.code is Code.HUB_NOT_FOUND


def test_an_unreachable_hub() -> None:
    with pytest.raises(HubError) as caught:
        Hub("http://127.0.0.1:9").search("x")
    assert caught.value.code is Code.HUB_UNREACHABLE


def test_offline_sends_not_one_packet(server: HubServer) -> None:
    hub = Hub(server.url, is_offline=True)
    calls = (
        lambda: hub.search("x"), lambda: hub.inspect("a/b"), lambda: hub.card("a/b"), lambda: hub.file("a/b", "c"),
    )  # fmt: skip
    for call in calls:
        with pytest.raises(HubError) as caught:
            call()
        assert caught.value.code is Code.OFFLINE
    assert server.requests == []


def test_the_token_goes_along(server: HubServer) -> None:
    server.add("owner/M-GGUF", m__gguf=b"x" * 100)
    hub = Hub(server.url, token="good")
    hub.file("owner/M-GGUF", "m.gguf")
    assert server.tokens == ["Bearer good"]


def test_a_card_without_its_front_matter(hub: Hub, server: HubServer) -> None:
    server.add("owner/M-GGUF").files["README.md"] = b"---\nlicense: mit\n---\n# Title\n\nText."
    assert hub.card("owner/M-GGUF") == "# Title\n\nText."
    server.add("owner/N-GGUF")
    assert hub.card("owner/N-GGUF") == ""
