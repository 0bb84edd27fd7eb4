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

static inline vec vec_from_u8(const uint8_t *from)
{
    return (vec){from[0], from[1], from[2], from[3]};
}

static inline vec vec_from_u16(const uint16_t *from)
{
    return (vec){from[0], from[1], from[2], from[3]};
}

static inline vec vec_look_up(const float *table, const uint16_t *from)
{
    return (vec){table[from[0]], table[from[1]], table[from[2]], table[from[3]]};
}

static inline int vec_any_negative(vec v) { return vmaxvq_u32(vcltzq_f32(v)) != 0; }

#define SSIM_TILE ssimcu_ssim_tile_neon
#define SSIM_LIGHT ssimcu_ssim_light_neon
#define SSIM_EXACT_TILE ssimcu_ssim_exact_tile_neon
#define SSIM_SQUARES ssimcu_ssim_squares_neon
#define SSIM_HALVE ssimcu_ssim_halve_neon
#define SSIMULACRA2_TILE ssimcu_ssimulacra2_tile_neon
#include "ssim_tile.h"

#include "ssim_exact_tile.h"

#include "metric_rows.h"

#include "ssimulacra2_tile.h"
