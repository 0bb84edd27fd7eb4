/* Four rows abreast, two of 6 or 8 bytes a pixel. */
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { SLOTS = 4 };
typedef __m256i vec;

static inline int load_int(const uint8_t *at)
{
    int value;
    memcpy(&value, at, sizeof value);
    return value;
}

static inline vec vec_load4(const uint8_t *at, ptrdiff_t stride)
{
    return _mm256_cvtepu8_epi16(_mm_setr_epi32(
        load_int(at), load_int(at + stride), load_int(at + 2 * stride), load_int(at + 3 * stride)));
}

static inline vec vec_load8(const uint8_t *at, ptrdiff_t stride)
{
    return _mm256_cvtepu8_epi16(
        _mm_unpacklo_epi64(_mm_loadu_si64(at), _mm_loadu_si64(at + stride)));
}

static inline vec vec_below4(vec x, const uint8_t *above)
{
    const vec first = _mm256_castsi128_si256(_mm_cvtepu8_epi16(_mm_cvtsi32_si128(load_int(above))));
    return _mm256_blend_epi32(_mm256_permute4x64_epi64(x, _MM_SHUFFLE(2, 1, 0, 0)), first, 3);
}

static inline vec vec_below8(vec x, const uint8_t *above)
{
    const vec first = _mm256_castsi128_si256(_mm_cvtepu8_epi16(_mm_loadu_si64(above)));
    return _mm256_inserti128_si256(first, _mm256_castsi256_si128(x), 1);
}

static inline void vec_store(uint8_t *to, vec x)
{
    _mm_storeu_si128((void *)to,
                     _mm_packus_epi16(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1)));
}

static inline vec vec_nearest(vec from_a, vec from_b, vec from_c, vec a, vec b, vec c)
{
    const vec least = _mm256_min_epi16(from_c, _mm256_min_epi16(from_a, from_b));
    const vec b_or_c = _mm256_blendv_epi8(c, b, _mm256_cmpeq_epi16(least, from_b));
    return _mm256_blendv_epi8(b_or_c, a, _mm256_cmpeq_epi16(least, from_a));
}

#define vec_add8 _mm256_add_epi8
#define vec_add _mm256_add_epi16
#define vec_sub _mm256_sub_epi16
#define vec_abs _mm256_abs_epi16
#define vec_and _mm256_and_si256
#define vec_and_not(x, y) _mm256_andnot_si256(y, x)
#define vec_or _mm256_or_si256
#define vec_half(x) _mm256_srli_epi16(x, 1)
#define ABREAST ssimcu_unfilter_avx2
#include "unfilter_wave.h"
