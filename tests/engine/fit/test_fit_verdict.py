"""Whether a model fits: what the table of quantizations says, against what llama.cpp asks for without allocating."""

from __future__ import annotations

import pytest
from gguf_files import write_sparse
from llama_memory import ask
from model_shapes import SHAPES

from engine.fit.fit_table import Candidate, fit_rows
from engine.fit.memory_estimate import Estimator
from engine.fit.target_machine import Machine
from engine.gguf import Header, read_header
from engine.protocol import ModelSettings, Switch

SETTINGS = ModelSettings(n_ctx=8192, n_batch=2048, n_ubatch=512, flash_attn=Switch.ON, use_mmap=False)


@pytest.fixture(scope="module")
def needs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Header, int]]:
    """Each shape's header, and the bytes that llama.cpp would allocate for it in main memory."""
    folder = tmp_path_factory.mktemp("shapes")
    headers, questions = {}, []
    for number, (name, make) in enumerate(SHAPES.items()):
        shape = make()
        path = write_sparse(folder / f"{number}.gguf", shape.metadata, shape.tensors)
        headers[name] = read_header(path)
        step, _ = Estimator(headers[name]).step(SETTINGS)
        questions.append(
            {
                "path": str(path),
                "n_ctx": SETTINGS.n_ctx,
                "n_batch": SETTINGS.n_batch,
                "n_ubatch": SETTINGS.n_ubatch,
                "n_seq_max": step.n_sequences,
                "n_outputs_max": step.n_outputs,
                "flash_attn_type": 1,
            }
        )
    totals = [sum(map(sum, answer.values())) for answer in ask(questions)]
    return {name: (header, total) for (name, header), total in zip(headers.items(), totals, strict=True)}


@pytest.mark.parametrize("name", SHAPES)
def test_the_verdict_is_llama_cpps(name: str, needs: dict[str, tuple[Header, int]]) -> None:
    """A model fits into 5 % more memory than llama.cpp asks for, but not into 5 % less."""
    header, total = needs[name]

    def verdict(share: float) -> str:
        machine = Machine(ram_bytes=round(total * share))
        (row,) = fit_rows([Candidate(name, header.file_size or 0, header)], SETTINGS, machine)
        return row.verdict

    assert verdict(1.05) in ("fits", "fits_tight")
    assert verdict(0.95) == "too_large"
