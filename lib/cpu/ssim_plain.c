/* Plain C for any CPU: four lanes, compiled as the compiler sees fit. Multiplying and adding are
 * two steps. */
#include <stdint.h>

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

static inline int vec_any_negative(vec v)
{
    int any = 0;
    for (int i = 0; i < LANES; i++) any |= v[i] < 0;
    return any;
}

#define SSIM_TILE ssimcu_ssim_tile_plain
#define SSIM_LIGHT ssimcu_ssim_light_plain
#define SSIM_EXACT_TILE ssimcu_ssim_exact_tile_plain
#define SSIM_SQUARES ssimcu_ssim_squares_plain
#define SSIM_HALVE ssimcu_ssim_halve_plain
#define SSIMULACRA2_TILE ssimcu_ssimulacra2_tile_plain
#include "ssim_tile.h"

#include "ssim_exact_tile.h"

#include "metric_rows.h"

#include "ssimulacra2_tile.h"
