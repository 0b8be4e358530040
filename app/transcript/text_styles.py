"""The typesetters of a transcript: one for each kind of text that messages have."""

from __future__ import annotations

from dataclasses import dataclass

from app.markdown.formula_cache import FormulaCache
from app.markdown.highlight_cache import HighlightCache
from app.markdown.message_style import TextStyle, Typesetter
from app.markdown.picture_loader import PictureLoader
from app.ui.theme import Theme


@dataclass(frozen=True, slots=True, eq=False)
class TextStyles:
    """Made anew when the theme or the font changes."""

    theme: Theme
    answer: Typesetter
    reasoning: Typesetter
    note: Typesetter
    warning: Typesetter
    is_math_on: bool = True

    @classmethod
    def of(
        cls,
        theme: Theme,
        formulas: FormulaCache,
        highlights: HighlightCache,
        pictures: PictureLoader,
        *,
        is_math_on: bool,
    ) -> TextStyles:
        def typesetter(ink: str, size_delta: float) -> Typesetter:
            return Typesetter(TextStyle.of(theme, ink=ink, size_delta=size_delta), formulas, highlights, pictures)

        return cls(
            theme, typesetter("ink", 0), typesetter("dim", -1), typesetter("dim", -1.5), typesetter("warn", -1.5),
            is_math_on,
        )  # fmt: skip
