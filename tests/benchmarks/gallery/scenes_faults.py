"""What can go wrong in the chat: real faults of the real engine, store and importers."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import psutil
from app_scene import emitted, until
from chats import DAY, short_chat
from stage import Stage, ask, opened, send

from app.application import Application
from app.chat_list.import_report_dialog import ImportReportDialog
from app.core.host_client import HostState
from engine.folders import folders
from engine.host.model_resolver import STARTER_FILE
from engine.protocol.values import ContextPolicy, ModelSettings, Sampling
from engine.settings import Models, Performance, Preset, Settings, save_settings

HOST = (sys.executable, "-m", "engine", "host")
STARTER = Path(__file__).resolve().parents[3] / ".cache" / "models" / STARTER_FILE


def quick(*presets: Preset, n_ctx: int = 512) -> Settings:
    """Settings under which the starter model answers soon and always alike; kept, because the host reads them too."""
    load = ModelSettings(n_ctx=n_ctx, n_threads=1)
    settings = Settings(
        presets=presets or (Preset(name="Default", sampling=Sampling(temperature=0)),),
        default_preset=presets[0].name if presets else "Default",
        performance=Performance(load=load, is_prewarm_on=False),
    )
    save_settings(settings, folders().settings_file)
    return settings


async def model_missing(stage: Stage) -> None:
    settings = Settings(models=Models(last_model="/models/Qwen3-8B-Q4_K_M.gguf"))
    async with stage.app(settings=settings, host=HOST) as app:
        await stage.shot(app.window, "model-missing")
        send(app, "Hello")
        await emitted(app.chats.answer_finished)
        await stage.shot(app.window, "model-missing-asked")


async def model_damaged(stage: Stage) -> None:
    file = folders().models / "half.gguf"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(STARTER.read_bytes()[:20_000_000])
    async with stage.app(settings=Settings(models=Models(last_model=str(file))), host=HOST) as app:
        await stage.shot(app.window, "model-damaged")


async def worker_dies(stage: Stage) -> None:
    async with stage.app(settings=quick(), host=HOST) as app:
        send(app, "写一个很长的故事。" if stage.is_chinese else "Tell a very long story.")
        await until(lambda: app.conversation.rowCount() == 2 and len(app.conversation.item(1).content) > 20)
        finished = asyncio.ensure_future(emitted(app.chats.answer_finished))
        await asyncio.sleep(0)
        for process in psutil.Process().children(recursive=True):
            if "engine.worker" in " ".join(process.cmdline()):
                process.kill()
        await finished
        await stage.shot(app.window, "worker-died")


async def host_dies(stage: Stage) -> None:
    async with stage.app("--exit-code", "3") as app:
        await until(lambda: app.client.state is HostState.FAILED)
        await stage.shot(app.window, "host-died")


async def ends_of_answers(stage: Stage) -> None:
    """The limit of tokens, and a full context."""
    preset = Preset(name="Default", sampling=Sampling(temperature=0), max_tokens=40, context_policy=ContextPolicy.STOP)
    async with stage.app(settings=quick(preset, n_ctx=256), host=HOST) as app:
        await ask(app, "写一个故事。" if stage.is_chinese else "Tell a story.")
        await stage.shot(app.window, "ended-at-limit")
        await ask(app, "rain in May " * 55)
        await stage.shot(app.window, "context-nearly-full")
        app.composer.set_text("rain in May " * 60)
        await until(lambda: app.composer.size_of_draft.is_blocked)
        await stage.shot(app.window, "context-full")


async def disk_full(stage: Stage) -> None:
    """SQLite may not take another page: as on a full disk."""
    with stage.store() as store:
        short_chat(store, "里斯本的雨" if stage.is_chinese else "Rain in Lisbon", DAY)
    async with stage.app() as app:
        await _fill(app)
        failed = asyncio.ensure_future(emitted(app.chats.failed))
        await asyncio.sleep(0)
        send(app, "word " * 4000)
        await failed
        await stage.shot(app.window, "disk-full")


async def _fill(app: Application) -> None:
    store: Any = await app.database.store()
    with store._db.locked() as connection:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages}")


async def chats_damaged(stage: Stage) -> None:
    with stage.store() as store:
        for number in range(40):
            short_chat(store, f"里斯本的雨 {number}" if stage.is_chinese else f"Rain in Lisbon {number}", DAY)
    file = folders().chats_file
    content = bytearray(file.read_bytes())
    content[8192:16_384] = b"\xff" * 8192
    file.write_bytes(content)
    file.with_name(f"{file.name}-wal").write_bytes(b"a log that was left behind")
    async with stage.app() as app:
        await until(lambda: bool(app.window.notices.texts))
        await stage.shot(app.window, "chats-damaged")


async def chats_unreadable(stage: Stage) -> None:
    """A folder lies where the chats should be."""
    folders().chats_file.mkdir(parents=True)
    async with stage.app() as app:
        await until(lambda: bool(app.window.notices.texts))
        await stage.shot(app.window, "chats-cannot-be-opened")


async def broken_imports(stage: Stage) -> None:
    folder = folders().data
    folder.mkdir(parents=True, exist_ok=True)
    half, mixed = folder / "half.json", folder / "conversations.json"
    half.write_text('{"title": "cut in the mid')
    good = {
        "title": "Trip",
        "messages": [{"role": "user", "content": "Rain?"}, {"role": "assistant", "content": "No."}],
    }
    mixed.write_text(json.dumps([good, {"title": "Broken", "messages": 7}, {"nothing": "of a chat"}]))
    async with stage.app() as app:
        import_export = app.import_export
        for name, path in (("import-broken", half), ("import-partly", mixed), ("import-again", mixed)):
            imported = asyncio.ensure_future(emitted(import_export.imported))
            await asyncio.sleep(0)
            import_export.import_from([path])
            await imported
            await stage.shot(app.window, name)
            opened(ImportReportDialog).reject()
        import_export.import_from([folder / "nowhere.json"])
        await emitted(app.import_export.failed)
        await stage.shot(app.window, "import-missing")


async def bad_attachments(stage: Stage) -> None:
    folder = folders().data
    folder.mkdir(parents=True, exist_ok=True)
    binary, pdf, word = folder / "program.bin", folder / "broken.pdf", folder / "letter.docx"
    binary.write_bytes(bytes(range(256)) * 64)
    pdf.write_bytes(b"%PDF-1.7\nnothing that follows is one")
    word.write_bytes(b"PK\x03\x04" + b"\0" * 400)
    async with stage.app() as app:
        app.attachments.take([binary, folder, pdf])
        await until(lambda: len(app.window.notices.texts) == 3 and not app.composer.files.reading)
        await stage.shot(app.window, "attachments-refused")
        app.attachments.take([word])
        await until(lambda: not app.composer.files.reading)
        await stage.shot(app.window, "attachment-refused")


SCENES = (
    model_missing,
    model_damaged,
    worker_dies,
    host_dies,
    ends_of_answers,
    disk_full,
    chats_damaged,
    chats_unreadable,
    broken_imports,
    bad_attachments,
)
