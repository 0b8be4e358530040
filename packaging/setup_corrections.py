"""Corrections to llama.cpp's source, made before it is compiled: faults that crash or slow down what we build."""

from __future__ import annotations

import hashlib
import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path

from setup_steps import StepFailed

_CPU = "vendor/llama.cpp/ggml/src/ggml-cpu/"
_FLASH_ATTENTION = Path(__file__).with_name("flash_attention.cpp").read_text(encoding="utf-8")
_MATMUL_Q4_1 = Path(__file__).with_name("matmul_q4_1.cpp").read_text(encoding="utf-8")
_ON_X86 = "#if defined(__AVX2__) && defined(GGML_SIMD)\n"
_ON_AVX2 = "#if defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)\n"


@dataclass(frozen=True)
class Correction:
    """One piece of source and what takes its place, wherever it stands in the file."""

    file: str
    old: str
    new: str
    is_for_windows: bool = field(default=True, repr=False)
    """Not part of the digest: what a set of corrections does on a system follows from the set."""


CORRECTIONS = (
    # GCC 12 believes that a tile configuration has 8 bytes of its 64, and drops the stores that fill the rest.
    Correction(
        _CPU + "amx/mmq.cpp",
        "    _tile_loadconfig(&tc);",
        '    __asm__ volatile("" : : "r"(&tc) : "memory");\n    _tile_loadconfig(&tc);',
    ),
    # An offset in bytes is added to a pointer to floats: results of several sequences land outside their tensor.
    Correction(_CPU + "amx/mmq.cpp", "(float *)dst->data + dst_offset", "(float *)((char *)dst->data + dst_offset)"),
    Correction(_CPU + "amx/mmq.cpp", "(float *) dst->data + dst_offset", "(float *) ((char *) dst->data + dst_offset)"),
    # A weight is taken to have a matrix for each sequence. Yet it is one matrix, shared by all ...
    Correction(_CPU + "amx/mmq.cpp", "= ggml_batch_offset(src0, batch_idx, ne2);", "= 0;"),
    # ... because room is made for one: weights of several matrices have to stay elsewhere.
    Correction(
        _CPU + "amx/amx.cpp",
        "        if (op->ne[0] % (TILE_N * 2)) {",
        "        if (op->ne[0] % (TILE_N * 2) || src0->ne[2] * src0->ne[3] != 1) {",
    ),
    # Halves gain nothing from AMX, and the results of several sequences are wrong.
    Correction(
        _CPU + "amx/amx.cpp",
        "            case GGML_TYPE_F16:\n                alignment = 16;\n                break;\n",
        "",
    ),
    # Lets a library tell that its AMX kernels are the corrected ones.
    Correction(
        _CPU + "amx/mmq.cpp",
        "// pack weight to vnni format\n",
        '// pack weight to vnni format.\nextern "C" int ggml_amx_is_corrected(void) { return 1; }\n\n',
    ),
    # Flash attention spends a quarter of its time on the largest of 64 scores, one after the other ...
    # (MSVC's OpenMP knows no simd, and takes it for an error.)
    Correction(
        _CPU + "vec.h",
        "    for (int i = 0; i < n; ++i) {\n        max = MAX(max, x[i]);\n    }\n",
        "    #pragma omp simd reduction(max : max)\n"
        "    for (int i = 0; i < n; ++i) {\n        max = MAX(max, x[i]);\n    }\n",
        is_for_windows=False,
    ),
    # ... and another quarter on looking halves up in a table, for which the processor has an instruction.
    Correction(
        _CPU + "simd-mappings.h",
        "        #define GGML_CPU_COMPUTE_FP16_TO_FP32(x) _cvtsh_ss(x)\n",
        "        #define GGML_CPU_COMPUTE_FP16_TO_FP32(x) _cvtsh_ss(x)\n"
        "        #define GGML_CPU_FP16_TO_FP32(x) GGML_CPU_COMPUTE_FP16_TO_FP32(x)\n",
    ),
    # It works in tiles from 64 tokens on, though a tile is faster from 4 on: most turns of a chat are shorter ...
    Correction(_CPU + "ops.cpp", "neq1 >= Q_TILE_SZ);", "neq1 >= 4);"),
    # ... and on x86 all go another way. (One token reads K and V anew for each head and waits for each row; a tile
    # computes 64 rows where it has 8, serves one head, makes K's columns number by number, and knows no quantized K.)
    Correction(
        _CPU + "ops.cpp",
        "static void ggml_compute_forward_flash_attn_ext_f16(\n",
        f"{_ON_X86}{_FLASH_ATTENTION}#endif\n\nstatic void ggml_compute_forward_flash_attn_ext_f16(\n",
    ),
    Correction(
        _CPU + "ops.cpp",
        "    const bool kv_is_f32_or_f16 = ",
        f"{_ON_X86}"
        "    if (!use_ref && ggml_fa_x86::can_take(dst)) {\n"
        "        ggml_fa_x86::compute(params, dst);\n"
        "        return;\n"
        "    }\n"
        "#endif\n"
        "    const bool kv_is_f32_or_f16 = ",
    ),
    # Its partial results are put together for each token's heads, and lie beside the tiles.
    Correction(
        _CPU + "ops.cpp",
        "    const int64_t n_q_heads = q->ne[2];\n",
        "    const int64_t n_q_heads = q->ne[1]*q->ne[2];\n",
    ),
    Correction(
        _CPU + "ggml-cpu.c",
        "sizeof(float)*(neq2*n_chunks*(2+DV) + ",
        "sizeof(float)*(MIN(node->src[0]->ne[1], 16)*neq2*n_chunks*(2+DV) + ",
    ),
    Correction(_CPU + "ggml-cpu.c", "cur += MAX(prefill, decode);", "cur += prefill + decode + CACHE_LINE_SIZE;"),
    # Weights in Q4_1, of which the starter model is made, are multiplied row by row and column by column where there is
    # no AMX, although their kin in Q4_0 have kernels that unpack them once for many columns.
    Correction(
        _CPU + "repack.cpp",
        "// Functions to create the interleaved data layout formats\n",
        f"{_ON_AVX2}{_MATMUL_Q4_1}#else\n"
        'extern "C" bool ggml_mul_mat_q4_1(const ggml_compute_params *, ggml_tensor *) { return false; }\n'
        "#endif\n\n// Functions to create the interleaved data layout formats\n",
    ),
    Correction(
        _CPU + "ggml-cpu.c",
        "void ggml_compute_forward_mul_mat(\n",
        "bool ggml_mul_mat_q4_1(const struct ggml_compute_params * params, struct ggml_tensor * dst);\n\n"
        "void ggml_compute_forward_mul_mat(\n",
    ),
    Correction(
        _CPU + "ggml-cpu.c",
        "    ggml_barrier(params->threadpool);\n\n#if GGML_USE_LLAMAFILE\n    if (src1->type",
        "    ggml_barrier(params->threadpool);\n\n"
        "    if (ggml_mul_mat_q4_1(params, dst)) {\n        return;\n    }\n\n"
        "#if GGML_USE_LLAMAFILE\n    if (src1->type",
    ),
)


def correct(source: Path) -> None:
    """Correct an unpacked llama-cpp-python. Files that are right already stay untouched and are not compiled again.

    Raises StepFailed when a piece is not there: another llama.cpp needs its corrections looked through.
    """
    for name in dict.fromkeys(correction.file for correction in CORRECTIONS):
        path = source / name
        original = path.with_name(f"{path.name}.orig")
        if not original.exists():
            shutil.copyfile(path, original)
        text = original.read_text(encoding="utf-8")
        for correction in CORRECTIONS:
            if correction.file != name or (os.name == "nt" and not correction.is_for_windows):
                continue
            if correction.old not in text:
                raise StepFailed(
                    f"llama.cpp's {path.name} is not the one that packaging/setup_corrections.py corrects.",
                    "Look through the corrections: llama.cpp may have made them itself.",
                )
            text = text.replace(correction.old, correction.new)
        if text != path.read_text(encoding="utf-8"):
            path.write_text(text, encoding="utf-8")


def digest() -> str:
    """Names this set of corrections."""
    return hashlib.sha256(repr(CORRECTIONS).encode()).hexdigest()[:12]
