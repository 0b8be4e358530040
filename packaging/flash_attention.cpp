// Flash attention on x86. The heads that share K and V take them together, for as many tokens as a tile has rows: 64
// cells that one of these tokens sees become floats once, K's as columns, and serve all rows. So each type of cache is
// as fast as halves, few tokens cost no more than their rows, and where cells lie changes no sum.
namespace ggml_fa_x86 {

static constexpr int64_t ROWS    = ggml_fa_tile_config::Q;
static constexpr int64_t CELLS   = ggml_fa_tile_config::KV;
static constexpr int64_t N_SPLIT = 16; // up to so many tokens, threads share the cells; above, the tiles
static constexpr int64_t AHEAD   = 16; // cells to prefetch

static bool can_take(const ggml_tensor * dst) {
    const ggml_tensor * q = dst->src[0], * k = dst->src[1], * v = dst->src[2], * mask = dst->src[3];
    return q->type == GGML_TYPE_F32 && k->type != GGML_TYPE_F32 && v->type != GGML_TYPE_F32 && q->ne[3] == 1 &&
        k->ne[2] == v->ne[2] && q->ne[2]/k->ne[2] <= ROWS && k->ne[0] % 4 == 0 && 8*k->ne[0] <= ROWS*CELLS &&
        (!mask || mask->ne[2] == 1) && ggml_get_op_params_f32(dst, 1) == 0.0f; // no ALiBi
}

// K or V, and how its cells become floats
struct source {
    const ggml_tensor * t;
    const size_t size;
    const ggml_to_float_t to_float;

    explicit source(const ggml_tensor * t)
        : t(t), size(ggml_row_size(t->type, t->ne[0])), to_float(ggml_get_type_traits(t->type)->to_float) {}

    void read(int64_t cell, int64_t h, float * out) const {
        const char * row = (const char *) t->data + cell*t->nb[1] + h*t->nb[2];
        for (size_t i = 0; i < size; i += CACHE_LINE_SIZE) {
            _mm_prefetch(row + AHEAD*t->nb[1] + i, _MM_HINT_T0);
        }
        if (t->type == GGML_TYPE_F16) {
            ggml_cpu_fp16_to_fp32((const ggml_fp16_t *) row, out, t->ne[0]);
        } else {
            to_float(row, out, t->ne[0]);
        }
    }
};

// 8 rows of n floats become 8 columns of a matrix with rows of CELLS floats.
static void transpose(const float * rows, int64_t n, float * columns) {
    for (int64_t i = 0; i < n; i += 4) {
        __m256 a[4]; // of rows j and j + 4
        for (int j = 0; j < 4; ++j) {
            a[j] = _mm256_castps128_ps256(_mm_loadu_ps(rows + j*n + i));
            a[j] = _mm256_insertf128_ps(a[j], _mm_loadu_ps(rows + (j + 4)*n + i), 1);
        }
        const __m256 low[2]  = { _mm256_unpacklo_ps(a[0], a[1]), _mm256_unpackhi_ps(a[0], a[1]) };
        const __m256 high[2] = { _mm256_unpacklo_ps(a[2], a[3]), _mm256_unpackhi_ps(a[2], a[3]) };
        for (int j = 0; j < 2; ++j) {
            _mm256_storeu_ps(columns + (i + 2*j)*CELLS,     _mm256_shuffle_ps(low[j], high[j], 0x44));
            _mm256_storeu_ps(columns + (i + 2*j + 1)*CELLS, _mm256_shuffle_ps(low[j], high[j], 0xee));
        }
    }
}

// The heads of a group, for the tokens from it on: row r is token r/n_group's head r%n_group.
struct tile {
    const ggml_tensor * dst, * q, * k, * v, * mask;
    const source keys, values;
    const int64_t DK, DV, n_group;
    float * Q, * KQ, * bias, * VKQ, * V, * K; // K with a column a cell
    float M[ROWS], S[ROWS], scale, softcap;
    int64_t it, h_kv, n_rows, n_padded;
    int64_t cells[CELLS];
    uint8_t is_seen[CELLS];

    tile(const ggml_tensor * dst, float * wdata)
        : dst(dst), q(dst->src[0]), k(dst->src[1]), v(dst->src[2]), mask(dst->src[3]),
          keys(k), values(v), DK(k->ne[0]), DV(v->ne[0]), n_group(q->ne[2]/k->ne[2]),
          Q(wdata), KQ(Q + ROWS*DK), bias(KQ + ROWS*CELLS), VKQ(bias + ROWS*CELLS), V(VKQ + ROWS*DV), K(V + CELLS*DV) {
        memcpy(&scale,   (const float *) dst->op_params + 0, sizeof(float));
        memcpy(&softcap, (const float *) dst->op_params + 2, sizeof(float));
        scale = softcap == 0.0f ? scale : scale/softcap;
        memset(V, 0, CELLS*DV*sizeof(float)); // what no cell fills is multiplied by 0, and may not be a NaN
    }

    const ggml_fp16_t * mask_of(int64_t t) const {
        return (const ggml_fp16_t *) ((const char *) mask->data + (it + t)*mask->nb[1]);
    }

    // Which of the next 64 cells from ic on one of the tokens sees. Returns how many.
    int64_t look(int64_t ic) {
        const int64_t n = MIN(CELLS, k->ne[1] - ic);
        memset(is_seen, mask ? 0 : 1, sizeof(is_seen));
        for (int64_t t = 0; mask && t < n_rows/n_group; ++t) {
            const ggml_fp16_t * m = mask_of(t) + ic;
            for (int64_t i = 0; i < n; ++i) {
                is_seen[i] |= m[i] != 0xfc00; // -INFINITY
            }
        }
        memset(is_seen + n, 0, CELLS - n);
        return std::count(is_seen, is_seen + CELLS, 1);
    }

    // Attends to one of n_shares equal shares of the cells that are seen.
    void attend(int64_t it_, int64_t n_tokens, int64_t h_kv_, int64_t share, int64_t n_shares) {
        it       = it_;
        h_kv     = h_kv_;
        n_rows   = n_tokens*n_group;
        n_padded = MIN(ROWS, (n_rows + GEMM_RM - 1)/GEMM_RM*GEMM_RM);
        for (int64_t r = 0; r < n_rows; ++r) {
            const int64_t h = h_kv*n_group + r % n_group;
            const ggml_tensor * sinks = share == 0 ? dst->src[4] : nullptr;
            M[r] = sinks ? ((const float *) sinks->data)[h] : -INFINITY;
            S[r] = sinks ? 1.0f : 0.0f;
            memcpy(Q + r*DK, (const char *) q->data + (it + r/n_group)*q->nb[1] + h*q->nb[2], DK*sizeof(float));
        }
        ggml_vec_scale_f32(n_rows*DK, Q, scale);
        memset(Q + n_rows*DK, 0, (n_padded - n_rows)*DK*sizeof(float));
        memset(VKQ, 0, n_padded*DV*sizeof(float));

        int64_t left = k->ne[1], skip = 0;
        if (n_shares > 1) {
            int64_t n_seen = 0;
            for (int64_t ic = 0; ic < k->ne[1]; ic += CELLS) {
                n_seen += look(ic);
            }
            left = (n_seen + n_shares - 1)/n_shares;
            skip = share*left;
        }
        int64_t n = 0;
        for (int64_t ic = 0; ic < k->ne[1] && left > 0; ic += CELLS) {
            const int64_t n_seen = look(ic);
            if (skip >= n_seen) {
                skip -= n_seen;
                continue;
            }
            for (int64_t i = 0; i < CELLS && left > 0; ++i) {
                if (!is_seen[i] || skip-- > 0) {
                    continue;
                }
                --left;
                cells[n++] = ic + i;
                if (n == CELLS) {
                    take(n);
                    n = 0;
                }
            }
            skip = 0;
        }
        if (n > 0) {
            take(n);
        }
    }

    void take(int64_t n) {
        for (int64_t c = 0; c < CELLS; c += 8) {
            for (int64_t j = 0; j < 8; ++j) {
                if (c + j < n) {
                    keys.read(cells[c + j], h_kv, KQ + j*DK);
                } else {
                    memset(KQ + j*DK, 0, DK*sizeof(float));
                }
            }
            transpose(KQ, DK, K + c);
        }
        memset(KQ, 0, n_padded*CELLS*sizeof(float));
        simd_gemm(KQ, Q, K, n_padded, DK, CELLS);

        const bool is_run = cells[n - 1] - cells[0] == n - 1;
        for (int64_t t = 0; t < n_rows/n_group; ++t) {
            float * b = bias + t*CELLS;
            if (mask && is_run) {
                ggml_cpu_fp16_to_fp32(mask_of(t) + cells[0], b, n);
            } else {
                for (int64_t c = 0; c < n; ++c) {
                    b[c] = mask ? GGML_CPU_FP16_TO_FP32(mask_of(t)[cells[c]]) : 0.0f;
                }
            }
            std::fill(b + n, b + CELLS, -INFINITY);
        }
        for (int64_t r = 0; r < n_rows; ++r) {
            float * s = KQ + r*CELLS, max;
            if (softcap != 0.0f) {
                ggml_vec_tanh_f32(CELLS, s, s);
                ggml_vec_scale_f32(CELLS, s, softcap);
            }
            ggml_vec_add_f32(CELLS, s, s, bias + r/n_group*CELLS);
            ggml_vec_max_f32(CELLS, &max, s);
            if (max == -INFINITY) {
                memset(s, 0, CELLS*sizeof(float));
                continue;
            }
            if (max > M[r]) {
                ggml_vec_scale_f32(DV, VKQ + r*DV, expf(M[r] - max));
                S[r] *= expf(M[r] - max);
                M[r]  = max;
            }
            S[r] += ggml_vec_soft_max_f32(CELLS, s, s, M[r]);
        }
        for (int64_t c = 0; c < n; ++c) {
            values.read(cells[c], h_kv, V + c*DV);
        }
        simd_gemm(VKQ, KQ, V, n_padded, CELLS, DV);
    }
};

static void compute(const ggml_compute_params * params, ggml_tensor * dst) {
    const ggml_tensor * q = dst->src[0], * k = dst->src[1];
    const int64_t DK = k->ne[0], DV = dst->src[2]->ne[0], N = q->ne[1], n_head = q->ne[2], n_head_kv = k->ne[2];
    const int64_t ith = params->ith, nth = params->nth, n_group = n_head/n_head_kv;

    // wdata: room for the reduction, partial results [token][head][thread][M, S, VKQ], and each thread's tile
    float * partials = (float *) params->wdata + nth*(DK + 2*DV + CACHE_LINE_SIZE_F32);
    float * tiles    = partials + MIN(N, N_SPLIT)*n_head*nth*(2 + DV);
    tiles = (float *) GGML_PAD((uintptr_t) tiles, CACHE_LINE_SIZE);
    tile here(dst, tiles + ith*(ROWS*DK + 2*ROWS*CELLS + ROWS*DV + CELLS*DV + CELLS*DK));

    const bool    is_split = N <= N_SPLIT;
    const int64_t n_shares = is_split ? nth : 1, share = is_split ? ith : 0;
    int64_t n_most = ROWS/n_group; // tokens in a tile: fewer where threads would go without
    if (!is_split) {
        n_most = MAX(1, MIN(n_most, (N*n_head_kv + 4*nth - 1)/(4*nth)));
        if (ith == 0) {
            ggml_threadpool_chunk_set(params->threadpool, nth);
        }
        ggml_barrier(params->threadpool);
    }
    const int64_t n_tiles = (N + n_most - 1)/n_most*n_head_kv;
    int64_t i = is_split ? 0 : ith;
    while (i < n_tiles) {
        const int64_t it = i/n_head_kv*n_most;
        here.attend(it, MIN(n_most, N - it), i % n_head_kv, share, n_shares);
        for (int64_t r = 0; r < here.n_rows; ++r) {
            const int64_t row = (here.it + r/n_group)*n_head + here.h_kv*n_group + r % n_group;
            float * VKQ = here.VKQ + r*DV;
            if (is_split) {
                float * partial = partials + (row*nth + ith)*(2 + DV);
                partial[0] = here.M[r];
                partial[1] = here.S[r];
                memcpy(partial + 2, VKQ, DV*sizeof(float));
            } else {
                ggml_vec_scale_f32(DV, VKQ, here.S[r] == 0.0f ? 0.0f : 1.0f/here.S[r]);
                memcpy((char *) dst->data + row*dst->nb[1], VKQ, DV*sizeof(float));
            }
        }
        i = is_split ? i + 1 : ggml_threadpool_chunk_add(params->threadpool, 1);
    }
    if (is_split) {
        ggml_barrier(params->threadpool);
        ggml_flash_attn_ext_reduce_partials(params, dst, nth, 0);
    }
}

} // namespace ggml_fa_x86
