/* The headers of an EXR's parts, as they stand in the file. */
#ifndef SSIMCU_EXR_HEADER_H
#define SSIMCU_EXR_HEADER_H

#include "structure.h"

#include <stdbool.h>

enum { EXR_MOST_PARTS = 256 };

/* Bytes of the file that are read from `at` on. */
struct exr_cursor {
    const uint8_t *bytes;
    size_t size, at;
};

/* A channel list as it stands in the file. */
struct exr_channels {
    const uint8_t *bytes;
    size_t size;
};

/* One of them. */
struct exr_channel {
    const char *name;
    uint32_t type;
    int32_t x_sampling, y_sampling;
};

struct exr_part {
    const char *name; /* of multi-part files, name_size bytes without an end; else NULL */
    size_t name_size;
    const char *type; /* likewise */
    struct exr_channels channels;
    uint32_t compression;
    struct ssimcu_exr_window data, display;
    bool tiled, deep, has_count;
    uint32_t tile_width, tile_height, tile_mode;
    uint64_t chunks; /* as the header says, where it does; then as it follows */
    unsigned found;  /* required attributes */
};

struct exr_file {
    struct exr_cursor cursor; /* behind the headers: at the chunk tables */
    bool single_tiled, multipart, deep;
    uint32_t parts;
    struct exr_part part[EXR_MOST_PARTS];
};

/* Fails with a text; the file's name is added by who has it. */
ssimcu_status exr_fail(struct ssimcu_exr_task *task, ssimcu_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The next channel of a list whose cursor starts at its beginning; false at its end and where it is
 * damaged, which *good then says. */
bool exr_header_next_channel(struct exr_cursor *cursor, struct exr_channel *channel, bool *good);

/* Reads all headers. Errors: DATA, UNSUPPORTED. */
ssimcu_status exr_header_read(struct ssimcu_exr_task *task, struct exr_file *file);

static inline uint64_t exr_width(const struct ssimcu_exr_window *window)
{
    return (uint64_t)((int64_t)window->x1 - window->x0 + 1);
}

static inline uint64_t exr_height(const struct ssimcu_exr_window *window)
{
    return (uint64_t)((int64_t)window->y1 - window->y0 + 1);
}

#endif
