"""The table of quantizations says what fits, how fast it is, and how that is known."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.models.downloads_model import DownloadsModel
from app.models.painted_text import PaintedText
from app.models.quantization_table import QuantizationItem, QuantizationModel, QuantizationTable
from app.ui.theme import Theme
from engine.protocol import FitRow, Pull


def row(**changes: object) -> FitRow:
    fields: dict[str, object] = {
        "name": "Q4_K_M", "file_bytes": 5 * 10**9, "bits_per_weight": 4.85, "quality": "close",
        "weights_bytes": 5 * 10**9, "kv_bytes": 10**9, "compute_bytes": 0, "verdict": "fits", "n_gpu_layers": 37,
        "n_layers": 37, "decode_tps": 62.0, "ttft_1000": 0.4,
    }  # fmt: skip
    return FitRow(**{**fields, **changes})  # type: ignore[arg-type]


def speed(fit: FitRow) -> tuple[str, str]:
    """Text and tooltip of the speed."""
    model = QuantizationModel(DownloadsModel())
    model.set_items([QuantizationItem(fit)])
    index = model.index(0, QuantizationModel.EXPECT)
    return str(model.data(index)), str(model.data(index, Qt.ItemDataRole.ToolTipRole))


def test_an_expected_speed_is_marked_as_such() -> None:
    assert speed(row()) == (
        "≈ 62 tok/s, TTFT 400 ms",
        "First token of a 1,000-token prompt after 400 ms; expected from this machine's measured bandwidth.",
    )


def test_a_measured_speed_tells_how_far_off_the_expectation_was() -> None:
    text, tip = speed(row(is_measured=True, expected_tps=70.0))
    assert text == "62 tok/s, 70 expected, +13 %"
    assert tip.endswith("measured here; 70 tok/s had been expected, +13 %.")


def test_a_row_that_cannot_run_has_no_speed() -> None:
    assert speed(row(decode_tps=None, ttft_1000=None, verdict="too_large")) == ("–", "")


def test_the_last_column_follows_the_download() -> None:
    downloads = DownloadsModel()
    model = QuantizationModel(downloads)
    item = QuantizationItem(row(), repo="a/b", files=("f",))
    model.set_items([item, QuantizationItem(row(name="Q8_0"), repo="a/b", files=("g",))])
    changes: list[tuple[int, int]] = []
    model.dataChanged.connect(lambda first, last: changes.append((first.column(), last.column())))
    texts = [model.action(item)]
    pull = Pull(
        pull_id="1", repo="a/b", files=("f",), state="running", done_bytes=25, total_bytes=100, seconds_left=9.0
    )
    for reported in (pull, Pull(pull_id="1", repo="a/b", files=("f",), state="failed")):
        downloads.report(reported)
        texts.append(model.action(item))
    texts.append(model.action(replace(item, is_here=True)))
    assert texts == ["Download", "25 % · 9.0 s", "Try again", "On this computer"]
    assert changes == [(model.ACTION, model.ACTION)] * 2
    downloads.report(Pull(pull_id="2", repo="a/b", files=("h",), state="running"))
    assert len(changes) == 2
    assert model.action(model.item(1)) == "Download"


def test_experts_on_the_processor_are_said_instead_of_layers() -> None:
    model = QuantizationModel(DownloadsModel())
    assert (
        model.verdict(QuantizationItem(row(verdict="partial", n_gpu_layers=28))) == "6 GB · fits with 28 of 37 layers"
    )
    assert (
        model.verdict(QuantizationItem(row(verdict="partial", n_cpu_moe=12)))
        == "6 GB · experts of 12 layers on the CPU"
    )


def test_no_word_is_cut_where_the_window_has_its_usual_width(qtbot: QtBot) -> None:
    table = QuantizationTable(Theme("light"), DownloadsModel())
    qtbot.addWidget(table)
    table.resize(890, 400)
    named = row(name="UD-Q4_K_XL", is_recommended=True, is_measured=True, expected_tps=70.0, quality="as_good")
    table.rows.set_items([QuantizationItem(row()), QuantizationItem(named), QuantizationItem(row(), is_here=True)])
    table.fit()
    rows, text = table.rows, PaintedText(Theme("light").font(-1.5, is_bold=True))
    assert table.columnWidth(rows.NAME) >= text.width("UD-Q4_K_XL recommended")
    plain = PaintedText(Theme("light").font(-1.5))
    assert table.columnWidth(rows.KEEPS) >= plain.width("as good as the original")
    assert table.columnWidth(rows.ACTION) >= plain.width("On this computer")
    small = PaintedText(Theme("light").font(-2.5))
    assert table.columnWidth(rows.EXPECT) >= small.width("70 expected, +13 %")
