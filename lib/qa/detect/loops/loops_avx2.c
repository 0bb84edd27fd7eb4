/* This file is compiled for AVX2. The builtin asks whether the CPU has it and the system saves its
 * registers. Compilers do not find the instructions for bytes: saturating differences, and sums of
 * differences. */
#include "loops_bytes.h"

#include <immintrin.h>

enum { BYTES = 32 };

static inline __m256i load(const void *from) { return _mm256_loadu_si256(from); }

static inline uint64_t sum_of(__m256i four)
{
    const __m128i two =
        _mm_add_epi64(_mm256_castsi256_si128(four), _mm256_extracti128_si256(four, 1));
    return (uint64_t)_mm_cvtsi128_si64(two) + (uint64_t)_mm_extract_epi64(two, 1);
}

static uint64_t row_bytes(const uint8_t *now, const uint8_t *up, const uint8_t *next, size_t count,
                          size_t channels, uint8_t *most, uint16_t *sum)
{
    const __m256i zero = _mm256_setzero_si256(), one = _mm256_set1_epi8(1);
    __m256i all = zero;
    size_t i = LEAST(8 * channels, count); /* a cell: the first pixel has no left neighbour */
    uint64_t rest = add_bytes(now, up, 0, i, channels, most, sum);
    for (; i + BYTES <= count; i += BYTES) {
        _mm_prefetch((const char *)next + i, _MM_HINT_T1);
        const __m256i own = load(now + i), left = load(now + i - channels), above = load(up + i);
        const __m256i down = _mm256_subs_epu8(own, _mm256_min_epu8(left, above)),
                      rise = _mm256_subs_epu8(_mm256_max_epu8(left, above), own),
                      step = _mm256_max_epu8(load(most + i), _mm256_max_epu8(down, rise)),
                      pair = _mm256_maddubs_epi16(own, one);
        all = _mm256_add_epi64(all, _mm256_sad_epu8(own, left));
        _mm256_storeu_si256((void *)(most + i), step);
        _mm256_storeu_si256((void *)(sum + i / 2), _mm256_add_epi16(load(sum + i / 2), pair));
    }
    rest += add_bytes(now, up, i, count, channels, most, sum);
    return rest + sum_of(all);
}

static int four_bytes(const uint8_t *up, const uint8_t *now, const uint8_t *down, size_t count,
                      size_t channels, uint8_t *own)
{
    __m256i most = _mm256_setzero_si256();
    uint8_t each[BYTES];
    size_t i = 0;
    for (; i + BYTES <= count; i += BYTES) {
        const __m256i here = load(now + i), left = load(now + i - channels),
                      right = load(now + i + channels), above = load(up + i),
                      below = load(down + i);
        const __m256i high = _mm256_max_epu8(_mm256_max_epu8(left, right),
                                             _mm256_max_epu8(above, below)),
                      low = _mm256_min_epu8(_mm256_min_epu8(left, right),
                                            _mm256_min_epu8(above, below)),
                      by = _mm256_or_si256(_mm256_subs_epu8(here, high),
                                           _mm256_subs_epu8(low, here)); /* one of them is 0 */
        _mm256_storeu_si256((void *)(own + i), by);
        most = _mm256_max_epu8(most, by);
    }
    _mm256_storeu_si256((void *)each, most);
    uint8_t largest = stand_bytes(up, now, down, i, count, channels, own);
    for (int k = 0; k < BYTES; k++) largest = LARGEST(largest, each[k]);
    return largest;
}

#define LOOPS detect_loops_avx2
#define LOOPS_NAME "AVX2"
#define LOOPS_AVAILABLE (__builtin_cpu_init(), __builtin_cpu_supports("avx2"))
#include "loops_level.h"
