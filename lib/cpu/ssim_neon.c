/* NEON of 64-bit ARM: four lanes, on every such CPU. */
#include <arm_neon.h>

typedef float32x4_t vec;
enum { LANES = 4 };

static inline vec vec_fma(vec a, vec b, vec c) { return vfmaq_f32(c, a, b); }

static inline int vec_any_greater(vec a, vec b) { return vmaxvq_u32(vcgtq_f32(a, b)) != 0; }

#define SSIM_TILE ssimcu_ssim_tile_neon
#include "ssim_tile.h"
