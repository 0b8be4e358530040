"""What a load comes to: layers and bytes on each device against what is free there, and how fast it should be."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from app.core.engine_texts import translated
from app.latency.stacked_bar import BarPart, StackedBar
from app.ui.announcement import announce
from app.ui.quantities import format_bytes, format_bytes_of, format_count, format_rate, format_seconds, format_sentences
from app.ui.theme import Theme
from engine.protocol.events import LoadPlanned
from engine.protocol.values import Device, MemoryUse


class LoadPlanView(QWidget):
    """A line about the model, a bar for each device, and what gives way."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._head = self._label()
        self._said = self._label()
        self._places: list[tuple[QLabel, StackedBar]] = []
        self._is_warning = False
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 6)
        self._column.setSpacing(5)
        self._column.addWidget(self._head)
        self._column.addWidget(self._said)
        self._said.hide()
        theme.changed.connect(self._restyle)
        self._restyle()

    def set_plan(self, plan: LoadPlanned, name: str, devices: Sequence[Device]) -> None:
        """Show a load of the model `name`; `devices` give the names for people."""
        known = {device.name: device.description for device in devices}
        n_ctx, n_moe = plan.settings.n_ctx, plan.settings.n_cpu_moe
        facts = [name, self.tr("{n} tokens of context", None, n_ctx).format(n=format_count(n_ctx))]
        if n_moe > 0 and plan.settings.n_gpu_layers:
            facts.append(self.tr("experts of {n} layers on the CPU", None, n_moe).format(n=n_moe))
        if plan.decode_tps:
            facts.append(self.tr("about {rate} tok/s").format(rate=format_rate(plan.decode_tps)))
        if plan.ttft_1000:
            facts.append(self.tr("1,000 tokens read in {time}").format(time=format_seconds(plan.ttft_1000)))
        self._head.setText(" · ".join(facts))
        uses = [use for use in plan.memory if use.total_bytes]
        self._make_room(len(uses))
        for use, (label, bar) in zip(uses, self._places, strict=True):
            self._show_place(label, bar, plan, use, known.get(use.device, ""))
        self._is_warning = not plan.does_fit or any(notice.is_warning for notice in plan.notices)
        said = format_sentences(translated(notice.message) for notice in plan.notices)
        if self._is_warning and said != self._said.text():
            announce(self, said)
        self._said.setText(said)
        self._said.setVisible(bool(self._said.text()))
        self._restyle()

    def set_problem(self, sentence: str) -> None:
        """Nothing can be foretold, and why."""
        self._head.setText(sentence)
        self._said.hide()
        self._make_room(0)

    @property
    def texts(self) -> list[str]:
        """What is read, from top to bottom."""
        said = [self._said.text()] if not self._said.isHidden() else []
        return [self._head.text(), *(label.text() for label, _ in self._places), *said]

    def _show_place(self, label: QLabel, bar: StackedBar, plan: LoadPlanned, use: MemoryUse, description: str) -> None:
        name = use.device if use.device == "CPU" else description or use.device
        free = plan.free_bytes.get(use.device, 0)
        facts = [name]
        if n_layers := plan.layers.get(use.device, 0):
            facts.append(self.tr("{n} of {total} layers", None, plan.n_layers).format(n=n_layers, total=plan.n_layers))
        taken, room = format_bytes_of(use.total_bytes, max(free, use.total_bytes))
        facts.append(
            self.tr("{used} of {free} free").format(used=taken, free=room)
            if use.total_bytes <= free
            else self.tr("{used} needed, {free} free").format(
                used=format_bytes(use.total_bytes), free=format_bytes(free)
            )
        )
        label.setText(" · ".join(facts))
        parts = (
            (self.tr("weights {size}"), use.weights_bytes, "p5"),
            (self.tr("KV {size}"), use.kv_bytes, "p2"),
            (self.tr("compute {size}"), use.compute_bytes, "p3"),
        )
        bar.set_parts(
            [BarPart(text.format(size=format_bytes(size)), size, color) for text, size, color in parts if size],
            total=float(free),
        )

    def _make_room(self, n_places: int) -> None:
        while len(self._places) > n_places:
            for widget in self._places.pop():
                self._column.removeWidget(widget)
                widget.hide()
                widget.deleteLater()
        while len(self._places) < n_places:
            place = (self._label(), StackedBar(self._theme))
            place[0].setContentsMargins(0, 6, 0, 0)
            for widget in place:
                self._column.insertWidget(self._column.count() - 1, widget)
            self._places.append(place)

    def _label(self) -> QLabel:
        label = QLabel()
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setWordWrap(True)
        return label

    def _restyle(self) -> None:
        tokens = self._theme.tokens
        self._head.setFont(self._theme.font(-1))
        for label, _ in self._places:
            label.setFont(self._theme.font(-1))
        self._said.setFont(self._theme.font(-2))
        self._said.setStyleSheet(f"color: {tokens.warn if self._is_warning else tokens.dim};")
