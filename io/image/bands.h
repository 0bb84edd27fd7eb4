/* Bands of a picture that are made and used in order, by one thread or by two. */
#ifndef SSIMCU_IMAGE_BANDS_H
#define SSIMCU_IMAGE_BANDS_H

#include <stdbool.h>
#include <stdint.h>

/* The steps for a band, by its number; false ends the run. `use` may run beside the `make` of a
 * later band, of which there are fewer than `places`. */
struct ssimcu_bands {
    uint32_t count, places;
    bool (*make)(void *user, uint32_t band);
    bool (*use)(void *user, uint32_t band);
    void *user;
};

/* Both steps for all bands. With two threads a new one uses what the caller makes; where none is to
 * be had, the caller does both. False where a step was. */
bool ssimcu_bands_run(const struct ssimcu_bands *bands, bool two_threads);

#endif
