"""Chooses settings that fit a model to this computer, and tells what it reaches. Imports much: only a load needs it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from pathlib import Path

from engine.errors import Code, ModelError
from engine.fit.fit_policy import FittedSettings, choose
from engine.fit.memory_estimate import Estimator
from engine.fit.speed_estimate import active_bytes, active_params, expected_decode_tps, expected_ttft
from engine.fit.target_machine import Machine
from engine.gguf import Header
from engine.host.machine_reader import MachineReader
from engine.host.tuned_settings import TunedModels
from engine.protocol.commands import PlanLoad
from engine.protocol.events import LoadPlanned, RooflineMeasured
from engine.protocol.values import EffectiveSettings, ModelSettings
from engine.settings import Folders
from engine.translatable import listed

_log = logging.getLogger(__name__)


class ModelFitter:
    """Blocks for a moment, at first for as long as it takes to ask the engine for its devices."""

    def __init__(self, folders: Folders) -> None:
        self._reader = MachineReader(folders)
        self._tuned = TunedModels(folders)

    def tuned(self, model: Path, settings: ModelSettings) -> ModelSettings:
        """With what was measured to be fastest for this model here, where it was."""
        found = self._tuned.get(model)
        return found.fill(settings) if found is not None else settings

    def machine(self, leaving: Mapping[str, int]) -> Machine:
        """The computer as it is now, without our own models that leave for a load: bytes by device."""
        return self._reader.machine(leaving)

    def choose(self, header: Header, settings: ModelSettings, machine: Machine) -> FittedSettings | None:
        """What to load with; None where this model's memory cannot be foretold, and the worker has to try.

        Raises ModelError for settings that cannot be.
        """
        try:
            return choose(header, settings, machine)
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            # An architecture that nobody has seen yet: better loaded by trial than refused for want of an estimate.
            _log.warning("the memory of %s cannot be estimated: %r", header.architecture, error)
            return None

    def preview(self, command: PlanLoad, model: Path, header: Header, machine: Machine) -> LoadPlanned:
        """What a load would do now. Raises ModelError for settings that cannot be, and for what cannot be foretold."""
        known = [device.name for device in machine.devices]
        if missing := [name for name in command.settings.devices if name not in (*known, "CPU")]:
            raise ModelError(
                Code.BAD_SETTINGS,
                "There is no device named {missing}; this computer has {known}.",
                "Choose another device in the model's settings.",
                missing=listed(missing),
                known=listed(known or ["CPU"]),
            )
        choice = self.choose(header, self.tuned(model, command.settings), machine)
        if choice is None:
            raise ModelError(Code.MODEL_UNSUPPORTED, "What this model needs cannot be foretold; loading it will show.")
        fit = choice.fit
        estimator = Estimator(header, repacked=machine.repacked)
        return LoadPlanned(
            request_id=command.request_id,
            model_id=command.model_id,
            settings=choice.settings,
            memory=fit.memory,
            layers={use.device: fit.layers_on(use.device) for use in fit.memory},
            n_layers=fit.n_layers,
            free_bytes={"CPU": machine.host_bytes(choice.settings), **machine.room(choice.settings)},
            has_experts=estimator.has_experts,
            does_fit=choice.does_fit,
            decode_tps=expected_decode_tps(estimator, fit, choice.settings, machine.rooflines),
            ttft_1000=expected_ttft(header, fit, machine.rooflines),
            notices=choice.notices,
        )

    def weight_bytes(self, header: Header) -> int:
        """Bytes of weights that a step reads."""
        return active_bytes(header)

    def n_active_params(self, header: Header) -> int:
        """Parameters that take part in one token."""
        return active_params(header)

    def bandwidth(self, effective: EffectiveSettings) -> float:
        """Bytes per second that the model's devices can read; 0 if that of one is unknown."""
        return self._together(effective, lambda roofline: roofline.bandwidth)

    def prefill_flops(self, effective: EffectiveSettings) -> float:
        """Operations per second that they reach in a prefill; 0 if that of one is unknown."""
        return self._together(effective, lambda roofline: roofline.prefill_flops or 0.0)

    def _together(self, effective: EffectiveSettings, rate: Callable[[RooflineMeasured], float]) -> float:
        """A rate of all devices that the model runs on, each by its share of the layers.

        Where experts stay on the CPU a layer has no one place, and nothing is known.
        """
        if effective.n_cpu_moe and effective.n_gpu_layers:
            return 0.0
        on_devices = effective.n_gpu_layers / effective.n_layers if effective.n_layers else 0.0
        weights = {use.device: use.weights_bytes for use in effective.memory if use.device in _gpus(effective)}
        total = sum(weights.values())
        shares = {device: on_devices * size / total for device, size in weights.items()} if total else {}
        shares["CPU"] = 1 - sum(shares.values())
        known = self._reader.rooflines.known()
        used = {device: share for device, share in shares.items() if share > 1e-6}
        if not all(device in known and rate(known[device]) > 0 for device in used):
            return 0.0
        return 1 / sum(share / rate(known[device]) for device, share in used.items())


def _gpus(effective: EffectiveSettings) -> set[str]:
    return {device.name for device in effective.devices if device.kind != "cpu"}
