"""A chat as one HTML page that needs nothing else: no script, no picture, nothing fetched."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from engine.protocol.values import Role
from engine.store.exchange.markdown_text import SPEAKERS, readings, written
from engine.store.values import Attachment, Chat, StoredMessage

# Plain enough for Qt's own renderer, which makes the PDF of it.
_STYLE = """
body { font-family: system-ui, sans-serif; line-height: 1.5; max-width: 46rem; margin: 2rem auto; padding: 0 1rem;
  color: #1d1d1f; background: #ffffff; }
h1 { font-size: 1.5rem; } h2 { font-size: 1rem; margin: 1.6rem 0 0.3rem; }
pre { background: #f3f3f5; padding: 0.7rem; overflow-x: auto; white-space: pre-wrap; }
code { font-family: ui-monospace, monospace; font-size: 0.92em; }
table { border-collapse: collapse; } th, td { border: 1px solid #c8c8cc; padding: 0.2rem 0.6rem; }
blockquote { margin-left: 0; padding-left: 0.8rem; border-left: 3px solid #c8c8cc; }
.plain { white-space: pre-wrap; } .small { color: #6b6b70; font-size: 0.85rem; }
@media (prefers-color-scheme: dark) {
  body { color: #ececf0; background: #17171a; } pre { background: #232327; } .small { color: #9a9aa2; }
}
""".strip()
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def html_of(chat: Chat, messages: Iterable[StoredMessage]) -> str:
    """The shown messages of a chat with their readings; reasoning and attachments are folded."""
    title = escape(" ".join(chat.title.split()) or "Chat")
    body = [f"<h1>{title}</h1>", f'<p class="small">{written(chat.created_at)}</p>']
    if chat.system_prompt:
        body += ["<h2>System prompt</h2>", _plain(chat.system_prompt)]
    for message in messages:
        body += _message(message)
    return (
        '<!DOCTYPE html>\n<html>\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>\n{_STYLE}\n</style>\n</head>\n<body>\n"
        + "\n".join(body)
        + "\n</body>\n</html>\n"
    )


def _message(message: StoredMessage) -> list[str]:
    parts = [f"<h2>{SPEAKERS[message.role]}</h2>"]
    if message.reasoning:
        parts.append(_folded("Reasoning", _markdown.render(message.reasoning)))
    if message.content:
        is_written = message.role is Role.ASSISTANT
        parts.append(_markdown.render(message.content) if is_written else _plain(message.content))
    parts += [_attachment(each) for each in message.attachments]
    parts += [f'<p class="small">{escape(line)}</p>' for line in (message.note, readings(message)) if line]
    return parts


def _attachment(attachment: Attachment) -> str:
    name = escape(f"Attached: {attachment.name}")
    if not attachment.text:
        return f'<p class="small">{name}</p>'
    return _folded(name, f"<pre><code>{escape(attachment.text)}</code></pre>")


def _folded(title: str, body: str) -> str:
    return f"<details>\n<summary>{title}</summary>\n{body}\n</details>"


def _plain(text: str) -> str:
    return f'<p class="plain" dir="auto">{escape(text)}</p>'


def _image_as_link(self: RendererHTML, tokens: Sequence[Token], i: int, options: OptionsDict, env: EnvType) -> str:
    """A picture is never fetched by opening the page: its text links to it."""
    target = escape(str(tokens[i].attrGet("src") or ""))
    label = escape(self.renderInlineAsText(tokens[i].children or [], options, env)) or target
    return f'<a href="{target}">{label}</a>'


def _renderer() -> MarkdownIt:
    made = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable(["table", "strikethrough"])
    rule: Any = _image_as_link
    made.add_render_rule("image", rule)
    return made


_markdown = _renderer()
