"""The translations: complete, current, with every place kept, in force in the window, and right at 1."""

from __future__ import annotations

import ast
import re
import shutil
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PySide6.QtCore import QCoreApplication, QObject, QTranslator
from PySide6.QtWidgets import QApplication

from app.core import i18n
from app.core.engine_texts import failure_text, notice_text, translated
from app.core.i18n import compiled, resolve_language
from app.transcript.card_painting import attachment_text
from app.ui.quantities import format_seconds
from engine.errors import Code, Failure, StorageError
from engine.protocol.values import Notice
from engine.store.chat_values import Attachment
from engine.translatable import joined, sentence

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "packaging"))
import translations  # noqa: E402

CHINESE, ENGLISH = translations.FOLDER / "firstlight_zh_CN.ts", translations.ENGLISH
FAILURE = StorageError(
    Code.DISK_FULL, "The disk is full: {folder}.", "Free some space and try again.", folder="/models"
).failure


@pytest.mark.parametrize("file", [CHINESE, ENGLISH], ids=lambda file: file.stem)
def test_every_string_is_translated_and_none_is_stale(file: Path, tmp_path: Path) -> None:
    copy = tmp_path / file.name
    shutil.copy(file, copy)
    translations.update(copy, keep_vanished=True)
    assert not translations.problems(copy)


def test_no_string_is_marked_where_lupdate_does_not_look() -> None:
    """Inside an f-string it finds none, and nothing would say that they are missing."""
    hidden = [
        f"{file.relative_to(ROOT)}: {ast.unparse(call)}"
        for file in (ROOT / "app").rglob("*.py")
        for pieces in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(pieces, ast.JoinedStr)
        for call in ast.walk(pieces)
        if isinstance(call, ast.Call) and re.search(r"\b(tr|translate)$", ast.unparse(call.func))
    ]
    assert not hidden


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
        "ImportExportController: other places: Importing {name} / 正在导入",
        "SettingsPage: no longer in the sources: Reset that page",
        "SettingsPage: not translated: Reset this page",
    } <= found


def test_english_holds_plural_forms_alone_and_an_empty_or_broken_one_is_found(tmp_path: Path) -> None:
    messages = list(ElementTree.parse(ENGLISH).getroot().iter("message"))
    assert messages and all(message.get("numerus") and len(message.findall("*/*")) == 2 for message in messages)
    copy = tmp_path / ENGLISH.name
    text = ENGLISH.read_text(encoding="utf-8")
    copy.write_text(
        text.replace("<numerusform>{n} alert</numerusform>", "<numerusform></numerusform>")
        .replace("<numerusform>under {n} run: no verdict</numerusform>", "<numerusform>under one run</numerusform>")
        .replace("<numerusform>{n} downloads</numerusform>", "<numerusform>downloads</numerusform>")
        .replace(
            "<numerusform>{time}: {n} token, {model}</numerusform>", "<numerusform>{n} token, {model}</numerusform>"
        ),
        encoding="utf-8",
    )
    assert translations.problems(copy) == [
        "CompareDialog: other places: {time}: {n} tokens, {model} / {n} token, {model}",
        "DownloadLine: other places: {n} downloads / downloads",
        "FindPage: other places: {n} downloads / downloads",
        "LatencyStrip: not translated: {n} alerts",
    ]


def test_no_counted_string_reads_wrong_at_1() -> None:
    assert not translations.uncounted()


def test_a_counted_string_without_its_count_is_found(tmp_path: Path) -> None:
    (tmp_path / "part.py").write_text(
        'self.tr("{n} chats").format(n=2)\n'
        'self.tr("The {n} oldest messages", None, n)\n'
        'translate("part", "of {total:,} new tokens")\n'
        'translate("part", "in {n} steps", None, n)\n'
        'self.tr("{name} is {n} of {total}, and {size} of it was sent")\n',
        encoding="utf-8",
    )
    found = {each.text: each.is_counted for each in translations.app_strings(tmp_path)}
    assert {text: is_counted for text, is_counted in found.items() if translations.has_count(text)} == {
        "{n} chats": False,
        "The {n} oldest messages": True,
        "of {total:,} new tokens": False,
        "in {n} steps": True,
    }


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("sentence('{n} chats', n=n)", ["{n} chats"]),
        ("sentence('One chat' if n == 1 else '{n} chats', n=n)", []),
        ("sentence('{n} chats' if n == 1 else 'more', n=n)", ["{n} chats"]),
        ("sentence('{n} chats' if is_new else '{n} files', n=n)", ["{n} chats", "{n} files"]),
        ("sentence('{name} is {n_ctx:,} tokens long', name=name, n_ctx=n)", []),
    ],
)
def test_a_sentence_of_the_engine_that_is_not_said_for_1_is_found(code: str, found: list[str]) -> None:
    call = ast.parse(code, mode="eval").body
    assert isinstance(call, ast.Call)
    parts = translations.sentence_parts(call)
    assert [text for part in parts for text in translations.several(part) if translations.has_count(text)] == found


@pytest.mark.parametrize(("n", "shown"), [(0, "0 tokens"), (1, "1 token"), (2, "2 tokens")])
def test_counted_strings_follow_their_number_also_in_a_derived_class(n: int, shown: str) -> None:
    class PromptDialog(QObject):
        """Named as one of the app's, so with its strings."""

    class Derived(PromptDialog):
        pass

    said = [kind().tr("{n} tokens", None, n).format(n=n) for kind in (PromptDialog, Derived)]
    said.append(QCoreApplication.translate("Figures", "{n} tokens", None, n).format(n=n))
    assert said == [shown] * 3


def test_the_window_speaks_chinese(chinese: None) -> None:
    assert QCoreApplication.translate("shortcuts", "New chat") == "新对话"
    assert format_seconds(0.062) == "62 毫秒"


def test_the_menu_of_a_field_says_undo_as_the_window_does(chinese: None) -> None:
    for context in ("QWidgetTextControl", "QLineEdit"):  # Qt writes it 撤消.
        assert QCoreApplication.translate(context, "&Undo") == "撤销(&U)"


def test_a_picture_that_came_without_a_name_is_named_in_chinese(chinese: None) -> None:
    assert attachment_text(Attachment(name="image", mime="image/png")).startswith("图片")
    assert attachment_text(Attachment(name="image.png")) == "image.png"


def test_the_engine_s_sentences_are_told_in_chinese(chinese: None) -> None:
    assert failure_text(FAILURE) == "磁盘已满：/models。请腾出空间后重试。"
    notice = Notice(
        code="context",
        message=sentence(
            "The context is {made:,} tokens instead of {asked:,}, so that the model fits.", made=8192, asked=16_384
        ),
    )
    assert notice_text(notice) == "上下文为 8,192 个 token，而不是 16,384 个，以便放下模型。"


def test_what_is_said_inside_a_sentence_is_told_in_chinese_too(chinese: None) -> None:
    lack = sentence(
        "{device} has {free:.2f} GiB for it and {needed:.2f} GiB are needed", device="GPU", free=1.5, needed=2.0
    )
    said = joined(sentence("A context of {n_ctx:,} tokens does not fit: {lack}.", n_ctx=4096, lack=lack), "Choose f16.")
    assert translated(said) == "放不下 4,096 个 token 的上下文：GPU 有 1.50 GiB 可用，需要 2.00 GiB。请选择 f16。"


def test_the_engine_groups_the_digits_of_what_it_counts() -> None:
    bare = re.compile(r"\{\w+\} (?:of \{\w+\} )?(?:tokens|bytes)\b")
    assert [text for text in translations.engine_templates() if bare.search(text)] == []
    exact = re.compile(r"\{(\w+):,\}")
    for message in ElementTree.parse(CHINESE).getroot().iter("message"):
        source, said = message.findtext("source", ""), message.findtext("translation", "")
        if not message.get("numerus"):
            assert sorted(exact.findall(source)) == sorted(exact.findall(said))


def test_what_has_no_translation_stays_as_it_is(chinese: None) -> None:
    own = Failure(code=Code.ENGINE_CRASHED, message="引擎已崩溃（退出码 1）。")
    assert failure_text(own) == own.sentence()
    assert translated(sentence("{n} words of nobody.", n=2)) == "2 words of nobody."
    assert translated("") == ""


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


def test_an_empty_translation_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(CHINESE, tmp_path)
    monkeypatch.setattr(i18n, "_FOLDER", tmp_path)
    (tmp_path / "firstlight_zh_CN.qm").touch()
    assert QTranslator().load(str(compiled("zh_CN")))


@pytest.mark.parametrize(("choice", "language"), [("zh_CN", "zh_CN"), ("en", "en"), ("xx", "en")])
def test_an_unknown_choice_follows_the_system(choice: str, language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGUAGE", "en")
    assert resolve_language(choice) == language or choice == "xx"


HAN = "[\u4e00-\u9fff]"
FAULTS_OF_STYLE = {
    "no space between Chinese and Latin": f"{HAN}[A-Za-z0-9]|[A-Za-z0-9]{HAN}",
    "half-width punctuation": rf"{HAN}(?!\(&[A-Z]\))[,;:!?()]|[,;:!?]{HAN}|{HAN}\.(?![A-Za-z0-9])|\.\.\.",
    "a space too many": f"{HAN} {HAN}|  ",
    "another word for a thing that has one": "撤消|废纸篓|模型中心|计算机|此电脑|个聊天|对话模型|对话模板|回车|你",
}


@pytest.mark.parametrize("fault", FAULTS_OF_STYLE)
def test_chinese_is_set_as_chinese_is(fault: str) -> None:
    """Besides the words to search commands by, which are a list and no sentence."""
    texts = [
        text
        for context in ElementTree.parse(CHINESE).getroot().iter("context")
        if context.findtext("name") != "command words"
        for translation in context.iter("translation")
        for text in translations.forms(translation)
    ]
    assert not [text for text in texts if re.search(FAULTS_OF_STYLE[fault], text)]


def test_no_string_hides_from_the_translators_inside_another() -> None:
    """What is written inside an f-string is not collected."""
    hidden = [
        f"{file.name}:{call.lineno}"
        for file in sorted((ROOT / "app").rglob("*.py"))
        for text in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(text, ast.JoinedStr)
        for call in ast.walk(text)
        if isinstance(call, ast.Call) and ast.unparse(call.func).rpartition(".")[2] in ("tr", "translate")
    ]
    assert not hidden
