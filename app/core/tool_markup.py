"""A tool call inside the text of a stored answer: a last code block of its own kind, which any reader shows as one."""

from __future__ import annotations

import re

LANGUAGE = "tool_call"
OPENING = f"````````{LANGUAGE}\n"
"""So long a fence that nothing inside closes it."""
_CLOSING = "\n````````"
_HEAD = 600
_NAME = re.compile(r'"name"\s*:\s*"([^"\n]{1,80})"|<function=([\w.-]{1,80})>|\[TOOL_CALLS\]\s*([\w.-]{1,80})[\[{]')
"""In JSON, as Qwen's coders write it, and as Mistral does."""


def join_tool_call(content: str, tool_call: str) -> str:
    """The text of an answer as it is stored."""
    if not tool_call:
        return content
    between = "\n\n" if content.strip() and not content.endswith("\n\n") else ""
    return f"{content}{between}{OPENING}{tool_call}{_CLOSING}"


def split_tool_call(stored: str) -> tuple[str, str]:
    """The answer and its tool call; no tool call in a text without one."""
    start = stored.rfind(OPENING)
    if start < 0 or not stored.endswith(_CLOSING) or (start and stored[start - 1] != "\n"):
        return stored, ""
    return stored[:start].rstrip("\n"), stored[start + len(OPENING) : -len(_CLOSING)]


def called_tool(tool_call: str) -> str:
    """The name of the tool that is called first; empty where it has not come yet, or is written in an unknown way."""
    found = _NAME.search(tool_call[:_HEAD])
    return found[1] or found[2] or found[3] if found else ""


def without_fence(stored: str) -> str:
    """The answer as the model is given it again: the call bare, as it was read from it."""
    content, tool_call = split_tool_call(stored)
    return "\n\n".join(part for part in (content, tool_call) if part)
