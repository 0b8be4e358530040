"""What a model will allocate on the host and on each device, before anything is loaded."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping, Sequence

from engine.fit import kv_memory
from engine.fit.compute_buffers import Cells, ComputeModel, Scheduling
from engine.fit.graph_allocator import HOST
from engine.fit.layer_blocks import StepShape
from engine.fit.placement import Placement, is_expert, place, weight_bytes
from engine.gguf import Header, swa_window
from engine.protocol import Device, MemoryUse, ModelSettings, SplitMode, Switch
from engine.protocol.devices import gpus, is_software
from engine.protocol.load_policy import DEFAULT_N_BATCH, DEFAULT_N_CTX, DEFAULT_N_UBATCH, N_OUTPUTS_MAX, n_sequences

SOFTWARE_TENSOR_BYTES = 128 << 20
"""Mesa's software driver cannot address a larger tensor: such ones stay on the host."""


@dataclasses.dataclass(frozen=True)
class Fit:
    """The memory of one way to load a model."""

    memory: tuple[MemoryUse, ...]
    """The host first, as CPU, then each device that is used."""
    n_ctx: int
    """Cells for each chat, as llama.cpp rounds them."""
    n_gpu_layers: int
    """Layers on devices, the output counted as one."""
    n_layers: int
    """Layers that could be on devices, the output counted as one."""
    placement: Placement
    places: Mapping[int, str]
    """The devices' names by the placement's numbers; the host is CPU."""

    def layers_on(self, device: str) -> int:
        """Layers that run on a device, the output counted as one."""
        return sum(self.places[where] == device for where in (*self.placement.layers, self.placement.output))

    @property
    def host(self) -> MemoryUse:
        return self.memory[0]

    @property
    def devices(self) -> tuple[MemoryUse, ...]:
        return self.memory[1:]

    @property
    def weights_bytes(self) -> int:
        return sum(use.weights_bytes for use in self.memory)

    @property
    def kv_bytes(self) -> int:
        return sum(use.kv_bytes for use in self.memory)

    @property
    def compute_bytes(self) -> int:
        return sum(use.compute_bytes for use in self.memory)

    @property
    def total_bytes(self) -> int:
        return sum(use.total_bytes for use in self.memory)


class Estimator:
    """Estimates for one model; keeps what does not change between them.

    `repacked` are tensor types that the host lays out anew; `weights_scale` stretches the weights to another
    quantization of the same model.
    """

    def __init__(self, header: Header, *, repacked: frozenset[str] = frozenset(), weights_scale: float = 1.0) -> None:
        self.header = header
        self.model = ComputeModel(header, weights_scale=weights_scale)
        self._repacked = repacked
        self.weights_scale = weights_scale
        self._weights = functools.lru_cache(maxsize=256)(weight_bytes)

    def estimate(
        self,
        settings: ModelSettings,
        *,
        devices: Sequence[Device] = (),
        n_gpu_layers: int | None = None,
        outputs: int = 0,
    ) -> Fit:
        """What loading the model with these settings takes.

        `n_gpu_layers` overrides the settings' (-1 is all); `outputs` are rows of logits of one step where the caller
        knows them.
        """
        chosen = gpus(devices, settings)
        wanted = settings.n_gpu_layers if n_gpu_layers is None else n_gpu_layers
        placement = place(self.header, wanted, _shares(chosen, settings), n_cpu_moe=max(0, settings.n_cpu_moe))
        if any(map(is_software, chosen)):
            placement = dataclasses.replace(placement, largest=SOFTWARE_TENSOR_BYTES)
        batch, cells = self.step(settings, outputs)
        weights = self._weight_bytes(placement, settings, has_device=bool(chosen))
        kept = self._kept(settings, placement, cells, batch)
        compute = self._compute(placement, cells, batch, chosen, settings)
        compute[HOST] += self.model.output_bytes(batch)
        names = {HOST: "CPU", **{number: device.name for number, device in enumerate(chosen)}}
        memory = []
        for number, name in names.items():
            sizes = (weights.get(number, 0), kept.get(number, 0), compute.get(number, 0))
            if number == HOST or any(sizes):
                memory.append(_use(name, *sizes))
        placed = [*placement.layers, placement.output]
        n_all = self.header.n_layers + 1
        n_offloaded = n_all - next((n for n, where in enumerate(placed) if where != HOST), len(placed))
        if all(where == HOST for where in placed):
            n_offloaded = 0
        return Fit(tuple(memory), cells.full, n_offloaded, n_all, placement, names)

    def step(self, settings: ModelSettings, outputs: int = 0) -> tuple[StepShape, Cells]:
        """The largest step and the cells that these settings make."""
        n_ctx = kv_memory.padded(settings.n_ctx or min(DEFAULT_N_CTX, self.header.n_ctx_train or DEFAULT_N_CTX))
        n_batch = min(n_ctx, settings.n_batch or DEFAULT_N_BATCH)
        n_ubatch = min(n_batch, settings.n_ubatch or DEFAULT_N_UBATCH)
        layers = self.model.layers
        sequences = n_sequences(settings, is_recurrent=any(layer.is_recurrent for layer in layers))
        wanted = outputs or (n_ubatch if settings.embeddings else N_OUTPUTS_MAX)
        cells = kv_memory.cells(
            n_ctx,
            swa_window(self.header),
            n_sequences=sequences,
            n_ubatch=n_ubatch,
            swa_full=settings.swa_full,
        )
        batch = StepShape(
            n_tokens=-(-n_ubatch // sequences) * sequences,
            n_outputs=min(n_ubatch, max(wanted, sequences)),
            n_sequences=sequences,
            has_flash_attn=settings.flash_attn is not Switch.OFF,
            k_bytes=kv_memory.bytes_per_element(settings.type_k),
            v_bytes=kv_memory.bytes_per_element(settings.type_v),
            rotates_k=kv_memory.rotates(layers, settings.type_k),
            rotates_v=kv_memory.rotates(layers, settings.type_v),
        )
        return batch, cells

    @property
    def has_experts(self) -> bool:
        return any(is_expert(tensor) for tensor in self.header.tensors)

    def _weight_bytes(self, placement: Placement, settings: ModelSettings, *, has_device: bool) -> dict[int, int]:
        held = self._weights(
            self.header,
            placement,
            repacked=frozenset() if has_device else self._repacked,
            uses_mmap=settings.use_mmap is not False,
        )
        return {where: round(size * self.weights_scale) for where, size in held.items()}

    def _kept(self, settings: ModelSettings, placement: Placement, cells: Cells, batch: StepShape) -> dict[int, int]:
        sizes = kv_memory.layer_bytes(
            self.model.layers,
            cells,
            settings.type_k,
            settings.type_v,
            n_sequences=batch.n_sequences,
            has_flash_attn=batch.has_flash_attn,
        )
        kept: dict[int, int] = {}
        for where, size in zip(placement.layers, sizes, strict=True):
            target = where if settings.offload_kqv else HOST
            kept[target] = kept.get(target, 0) + size
        return kept

    def _compute(
        self, placement: Placement, cells: Cells, batch: StepShape, devices: Sequence[Device], settings: ModelSettings
    ) -> dict[int, int]:
        is_whole = HOST not in (*placement.layers, placement.output)
        scheduling = Scheduling(
            n_devices=len(devices),
            offloads_cache=settings.offload_kqv,
            is_pipelined=len(devices) > 1
            and is_whole
            and settings.offload_kqv
            and not placement.n_cpu_moe
            and settings.split_mode is SplitMode.LAYER,
        )
        step = dataclasses.replace(batch, groups_products=any(_is_vulkan(device) for device in devices))
        return dict(self.model.buffers(placement, cells, step, scheduling))


def _is_vulkan(device: Device) -> bool:
    return device.name.startswith("Vulkan")


def _shares(devices: Sequence[Device], settings: ModelSettings) -> tuple[float, ...]:
    """How the layers are split over several devices: as set, with nothing for those left out, or by free memory."""
    given = settings.tensor_split[: len(devices)]
    if any(given):
        return (*given, *[0.0] * (len(devices) - len(given)))
    return tuple(float(device.free_bytes or 1) for device in devices)


def _use(name: str, weights: int, kv: int, compute: int) -> MemoryUse:
    return MemoryUse(
        device=name,
        weights_bytes=weights,
        kv_bytes=kv,
        compute_bytes=compute,
        estimated_bytes=weights + kv + compute,
    )
