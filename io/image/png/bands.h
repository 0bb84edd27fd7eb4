/* Bands of a picture that are made and used in order, by one thread or by two. */
#ifndef SSIMCU_IMAGE_BANDS_H
#define SSIMCU_IMAGE_BANDS_H

#include <stdbool.h>
#include <stdint.h>

/* The two steps for each band. A step that returns false ends the run. With two threads `use` may
 * run beside the `make` of a later band. At most `places` bands are made and not yet used. */
struct ssimcu_bands {
    uint32_t count, places;
    bool (*make)(void *user, uint32_t band);
    bool (*use)(void *user, uint32_t band);
    void *user;
};

/* Runs both steps for all bands. With two threads the caller makes the bands and a new thread uses
 * them; if no thread can be started, the caller does both. False if a step failed. */
bool ssimcu_bands_run(const struct ssimcu_bands *bands, bool two_threads);

#endif
