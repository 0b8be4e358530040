"""What was found to be fastest for a model on this machine, kept between runs and used when it is loaded."""

from __future__ import annotations

import enum
import logging
from pathlib import Path

import msgspec

from engine import gguf
from engine.files import write_atomically
from engine.hardware.cpu import read_cpu
from engine.protocol.values import ModelSettings, Switch, Value
from engine.settings import Folders

_log = logging.getLogger(__name__)


class TrialEnd(enum.StrEnum):
    """What became of a trial."""

    MEASURED = "measured"
    TOO_SLOW = "too_slow"
    """It was ended after several times as long as the first took."""
    REFUSED = "refused"
    LEFT_OUT = "left_out"
    """There was too little of it to begin, or to end."""


class TuneTrial(Value, frozen=True, kw_only=True):
    """One combination that was to be measured."""

    what: str
    """The setting that it tries, such as `n_threads 2`."""
    decode_tps: float = 0.0
    """0 where it was not measured, like the next."""
    prefill_tps: float = 0.0
    end: TrialEnd = TrialEnd.MEASURED


class Tuned(Value, frozen=True, kw_only=True):
    """The fastest settings of one model on one machine, with the table they were chosen from."""

    model_name: str
    n_threads: int
    n_threads_batch: int
    n_batch: int
    n_ubatch: int
    flash_attn: Switch
    trials: tuple[TuneTrial, ...] = ()
    duration: float = 0.0
    """Seconds that the measurement took."""

    def fill(self, settings: ModelSettings) -> ModelSettings:
        """Settings with what was left to the engine filled in; the KV type, which changes answers, stays the user's."""
        has_own_threads = settings.n_threads > 0
        # A quantized V can be read by flash attention alone.
        may_choose = settings.flash_attn is Switch.AUTO and not settings.type_v.is_quantized
        return msgspec.structs.replace(
            settings,
            n_threads=settings.n_threads or self.n_threads,
            n_threads_batch=settings.n_threads_batch or (0 if has_own_threads else self.n_threads_batch),
            n_batch=settings.n_batch or self.n_batch,
            n_ubatch=settings.n_ubatch or self.n_ubatch,
            flash_attn=self.flash_attn if may_choose else settings.flash_attn,
        )


class TunedModels:
    """The file of them. Calls block."""

    def __init__(self, folders: Folders) -> None:
        self._file = folders.data / "tuned.json"

    def get(self, model: Path) -> Tuned | None:
        """What is known of a model here; None where nobody has measured it."""
        return self._read().get(_key(model)) if self._file.exists() else None

    def put(self, model: Path, tuned: Tuned) -> None:
        """Keep it. Raises StorageError."""
        content = self._read() | {_key(model): tuned}
        write_atomically(self._file, msgspec.json.format(msgspec.json.encode(content), indent=2))

    def _read(self) -> dict[str, Tuned]:
        try:
            return msgspec.json.decode(self._file.read_bytes(), type=dict[str, Tuned])
        except FileNotFoundError:
            return {}
        except (OSError, msgspec.DecodeError) as error:
            # Measured again it is as good as before.
            _log.warning("what was tuned cannot be read and is ignored: %s", error)
            return {}


def _key(model: Path) -> str:
    """The model's content and the machine: a moved file keeps its settings, another computer does not inherit them."""
    cpu = read_cpu()
    return f"{gguf.fingerprint(model)} on {cpu.name}, {cpu.n_usable} cores"
