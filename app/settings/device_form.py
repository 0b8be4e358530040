"""The part of the loading page about devices: which are used, how they share, and what stays on the processor."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QComboBox

from app.core.settings_store import LOAD, SettingPath
from app.settings.device_list import DeviceList, ShareList
from app.settings.settings_form import SettingsPage
from engine.protocol.devices import gpus
from engine.protocol.events import LoadPlanned
from engine.protocol.values import Device, ModelSettings, SplitMode

_DEVICES, _SHARES, _MAIN = (*LOAD, "devices"), (*LOAD, "tensor_split"), (*LOAD, "main_gpu")
_CPU_ONLY = ("CPU",)


class DeviceForm(QObject):
    """Adds its rows to a page, and shows those that have something to decide on this machine."""

    def __init__(
        self,
        page: SettingsPage,
        *,
        asked: Callable[[], ModelSettings],
        write: Callable[[Mapping[SettingPath, object]], None],
    ) -> None:
        super().__init__(page)
        self._page, self._asked, self._write = page, asked, write
        self.known: tuple[Device, ...] = ()
        self._build: str | None = None
        """The engine's; None until it has been asked."""
        self._problem = ""
        self._has_experts = False
        page.add_heading(self.tr("Devices"))
        self.note = page.add_note()
        self.list = DeviceList(page.theme)
        page.bind(self.list, _DEVICES, lambda _names: None)
        self.list.chosen.connect(self._choose)
        page.add_row(self.tr("Use"), self.list, is_wide=True, is_high=True)
        self._spares = page.add_switch(
            (*LOAD, "spares_display"),
            self.tr("Spare the screen's card"),
            self.tr("The desktop stays smooth, and its memory its own."),
        )
        self._layers = page.add_whole(
            (*LOAD, "n_gpu_layers"),
            self.tr("Layers on the GPU"),
            -1,
            999,
            special=self.tr("What fits"),
            in_force="n_gpu_layers",
        )
        self._experts = page.add_whole(
            (*LOAD, "n_cpu_moe"),
            self.tr("Experts on the CPU"),
            -1,
            999,
            self.tr("Layers whose experts stay in main memory. They are large, and few of them work for a token."),
            special=self.tr("As few as fit"),
            in_force="n_cpu_moe",
        )
        self._split = page.add_choice(
            (*LOAD, "split_mode"),
            self.tr("Several devices"),
            {
                SplitMode.LAYER: self.tr("Share the layers"),
                SplitMode.ROW: self.tr("Share every matrix"),
                SplitMode.NONE: self.tr("Use one of them"),
            },
            self.tr("Sharing matrices pays only where the cards are linked fast."),
        )
        self.shares = ShareList()
        page.bind(self.shares, _SHARES, lambda _shares: None)
        self.shares.changed.connect(lambda shares: self._write({_SHARES: shares}))
        page.add_row(
            self.tr("Shares"), self.shares, self.tr("Automatic goes by the memory that is free on each."), is_wide=True
        )
        self._main = QComboBox()
        page.bind(self._main, _MAIN, lambda _number: None)
        self._main.activated.connect(lambda number: self._write({_MAIN: number}))
        page.add_row(self.tr("Which one"), self._main)

    def set_devices(self, devices: Sequence[Device], build: str) -> None:
        self.known, self._build, self._problem = tuple(devices), build, ""

    def set_problem(self, sentence: str) -> None:
        """Why the engine could not be asked."""
        self._problem = sentence

    def set_plan(self, plan: LoadPlanned) -> None:
        """Whether the model has experts is known from its file."""
        if plan.has_experts is not self._has_experts:
            self._has_experts = plan.has_experts
            self.refresh()

    def refresh(self) -> None:
        """Show what is set, and only what can be decided."""
        page, asked = self._page, self._asked()
        able = [device for device in self.known if device.kind in ("gpu", "igpu")]
        names = [device.name for device in able]
        missing = [name for name in asked.devices if name not in (*names, *_CPU_ONLY)]
        shared = msgspec.structs.replace(asked, split_mode=SplitMode.LAYER)
        used = gpus(self.known, shared)
        is_one = asked.split_mode is SplitMode.NONE
        has_several = len(used) > 1
        self.note.setText(self._sentence(has_any=bool(names or missing)))
        page.show_row(self.note, bool(self.note.text()))
        self.list.set_devices(able, missing, [*(device.name for device in used), *missing])
        self.shares.set_shares(
            [device.description or device.name for device in used],
            asked.tensor_split,
            [float(device.free_bytes or 1) for device in used],
        )
        self._main.blockSignals(True)
        self._main.clear()
        self._main.addItems([f"{device.description or device.name} ({device.name})" for device in used])
        self._main.setCurrentIndex(min(asked.main_gpu, len(used) - 1))
        self._main.blockSignals(False)
        can_spare = len(able) > 1 and any(device.is_display for device in able) and not asked.devices
        for editor, is_shown in (
            (self.list, bool(names or missing)),
            (self._spares, can_spare),
            (self._layers, bool(used)),
            (self._experts, bool(used) and (self._has_experts or asked.n_cpu_moe >= 0)),
            (self._split, has_several),
            (self.shares, has_several and not is_one),
            (self._main, has_several and is_one),
        ):
            page.show_row(editor, is_shown)

    def _sentence(self, *, has_any: bool) -> str:
        if self._problem:
            return self._problem
        if self._build is None:
            return self.tr("Asking the engine for its devices…")
        if has_any:
            return ""
        return self.tr("The engine, built for {build}, finds no GPU here: models run on the processor.").format(
            build=self._build
        )

    def _choose(self, names: tuple[str, ...]) -> None:
        """What is chosen automatically anyway is not written down; shares and the one belong to the devices."""
        automatic = tuple(
            device.name for device in gpus(self.known, ModelSettings(spares_display=self._asked().spares_display))
        )
        chosen = () if set(names) == set(automatic) else names or _CPU_ONLY
        self._write({_DEVICES: chosen, _SHARES: (), _MAIN: 0})
