"""A walk through the chat in pictures.

python tests/benchmarks/gallery_chat.py DIR [--language en zh_CN] [--theme light dark] [--scale 1 2] [--only NAME ...]
"""

from __future__ import annotations

from gallery import Stage, main


async def welcome(stage: Stage) -> None:
    """The first window of a new installation."""
    async with stage.app() as app:
        await stage.shot(app.window, "welcome")


if __name__ == "__main__":
    main((welcome,))
