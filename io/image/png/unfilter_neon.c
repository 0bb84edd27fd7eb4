/* Vectors of NEON: four rows abreast, or two of 6 or 8 bytes a pixel. */
#include <arm_neon.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { SLOTS = 4 };
typedef uint8x16_t vec;

static inline vec vec_load_rows(const uint8_t *at, ptrdiff_t second)
{
    (void)second; /* a register holds one row */
    return vld1q_u8(at);
}

static inline void vec_store_rows(uint8_t *to, ptrdiff_t second, vec x)
{
    (void)second;
    vst1q_u8(to, x);
}

static inline vec vec_below4(vec x, const uint8_t *above)
{
    uint32_t first;
    memcpy(&first, above, sizeof first);
    return vextq_u8(vreinterpretq_u8_u32(vdupq_n_u32(first)), x, 12);
}

static inline vec vec_below8(vec x, const uint8_t *above)
{
    return vcombine_u8(vld1_u8(above), vget_low_u8(x));
}

#define ZIP(name, operation, bits)                                                                 \
    static inline vec name(vec a, vec b)                                                           \
    {                                                                                              \
        return vreinterpretq_u8_u##bits(                                                           \
            operation(vreinterpretq_u##bits##_u8(a), vreinterpretq_u##bits##_u8(b)));              \
    }
ZIP(vec_zip4_low, vzip1q_u32, 32)
ZIP(vec_zip4_high, vzip2q_u32, 32)
ZIP(vec_zip8_low, vzip1q_u64, 64)
ZIP(vec_zip8_high, vzip2q_u64, 64)

#define vec_load vld1q_u8
#define vec_store vst1q_u8
#define vec_lookup vqtbl1q_u8
#define vec_average vhaddq_u8
#define vec_at_most vcleq_u8
#define vec_select vbslq_u8
#define vec_add vaddq_u8
#define vec_add_sat vqaddq_u8
#define vec_sub_sat vqsubq_u8
#define vec_min vminq_u8
#define vec_max vmaxq_u8
#define vec_and vandq_u8
#define vec_or vorrq_u8
#define ABREAST ssimcu_unfilter_neon
#include "unfilter_wave.h"
