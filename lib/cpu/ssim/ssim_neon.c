/* NEON of 64-bit ARM: four lanes, available on every such CPU. */
#include <arm_neon.h>

typedef float32x4_t vec;
typedef float64x2_t dvec;
enum { LANES = 4 };

static inline vec vec_fma(vec a, vec b, vec c) { return vfmaq_f32(c, a, b); }

static inline dvec dvec_fma(dvec a, dvec b, dvec c) { return vfmaq_f64(c, a, b); }

static inline vec vec_max(vec a, vec b) { return vmaxq_f32(a, b); }

static inline vec vec_min(vec a, vec b) { return vminq_f32(a, b); }

static inline dvec dvec_from(const float *from) { return vcvt_f64_f32(vld1_f32(from)); }

static inline int vec_any_negative(vec v) { return vmaxvq_u32(vcltzq_f32(v)) != 0; }

#define VEC_OF_FOUR
#include "ssim_level.h"

const struct ssimcu_ssim_level ssimcu_ssim_neon = {SSIMCU_CPU_NEON, "NEON", SSIM_LEVEL_FUNCTIONS};
