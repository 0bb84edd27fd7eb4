/* Plain C for any CPU: four lanes, as the compiler chooses to compile them. Multiplying and adding
 * are two steps. */

typedef float vec __attribute__((vector_size(16)));
typedef double dvec __attribute__((vector_size(16)));
enum { LANES = 4 };

static inline vec vec_fma(vec a, vec b, vec c) { return a * b + c; }

static inline dvec dvec_fma(dvec a, dvec b, dvec c) { return a * b + c; }

static inline vec vec_max(vec a, vec b)
{
    for (int i = 0; i < LANES; i++) a[i] = a[i] > b[i] ? a[i] : b[i];
    return a;
}

static inline vec vec_min(vec a, vec b)
{
    for (int i = 0; i < LANES; i++) a[i] = a[i] < b[i] ? a[i] : b[i];
    return a;
}

static inline dvec dvec_from(const float *from) { return (dvec){(double)from[0], (double)from[1]}; }

static inline int vec_any_negative(vec v)
{
    int any = 0;
    for (int i = 0; i < LANES; i++) any |= v[i] < 0;
    return any;
}

#define VEC_OF_FOUR
#include "ssim_level.h"

const struct ssimcu_ssim_level ssimcu_ssim_plain = {SSIMCU_CPU_PLAIN, "plain C",
                                                    SSIM_LEVEL_FUNCTIONS};
