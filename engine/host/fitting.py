"""Settings that fit this computer, chosen before a model is loaded. Imports much: only a load needs it."""

from __future__ import annotations

import logging

from engine.fit import Choice, choose
from engine.gguf import Header
from engine.host.machine_reader import MachineReader
from engine.protocol.values import ModelSettings
from engine.settings import Folders

_log = logging.getLogger(__name__)


class Fitter:
    """Blocks for a moment, at first for as long as it takes to ask the engine for its devices."""

    def __init__(self, folders: Folders) -> None:
        self._reader = MachineReader(folders)

    def choose(self, header: Header, settings: ModelSettings) -> Choice | None:
        """What to load with; None where this model's memory cannot be foretold, and the worker has to try.

        Raises ModelError for settings that cannot be.
        """
        try:
            return choose(header, settings, self._reader.machine())
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            # An architecture that nobody has seen yet: better loaded by trial than refused for want of an estimate.
            _log.warning("the memory of %s cannot be estimated: %r", header.architecture, error)
            return None
