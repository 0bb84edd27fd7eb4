#include "unfilter_256.h"

static inline vec vec_select(vec where, vec x, vec y) { return _mm256_blendv_epi8(y, x, where); }

#define ABREAST ssimcu_unfilter_avx2
#include "unfilter_wave.h"
