// Flash attention of up to 7 tokens. Heads that share K and V take them together, 64 visible cells at a time, with exp
// and V's rows as vectors of floats. Each thread takes a share of the visible cells: where they lie changes no sum.
static void ggml_compute_forward_flash_attn_ext_grouped(const ggml_compute_params * params, ggml_tensor * dst) {
    const ggml_tensor * q     = dst->src[0];
    const ggml_tensor * k     = dst->src[1];
    const ggml_tensor * v     = dst->src[2];
    const ggml_tensor * mask  = dst->src[3];
    const ggml_tensor * sinks = dst->src[4];

    static constexpr int64_t TILE  = ggml_fa_tile_config::KV;
    static constexpr int64_t AHEAD = 16; // cells to prefetch
    const int64_t DK = k->ne[0], DV = v->ne[0], n_kv = k->ne[1], n_head = q->ne[2];
    const int64_t n_group = n_head/k->ne[2]; // heads that share K and V
    const int64_t ith = params->ith, nth = params->nth;

    const size_t k_size = ggml_row_size(k->type, DK), v_size = ggml_row_size(v->type, DV);

    float scale, softcap;
    memcpy(&scale,   (const float *) dst->op_params + 0, sizeof(float));
    memcpy(&softcap, (const float *) dst->op_params + 2, sizeof(float));
    if (softcap != 0.0f) {
        scale /= softcap;
    }
    const ggml_vec_dot_t    vec_dot    = ggml_get_type_traits_cpu(k->type)->vec_dot;
    const ggml_type         q_type     = ggml_get_type_traits_cpu(k->type)->vec_dot_type;
    const ggml_from_float_t q_to_k     = ggml_get_type_traits_cpu(q_type)->from_float;
    const ggml_to_float_t   v_to_float = ggml_get_type_traits(v->type)->to_float;

    // wdata: room for the reduction, partial results [token][head][thread][M, S, VKQ], and each thread's tiles
    float * partials = (float *) params->wdata + nth*(DK + 2*DV + CACHE_LINE_SIZE_F32);
    float * Q   = partials + q->ne[1]*n_head*nth*(2 + DV) + ith*TILE*(DK + TILE + 2*DV);
    float * KQ  = Q   + TILE*DK;
    float * VKQ = KQ  + TILE*TILE;
    float * V   = VKQ + TILE*DV;
    memset(V, 0, TILE*DV*sizeof(float));

    for (int64_t ir = 0; ir < q->ne[1]*n_head; ir += n_group) {
        const int64_t it = ir/n_head, h = ir % n_head;
        const char * k_data = (const char *) k->data + h/n_group*k->nb[2];
        const char * v_data = (const char *) v->data + h/n_group*v->nb[2];
        const ggml_fp16_t * mp = mask ? (const ggml_fp16_t *) ((const char *) mask->data + it*mask->nb[1]) : nullptr;
        const auto is_hidden = [mp](int64_t ic) { return mp && mp[ic] == 0xfc00; };  // -INFINITY

        float S[TILE], M[TILE], bias[TILE];
        for (int64_t g = 0; g < n_group; ++g) {
            M[g]     = sinks && ith == 0 ? ((const float *) sinks->data)[h + g] : -INFINITY;
            S[g]     = sinks && ith == 0 ? 1.0f : 0.0f;
            q_to_k((const float *) ((const char *) q->data + it*q->nb[1] + (h + g)*q->nb[2]), Q + g*DK, DK);
        }
        memset(VKQ, 0, n_group*DV*sizeof(float));

        int64_t n_visible = 0;
        for (int64_t ic = 0; ic < n_kv; ++ic) {
            n_visible += !is_hidden(ic);
        }
        int64_t left = (n_visible + nth - 1)/nth, skip = ith*left;

        for (int64_t ic = 0, n = 0; ic < n_kv && left > 0; n = 0) {
            for (; ic < n_kv && left > 0 && n < TILE; ++ic) {
                if (is_hidden(ic) || skip-- > 0) {
                    continue;
                }
                for (size_t i = 0; i < k_size; i += CACHE_LINE_SIZE) {
                    _mm_prefetch(k_data + (ic + AHEAD)*k->nb[1] + i, _MM_HINT_T0);
                }
                for (size_t i = 0; i < v_size; i += CACHE_LINE_SIZE) {
                    _mm_prefetch(v_data + (ic + AHEAD)*v->nb[1] + i, _MM_HINT_T0);
                }
                for (int64_t g = 0; g < n_group; ++g) {
                    vec_dot(DK, KQ + g*TILE + n, 0, k_data + ic*k->nb[1], 0, Q + g*DK, 0, 1);
                }
                if (v->type == GGML_TYPE_F16) {
                    ggml_cpu_fp16_to_fp32((const ggml_fp16_t *) (v_data + ic*v->nb[1]), V + n*DV, DV);
                } else {
                    v_to_float(v_data + ic*v->nb[1], V + n*DV, DV);
                }
                bias[n++] = mp ? GGML_CPU_FP16_TO_FP32(mp[ic]) : 0.0f;
                --left;
            }
            for (int64_t g = 0; n > 0 && g < n_group; ++g) {
                float * s = KQ + g*TILE;
                ggml_vec_scale_f32(n, s, scale);
                if (softcap != 0.0f) {
                    ggml_vec_tanh_f32(n, s, s);
                    ggml_vec_scale_f32(n, s, softcap);
                }
                ggml_vec_add_f32(n, s, s, bias);
                std::fill(s + n, s + TILE, -INFINITY);
                float max;
                ggml_vec_max_f32(TILE, &max, s);
                if (max > M[g]) {
                    ggml_vec_scale_f32(DV, VKQ + g*DV, expf(M[g] - max));
                    S[g] *= expf(M[g] - max);
                    M[g]  = max;
                }
                S[g] += ggml_vec_soft_max_f32(TILE, s, s, M[g]);
            }
            if (n > 0) {
                simd_gemm(VKQ, KQ, V, n_group, TILE, DV);
            }
        }
        for (int64_t g = 0; g < n_group; ++g) {
            float * partial = partials + ((ir + g)*nth + ith)*(2 + DV);
            partial[0] = M[g];
            partial[1] = S[g];
            memcpy(partial + 2, VKQ + g*DV, DV*sizeof(float));
        }
    }
    ggml_barrier(params->threadpool);
    ggml_flash_attn_ext_reduce_partials(params, dst, nth, 0);
}
