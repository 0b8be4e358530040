"""The log's settings line in the user's language: its words are translated, the settings' own names are not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QLocale
from PySide6.QtWidgets import QApplication

from app.core.i18n import install_language
from app.latency.settings_summary import settings_line
from engine.host.metrics_log import describe_settings
from engine.protocol import EffectiveSettings, KvType, Speculative

LINE = describe_settings(
    EffectiveSettings(
        n_ctx=8192, type_k=KvType.Q8_0, type_v=KvType.Q8_0, flash_attn=True, n_gpu_layers=31, n_layers=31, n_cpu_moe=9,
        n_threads=2, speculative=Speculative.LOOKUP,
    )
)  # fmt: skip


@pytest.fixture
def chinese(qapp: QApplication) -> Iterator[None]:
    before = QLocale()
    install_language(qapp, "zh_CN")
    yield
    install_language(qapp, "en")
    QLocale.setDefault(before)


def test_in_english_it_stays_as_the_log_has_it() -> None:
    assert settings_line(LINE) == LINE


def test_one_of_a_kind_is_told_as_one() -> None:
    line = describe_settings(EffectiveSettings(n_ctx=512, n_gpu_layers=1, n_layers=31, n_cpu_moe=1, n_threads=1))
    assert settings_line(line).endswith("1/31 layers · experts of 1 layer on the CPU · 1 thread")


@pytest.mark.usefixtures("chinese")
def test_in_chinese_its_words_are_translated() -> None:
    assert (
        settings_line(LINE)
        == "n_ctx 8192 · KV q8_0 · Flash Attention · 31/31 层 · 9 层的专家在 CPU 上 · 2 线程 · 推测解码 lookup"
    )
