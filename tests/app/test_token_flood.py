"""The whole window, its panel open, while tokens come faster than anybody reads: a few paints, and the end is right."""

from __future__ import annotations

import asyncio

from app_scene import Run, shown, until, window, write
from paint_count import Paints

from engine.metrics import RequestMetrics
from engine.protocol import HardwareSample, MetricsUpdate, TokenDelta

N_TOKENS = 4_000


def test_thousands_of_tokens_paint_the_figures_a_few_times(run: Run) -> None:
    async def scene() -> None:
        async with window() as app:
            await until(lambda: app.transcript is not None and app.latency is not None)
            app.window.toggle_panel()
            write(app, "hang")
            await until(lambda: shown(app)[-1:] == ["You said: hang"] and app.window.panel.isVisible())
            (answer,) = app.chats._answers.values()
            assert app.transcript is not None
            assert app.latency is not None
            panel, strip = app.latency.panel, app.strip
            assert panel is not None
            paces = (app.strip_controller._throttle, panel._repaint, app.transcript.area._flush)
            for pace in paces:
                pace.flush()
                pace._interval_ms = 3_600_000  # The next frame is far away, however slow this machine is.
            for _ in range(20):
                await asyncio.sleep(0)
            watched = {
                "strip": Paints(strip), "gaps": Paints(panel.gaps.timeline), "chips": Paints(app.top_bar.chip),
                "chats": Paints(app.sidebar.list.viewport()), "composer": Paints(app.composer.edit.viewport()),
            }  # fmt: skip
            for number in range(N_TOKENS):
                app.client.deliver(TokenDelta(request_id=answer.request_id, text="word ", gap=0.005))
                if number % 100 == 0:
                    running = RequestMetrics(decode_tps=200.0, n_decoded=number)
                    app.client.deliver(MetricsUpdate(request_id=answer.request_id, metrics=running))
                    app.client.deliver(HardwareSample())
                    await asyncio.sleep(0)
            counts = {name: paints.n for name, paints in watched.items()}
            assert max(counts.values()) <= 8, counts
            for pace in paces:
                pace.flush()
            assert strip._figures.metrics == running

    run(scene())
