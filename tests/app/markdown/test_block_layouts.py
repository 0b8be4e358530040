"""Blocks as laid out: code that is shaped line by line, tables that fit, flows, formulas, colours."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QImage, QPainter
from pytestqt.qtbot import QtBot

from app.markdown.block_layouts import FormulaLayout
from app.markdown.blocks import CodeBlock, Formula, Inline, Table
from app.markdown.code_layout import MAX_LINE, MAX_SHAPED, CodeLayout
from app.markdown.formula_cache import FormulaCache
from app.markdown.frame_budget import unlimited
from app.markdown.highlight_cache import HighlightCache
from app.markdown.laid_out_document import Document
from app.markdown.literal_source import LiteralSource
from app.markdown.markdown_parser import Parser
from app.markdown.markdown_source import MarkdownSource
from app.markdown.message_style import TextStyle, Typesetter
from app.markdown.table_layout import TableLayout, fit_columns
from app.markdown.text_flow import Flow, leads_right
from app.markdown.utf16 import Units
from app.ui.theme import Theme


@pytest.fixture
def typesetter(qtbot: QtBot) -> Typesetter:
    return Typesetter(TextStyle.of(Theme("light")), FormulaCache(), HighlightCache())


def painted(document: Document) -> QImage:
    image = QImage(round(document.width), round(document.height) + 1, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    painter = QPainter(image)
    document.paint(painter, image.rect().toRectF())
    painter.end()
    return image


def document_of(text: str, typesetter: Typesetter, width: float = 700) -> Document:
    made = Document(MarkdownSource(), typesetter, width)
    made.append(text)
    made.finish()
    made.ensure(0, 1e9, 0, unlimited())
    return made


def test_growing_code_keeps_its_lines(typesetter: Typesetter) -> None:
    layout = CodeLayout(CodeBlock(text="a = 1\nb", language="python", is_closed=False), typesetter)
    layout.arrange(600)
    height = layout.height
    assert layout.update(CodeBlock(text="a = 1\nb = 2\nc", language="python", is_closed=False))
    assert layout.height > height
    assert layout.text() == "a = 1\nb = 2\nc"
    assert layout.line_bounds(7) == (6, 11)
    assert not layout.update(CodeBlock(text="x", language="rust"))


def test_code_shapes_only_what_is_seen(typesetter: Typesetter) -> None:
    document = document_of("```\n" + "line\n" * 20_000 + "```", typesetter)
    assert document.height > 20_000 * 15
    layout = document.layout_at((0, 0, 0))
    assert isinstance(layout, CodeLayout)
    assert len(layout._shaped) == 0
    image = QImage(700, 500, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    document.paint(painter, image.rect().toRectF())
    painter.end()
    assert 0 < len(layout._shaped) < MAX_SHAPED


def test_a_huge_line_of_code_is_broken_for_display_only(typesetter: Typesetter) -> None:
    text = "x" * (3 * MAX_LINE) + "\nend"
    layout = CodeLayout(CodeBlock(text=text, language="python"), typesetter)
    layout.arrange(600)
    assert layout.text() == text
    assert layout.line_bounds(2 * MAX_LINE + 5) == (2 * MAX_LINE, 3 * MAX_LINE)
    assert layout.line_bounds(len(text) - 1) == (3 * MAX_LINE + 1, len(text))


def test_wide_code_scrolls_sideways_and_no_farther(typesetter: Typesetter) -> None:
    layout = CodeLayout(CodeBlock(text="x" * 300), typesetter)
    layout.arrange(400)
    assert layout.scroll_by(100)
    assert layout.scroll_by(1e6)
    assert not layout.scroll_by(10)
    assert layout.scroll_by(-1e6)


def test_code_without_a_language_has_no_empty_header_and_copy_in_its_corner(typesetter: Typesetter) -> None:
    named, bare = (CodeLayout(CodeBlock(text="one line", language=name), typesetter) for name in ("python", ""))
    for layout in (named, bare):
        layout.arrange(400)
        assert layout.control_at(QPointF(390, 15)) is not None
    assert bare.cursor_rect(0).top() < named.cursor_rect(0).top()
    assert bare.cursor_rect(0).center().y() == pytest.approx(bare.height / 2)
    copy = bare.control_at(QPointF(390, 15))
    assert copy is not None
    assert copy.rect.center().y() == pytest.approx(bare.height / 2)
    assert bare.control_at(QPointF(10, 15)) is None


def test_a_line_beside_copy_is_scrolled_out_from_below_it(typesetter: Typesetter) -> None:
    layout = CodeLayout(CodeBlock(text="x" * 300), typesetter)
    layout.arrange(400)
    copy = layout.control_at(QPointF(390, 15))
    assert copy is not None
    assert layout.cursor_rect(300).left() > copy.rect.left()
    layout.scroll_by(1e6)
    assert layout.cursor_rect(300).left() <= copy.rect.left() + 1


def test_columns_share_the_width(qtbot: QtBot) -> None:
    assert fit_columns([50, 60], 200, 20) == [50, 60]
    narrow, wide, other = fit_columns([40, 900, 300], 400, 20)
    assert narrow == 40
    assert wide > other > 100
    assert narrow + wide + other == pytest.approx(400)
    assert sum(fit_columns([500] * 10, 400, 80)) == 800


def test_a_table_wraps_its_cells_and_keeps_rows_while_it_grows(typesetter: Typesetter) -> None:
    header, row = (Inline("h1"), Inline("h2")), (Inline("long words " * 30), Inline("y"))
    layout = TableLayout(Table(rows=(header, row), alignments=("", "right")), typesetter)
    layout.arrange(300)
    assert layout.natural_width <= 300
    cells = layout._cells[1]
    assert layout.update(Table(rows=(header, row, row), alignments=("", "right")))
    assert layout._cells[1] is cells
    assert layout.text().count("\n") == 2
    assert layout.text(0, 5) == "h1\th2"


def test_every_offset_of_a_table_is_where_its_cursor_is(typesetter: Typesetter) -> None:
    layout = TableLayout(Table(rows=((Inline("ab"), Inline("cd")), (Inline("ef"), Inline("gh")))), typesetter)
    layout.arrange(300)
    for offset in range(layout.length):
        rect = layout.cursor_rect(offset)
        assert layout.offset_at(QPointF(rect.x() + 0.1, rect.center().y())) == offset


def test_the_first_column_of_a_right_to_left_table_stands_on_the_right(typesetter: Typesetter) -> None:
    layout = TableLayout(Table(rows=((Inline("الاسم"), Inline("القيمة")), (Inline("سرعة"), Inline("42")))), typesetter)
    layout.arrange(500)
    assert layout.is_right_to_left
    name, value = layout.cursor_rect(0).center(), layout.cursor_rect(layout.length - 1).center()
    assert 350 < value.x() < name.x() < 500
    for offset in range(layout.length):
        rect = layout.cursor_rect(offset)
        assert abs(layout.offset_at(rect.center()) - offset) <= 1


def test_right_to_left_paragraphs_stand_on_the_right(typesetter: Typesetter) -> None:
    flow = Flow(Inline("مرحبا بالعالم"), typesetter)
    flow.wrap(600)
    assert flow.cursor_rect(0).x() > 500
    assert leads_right("123 مرحبا")
    assert not leads_right("English مرحبا")


def test_units_convert_both_ways() -> None:
    units = Units("a\U0001f600b\U0001f680c")
    assert [units.of(offset) for offset in range(6)] == [0, 1, 3, 4, 6, 7]
    assert [units.offset(units.of(offset)) for offset in range(6)] == list(range(6))
    assert Units("plain").of(3) == 3


def test_a_formula_is_drawn_and_its_source_stays(typesetter: Typesetter) -> None:
    document = document_of("so $\\frac{a}{b}$ is", typesetter)
    assert document.is_waiting
    typesetter.formulas.finish()
    assert document.renew_waiting()
    assert not document.is_waiting
    assert document.layout_at((0, 0, 0)).shown() == "so x is"
    assert document.text() == "so $\\frac{a}{b}$ is"
    image = painted(document)
    assert any(image.pixelColor(x, y).lightness() < 100 for x in range(20, 34) for y in range(image.height()))


@pytest.mark.parametrize("latex", ["\\frac{", "\\unknowncommand{x}", "\\input{/etc/passwd}", "x" * 5_000])
def test_latex_that_cannot_be_set_stays_source(typesetter: Typesetter, latex: str) -> None:
    layout = FormulaLayout(Formula(latex=latex, source=f"$${latex}$$"), typesetter)
    typesetter.formulas.finish()
    again = FormulaLayout(Formula(latex=latex, source=f"$${latex}$$"), typesetter)
    assert not again.is_waiting
    assert again.arrange(500) > 0
    assert again.text() == layout.text() == f"$${latex}$$"


def test_a_wide_formula_shrinks_into_the_column(typesetter: Typesetter) -> None:
    latex = " + ".join(f"x_{{{n}}}" for n in range(24))
    FormulaLayout(Formula(latex=latex, source=latex), typesetter)
    typesetter.formulas.finish()
    layout = FormulaLayout(Formula(latex=latex, source=latex), typesetter)
    narrow, wide = layout.arrange(400), layout.arrange(1_200)
    assert 0 < narrow < wide


def test_a_helper_that_dies_costs_only_the_formula_at_hand(typesetter: Typesetter, qtbot: QtBot) -> None:
    cache = typesetter.formulas
    cache.outline("a+b", is_display=False)
    cache._process.waitForStarted()
    with qtbot.waitSignal(cache.answered):
        cache._process.kill()
    assert cache.outline("a+b", is_display=False) is None
    assert not cache.is_waiting("a+b", is_display=False)
    cache.outline("c", is_display=False)
    cache.finish()
    assert cache.outline("c", is_display=False) is not None


def test_literal_text_is_cut_without_loss(typesetter: Typesetter) -> None:
    text = "a line of text\n" * 1_000 + "x" * 9_000
    document = Document(LiteralSource(), typesetter, 500)
    for at in range(0, len(text), 333):
        document.append(text[at : at + 333])
    assert document.text() == text


def test_a_document_in_view_part_by_part_ends_as_high_as_at_once(typesetter: Typesetter) -> None:
    text = "## T\n\npara\n\n- a\n- b\n\n```c\nint x;\n```\n\n> q\n\n" * 20
    whole = document_of(text, typesetter)
    streamed = Document(MarkdownSource(), typesetter, 700)
    for at in range(0, len(text), 11):
        streamed.append(text[at : at + 11])
    streamed.finish()
    y = 0.0
    while y < streamed.height:
        streamed.ensure(y, y + 100, y, unlimited())
        y += 100
    assert streamed.height == whole.height
    assert streamed.text() == whole.text()


@pytest.mark.parametrize("text", ["Seen at once.\n\nMore.", "```python\nx = 1\n```", "- one\n- two"])
def test_blank_lines_before_the_first_block_take_no_room(typesetter: Typesetter, text: str) -> None:
    alone = document_of(text, typesetter)
    for blank in ("\n", "\n\n", " \n\n"):
        led = document_of(blank + text, typesetter)
        assert (led.height, painted(led)) == (alone.height, painted(alone))


def test_positions_and_points_agree(typesetter: Typesetter) -> None:
    document = document_of("# Head\n\nsome *words* here\n\n- item\n\n```\ncode\n```", typesetter)
    position = document.start()
    seen = [position]
    while position < document.end():
        layout = document.layout_at(position)
        following = (*position[:2], position[2] + 1)
        position = following if position[2] < layout.length else document.neighbour(position, 1)
        seen.append(position)
    for place in seen:
        rect = document.rect_of(place)
        assert document.position_at(QPointF(rect.x() + 0.1, rect.center().y())) == place


def test_parsing_the_same_text_twice_is_free() -> None:
    parser = Parser()
    assert parser.inline("some *text*") is parser.inline("some *text*")


def test_a_growing_table_arranges_only_its_new_rows(typesetter: Typesetter, monkeypatch: pytest.MonkeyPatch) -> None:
    def block(n_rows: int) -> Table:
        head = (Inline("name"), Inline("a wide column"))
        return Table(rows=(head, *((Inline(f"row {n}"), Inline("x")) for n in range(10, n_rows))), alignments=("", ""))

    layout = TableLayout(block(60), typesetter)
    layout.arrange(400)
    wrapped: list[Flow] = []
    wrap = Flow.wrap
    monkeypatch.setattr(Flow, "wrap", lambda flow, width: wrapped.append(flow) or wrap(flow, width))
    assert layout.update(block(62))
    assert len(wrapped) == 2 * 2 * 2  # Two rows of two cells: once for their natural widths, once for the columns'.
    fresh = TableLayout(block(62), typesetter)
    fresh.arrange(400)
    assert (layout.height, layout.length, layout.natural_width) == (fresh.height, fresh.length, fresh.natural_width)
    for offset in range(layout.length):
        assert layout.cursor_rect(offset) == fresh.cursor_rect(offset)
        assert layout.offset_at(layout.cursor_rect(offset).center()) == offset
    assert layout.update(
        Table(rows=(*block(62).rows, (Inline("the widest name of all"), Inline("y"))), alignments=("", ""))
    )
    assert layout.height > fresh.height


@pytest.mark.parametrize("text", ["> " + "some words. " * 400, "some words. " * 400, "> so it goes on\n" * 200])
def test_what_was_cut_is_copied_whole(typesetter: Typesetter, text: str) -> None:
    document = document_of(text, typesetter)
    assert document.text().replace("> ", "").split() == text.replace("> ", "").split()
    assert "".join(before + said for _, before, said in document.written()) == document.text()


def test_the_caret_stands_after_the_source_of_an_open_formula(typesetter: Typesetter) -> None:
    layout = FormulaLayout(Formula(source="$$\nx_1 + y"), typesetter)
    layout.arrange(400)
    assert layout.cursor_rect(0).topLeft().x() == 0
    assert layout.cursor_rect(1).x() > 0
    assert layout.cursor_rect(1).y() > layout.cursor_rect(0).y()
