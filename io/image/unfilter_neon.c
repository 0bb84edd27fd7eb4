/* Four rows abreast in two registers, two of 6 or 8 bytes a pixel. */
#include <arm_neon.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { SLOTS = 4 };
typedef struct vec {
    int16x8_t half[2];
} vec;

static inline uint8x8_t two_rows(const uint8_t *at, ptrdiff_t stride)
{
    uint32_t row[2];
    memcpy(&row[0], at, 4);
    memcpy(&row[1], at + stride, 4);
    return vcreate_u8((uint64_t)row[1] << 32 | row[0]);
}

static inline int16x8_t widen(uint8x8_t bytes) { return vreinterpretq_s16_u16(vmovl_u8(bytes)); }

static inline vec vec_load4(const uint8_t *at, ptrdiff_t stride)
{
    return (vec){{widen(two_rows(at, stride)), widen(two_rows(at + 2 * stride, stride))}};
}

static inline vec vec_load8(const uint8_t *at, ptrdiff_t stride)
{
    return (vec){{widen(vld1_u8(at)), widen(vld1_u8(at + stride))}};
}

static inline vec vec_below4(vec x, const uint8_t *above)
{
    const int16x4_t first = vget_low_s16(widen(two_rows(above, 0)));
    return (vec){
        {vcombine_s16(first, vget_low_s16(x.half[0])), vextq_s16(x.half[0], x.half[1], 4)}};
}

static inline vec vec_below8(vec x, const uint8_t *above)
{
    return (vec){{widen(vld1_u8(above)), x.half[0]}};
}

static inline void vec_store(uint8_t *to, vec x)
{
    vst1_u8(to, vqmovun_s16(x.half[0]));
    vst1_u8(to + 8, vqmovun_s16(x.half[1]));
}

static inline vec vec_nearest(vec from_a, vec from_b, vec from_c, vec a, vec b, vec c)
{
    for (int i = 0; i < 2; i++) {
        const int16x8_t least =
            vminq_s16(from_c.half[i], vminq_s16(from_a.half[i], from_b.half[i]));
        c.half[i] = vbslq_s16(vceqq_s16(least, from_b.half[i]), b.half[i], c.half[i]);
        c.half[i] = vbslq_s16(vceqq_s16(least, from_a.half[i]), a.half[i], c.half[i]);
    }
    return c;
}

static inline vec vec_add8(vec a, vec b)
{
    for (int i = 0; i < 2; i++)
        a.half[i] = vreinterpretq_s16_s8(
            vaddq_s8(vreinterpretq_s8_s16(a.half[i]), vreinterpretq_s8_s16(b.half[i])));
    return a;
}

#define BOTH(name, operation)                                                                      \
    static inline vec name(vec a, vec b)                                                           \
    {                                                                                              \
        return (vec){{operation(a.half[0], b.half[0]), operation(a.half[1], b.half[1])}};          \
    }
BOTH(vec_add, vaddq_s16)
BOTH(vec_sub, vsubq_s16)
BOTH(vec_and, vandq_s16)
BOTH(vec_and_not, vbicq_s16)
BOTH(vec_or, vorrq_s16)

static inline vec vec_abs(vec a) { return (vec){{vabsq_s16(a.half[0]), vabsq_s16(a.half[1])}}; }

static inline vec vec_half(vec a)
{
    return (vec){{vshrq_n_s16(a.half[0], 1), vshrq_n_s16(a.half[1], 1)}};
}

#define ABREAST ssimcu_unfilter_neon
#include "unfilter_wave.h"
