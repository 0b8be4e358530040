"""What this computer has: processor, memory, NVIDIA cards, battery, and how fast its memory really is."""

from engine.hardware.cpu import Cpu, read_cpu
from engine.hardware.linux_card import read_linux_card
from engine.hardware.live_readings import Sampler
from engine.hardware.memory import Memory, has_huge_pages, is_on_battery, read_memory
from engine.hardware.nvml import GpuReading, Nvml
from engine.hardware.roofline import Rooflines

__all__ = [
    "Cpu",
    "GpuReading",
    "Memory",
    "Nvml",
    "Rooflines",
    "Sampler",
    "has_huge_pages",
    "is_on_battery",
    "read_cpu",
    "read_linux_card",
    "read_memory",
]
