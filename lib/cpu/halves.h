/* Tables of what each number that 16 bits hold is in plane units: floats of 16 bits, whose every
 * sample belongs to a plane as it stands, are looked up, whatever their curve. A 4K RGB pair under
 * the curve of sRGB: 207 -> 112 ms of one thread; a table takes 0.4 to 2 ms, once per context. */
#ifndef SSIMCU_HALVES_H
#define SSIMCU_HALVES_H

#include "core/light.h"

enum { SSIMCU_HALVES = 1 << 16 };

/* A table of each side, and what it is of. Starts as zeros. */
struct ssimcu_halves {
    struct ssimcu_halves_of {
        float *value; /* NULL: no room yet */
        uint32_t type;
        float scale;
        struct ssimcu_light_rule light;
    } of[2];
};

/* Makes room for tables of the pair's samples, where they are such; 0: out of memory. */
int ssimcu_halves_reserve(struct ssimcu_halves *halves, const struct ssimcu_samples pair[2]);

/* The table of one side, kept from an earlier call where nothing has changed; the first side's
 * serves both where they are treated alike. NULL where samples are not looked up. */
const float *ssimcu_halves_find(struct ssimcu_halves *halves, int side,
                                const struct ssimcu_samples *samples,
                                const struct ssimcu_pixel_rule *rule);

void ssimcu_halves_free(struct ssimcu_halves *halves);

#endif
