"""Figures as people read them: times, sizes, counts and rates, with as many digits as mean something."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from PySide6.QtCore import QCoreApplication, QLocale

_BYTES_STEP = 1000
translate = QCoreApplication.translate


def format_count(number: float) -> str:
    """1204 → 1,204, grouped as the language does."""
    return QLocale().toString(round(number))


def format_seconds(seconds: float) -> str:
    """0.0413 → 41 ms, 1.94 → 1.9 s, 75 → 1 min 15 s."""
    if seconds < 0.01:
        return translate("quantities", "{ms} ms").format(ms=f"{seconds * 1000:.1f}")
    if seconds < 0.9995:
        return translate("quantities", "{ms} ms").format(ms=f"{seconds * 1000:.0f}")
    if seconds < 9.95:
        return translate("quantities", "{s} s").format(s=f"{seconds:.1f}")
    if seconds < 59.5:
        return translate("quantities", "{s} s").format(s=f"{seconds:.0f}")
    minutes, rest = divmod(round(seconds), 60)
    return translate("quantities", "{minutes} min {s} s").format(minutes=minutes, s=rest)


def format_seconds_finely(seconds: float) -> str:
    """For times that are added up or divided by the reader, three digits: 0.00846 → 8.46 ms, 1.736 → 1.74 s."""
    if seconds >= 59.95:
        return format_seconds(seconds)
    if seconds < 0.9995:
        return translate("quantities", "{ms} ms").format(ms=_three_digits(seconds * 1000))
    return translate("quantities", "{s} s").format(s=_three_digits(seconds))


def format_rate_finely(per_second: float) -> str:
    """For rates that are compared: 88.24 → 88.2, 9.342 → 9.34, 1204 → 1,204."""
    return _three_digits(per_second) if 0 < per_second < 99.95 else format_count(per_second)


def format_ms(seconds: float) -> str:
    """A gap between tokens in milliseconds, without its unit: 0.0083 → 8.3, 0.124 → 124."""
    return f"{seconds * 1000:.1f}" if seconds < 0.1 else f"{seconds * 1000:.0f}"


def format_gaps(middle: float, tail: float) -> tuple[str, str]:
    """The usual gap and a long one, with one unit for both where that will do: 8.3 and 120 ms, 100 ms and 9.9 s."""
    if tail < 1:
        return format_ms(middle), translate("quantities", "{ms} ms").format(ms=format_ms(tail))
    return format_seconds(middle), format_seconds(tail)


def format_bytes(size: float) -> str:
    """23_000_000 → 23 MB, 5_120_000_000 → 5.1 GB; decimal units, as disks and llama.cpp's own tools print them."""
    value, unit = _scaled(size)
    return f"{value} {unit}"


def format_bytes_of(used: float, total: float) -> tuple[str, str]:
    """Two sizes in the unit of the larger: (5.1e9, 24e9) → ("5.1", "24 GB")."""
    _, unit = _scaled(total)
    power = ("B", "kB", "MB", "GB", "TB").index(unit)
    return _digits(used / _BYTES_STEP**power), format_bytes(total)


def format_rate(per_second: float) -> str:
    """Tokens per second, without the unit: 9.34 → 9.3, 148.2 → 148, 0 → 0."""
    return f"{per_second:.1f}" if 0 < per_second < 9.95 else format_count(per_second)


def format_tenths(value: float) -> str:
    """Of figures whose small changes matter: 12.44 → 12.4, 124.3 → 124."""
    return f"{value:.1f}" if value < 99.95 else format_count(value)


def format_share(fraction: float, digits: int = 0) -> str:
    """0.78 → 78 %, as the language writes it."""
    return translate("quantities", "{number} %").format(number=f"{fraction * 100:.{digits}f}")


def format_change(ratio: float, digits: int = 0) -> str:
    """0.241 → +24 %, -0.19 → −19 %: how much more or less, always with its sign."""
    number = f"{ratio * 100:+.{digits}f}".replace("-", "−")
    return translate("quantities", "{number} %").format(number=number)


def format_list(parts: Iterable[str]) -> str:
    """Several words in a row, with the language's comma; empty ones are left out."""
    return translate("quantities", ", ").join(part for part in parts if part)


def format_mix(sizes: Mapping[str, int]) -> str:
    """What something is made of, the largest part first, without what rounds to nothing: Q4_K 77 %, Q6_K 23 %."""
    total = sum(sizes.values()) or 1
    parts = sorted(sizes.items(), key=lambda item: -item[1])
    return format_list(f"{name} {format_share(size / total)}" for name, size in parts if size / total >= 0.005)


def format_sentences(sentences: Iterable[str]) -> str:
    """Whole sentences after each other, with a space where the language has one."""
    text = ""
    for then in sentences:
        text = translate("quantities", "{first} {then}").format(first=text, then=then) if text else then
    return text


def format_context(n_ctx: int) -> str:
    """8192 → 8k, 1000 → 1,000: whole multiples of 1,024 by their k."""
    return f"{n_ctx // 1024}k" if n_ctx >= 1024 and n_ctx % 1024 == 0 else format_count(n_ctx)


def format_params(count: int) -> str:
    """Parameters of a model, as their makers count them: 1.7e9 → 1.7 B, 135e6 → 135 M."""
    return f"{count / 1e9:.1f} B" if count >= 999_500_000 else f"{count / 1e6:.0f} M"


def _three_digits(value: float) -> str:
    return f"{value:.2f}" if value < 9.995 else f"{value:.1f}" if value < 99.95 else f"{value:.0f}"


def _scaled(size: float) -> tuple[str, str]:
    value = float(size)
    for unit in ("B", "kB", "MB", "GB"):
        if value < 999.5:
            return (f"{value:.0f}" if unit in ("B", "kB") else _digits(value)), unit
        value /= _BYTES_STEP
    return _digits(value), "TB"


def _digits(value: float) -> str:
    return f"{value:.1f}" if 0.05 <= value < 9.95 and round(value, 1) != round(value) else f"{value:.0f}"
