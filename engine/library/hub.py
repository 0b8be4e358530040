"""The hub: search, repositories, files and their byte ranges, through huggingface_hub's own client."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import httpx2
from huggingface_hub import HfApi, ModelInfo, get_hf_file_metadata, hf_hub_url, set_client_factory
from huggingface_hub import errors as hub_errors
from huggingface_hub.utils import build_hf_headers, get_session, hf_raise_for_status

from engine.errors import Code, HubError
from engine.protocol.records import HubModel, RepoQuantization

PUBLIC_ENDPOINT = "https://huggingface.co"
TIMEOUT = 10.0
"""Seconds without an answer before the hub counts as unreachable."""
_EXPAND = ("downloads", "likes", "gated", "lastModified", "tags", "gguf", "cardData")
_SPLIT = re.compile(r"^(?P<stem>.+)-(?P<number>\d{5})-of-(?P<count>\d{5})\.gguf$")
_QUANTIZATION = re.compile(
    r"(?:^|[-._])((?:UD-)?(?:I?Q\d(?:_[A-Z0-9]+)*|TQ\d_\d|BF16|F16|F32|MXFP4(?:_MOE)?|FP16))(?=$|[-._])", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """One file of a repository at one commit."""

    repo: str
    file: str
    commit: str
    url: str
    size_bytes: int
    etag: str
    sha256: str
    """The content's hash where the hub knows it, else empty."""


class Hub:
    """One endpoint and one token. Calls block: use a thread. Offline, not one packet is sent."""

    def __init__(self, endpoint: str = "", token: str = "", *, is_offline: bool = False, proxy: str = "") -> None:
        self.endpoint = (endpoint or os.environ.get("HF_ENDPOINT") or PUBLIC_ENDPOINT).rstrip("/")
        self._token: str | bool = token or False
        self.is_offline = is_offline
        if proxy:
            set_client_factory(lambda: httpx2.Client(proxy=proxy, follow_redirects=True, timeout=TIMEOUT))
        self._api = HfApi(endpoint=self.endpoint, token=self._token, library_name="firstlight")

    def search(
        self,
        query: str,
        *,
        cursor: str = "",
        limit: int = 30,
        sort: str = "downloads",
        n_params: str = "",
        licence: str = "",
    ) -> tuple[list[HubModel], str]:
        """One page of GGUF repositories, and the cursor of the next page or an empty one."""
        filters = ["gguf", *([f"license:{licence}"] if licence else [])]
        params = httpx2.QueryParams(
            {"search": query, "filter": filters, "limit": limit, "sort": sort, "expand": list(_EXPAND)}
        )
        if n_params:
            params = params.set("num_parameters", n_params)
        if cursor and not cursor.startswith(f"{self.endpoint}/"):
            raise HubError(Code.BAD_REQUEST, "This page belongs to another hub.", "Search again.")
        with self._reaching():
            response = get_session().get(
                cursor or f"{self.endpoint}/api/models",
                params=None if cursor else params,
                headers=self.headers(),
                timeout=TIMEOUT,
            )
            hf_raise_for_status(response)
            found = [
                _hub_model(ModelInfo(**{"siblings": None, **item}))  # type: ignore[no-untyped-call]
                for item in response.json()
            ]
            return found, str(response.links.get("next", {}).get("url", ""))

    def inspect(self, repo: str, revision: str = "main") -> tuple[HubModel, str, list[RepoQuantization]]:
        """A repository's facts, its commit, and its quantizations with sizes and hashes."""
        with self._reaching(repo):
            info = self._api.model_info(repo, revision=revision, files_metadata=True, timeout=TIMEOUT)
        return _hub_model(info), info.sha or "", quantizations(info)

    def card(self, repo: str, revision: str = "main") -> str:
        """The repository's README without its front matter; empty where it has none."""
        with self._reaching(repo):
            response = get_session().get(
                hf_hub_url(repo, "README.md", revision=revision, endpoint=self.endpoint),
                headers=self.headers(), timeout=TIMEOUT, follow_redirects=True,
            )  # fmt: skip
            if response.status_code == HTTPStatus.NOT_FOUND:
                return ""
            hf_raise_for_status(response)
        text = response.text
        if text.startswith("---"):
            text = text[text.find("\n---", 3) + 4 :]
        return text.strip()[:20_000]

    def file(self, repo: str, file: str, revision: str = "main") -> RemoteFile:
        """Where a file is, its size and its hash."""
        with self._reaching(repo):
            url = hf_hub_url(repo, file, revision=revision, endpoint=self.endpoint)
            found = get_hf_file_metadata(url, token=self._token, timeout=TIMEOUT, endpoint=self.endpoint)
        etag = found.etag or ""
        if found.size is None:
            raise HubError(
                Code.DOWNLOAD_FAILED, "The hub did not say how large {file} is.", "Try again later.", file=file
            )
        is_sha256 = re.fullmatch(r"[0-9a-f]{64}", etag) is not None
        return RemoteFile(repo, file, found.commit_hash or "", url, found.size, etag, etag if is_sha256 else "")

    def reader(self, remote: RemoteFile) -> HubReader:
        """Byte ranges of a remote file, for reading its header before a download."""
        return HubReader(self, remote)

    def headers(self) -> dict[str, str]:
        """Request headers with our name and the token; the client drops the token when another host answers."""
        return dict(build_hf_headers(token=self._token, library_name="firstlight"))

    @contextlib.contextmanager
    def _reaching(self, repo: str = "") -> Iterator[None]:
        """Say what failed on the way to the hub as a HubError."""
        if self.is_offline:
            raise HubError(
                Code.OFFLINE, "Firstlight is set to stay offline.", "Switch “Stay offline” off in Settings, Models."
            )
        try:
            yield
        except (hub_errors.HfHubHTTPError, httpx2.HTTPError, hub_errors.HFValidationError, OSError) as error:
            raise hub_error(error, repo) from error


class HubReader:
    """A gguf.RangeReader over HTTP ranges; counts what it cost."""

    def __init__(self, hub: Hub, remote: RemoteFile) -> None:
        self._hub, self._remote = hub, remote
        self.size: int | None = remote.size_bytes
        self.n_requests = 0
        self.n_bytes = 0

    def read(self, offset: int, size: int) -> bytes:
        """Up to `size` bytes from `offset`; fewer only at the end of the file. Raises HubError."""
        last = min(offset + size, self._remote.size_bytes) - 1
        if last < offset:
            return b""
        with self._hub._reaching(self._remote.repo):
            response = get_session().get(
                self._remote.url, headers={**self._hub.headers(), "Range": f"bytes={offset}-{last}"},
                timeout=TIMEOUT, follow_redirects=True,
            )  # fmt: skip
            hf_raise_for_status(response)
        if response.status_code != HTTPStatus.PARTIAL_CONTENT:
            raise HubError(
                Code.DOWNLOAD_FAILED, "The hub sent a whole file instead of a part.", "Download it to see its details."
            )
        self.n_requests += 1
        self.n_bytes += len(response.content)
        return response.content


def hub_error(error: Exception, repo: str = "") -> HubError:
    """The sentence for what a request to the hub ended with."""
    name = repo or "the hub"
    match error:
        case hub_errors.GatedRepoError():
            return HubError(
                Code.HUB_GATED, "{name} is gated: its owner wants its licence accepted first.",
                "Accept it on the hub's page, then put your token into Settings, Models.", name=name,
            )  # fmt: skip
        case (
            hub_errors.RepositoryNotFoundError() | hub_errors.RevisionNotFoundError() | hub_errors.EntryNotFoundError()
        ):
            return HubError(
                Code.HUB_NOT_FOUND, "The hub does not have this part of {name}, or does not show it to you.",
                "Check the name; for a private repository put your token into Settings, Models.", name=name,
            )  # fmt: skip
        case hub_errors.HFValidationError():
            return HubError(Code.HUB_NOT_FOUND, "{name} is no repository name.", "Write it as owner/name.", name=name)
    response = getattr(error, "response", None)
    status = response.status_code if response is not None else 0
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        seconds = retry_after(response.headers) if response is not None else 0
        return HubError(
            Code.HUB_RATE_LIMITED,
            "The hub asks to slow down.",
            "Try again in {seconds:.0f} s." if seconds else "Try again in a few minutes.",
            seconds=seconds,
        )
    if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        return HubError(
            Code.HUB_GATED, "The hub refuses access to {name}.", "Check your token in Settings, Models.", name=name
        )
    if status:
        return HubError(
            Code.HUB_UNREACHABLE, "The hub answers with an error ({status}).", "Try again later.", status=status
        )
    return HubError(
        Code.HUB_UNREACHABLE, "The hub cannot be reached.",
        "Check the connection, and the address and the proxy in Settings, Models.",
    )  # fmt: skip


def retry_after(headers: Any) -> float:
    """Seconds that a server asks to wait, 0 when it does not say."""
    value = str(headers.get("Retry-After", ""))
    return float(value) if value.isdigit() else 0.0


def quantizations(info: ModelInfo) -> list[RepoQuantization]:
    """The GGUF files of a repository as quantizations: parts of a split one together, smallest first."""
    groups: dict[tuple[str, int], list[tuple[int, Any]]] = {}
    for sibling in info.siblings or ():
        if sibling.rfilename.lower().endswith(".gguf"):
            match = _SPLIT.match(sibling.rfilename)
            stem, number, count = (match["stem"], int(match["number"]), int(match["count"])) if match else (
                sibling.rfilename[: -len(".gguf")], 1, 1,
            )  # fmt: skip
            groups.setdefault((stem, count), []).append((number, sibling))
    found = []
    for (stem, count), parts in groups.items():
        parts.sort(key=lambda part: part[0])
        if len(parts) == count:
            files = [sibling for _, sibling in parts]
            found.append(
                RepoQuantization(
                    name=quantization_name(stem),
                    files=tuple(file.rfilename for file in files),
                    size_bytes=sum(file.size or 0 for file in files),
                    sha256=tuple(file.lfs.sha256 if file.lfs else "" for file in files),
                    kind="mmproj" if "mmproj" in stem.lower() else "chat",
                )
            )
    return sorted(found, key=lambda item: (item.kind != "chat", item.size_bytes))


def quantization_name(stem: str) -> str:
    """Q4_K_M out of Qwen3-8B-Q4_K_M; the whole stem where none is named."""
    found = _QUANTIZATION.findall(stem.rsplit("/", 1)[-1])
    return found[-1].upper() if found else stem.rsplit("/", 1)[-1]


def _hub_model(info: ModelInfo) -> HubModel:
    tags = tuple(info.tags or ())
    licence = next((tag.removeprefix("license:") for tag in tags if tag.startswith("license:")), "")
    gguf = info.gguf or {}
    return HubModel(
        repo=info.id, downloads=info.downloads or 0, likes=info.likes or 0, licence=licence,
        is_gated=bool(info.gated), n_params=gguf.get("total"),
        updated=info.last_modified.date().isoformat() if info.last_modified else "", tags=tags[:40],
    )  # fmt: skip
