/* Pairs of pictures made by arithmetic, so that anyone can repeat a benchmark. */
#ifndef SSIMCU_BENCH_CONTENTS_CUH
#define SSIMCU_BENCH_CONTENTS_CUH

#include "workspace.cuh"

namespace ladder
{

/* Fills `frames` pairs of interleaved bytes, which must lie in device memory. */
void make_content(uint8_t *ref, uint8_t *out, const Shape &shape, Content content,
                  cudaStream_t stream);

} // namespace ladder

#endif
