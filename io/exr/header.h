/* The headers of an EXR's parts, read from the bytes of the file. */
#pragma once

#include "structure.h"

#include <stdbool.h>

enum { EXR_MOST_PARTS = 256 };

/* A position in the file's bytes; `at` is read next. */
struct exr_cursor {
    const uint8_t *bytes;
    size_t size, at;
};

/* One entry of the list. */
struct exr_channel {
    const char *name;
    uint32_t type;
    int32_t x_sampling, y_sampling;
};

/* Iterates over a list of channels. */
struct exr_walk {
    struct exr_cursor cursor;
    struct exr_channel channel; /* the last one found */
    bool damaged;               /* the list ends early, or a channel is impossible */
};

struct exr_part {
    const char *name; /* name_size bytes without a 0; NULL in a single-part file */
    size_t name_size;
    const char *type; /* one of OpenEXR's names such as "tiledimage"; NULL if the header has none */
    struct ssimcu_exr_list channels;
    uint8_t compression, tile_mode;
    struct ssimcu_exr_window data, display;
    bool tiled, deep, has_count;
    uint32_t tile_width, tile_height;
    uint64_t chunks; /* the header's number if it has one, then the computed one */
    /* Attributes that affect no sample: eight floats of chromaticities, a float, and a fraction.
     * NULL: not there. */
    const uint8_t *xy, *aspect, *rate;
    unsigned found; /* bits of the required attributes that were found */
};

struct exr_file {
    struct exr_cursor cursor; /* position after the headers, where the chunk tables begin */
    bool single_tiled, multipart, deep;
    uint32_t parts;
    struct exr_part part[EXR_MOST_PARTS + 1]; /* the last takes a header too many */
};

/* Writes a line to task->text and returns `status`. The caller of the module adds the file's
 * name. */
ssimcu_status exr_fail(struct ssimcu_exr_task *task, ssimcu_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Returns such an error from the function around it, as FAIL (fail.h) does. */
#define FAIL_EXR(kind, ...) return exr_fail(task, SSIMCU_ERROR_##kind, __VA_ARGS__)

/* Begin a walk, and advance to its next channel. exr_next returns false at the end and if the list
 * is damaged. */
static inline struct exr_walk exr_walk(const struct ssimcu_exr_list *channels)
{
    return (struct exr_walk){.cursor = {channels->bytes, channels->size, 0}};
}
bool exr_walk_next(struct exr_walk *walk);

/* Reads the headers of all parts. Errors: DATA, UNSUPPORTED, LIMIT (too many parts). */
ssimcu_status exr_header_read(struct ssimcu_exr_task *task, struct exr_file *file);

/* Finds the part and the channels that the task selects, by renderers' names (choice.c). Fills in
 * their names and types in *picture, and facts.numbers. Lists all channels in task->names.
 *
 * A channel's full name begins with its part's name and a dot, unless the stored name already does
 * or the file has one unnamed part. Names may be given in full or as stored. The picture depends on
 * the options given:
 *
 *   - channels, preceded by a layer if there is one: these.
 *   - a layer, which may be the end of a longer name ("Combined" of "ViewLayer.Combined"): its R, G
 *     and B, also in lower case or in words. If there are none: X, Y and Z, its only channel, or
 *     the channel of that name, in this order.
 *   - neither: R, G and B of the first part, or only Y. If there are none: the first layer of any
 *     part with a renderer's name for the whole picture, such as Ci, C or Combined.
 *
 * Errors: ARGUMENT (not one name or three), UNSUPPORTED (no such channels; deep; subsampled). */
ssimcu_status exr_choice_make(struct ssimcu_exr_task *task, const struct exr_file *file,
                              struct ssimcu_exr_picture *picture);

/* Returns a number, which EXR stores with the lowest byte first. */
static inline uint64_t exr_number_at(const uint8_t *byte, size_t bytes)
{
    uint64_t number = 0;
    for (size_t i = bytes; i-- > 0;) number = number << 8 | byte[i];
    return number;
}
