/* Vectors of 256 bits: eight rows abreast, or four of 6 or 8 bytes a pixel. The including level
 * defines vec_select. */
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

enum { SLOTS = 8 };
typedef __m256i vec;

static inline vec vec_load(const uint8_t *at) { return _mm256_loadu_si256((const void *)at); }

static inline void vec_store(uint8_t *to, vec x) { _mm256_storeu_si256((void *)to, x); }

static inline vec vec_load_rows(const uint8_t *at, ptrdiff_t second)
{
    return _mm256_loadu2_m128i((const void *)(at + second), (const void *)at);
}

static inline void vec_store_rows(uint8_t *to, ptrdiff_t second, vec x)
{
    _mm256_storeu2_m128i((void *)(to + second), (void *)to, x);
}

static inline vec vec_below4(vec x, const uint8_t *above)
{
    const __m256i first = _mm256_castsi128_si256(_mm_loadu_si32(above));
    const __m256i next = _mm256_permutevar8x32_epi32(x, _mm256_setr_epi32(7, 0, 1, 2, 3, 4, 5, 6));
    return _mm256_blend_epi32(next, first, 1);
}

static inline vec vec_below8(vec x, const uint8_t *above)
{
    const __m256i first = _mm256_castsi128_si256(_mm_loadu_si64(above));
    return _mm256_blend_epi32(_mm256_permute4x64_epi64(x, 0x93), first, 3);
}

/* The builtin rounds up; the filter rounds down. */
static inline vec vec_average(vec a, vec b)
{
    const vec odd = _mm256_and_si256(_mm256_xor_si256(a, b), _mm256_set1_epi8(1));
    return _mm256_sub_epi8(_mm256_avg_epu8(a, b), odd);
}

static inline vec vec_at_most(vec a, vec b) { return _mm256_cmpeq_epi8(_mm256_min_epu8(a, b), a); }

#define vec_add _mm256_add_epi8
#define vec_add_sat _mm256_adds_epu8
#define vec_sub_sat _mm256_subs_epu8
#define vec_min _mm256_min_epu8
#define vec_max _mm256_max_epu8
#define vec_and _mm256_and_si256
#define vec_or _mm256_or_si256
#define vec_lookup _mm256_shuffle_epi8
#define vec_zip4_low _mm256_unpacklo_epi32
#define vec_zip4_high _mm256_unpackhi_epi32
#define vec_zip8_low _mm256_unpacklo_epi64
#define vec_zip8_high _mm256_unpackhi_epi64
