/* SSIMULACRA2 v2.1 in double precision, straight from its definition
 * (github.com/cloudinary/ssimulacra2, src/ssimulacra2.cc), on the host. */
#ifndef SSIMCU_BENCH_SSIMULACRA2_REFERENCE_CUH
#define SSIMCU_BENCH_SSIMULACRA2_REFERENCE_CUH

#include "kernels.h"

#include <array>
#include <vector>

namespace reference
{

/* Sums as ssimcu_ssimulacra2_cuda writes them. */
using Sums = std::array<double, SSIMCU_S2_SCALES * SSIMCU_S2_CHANNELS * SSIMCU_S2_SUMS>;

/* Returns the sums of two frames of code values from 0 to 1: three planes without gaps. */
Sums sums_of(const std::vector<double> &ref, const std::vector<double> &out, int width, int height);

/* Returns the score that follows from sums. */
double score_of(const double *sums, int width, int height);

} // namespace reference

#endif
