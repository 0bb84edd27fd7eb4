/* AVX-512 (F, BW, DQ, VL): sixteen lanes. This file is compiled for AVX-512 and called only if the
 * CPU has it. */
#include <immintrin.h>
#include <stdint.h>

typedef __m512 vec;
typedef __m512d dvec;
enum { LANES = 16 };

static inline vec vec_fma(vec a, vec b, vec c) { return _mm512_fmadd_ps(a, b, c); }

static inline dvec dvec_fma(dvec a, dvec b, dvec c) { return _mm512_fmadd_pd(a, b, c); }

static inline vec vec_max(vec a, vec b) { return _mm512_max_ps(a, b); }

static inline vec vec_min(vec a, vec b) { return _mm512_min_ps(a, b); }

static inline dvec dvec_from(const float *from) { return _mm512_cvtps_pd(_mm256_loadu_ps(from)); }

static inline vec vec_from_u8(const uint8_t *from)
{
    return _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(_mm_loadu_si128((const void *)from)));
}

static inline vec vec_from_u16(const uint16_t *from)
{
    return _mm512_cvtepi32_ps(_mm512_cvtepu16_epi32(_mm256_loadu_si256((const void *)from)));
}

static inline vec vec_look_up(const float *table, const uint16_t *from)
{
    return _mm512_i32gather_ps(_mm512_cvtepu16_epi32(_mm256_loadu_si256((const void *)from)), table,
                               sizeof *table);
}

static inline int vec_any_negative(vec v) { return _mm512_movepi32_mask((__m512i)v) != 0; }

/* Returns lanes n to n + 15 of low followed by high. The instruction takes only constants, so each
 * case is written out. */
static inline __attribute__((always_inline)) vec vec_slide(vec low, vec high, uint32_t n)
{
#define SLIDE(n)                                                                                   \
    case n: return (vec)_mm512_alignr_epi32((__m512i)high, (__m512i)low, n)
    switch (n) {
        SLIDE(1);
        SLIDE(2);
        SLIDE(3);
        SLIDE(4);
        SLIDE(5);
        SLIDE(6);
        SLIDE(9);
        SLIDE(12);
        SLIDE(15);
    default: return low;
    }
}

#define VEC_HAS_SLIDE
#define VEC_REGISTER "v"
#include "ssim_level.h"

const struct ssimcu_ssim_level ssimcu_ssim_avx512 = {SSIMCU_CPU_AVX512, "AVX-512",
                                                     SSIM_LEVEL_FUNCTIONS};
