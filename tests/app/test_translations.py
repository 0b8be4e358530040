"""The Chinese translation: complete, current, with every place kept, and in force in the window."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PySide6.QtCore import QCoreApplication, QTranslator
from PySide6.QtWidgets import QApplication

from app import i18n
from app.engine_sentences import failure_text, notice_text, told
from app.i18n import compiled, resolve_language
from app.quantities import format_seconds
from engine.errors import Code, Failure, StorageError
from engine.protocol.values import Notice
from engine.sentences import both, say

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "packaging"))
import translations  # noqa: E402

CHINESE = translations.FOLDER / "firstlight_zh_CN.ts"
FAILURE = StorageError(
    Code.DISK_FULL, "The disk is full: {folder}.", "Free some space and try again.", folder="/models"
).failure


def test_every_string_is_translated_and_none_is_stale(tmp_path: Path) -> None:
    copy = tmp_path / CHINESE.name
    shutil.copy(CHINESE, copy)
    translations.update(copy, keep_vanished=True)
    assert not translations.problems(copy)


def test_what_is_missing_stale_or_loses_a_place_is_found(tmp_path: Path) -> None:
    copy = tmp_path / CHINESE.name
    text = CHINESE.read_text(encoding="utf-8")
    copy.write_text(
        text.replace("<translation>关于</translation>", '<translation type="unfinished"></translation>')
        .replace("<translation>正在导入 {name}</translation>", "<translation>正在导入</translation>")
        .replace("<source>Reset this page</source>", "<source>Reset that page</source>"),
        encoding="utf-8",
    )
    translations.update(copy, keep_vanished=True)
    found = set(translations.problems(copy))
    assert {
        "AboutPage: not translated: About",
        "ChatExchange: other places: Importing {name} / 正在导入",
        "SettingsPage: no longer in the sources: Reset that page",
        "SettingsPage: not translated: Reset this page",
    } <= found


def test_the_window_speaks_chinese(chinese: None) -> None:
    assert QCoreApplication.translate("shortcuts", "New chat") == "新对话"
    assert format_seconds(0.062) == "62 毫秒"


def test_the_engine_s_sentences_are_told_in_chinese(chinese: None) -> None:
    assert failure_text(FAILURE) == "磁盘已满：/models。请腾出空间后重试。"
    notice = Notice(code="context", message=say("The context is {n_ctx:,} tokens, so that the model fits.", n_ctx=8192))
    assert notice_text(notice) == "上下文为 8,192 个 token，以便容纳模型。"


def test_what_is_said_inside_a_sentence_is_told_in_chinese_too(chinese: None) -> None:
    lack = say("{device} has {free:.2f} GiB for it and {needed:.2f} GiB are needed", device="GPU", free=1.5, needed=2.0)
    said = both(say("A context of {n_ctx} tokens does not fit: {lack}.", n_ctx=4096, lack=lack), "Choose f16.")
    assert told(said) == "容纳不下 4096 个 token 的上下文：GPU 有 1.50 GiB 可用，需要 2.00 GiB。请选择 f16。"


def test_what_has_no_translation_stays_as_it_is(chinese: None) -> None:
    own = Failure(code=Code.ENGINE_CRASHED, message="引擎已崩溃（退出码 1）。")
    assert failure_text(own) == own.sentence()
    assert told(say("{n} words of nobody.", n=2)) == "2 words of nobody."
    assert told("") == ""


def test_in_english_a_failure_is_the_engine_s_own_sentence(qapp: QApplication) -> None:
    assert failure_text(FAILURE) == "The disk is full: /models. Free some space and try again."


def test_the_engine_s_sentences_are_among_the_strings() -> None:
    """So that the test above fails for a sentence of the engine without a translation."""
    told_by_engine = translations.engine_templates()
    assert "The disk is full: {folder}." in told_by_engine
    known = {
        message.findtext("source")
        for context in ElementTree.parse(CHINESE).getroot().iter("context")
        if context.findtext("name") == translations.ENGINE
        for message in context.iter("message")
    }
    assert told_by_engine <= known


def test_a_checkout_compiles_its_translation_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(CHINESE, tmp_path)
    monkeypatch.setattr(i18n, "_FOLDER", tmp_path)
    made = compiled("zh_CN")
    assert made == tmp_path / "firstlight_zh_CN.qm"
    stamp = made.stat().st_mtime_ns
    assert compiled("zh_CN").stat().st_mtime_ns == stamp
    assert QTranslator().load(str(made))


@pytest.mark.parametrize(("choice", "language"), [("zh_CN", "zh_CN"), ("en", "en"), ("xx", "en")])
def test_an_unknown_choice_follows_the_system(choice: str, language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGUAGE", "en")
    assert resolve_language(choice) == language or choice == "xx"


HAN = "[\u4e00-\u9fff]"
FAULTS_OF_STYLE = {
    "no space between Chinese and Latin": f"{HAN}[A-Za-z0-9]|[A-Za-z0-9]{HAN}",
    "half-width punctuation": rf"{HAN}[,;:!?()]|[,;:!?]{HAN}|{HAN}\.(?![A-Za-z0-9])|\.\.\.",
    "a space too many": f"{HAN} {HAN}|  ",
    "another word for a thing that has one": "废纸篓|模型中心|计算机|此电脑|个聊天|对话模型|对话模板|回车|你",
}


@pytest.mark.parametrize("fault", FAULTS_OF_STYLE)
def test_chinese_is_set_as_chinese_is(fault: str) -> None:
    """Besides the words to search commands by, which are a list and no sentence."""
    texts = [
        translation.text or ""
        for context in ElementTree.parse(CHINESE).getroot().iter("context")
        if context.findtext("name") != "command words"
        for translation in context.iter("translation")
    ]
    assert not [text for text in texts if re.search(FAULTS_OF_STYLE[fault], text)]
