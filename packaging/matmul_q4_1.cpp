// Weights in Q4_1 times one or more columns, on AVX2. Eight rows of weights are unpacked at a time into vectors that
// hold four numbers of each row, and then serve all columns: a product of a nibble and a byte is so small that those of
// a whole block are summed in 16 bits, and the scales of eight rows are applied at once. A column's result does not
// depend on how many there are, so that what was decoded and what is read again are the same.
namespace ggml_mm_q4_1 {

static constexpr int64_t ROWS    = 8;
static constexpr int64_t BLOCKS  = 48; // of rows that are unpacked at a time: they stay in the nearest cache
static constexpr int64_t COLUMNS = 64; // that are gone through for each of these
static constexpr size_t  CACHE_LINE = 64;

// A block of each of eight rows
struct panel {
    __m256i quants[8]; // numbers 4*i to 4*i + 3 of each row
    __m256  d, m;
};

// The scale of a block and what it adds, whose names differ between C and C++
template <typename Block> static const ggml_half * halves(const Block * block) {
    return (const ggml_half *) block;
}

static void unpack(const block_q4_1 * rows, int64_t stride, panel & out) {
    __m256i a[4]; // of rows i and i + 4
    for (int i = 0; i < 4; ++i) {
        const __m128i low  = _mm_loadu_si128((const __m128i *) rows[i*stride].qs);
        const __m128i high = _mm_loadu_si128((const __m128i *) rows[(i + 4)*stride].qs);
        a[i] = _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
    }
    const __m256i b[4] = {
        _mm256_unpacklo_epi32(a[0], a[1]), _mm256_unpacklo_epi32(a[2], a[3]),
        _mm256_unpackhi_epi32(a[0], a[1]), _mm256_unpackhi_epi32(a[2], a[3]),
    };
    const __m256i c[4] = {
        _mm256_unpacklo_epi64(b[0], b[1]), _mm256_unpackhi_epi64(b[0], b[1]),
        _mm256_unpacklo_epi64(b[2], b[3]), _mm256_unpackhi_epi64(b[2], b[3]),
    };
    const __m256i nibble = _mm256_set1_epi8(15);
    for (int i = 0; i < 4; ++i) {
        out.quants[i]     = _mm256_and_si256(c[i], nibble);
        out.quants[i + 4] = _mm256_and_si256(_mm256_srli_epi16(c[i], 4), nibble);
    }
    ggml_half d[ROWS], m[ROWS];
    for (int i = 0; i < ROWS; ++i) {
        const ggml_half * both = halves(rows + i*stride);
        d[i] = both[0];
        m[i] = both[1];
    }
    out.d = _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *) d));
    out.m = _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *) m));
}

// Eight rows times N columns, added to what is there unless this is the first part of the rows
template <int N>
static void multiply(const panel * a, int64_t n_blocks, const block_q8_1 * b, int64_t ldb, float * c, int64_t ldc,
                     bool is_first) {
    __m256 sums[N];
    for (int j = 0; j < N; ++j) {
        sums[j] = is_first ? _mm256_setzero_ps() : _mm256_loadu_ps(c + j*ldc);
    }
    for (int64_t l = 0; l < n_blocks; ++l) {
        __m256i products[N];
        for (int j = 0; j < N; ++j) {
            products[j] = _mm256_setzero_si256();
        }
        for (int i = 0; i < 8; ++i) {
            for (int j = 0; j < N; ++j) {
                int32_t four;
                memcpy(&four, b[j*ldb + l].qs + 4*i, sizeof four);
                const __m256i product = _mm256_maddubs_epi16(a[l].quants[i], _mm256_set1_epi32(four));
                products[j] = _mm256_add_epi16(products[j], product);
            }
        }
        for (int j = 0; j < N; ++j) {
            const __m256 sum = _mm256_cvtepi32_ps(_mm256_madd_epi16(products[j], _mm256_set1_epi16(1)));
            const ggml_half * both = halves(b + j*ldb + l);
            const __m256 d = _mm256_mul_ps(a[l].d, _mm256_set1_ps(GGML_CPU_FP16_TO_FP32(both[0])));
            sums[j] = _mm256_fmadd_ps(sum, d, sums[j]);
            sums[j] = _mm256_fmadd_ps(a[l].m, _mm256_set1_ps(GGML_CPU_FP16_TO_FP32(both[1])), sums[j]);
        }
    }
    for (int j = 0; j < N; ++j) {
        _mm256_storeu_ps(c + j*ldc, sums[j]);
    }
}

// Rows from `row` on times all columns, eight at a time
static void compute(int64_t row, int64_t end_row, int64_t n, int64_t k, const block_q4_1 * a, int64_t lda,
                    const block_q8_1 * b, float * c, int64_t ldc) {
    panel panels[BLOCKS];
    for (; row < end_row; row += ROWS) {
        for (int64_t l = 0; l < k; l += BLOCKS) {
            const int64_t n_blocks = MIN(k - l, BLOCKS);
            for (int64_t i = 0; i < n_blocks; ++i) {
                const char * next = (const char *) (a + (row + ROWS)*lda + l) + i*ROWS*sizeof(block_q4_1);
                for (size_t o = 0; o < ROWS*sizeof(block_q4_1); o += CACHE_LINE) {
                    _mm_prefetch(next + o, _MM_HINT_T0);
                }
                unpack(a + row*lda + l + i, lda, panels[i]);
            }
            const block_q8_1 * from = b + l;
            float * to = c + row;
            int64_t j = 0;
            for (; j + 4 <= n; j += 4) {
                multiply<4>(panels, n_blocks, from + j*k, k, to + j*ldc, ldc, l == 0);
            }
            switch (n - j) {
                case 3: multiply<3>(panels, n_blocks, from + j*k, k, to + j*ldc, ldc, l == 0); break;
                case 2: multiply<2>(panels, n_blocks, from + j*k, k, to + j*ldc, ldc, l == 0); break;
                case 1: multiply<1>(panels, n_blocks, from + j*k, k, to + j*ldc, ldc, l == 0); break;
                default: break;
            }
        }
    }
}

} // namespace ggml_mm_q4_1

// To be called by each thread when the columns are Q8_1 in the work buffer and the next chunk is the thread's own.
extern "C" bool ggml_mul_mat_q4_1(const ggml_compute_params * params, ggml_tensor * dst) {
    using namespace ggml_mm_q4_1;
    const ggml_tensor * a = dst->src[0], * b = dst->src[1];
    if (params->use_ref || a->type != GGML_TYPE_Q4_1 || b->type != GGML_TYPE_F32 || a->ne[1] % ROWS != 0 ||
        b->ne[2]*b->ne[3] != 1) {
        return false;
    }
    const int64_t k = a->ne[0]/QK4_1, lda = a->nb[1]/sizeof(block_q4_1), ldc = dst->nb[1]/sizeof(float);
    // two shares a thread: one that is held up leaves its second to others
    const int64_t n_panels = a->ne[1]/ROWS, size = (n_panels + 2*params->nth - 1)/(2*params->nth);
    for (int64_t i = params->ith; i*size < n_panels; i = ggml_threadpool_chunk_add(params->threadpool, 1)) {
        for (int64_t j = 0; j < b->ne[1]; j += COLUMNS) {
            compute(i*size*ROWS, MIN(n_panels, (i + 1)*size)*ROWS, MIN(COLUMNS, b->ne[1] - j), k,
                    (const block_q4_1 *) a->data, lda, (const block_q8_1 *) params->wdata + j*k,
                    (float *) dst->data + j*ldc, ldc);
        }
    }
    return true;
}
