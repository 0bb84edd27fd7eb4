/* Bytes of a frame's sample, from its bits. */
#ifndef SSIMCU_SAMPLE_SIZE_H
#define SSIMCU_SAMPLE_SIZE_H

#include "ssimcu.h"

static inline size_t ssimcu_sample_size(uint32_t bits)
{
    return ((bits & ~(uint32_t)SSIMCU_BITS_FLOAT) + 7) / 8;
}

#endif
