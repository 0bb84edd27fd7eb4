/* The files of --map: the map of a pair, or those of a batch's bad frames. */
#pragma once

#include "engine/excess.h"
#include "options/options.h"

#include <pthread.h>

/* Draws a map and writes it as PNG. `out`: OUT, for an overlay. Errors: LIMIT, MEMORY, WRITE. */
ssimcu_status map_file_write(const char *path, ssimcu_map_style style, const ssimcu_floats *map,
                             const struct map_range *range, const struct shown_frame *out,
                             ssimcu_message *message);

/* The maps of a batch. A map is DIR/000042_NAME.png, with the number of the frame and the name of
 * OUT. For video it is DIR/000042.png. An older map is replaced. */
struct map_files {
    const char *directory; /* NULL: no maps are written */
    ssimcu_map_style style;
    double gain; /* gain of the settings */
    bool keep;   /* do not replace files, because a list may name them as inputs later */
    pthread_mutex_t lock;
    uint64_t written;
    ssimcu_status status; /* status of the first failed map; later maps are not written */
    ssimcu_message message;
};

/* Makes the directory if it is missing. Errors: ARGUMENT if it is a file; WRITE. */
ssimcu_status map_files_open(struct map_files *files, const struct options *options,
                             ssimcu_message *message);

/* Scores the pair again to make a map of its excess over its learned limits, or else of its SSIM,
 * and writes it. `judge` as for excess_score. Returns DEVICE errors; all others are only noted in
 * `files`. Many threads may call it. */
ssimcu_status map_files_add(struct map_files *files, const struct judge *judge,
                            ssimcu_context *context, const struct pair *pair,
                            ssimcu_message *message);
