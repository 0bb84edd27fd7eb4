/* Tables that turn every number of 16 bits into plane units, under a curve into whole numbers.
 * Floats of 16 bits are looked up if every sample belongs to a plane unchanged, whatever their
 * curve. A 4K RGB pair under the sRGB curve takes 112 ms of one thread instead of 207. Making a
 * table takes 0.4 to 2 ms, once per context. The level's own function makes it, so that halves and
 * floats agree to the bit. */
#ifndef SSIMCU_HALVES_H
#define SSIMCU_HALVES_H

#include "ssim_tiles.h"

enum { SSIMCU_HALVES = 1 << 16 };

/* A table for each side, and what it was made for. It starts as zeros. */
struct ssimcu_halves {
    struct ssimcu_halves_of {
        float *value; /* NULL: no room yet */
        uint32_t type;
        float scale, unit;
        struct ssimcu_light_rule light;
    } of[2];
};

/* Makes room for the pair's tables if its samples have 16-bit floats. Returns 0 if out of memory.
 */
int ssimcu_halves_reserve(struct ssimcu_halves *halves, const struct ssimcu_samples pair[2]);

/* Returns the table of one side, from an earlier call if nothing has changed. If both sides are
 * treated alike, the first side's table serves both. `curve` is the side's own table if it has a
 * curve. Returns NULL if samples are not looked up. */
const float *ssimcu_halves_find(struct ssimcu_halves *halves, int side,
                                const struct ssimcu_samples *samples,
                                const struct ssimcu_pixel_rule *rule,
                                const struct ssimcu_curve *curve, ssimcu_ssim_light *convert);

void ssimcu_halves_free(struct ssimcu_halves *halves);

#endif
