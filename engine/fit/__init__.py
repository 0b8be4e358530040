"""What a model needs, what fits, and how fast it should run."""

from engine.fit.fit_policy import Choice, choose, max_context
from engine.fit.fit_table import Candidate, fit_rows, quality
from engine.fit.memory_estimate import Estimator, Fit
from engine.fit.placement import AMX_REPACKED, ARM_REPACKED, AVX512_REPACKED, X86_REPACKED
from engine.fit.speed_estimate import active_bytes, active_params, expected_decode_tps, expected_ttft
from engine.fit.target_machine import Machine

__all__ = [
    "AMX_REPACKED",
    "ARM_REPACKED",
    "AVX512_REPACKED",
    "X86_REPACKED",
    "Candidate",
    "Choice",
    "Estimator",
    "Fit",
    "Machine",
    "active_bytes",
    "active_params",
    "choose",
    "expected_decode_tps",
    "expected_ttft",
    "fit_rows",
    "max_context",
    "quality",
]
