/* AVX-512: as AVX2, but any function of three registers is one instruction. */
#include "unfilter_256.h"

static inline vec vec_select(vec where, vec x, vec y)
{
    return _mm256_ternarylogic_epi32(where, x, y, 0xCA);
}

#define ABREAST ssimcu_unfilter_avx512
#include "unfilter_wave.h"
