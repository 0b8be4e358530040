"""LaTeX to outlines, in a process of its own: one formula can take a tenth of a second, and a window must not wait.

`python -m app.markdown.formula_process` reads one FormulaRequest a line as JSON and answers each with one Glyphs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree

from ziamath.config import config
from ziamath.zmath import Latex

from app.markdown.helper_protocol import MAX_LATEX, REFERENCE_SIZE, FormulaRequest, FormulaShape, Glyphs, Step, serve

_TOKEN = re.compile(r"[MLQCZ]|-?[\d.]+(?:e-?\d+)?")
_UNSUPPORTED = re.compile(r"\\(?:input|include|write|def|newcommand|href|includegraphics)\b")
_N_NUMBERS = {"M": 2, "L": 2, "Q": 4, "C": 6, "Z": 0}


def typeset(latex: str, *, is_display: bool) -> Glyphs:
    """Set one formula; without shapes when the LaTeX is not understood, so that its source is shown instead."""
    if not latex.strip() or len(latex) > MAX_LATEX or _UNSUPPORTED.search(latex):
        return Glyphs()
    config.svg2 = False
    try:
        made = Latex(latex, size=REFERENCE_SIZE, inline=not is_display)
        if any((node.text or "").startswith("\\") for node in made.mathml.iter()):
            return Glyphs()
        picture = made.svgxml()
        bottom, (_, height) = made.getyofst(), made.getsize()
    except Exception:  # noqa: BLE001 - the typesetter raises whatever its parser stumbles on
        return Glyphs()
    left, _, width, _ = (float(number) for number in picture.attrib["viewBox"].split())
    shapes = [FormulaShape(color, list(_moved(steps, -left))) for color, steps in _steps_by_color(picture).items()]
    return Glyphs(shapes, width, height + bottom, -bottom)


def _steps_by_color(picture: ElementTree.Element) -> dict[str, list[Step]]:
    groups: dict[str, list[Step]] = {}
    for shape in picture.iter():
        fill = shape.attrib.get("fill", "")
        if fill == "none" or shape.tag not in ("path", "rect"):
            continue
        steps = groups.setdefault("" if fill == "black" else fill, [])
        if shape.tag == "rect":
            x, y, width, height = (float(shape.attrib[name]) for name in ("x", "y", "width", "height"))
            corners = ((x + width, y), (x + width, y + height), (x, y + height))
            steps += [("M", (x, y)), *(("L", corner) for corner in corners), ("Z", ())]
        else:
            steps += _parsed(shape.attrib["d"])
    return groups


def _parsed(data: str) -> Iterator[Step]:
    """The steps of SVG path data; the typesetter writes absolute M, L, Q, C and Z only."""
    tokens = _TOKEN.findall(data)
    index, command = 0, "M"
    while index < len(tokens):
        if tokens[index].isalpha():
            command = tokens[index]
            index += 1
        end = index + _N_NUMBERS[command]
        yield command, tuple(float(token) for token in tokens[index:end])
        index = end


def _moved(steps: list[Step], dx: float) -> Iterator[Step]:
    for command, numbers in steps:
        yield command, tuple(round(n + dx, 2) if i % 2 == 0 else n for i, n in enumerate(numbers))


def answer(request: FormulaRequest) -> Glyphs:
    """The formula that `request` asks for."""
    return typeset(request.latex, is_display=request.is_display)


if __name__ == "__main__":
    serve(FormulaRequest, answer)
