"""Which layout shows which block, and which of them can take on a changed block without starting over."""

from __future__ import annotations

from app.markdown.block_layouts import BlockLayout, FormulaLayout, RuleLayout, TextLayout
from app.markdown.blocks import Block, Code, Formula, Heading, Paragraph, Picture, Table
from app.markdown.code_layout import CodeLayout
from app.markdown.message_style import Typesetter
from app.markdown.picture_layout import PictureLayout
from app.markdown.table_layout import TableLayout


def make_layout(block: Block, typesetter: Typesetter) -> BlockLayout:
    """A fresh layout for `block`."""
    match block:
        case Paragraph() | Heading():
            return TextLayout(block, typesetter)
        case Code():
            return CodeLayout(block, typesetter)
        case Table():
            return TableLayout(block, typesetter)
        case Formula():
            return FormulaLayout(block, typesetter)
        case Picture():
            return PictureLayout(block, typesetter)
        case _:
            return RuleLayout(block, typesetter)


def update_layout(layout: BlockLayout, block: Block) -> bool:
    """Make `layout` show `block`, where that is cheaper than a fresh one; returns False where it is not."""
    if layout.is_waiting:
        return False
    if layout.block == block:
        return True
    if type(layout.block) is not type(block) or layout.block.indents != block.indents:
        return False
    if isinstance(layout, CodeLayout) and isinstance(block, Code):
        return layout.update(block)
    if isinstance(layout, TableLayout) and isinstance(block, Table):
        return layout.update(block)
    return False
