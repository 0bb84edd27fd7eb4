/* AVX2 and FMA: eight lanes. This file is compiled for them and called only if the CPU has them. */
#include <immintrin.h>
#include <stdint.h>

typedef __m256 vec;
typedef __m256d dvec;
enum { LANES = 8 };

static inline vec vec_fma(vec a, vec b, vec c) { return _mm256_fmadd_ps(a, b, c); }

static inline dvec dvec_fma(dvec a, dvec b, dvec c) { return _mm256_fmadd_pd(a, b, c); }

static inline vec vec_max(vec a, vec b) { return _mm256_max_ps(a, b); }

static inline vec vec_min(vec a, vec b) { return _mm256_min_ps(a, b); }

static inline dvec dvec_from(const float *from) { return _mm256_cvtps_pd(_mm_loadu_ps(from)); }

static inline vec vec_from_u8(const uint8_t *from)
{
    return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadl_epi64((const void *)from)));
}

static inline vec vec_from_u16(const uint16_t *from)
{
    return _mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(_mm_loadu_si128((const void *)from)));
}

static inline vec vec_look_up(const float *table, const uint16_t *from)
{
    return _mm256_i32gather_ps(table, _mm256_cvtepu16_epi32(_mm_loadu_si128((const void *)from)),
                               sizeof *table);
}

static inline int vec_any_negative(vec v) { return _mm256_movemask_ps(v) != 0; }

#define VEC_REGISTER "x"
#include "ssim_level.h"

const struct ssimcu_ssim_level ssimcu_ssim_avx2 = {SSIMCU_CPU_AVX2, "AVX2", SSIM_LEVEL_FUNCTIONS};
