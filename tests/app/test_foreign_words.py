"""What others wrote (titles, names in files, words of the hub) is shown as it is, never as a page of HTML."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6 import QtGui
from PySide6.QtCore import QPoint, QSettings, Qt
from PySide6.QtWidgets import QAbstractItemView, QLabel, QWidget
from pytestqt.qtbot import QtBot

from app.chat_list.chat_list_model import ChatListModel
from app.chat_list.export_dialog import ExportDialog
from app.chat_list.import_report_dialog import ImportReportDialog
from app.chat_list.sidebar import Sidebar
from app.composer.composer import Composer
from app.composer.part_dialog import PartDialog
from app.composer.prompt_form import PromptForm
from app.core.conversation_model import ConversationModel, MessageItem
from app.latency.percentile_card import PercentileCard
from app.latency.why_card import WhyCard
from app.models.download_line import DownloadLine
from app.models.downloads_model import DownloadsModel
from app.models.downloads_page import DownloadsPage
from app.models.find_page import FindPage
from app.models.local_page import LocalPage
from app.models.model_status import ModelState, ModelStatus
from app.models.quantize_dialog import QuantizeDialog
from app.settings.text_list import TextList
from app.transcript.transcript_view import Transcript
from app.ui.text_dialog import TextDialog
from app.ui.theme import Theme
from app.window.main_window import MainWindow
from app.window.top_bar import TopBar
from app.window.welcome import Welcome
from engine.errors import Code, Failure
from engine.protocol import CatalogEntry, LogGroup, MetricsRead, ModelEntry, Pull, Role
from engine.protocol.values import Device, EffectiveSettings
from engine.store.chat_values import Attachment, Chat
from engine.store.exchange.import_report import Character, ImportReport

WORDS = '<img src="//evil.example/a.png"> <b>bold</b>'
FAILURE = Failure(code=Code.MODEL_NOT_FOUND, message=f"{WORDS} is no model.")
PULL = Pull(pull_id="p", repo=WORDS, files=(WORDS,), state="failed", failure=FAILURE)
ENTRY = ModelEntry(
    model_id="m", name=WORDS, path=f"/{WORDS}", quantization=WORDS, repo=WORDS, file=WORDS, licence=WORDS,
    architecture=WORDS, problem=WORDS, traits=WORDS, source="ours",
)  # fmt: skip
CHAT = Chat(id="c", title=WORDS, created_at=0.0, updated_at=0.0)
EFFECTIVE = EffectiveSettings(
    model_name=WORDS, model_path=f"/{WORDS}", n_gpu_layers=1, n_layers=1,
    devices=(Device(name="CUDA0", description=WORDS, kind="gpu"),),
)  # fmt: skip


def pages(widget: QWidget) -> Iterator[str]:
    """What of `widget` would be shown as a page with these words in it."""
    for each in (widget, *widget.findChildren(QWidget)):
        texts = [each.toolTip()]
        if isinstance(each, QLabel) and each.textFormat() is not Qt.TextFormat.PlainText:
            texts.append(each.text())
        if isinstance(each, QAbstractItemView) and (model := each.model()) is not None:
            indexes = [model.index(row, 0) for row in range(model.rowCount())]
            texts += [index.data(Qt.ItemDataRole.ToolTipRole) or "" for index in indexes]
        yield from (text for text in texts if "<img" in text and QtGui.Qt.mightBeRichText(text))


def under(make: Callable[[QWidget], QWidget]) -> QWidget:
    base = QWidget()
    make(base)
    return base


def sidebar(theme: Theme) -> QWidget:
    model = ChatListModel()
    made = Sidebar(model, theme)
    model.setParent(made)
    model.set_chats([CHAT])
    return made


def top_bar(theme: Theme) -> QWidget:
    made = TopBar(theme)
    made.set_status(ModelStatus(ModelState.WARM, name=WORDS, effective=EFFECTIVE))
    made.set_presets({WORDS: WORDS, "b": "b"}, WORDS)
    return made


def failed_chip(theme: Theme) -> QWidget:
    made = TopBar(theme)
    made.set_status(ModelStatus(ModelState.FAILED, name=WORDS, failure=FAILURE))
    return made


def welcome(theme: Theme) -> QWidget:
    made = Welcome(theme)
    made.set_hardware(WORDS)
    made.set_recommendation(CatalogEntry(name=WORDS, repo=WORDS, n_params=1, size_bytes=1), WORDS)
    made.set_status(ModelStatus(ModelState.LOADING, name=WORDS))
    return made


def download(theme: Theme) -> QWidget:
    model = DownloadsModel()
    made = DownloadLine(theme, model)
    model.report(PULL)
    return made


def downloads(theme: Theme) -> QWidget:
    model = DownloadsModel()
    made = DownloadsPage(theme, model)
    model.report(PULL)
    return made


def local(theme: Theme) -> QWidget:
    made = LocalPage(theme)
    made.set_models((ENTRY,), ())
    made.list.select("m")
    made.end_check("m", WORDS, is_warning=True)
    return made


def find(theme: Theme) -> QWidget:
    made = FindPage(theme, DownloadsModel())
    made.status.setText(WORDS)
    return made


def quantize(theme: Theme) -> QWidget:
    return under(lambda base: QuantizeDialog(theme, ENTRY, base))


def report(theme: Theme) -> QWidget:
    problems = (WORDS,)
    return ImportReportDialog(
        ImportReport(n_chats=1, problems=problems, characters=(Character(name=WORDS, system_prompt=WORDS),)), theme
    )


def composer(theme: Theme) -> QWidget:
    made = Composer(theme)
    made.files.begin_reading(WORDS)
    made.files.add(Attachment(name=WORDS, text=WORDS, n_bytes=9))
    return made


def window(theme: Theme) -> QWidget:
    made = MainWindow(theme, QSettings("/dev/null", QSettings.Format.IniFormat))
    made.notices.show_notice(WORDS)
    return made


def asked(theme: Theme) -> QWidget:
    base = under(lambda base: TextDialog(theme, "Title", base))
    base.findChildren(TextDialog)[0].end(WORDS)
    return base


def folders(theme: Theme) -> QWidget:
    made = TextList(theme, name="Folders")
    made.set_texts([WORDS])
    return made


def percentiles(theme: Theme) -> QWidget:
    made = PercentileCard(theme)
    groups = tuple(LogGroup(model=WORDS, quantization=WORDS, settings=kind) for kind in ("f16", "q8_0"))
    made.show_read(MetricsRead(request_id="", rows=(), groups=groups))
    made._chooser.setCurrentIndex(1)
    return made


def why(theme: Theme) -> QWidget:
    made = WhyCard(theme)
    made.show_diagnosis("12:00", WORDS, WORDS)
    made.show_outcome(WORDS)
    return made


def message(theme: Theme) -> QWidget:
    """An answer with links, under the mouse, and what came with a question."""
    model = ConversationModel()
    made = Transcript(model, theme)
    model.setParent(made)
    made.resize(700, 500)
    text = f"[a]({WORDS.split(maxsplit=1)[0]}a) [b](<{WORDS}>) [c](https://a.example/<b>x</b>) {WORDS}"
    model.set_items([MessageItem(id="m", role=Role.ASSISTANT, content=text, model_name=WORDS, note=WORDS)])
    made.show()
    made.finish_drawing()
    (card,) = made.area.visible_cards()
    for x in range(0, card.width(), 6):
        moved = QtGui.QMouseEvent(
            QtGui.QMouseEvent.Type.MouseMove, QPoint(x, 40), card.mapToGlobal(QPoint(x, 40)), Qt.MouseButton.NoButton,
            Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier,
        )  # fmt: skip
        card.interaction.mouse_moved(moved)
        assert not QtGui.Qt.mightBeRichText(card.toolTip())
    return made


def part(theme: Theme) -> QWidget:
    return PartDialog(theme, Attachment(name=WORDS, text=WORDS * 9, n_bytes=9), 90, 40)


SCENES = (
    sidebar, top_bar, failed_chip, welcome, download, downloads, local, find, quantize, report, composer, window, asked,
    folders, percentiles, why, message, part,
    lambda _theme: ExportDialog([CHAT]),
    lambda _theme: under(lambda base: PromptForm([WORDS], base)),
)  # fmt: skip


@pytest.mark.parametrize("make", SCENES, ids=lambda make: make.__name__)
def test_foreign_words_are_never_a_page(qtbot: QtBot, make: Callable[[Theme], QWidget], tmp_path: Path) -> None:
    widget = make(Theme("light"))
    qtbot.addWidget(widget, before_close_func=lambda each: isinstance(each, MainWindow) and each.close_now())
    assert list(pages(widget)) == []
