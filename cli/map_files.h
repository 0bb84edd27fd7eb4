/* What --map writes: the map of a pair, or those of a batch's bad frames. */
#ifndef SSIMCU_CLI_MAP_FILES_H
#define SSIMCU_CLI_MAP_FILES_H

#include "options.h"

#include <pthread.h>

/* Draws a map and writes it as PNG. `out`: OUT, for an overlay. Errors: LIMIT, MEMORY, WRITE. */
ssimcu_status map_file_write(const char *path, enum map_style style, const ssimcu_floats *map,
                             const struct map_range *range, const struct shown_frame *out,
                             ssimcu_message *message);

/* The maps of a batch: DIR/000042_NAME.png, by the frame and the name of OUT, of video
 * DIR/000042.png. An older map is replaced. */
struct map_files {
    const char *directory; /* NULL: none are asked for */
    enum map_style style;
    double gain; /* of the settings */
    bool keep;   /* whatever is there: a list may name it as an input later */
    pthread_mutex_t lock;
    uint64_t written;
    ssimcu_status status; /* of the first that failed: no more are written then */
    ssimcu_message message;
};

/* Makes the directory, if there is none. Errors: ARGUMENT if it is a file; WRITE. */
ssimcu_status map_files_open(struct map_files *files, const struct options *options,
                             ssimcu_message *message);

/* Scores the pair once more, with its map, and writes that. What fails is noted in `files`, but for
 * a DEVICE error. For many threads. */
ssimcu_status map_files_add(struct map_files *files, ssimcu_context *lane, const struct pair *pair,
                            ssimcu_message *message);

#endif
