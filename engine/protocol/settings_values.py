"""The settings as values, in groups with their defaults: the app changes them, and the host goes by them."""

from __future__ import annotations

import msgspec

from engine.protocol.values import ContextPolicy, LoraAdapter, ModelSettings, Sampling


class General(msgspec.Struct, frozen=True, kw_only=True):
    language: str = ""
    """en, zh_CN, or empty to follow the system."""
    theme: str = "system"
    """system, light, dark or high_contrast."""
    font_size: int = 14
    font_family: str = ""
    is_enter_send: bool = True
    """False: Enter breaks the line and Shift+Enter sends."""
    is_math_on: bool = True
    """False: formulas are shown as their LaTeX."""
    is_spelling_on: bool = True
    """While typing, where the system has a checker and a dictionary."""
    is_notifying: bool = True
    """Of a long answer or a download that ended while no window of ours was active."""
    spelling_language: str = ""
    """Such as en_US; empty follows the app's language."""
    shortcuts: dict[str, str] = {}


class Models(msgspec.Struct, frozen=True, kw_only=True):
    folders: tuple[str, ...] = ()
    """Extra folders that are scanned for models, in place."""
    download_folder: str = ""
    """Empty: the data folder."""
    hub_endpoint: str = ""
    proxy: str = ""
    is_offline: bool = False
    last_model: str = "starter"
    """Loaded at start, in the background."""
    per_model: dict[str, ModelSettings] = {}
    keep_warm: tuple[str, ...] = ()


class Performance(msgspec.Struct, frozen=True, kw_only=True):
    load: ModelSettings = ModelSettings()
    """Defaults for models without settings of their own."""
    is_prewarm_on: bool = True
    is_prewarm_on_battery: bool = False
    idle_unload_minutes: float = 0.0
    """0 keeps a model until its memory is needed."""
    warm_memory_bytes: int = 0
    """Budget of the warm pool; 0 takes half of what is free."""
    max_warm_models: int = 3


DEFAULT_PRESET = "Default"
"""The name that the built-in preset is known by; the app shows it in the user's language."""


class Preset(msgspec.Struct, frozen=True, kw_only=True):
    """A named way of answering."""

    name: str
    is_named: bool = False
    """The user chose the name: it is shown as it is, also where it is DEFAULT_PRESET."""
    system_prompt: str = ""
    sampling: Sampling = Sampling()
    max_tokens: int = 0
    context_policy: ContextPolicy = ContextPolicy.SLIDE
    loras: tuple[LoraAdapter, ...] = ()
    template_options: dict[str, bool | int | str] = {}


class PromptTemplate(msgspec.Struct, frozen=True, kw_only=True):
    """An entry of the prompt library; {{name}} marks a variable."""

    name: str
    text: str


class Thresholds(msgspec.Struct, frozen=True, kw_only=True):
    """When a figure is worth a notice or a warning, in seconds and fractions; metrics.md has the reasons."""

    ttft_notice: float = 0.3
    ttft_warning: float = 1.0
    ttft_p99_notice: float = 1.0
    ttft_p99_warning: float = 1.5
    itl_notice: float = 0.05
    itl_warning: float = 0.1
    itl_halting: float = 0.2
    e2e_p95_warning: float = 10.0
    gpu_low_notice: float = 0.3
    gpu_low_seconds: float = 30.0
    gpu_high_warning: float = 0.8
    gpu_high_seconds: float = 60.0
    queue_seconds_warning: float = 30.0
    error_rate_warning: float = 0.001
    vram_notice: float = 0.9


class Api(msgspec.Struct, frozen=True, kw_only=True):
    is_on: bool = False
    host: str = "127.0.0.1"
    port: int = 11436
    token: str = ""
    """Empty: no token is asked for from this computer."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    version: int = 1
    general: General = General()
    models: Models = Models()
    performance: Performance = Performance()
    presets: tuple[Preset, ...] = (Preset(name=DEFAULT_PRESET),)
    default_preset: str = DEFAULT_PRESET
    prompts: tuple[PromptTemplate, ...] = ()
    thresholds: Thresholds = Thresholds()
    api: Api = Api()
