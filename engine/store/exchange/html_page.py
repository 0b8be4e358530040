"""A chat as one HTML page that needs nothing else: no script, no picture, nothing fetched; formulas are MathML."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from html import escape, unescape
from typing import Any
from xml.etree.ElementTree import tostring

from latex2mathml.converter import convert_to_element
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from engine.protocol.values import Role
from engine.store.chat_values import Attachment, Chat, StoredMessage
from engine.store.exchange.fences import nested_fences
from engine.store.exchange.markdown_text import (
    REASONING,
    SPEAKERS,
    SYSTEM_PROMPT,
    UNTITLED,
    Tell,
    attached,
    readings,
    written,
)
from engine.store.exchange.math_rules import mathematics
from engine.translatable import Translatable

Formula = Callable[[str, bool], str]
"""HTML for LaTeX, which stands on a line of its own or not; empty where it cannot be set."""
MAX_LATEX = 4_000
_TASK = re.compile(r"\[([ xX])\] +")
_POWERFUL = {"href", "style", "class", "id"}
"""Attributes that a formula can set, and that do more than set it."""

_STYLE = """
body { font-family: system-ui, sans-serif; line-height: 1.5; max-width: 46em; margin: 2em auto; padding: 0 1em;
  color: #1d1d1f; background: #ffffff; }
h1 { font-size: 1.3em; } h2 { font-size: 1.15em; } h3, h4, h5, h6 { font-size: 1em; } .title { font-size: 1.7em; }
.who { font-size: 0.85em; color: #6b6b70; border-top: 1px solid #d8d8dc; margin: 28px 0 5px; padding-top: 12px; }
details { border-left: 3px solid #e2e2e6; padding-left: 12px; margin: 8px 0; } summary { color: #6b6b70; }
p, li, h1, h2, h3, h4, th, td, summary { unicode-bidi: plaintext; text-align: start; }
pre { background-color: #f3f3f5; padding: 11px; overflow-x: auto; white-space: pre-wrap; line-height: 1.3; }
pre, code { font-family: ui-monospace, "JetBrains Mono", Consolas, monospace; font-size: 0.92em;
  direction: ltr; unicode-bidi: isolate; }
pre code { font-size: 1em; }
table { border-collapse: collapse; } th, td { border: 1px solid #c8c8cc; padding: 3px 9px; }
blockquote { margin-left: 0; padding-left: 12px; border-left: 3px solid #c8c8cc; }
.formula { overflow-x: auto; } .plain { white-space: pre-wrap; } .small { color: #6b6b70; font-size: 0.85em; }
@media (prefers-color-scheme: dark) {
  body { color: #ececf0; background: #17171a; } pre { background-color: #232327; } a { color: #7fb4ff; }
  .small, .who, summary { color: #9a9aa2; } .who, details { border-color: #3a3a40; }
}
""".strip()
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def mathml(latex: str, is_display: bool) -> str:
    """A formula as every browser sets it; empty where the LaTeX is not understood."""
    if len(latex) > MAX_LATEX:
        return ""
    try:
        made = convert_to_element(latex, display="block" if is_display else "inline")
    except Exception:  # noqa: BLE001 - the converter raises whatever its parser stumbles on
        return ""
    # The converter gives signs as entities, and its own output leaves what stands in a text unescaped.
    for element in made.iter():
        element.text = unescape(element.text or "")
        element.attrib = {name: unescape(value) for name, value in element.items() if name not in _POWERFUL}
    return tostring(made, encoding="unicode")


def html_of(chat: Chat, messages: Iterable[StoredMessage], formula: Formula = mathml, tell: Tell = str) -> str:
    """The shown messages of a chat with their readings; reasoning and attachments are folded."""
    title = escape(" ".join(chat.title.split()) or tell(UNTITLED))
    body = [f'<h1 class="title">{title}</h1>', f'<p class="small">{written(chat.created_at)}</p>']
    if chat.system_prompt:
        body += [_heading(SYSTEM_PROMPT, tell), _plain(chat.system_prompt)]
    for message in messages:
        body += _message(message, formula, tell)
    # Not an empty line at the end of every block of code.
    written_out = "\n".join(body).replace("\n</code></pre>", "</code></pre>")
    return (
        '<!DOCTYPE html>\n<html>\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>\n{_STYLE}\n</style>\n</head>\n<body>\n" + written_out + "\n</body>\n</html>\n"
    )


def _message(message: StoredMessage, formula: Formula, tell: Tell) -> list[str]:
    parts = [_heading(SPEAKERS[message.role], tell)]
    if message.reasoning:
        parts.append(_folded(escape(tell(REASONING)), _rendered(message.reasoning, formula)))
    if message.content:
        is_written = message.role is Role.ASSISTANT
        parts.append(_rendered(message.content, formula) if is_written else _plain(message.content))
    parts += [_attachment(each, tell) for each in message.attachments]
    said = (tell(message.note), readings(message, tell))
    parts += [f'<p class="small">{escape(line)}</p>' for line in said if line]
    return parts


def _heading(who: Translatable, tell: Tell) -> str:
    """Who speaks, told apart from the headings in what is said."""
    return f'<h2 class="who">{escape(tell(who))}</h2>'


def _rendered(text: str, formula: Formula) -> str:
    # What it is rendered with keeps the text's link definitions, which are none of the next text's business.
    return str(_markdown.render(text, {"formula": formula}))


def _attachment(attachment: Attachment, tell: Tell) -> str:
    name = escape(tell(attached(attachment)))
    if not attachment.given:
        return f'<p class="small">{name}</p>'
    return _folded(name, f"<pre><code>{escape(attachment.given)}</code></pre>")


def _folded(title: str, body: str) -> str:
    return f"<details>\n<summary>{title}</summary>\n{body}\n</details>"


def _plain(text: str) -> str:
    return f'<p class="plain" dir="auto">{escape(text)}</p>'


def _image_as_link(self: RendererHTML, tokens: Sequence[Token], i: int, options: OptionsDict, env: EnvType) -> str:
    """A picture is never fetched by opening the page: its text links to it."""
    target = escape(str(tokens[i].attrGet("src") or ""))
    label = escape(self.renderInlineAsText(tokens[i].children or [], options, env)) or target
    return f'<a href="{target}">{label}</a>'


def _formula(_self: RendererHTML, tokens: Sequence[Token], i: int, _options: OptionsDict, env: EnvType) -> str:
    """What cannot be set stays its source."""
    token = tokens[i]
    is_display = token.type == "math_block"
    made = env["formula"](token.content, is_display) or f"<code>{escape(token.markup)}</code>"
    return f'<p class="formula">{made}</p>\n' if is_display else made


def _tick_tasks(state: StateCore) -> None:
    """Task lists have their ticks."""
    for at, token in enumerate(state.tokens):
        begins_item = at > 1 and state.tokens[at - 2].type == "list_item_open" and token.type == "inline"
        if begins_item and token.children and (task := _TASK.match(token.children[0].content)):
            first = token.children[0]
            first.content = ("☐ " if task[1] == " " else "☑ ") + first.content[task.end() :]


def _renderer() -> MarkdownIt:
    made = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable(["table", "strikethrough"])
    made.use(nested_fences).use(mathematics)
    made.core.ruler.push("task_lists", _tick_tasks)
    picture: Any = _image_as_link
    formula: Any = _formula
    made.add_render_rule("image", picture)
    for kind in ("math_inline", "math_block"):
        made.add_render_rule(kind, formula)
    return made


_markdown = _renderer()
