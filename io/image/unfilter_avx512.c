/* Eight rows abreast, four of 6 or 8 bytes a pixel. */
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { SLOTS = 8 };
typedef __m512i vec;

static inline int load_int(const uint8_t *at)
{
    int value;
    memcpy(&value, at, sizeof value);
    return value;
}

static inline __m128i four_rows(const uint8_t *at, ptrdiff_t stride)
{
    return _mm_setr_epi32(load_int(at), load_int(at + stride), load_int(at + 2 * stride),
                          load_int(at + 3 * stride));
}

static inline __m128i two_rows(const uint8_t *at, ptrdiff_t stride)
{
    return _mm_unpacklo_epi64(_mm_loadu_si64(at), _mm_loadu_si64(at + stride));
}

static inline vec vec_load4(const uint8_t *at, ptrdiff_t stride)
{
    return _mm512_cvtepu8_epi16(
        _mm256_set_m128i(four_rows(at + 4 * stride, stride), four_rows(at, stride)));
}

static inline vec vec_load8(const uint8_t *at, ptrdiff_t stride)
{
    return _mm512_cvtepu8_epi16(
        _mm256_set_m128i(two_rows(at + 2 * stride, stride), two_rows(at, stride)));
}

static inline vec vec_below4(vec x, const uint8_t *above)
{
    const __m128i first = _mm_cvtepu8_epi16(_mm_cvtsi32_si128(load_int(above)));
    return _mm512_alignr_epi64(x, _mm512_broadcastq_epi64(first), 7);
}

static inline vec vec_below8(vec x, const uint8_t *above)
{
    const __m128i first = _mm_cvtepu8_epi16(_mm_loadu_si64(above));
    return _mm512_alignr_epi64(x, _mm512_broadcast_i32x4(first), 6);
}

static inline void vec_store(uint8_t *to, vec x)
{
    _mm256_storeu_si256((void *)to, _mm512_cvtepi16_epi8(x));
}

/* Three comparisons beside each other: one takes three cycles, and no minimum before it. */
static inline vec vec_nearest(vec from_a, vec from_b, vec from_c, vec a, vec b, vec c)
{
    const __mmask32 a_or_b = _mm512_cmple_epi16_mask(from_a, from_b),
                    a_or_c = _mm512_cmple_epi16_mask(from_a, from_c),
                    b_or_c = _mm512_cmple_epi16_mask(from_b, from_c);
    return _mm512_mask_mov_epi16(_mm512_mask_mov_epi16(c, b_or_c, b), a_or_b & a_or_c, a);
}

#define vec_add8 _mm512_add_epi8
#define vec_add _mm512_add_epi16
#define vec_sub _mm512_sub_epi16
#define vec_abs _mm512_abs_epi16
#define vec_and _mm512_and_si512
#define vec_and_not(x, y) _mm512_andnot_si512(y, x)
#define vec_or _mm512_or_si512
#define vec_half(x) _mm512_srli_epi16(x, 1)
#define ABREAST ssimcu_unfilter_avx512
#include "unfilter_wave.h"
