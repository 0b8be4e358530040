"""The model manager through its interface only, with the real host and a local hub: from a search to a model that is
ready, and what it does beside fetching: it narrows searches, tells facts, checks, cleans up, and notices changes.
"""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest
from app_scene import Run, until
from gguf_files import chat_bytes
from hub_server import HubServer
from manager_scene import FILES, REPO, Scene, scene
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QTextCursor, QTextTable
from PySide6.QtTest import QTest

from app.models.model_card_dialog import ModelCardDialog
from engine.library.orphaned_files import trash_of
from engine.settings import folders


def test_search_choose_download_and_have_it(run: Run, server: HubServer) -> None:
    async def play() -> None:
        async with scene(server) as it:
            it.library.open(1)
            page = it.manager.search
            await it.find()
            page.results.setCurrentIndex(page.results.model().index(0, 0))
            await until(lambda: it.rows == {"Q8_0": "Download", "F16": "Download"})
            assert "1 layer " in f"{page._facts.text()} "
            await it.press("Q8_0")
            await until(lambda: it.rows["Q8_0"] == "On this computer")
            names = [line.title for line in it.manager.local.list.lines]
            assert names == ["tiny-Q8_0"]
            downloads = it.manager.downloads
            assert downloads.list.lines[0].state == "ready"
            await until(lambda: not downloads.chat_button.isHidden())
            wanted: list[bool] = []
            it.library.chat_wanted.connect(lambda: wanted.append(True))
            downloads.chat_button.click()
            assert wanted
            assert it.models.model_id.endswith("tiny-Q8_0.gguf")
            assert it.models.status.name == "tiny-Q8_0"
            it.models.cancel_load()

    run(play())


def test_moving_the_context_changes_every_row(run: Run, server: HubServer) -> None:
    async def play() -> None:
        async with scene(server) as it:
            it.library.open(1)
            page = it.manager.search
            await it.find()
            page.results.setCurrentIndex(page.results.model().index(0, 0))
            await until(lambda: bool(it.rows))
            before = [item.fit.kv_bytes for item in page.table.rows.items]
            page._slider.setValue(page._slider.minimum())
            page._kv.button(2).click()
            await until(lambda: [item.fit.kv_bytes for item in page.table.rows.items] != before)
            after = [item.fit.kv_bytes for item in page.table.rows.items]
            assert all(new < old for new, old in zip(after, before, strict=True))

    run(play())


def test_before_a_search_the_catalogue_is_there_without_a_connection(run: Run, server: HubServer) -> None:
    async def play() -> None:
        server.fail("status", status=503, times=99)
        async with scene(server) as it:
            it.library.open(1)
            page = it.manager.search
            await until(lambda: len(page.results.lines) >= 12)
            assert page.results.lines[0].state == "recommended"
            await asyncio.sleep(0)
            n_asked = len(server.requests)
            assert n_asked == 0
            server.faults.clear()
            await it.find()
            page.field.clear()
            QTest.keyClick(page.field, Qt.Key.Key_Return)
            assert len(page.results.lines) >= 12

    run(play())


def test_a_hub_that_is_down_is_a_sentence_in_place(run: Run, server: HubServer) -> None:
    async def play() -> None:
        async with scene(server) as it:
            server.fail("status", status=503, times=99)
            it.library.open(1)
            QTest.keyClicks(it.manager.search.field, "tiny")
            QTest.keyClick(it.manager.search.field, Qt.Key.Key_Return)
            await until(lambda: "503" in it.manager.search.status.text())
            assert it.manager.search.results.lines == ()  # What stood there answered another question.
            server.faults.clear()
            await it.find()
            assert it.manager.search.status.text() == ""

    run(play())


def test_delete_can_be_undone(run: Run, server: HubServer) -> None:
    async def play() -> None:
        async with scene(server) as it:
            it.library.open(1)
            page = it.manager.search
            await it.find()
            page.results.setCurrentIndex(page.results.model().index(0, 0))
            await until(lambda: bool(it.rows))
            await it.press("F16")
            await until(lambda: [line.title for line in it.manager.local.list.lines] == ["tiny-F16"])
            it.manager.local._remove.click()
            await until(lambda: "undo" in it.manager.notices.buttons)
            assert it.manager.notices.isVisible()  # The chat's window is behind this one.
            assert it.manager.notices.texts == ["tiny-F16 was moved to Firstlight's trash."]
            assert it.manager.local.list.lines == ()
            it.manager.notices.buttons["undo"].click()
            await until(lambda: [line.title for line in it.manager.local.list.lines] == ["tiny-F16"])

    run(play())


def test_a_folder_of_the_user_is_used_in_place(run: Run, server: HubServer, tmp_path: Path) -> None:
    async def play() -> None:
        folder = tmp_path / "mine"
        folder.mkdir()
        (folder / "own.gguf").write_bytes(chat_bytes())
        async with scene(server) as it:
            it.library.open()
            it.library.add_folder(str(folder))
            await until(lambda: [line.title for line in it.manager.local.list.lines] == ["own"])
            assert not it.manager.local._remove.isEnabled()

    run(play())


async def downloaded(it: Scene) -> Path:
    """The tiny model, fetched through the interface."""
    it.library.open(1)
    await it.open_repo()
    await it.press("Q8_0")
    await until(lambda: bool(it.manager.local.list.lines))
    return Path(it.manager.local.list.lines[0].key)


def change(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(-1, 2)
        file.write(b"?")


def test_filters_search_at_once_and_an_empty_search_lists_what_is_most_wanted(run: Run, server: HubServer) -> None:
    for n in range(3):
        repo = server.add(f"owner/Big{n}-GGUF")
        repo.n_params, repo.likes = 30 * 10**9, n
    server.repos[REPO].n_params = 10**9

    async def play() -> None:
        async with scene(server) as it:
            it.library.open(1)
            page = it.manager.search
            await until(lambda: bool(page.results.lines))
            page.filters._size.setCurrentIndex(4)
            await until(lambda: [line.key for line in page.results.lines] == [f"owner/Big{n}-GGUF" for n in range(3)])
            page.filters._order.setCurrentIndex(2)
            await until(lambda: page.results.lines[0].key == "owner/Big2-GGUF")
            page.filters._size.setCurrentIndex(1)
            await until(lambda: [line.key for line in page.results.lines] == [REPO])

    run(play())


def test_a_search_that_finds_nothing_leads_on(run: Run, server: HubServer) -> None:
    async def play() -> None:
        async with scene(server) as it:
            it.library.open(1)
            page = it.manager.search
            await until(lambda: bool(page.results.lines))
            recommended = [line.key for line in page.results.lines]
            assert page.suggestion.isHidden()
            await it.find()
            page.filters._order.setCurrentIndex(2)
            page.filters._size.setCurrentIndex(4)
            await until(lambda: page.status.text() == "Nothing was found with these filters.")
            assert (page.suggestion.text(), page.suggestion.isHidden()) == ("Search without filters", False)
            page.suggestion.click()
            await until(lambda: [line.key for line in page.results.lines] == [REPO])
            assert (page.filters.order, page.filters.is_narrow, page.field.text()) == ("likes", False, "tiny")
            assert page.suggestion.isHidden()
            page.field.setText("tiny nobody")
            QTest.keyClick(page.field, Qt.Key.Key_Return)
            await until(lambda: page.status.text() == "Nothing was found. Try fewer words, or a part of the name.")
            assert page.suggestion.accessibleName() == "Show what is worth starting with"
            page.suggestion.click()
            await until(lambda: [line.key for line in page.results.lines] == recommended)
            assert page.suggestion.isHidden() and not page.field.text() and not page.filters.is_set

    run(play())


def test_a_repository_tells_its_licence_its_gate_and_its_own_words(
    run: Run, server: HubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = server.repos[REPO]
    repo.files = {
        **repo.files,
        "README.md": b"---\nlicense: mit\n---\n# Tiny\n\n![pixel](http://127.0.0.1:9/p.png) words\n\n"
        b"| a | b |\n|---|---|\n| 1 | 2 |\n\n```\none\ntwo\n```\n\nand [more](https://example.org/).",
    }
    repo.tags = ["gguf", "license:mit"]

    async def play() -> None:
        async with scene(server) as it:
            it.library.open(1)
            await it.open_repo()
            page = it.manager.search
            assert page._about.text().startswith("MIT · 100 downloads · changed ")
            page._card_button.click()
            (dialog,) = page.findChildren(ModelCardDialog)
            assert "words" in dialog.text.toPlainText()
            assert "license" not in dialog.text.toPlainText()
            title, frames = dialog.text.document().begin(), dialog.text.document().rootFrame().childFrames()
            sizes = [QTextCursor(block).charFormat().font().pixelSize() for block in (title, title.next())]
            assert sizes[0] > sizes[1]  # What is left of the Markdown reader's own sizes would make both equal.
            assert any(isinstance(frame, QTextTable) for frame in frames)
            (code,) = (frame for frame in frames if not isinstance(frame, QTextTable))
            assert code.firstCursorPosition().block().text() == "one"
            assert code.lastCursorPosition().block().text() == "two"
            assert dialog.text.loadResource(2, QUrl("http://127.0.0.1:9/p.png")) is None
            opened: list[QUrl] = []
            monkeypatch.setattr(QDesktopServices, "openUrl", opened.append)
            for link in ("LICENSE", "file:///etc/passwd", "https://example.org/"):
                dialog.text.anchorClicked.emit(QUrl(link))
            assert opened == [QUrl("https://example.org/")]
            assert "words" in dialog.text.toPlainText()
            dialog.close()

    run(play())


def test_a_gated_repository_tells_its_facts_and_the_way(run: Run, server: HubServer) -> None:
    server.repos[REPO].gated = "manual"

    async def play() -> None:
        async with scene(server) as it:
            it.library.open(1)
            await it.find()
            page = it.manager.search
            page.results.setCurrentIndex(page.results.model().index(0, 0))
            await until(lambda: "is gated" in page._note.text())
            assert "gated: accept the licence" in page._about.text()
            assert not page.table.isVisible()
            server.repos[REPO].gated = False
            await it.open_repo()
            assert page.table.isVisible()

    run(play())


def test_a_model_is_checked_and_a_changed_one_is_told(run: Run, server: HubServer) -> None:
    async def play() -> None:
        async with scene(server) as it:
            path = await downloaded(it)
            local = it.manager.local
            local.verify_button.click()
            await until(lambda: local._check.text().startswith("Verified: "))
            change(path)
            await until(lambda: local.verify_button.text() == "Verify")
            local.verify_button.click()
            await until(lambda: "is damaged" in local._check.text())

    run(play())


def test_a_model_that_was_cut_short_is_downloaded_again_from_its_own_card(run: Run, server: HubServer) -> None:
    async def play() -> None:
        async with scene(server) as it:
            path = await downloaded(it)
            local = it.manager.local
            assert local.fetch_button.isHidden()
            path.write_bytes(path.read_bytes()[:2000])
            it.library.refresh()
            await until(lambda: [line.state for line in local.list.lines] == ["damaged"])
            assert not local.fetch_button.isHidden()
            local.fetch_button.click()
            await until(lambda: it.rows.get("Q8_0") == "Download")
            await it.press("Q8_0")
            await until(lambda: it.rows["Q8_0"] == "On this computer")
            assert path.read_bytes() == FILES["tiny-Q8_0.gguf"]

    run(play())


def test_the_trash_shows_its_size_and_is_emptied(run: Run, server: HubServer) -> None:
    async def play() -> None:
        async with scene(server) as it:
            await downloaded(it)
            local = it.manager.local
            local._remove.click()
            await until(lambda: not local._in_trash.isHidden())
            assert trash_of(folders().models).exists()
            local._trash.click()
            await until(local._in_trash.isHidden)
            assert not trash_of(folders().models).exists()

    run(play())


def test_a_model_that_is_copied_in_appears_by_itself(run: Run, server: HubServer, tmp_path: Path) -> None:
    async def play() -> None:
        folder = tmp_path / "mine"
        folder.mkdir()
        async with scene(server) as it:
            it.library.open()
            it.library.add_folder(str(folder))
            await until(lambda: str(folder) in it.library._watcher._watcher.directories())
            (folder / "own.gguf").write_bytes(chat_bytes()[:100])
            await until(lambda: [line.state for line in it.manager.local.list.lines] == ["damaged"])
            (folder / "own.gguf").write_bytes(chat_bytes())
            await until(lambda: [line.state for line in it.manager.local.list.lines] == [""])
            (folder / "own.gguf").unlink()
            await until(lambda: it.manager.local.list.lines == ())

    run(play())


def test_a_download_that_arrives_is_told_once_and_survives_its_window(run: Run, server: HubServer) -> None:
    server.fail("stall", after=500_000, is_download=True, path="tiny-Q8_0")

    async def begin() -> None:
        async with scene(server) as it:
            it.library.open(1)
            await it.open_repo()
            await it.press("Q8_0")
            await until(lambda: any(pull.done_bytes for pull in it.downloads.pulls))

    async def go_on() -> None:
        async with scene(server) as it:
            await until(lambda: bool(it.notices.texts))
            it.library.open()
            await until(lambda: [line.title for line in it.manager.local.list.lines] == ["tiny-Q8_0"])
            (name,) = it.notices.buttons
            assert it.notices.texts == [name] == ["tiny-Q8_0 is downloaded and verified."]
            it.notices.buttons[name].click()
            assert it.models.status.name == "tiny-Q8_0"
            it.models.cancel_load()

    run(begin())
    (part,) = folders().models.rglob("*.part")
    assert part.stat().st_size > 0
    run(go_on())
    assert not part.exists()


def test_a_download_that_stopped_says_why_and_goes_on_when_it_is_told_to(run: Run, server: HubServer) -> None:
    async def play() -> None:
        async with scene(server) as it:
            server.fail("status", status=401, is_download=True, path="tiny-Q8_0")
            it.library.open(1)
            await it.open_repo()
            await it.press("Q8_0")
            page = it.manager.downloads
            await until(lambda: [line.state for line in page.list.lines] == ["stopped"])
            assert page._sentence.text() == f"The hub refuses access to {REPO}. Check your token in Settings, Models."
            assert (page._resume.text(), page._resume.isHidden()) == ("Try again", False)
            page._resume.click()
            await until(lambda: [line.state for line in page.list.lines] == ["ready"])
            assert page._sentence.text() == ""

    run(play())


def test_models_of_a_drive_that_is_away_stay_listed_and_cannot_be_loaded(
    run: Run, server: HubServer, tmp_path: Path
) -> None:
    drive, away = tmp_path / "drive", tmp_path / "away"
    drive.mkdir()
    (drive / "own.gguf").write_bytes(chat_bytes())

    async def play() -> None:
        async with scene(server) as it:
            it.library.open()
            local = it.manager.local
            it.library.add_folder(str(drive))
            await until(lambda: [(line.title, line.state) for line in local.list.lines] == [("own", "")])
            assert not local.load_button.isHidden()
            await until(lambda: str(drive) in it.library._watcher._watcher.directories())
            shutil.copytree(drive, away)
            shutil.rmtree(drive)
            await until(lambda: [(line.title, line.state) for line in local.list.lines] == [("own", "missing")])
            assert local._problem.text().startswith("Its drive or folder is not there now. Connect the drive")
            assert local.load_button.isHidden()
            assert not local._remove.isEnabled()
            await until(lambda: str(tmp_path) in it.library._watcher._watcher.directories())
            shutil.copytree(away, drive)
            await until(lambda: [(line.title, line.state) for line in local.list.lines] == [("own", "")])
            assert not local.load_button.isHidden()

    run(play())


def test_a_model_whose_part_is_missing_or_damaged_says_so_and_offers_no_load(
    run: Run, server: HubServer, tmp_path: Path
) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "half-00001-of-00002.gguf").write_bytes(chat_bytes())
    (folder / "short.gguf").write_bytes(chat_bytes()[:-200])

    async def play() -> None:
        async with scene(server) as it:
            it.library.open()
            local = it.manager.local
            it.library.add_folder(str(folder))
            await until(lambda: [line.state for line in local.list.lines] == ["incomplete", "damaged"])
            for row, said in enumerate(("One of 2 parts is missing.", "is cut short")):
                local.list.setCurrentIndex(local.list.model().index(row, 0))
                assert said in local._problem.text()
                assert local.load_button.isHidden()

    run(play())
