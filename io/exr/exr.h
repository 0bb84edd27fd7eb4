/* The interface of the module libssimcu_exr.so: one C function in front of OpenEXR's C++ API. For
 * the first EXR a worker opens the module, or io/image/exr.c itself if there are no workers. No
 * exception leaves the function. */
#pragma once

#include "ssimcu.h"

#include <stdbool.h>

/* A rectangle of pixels that includes both corners. */
struct ssimcu_exr_window {
    int32_t x0, y0, x1, y1;
};

static inline uint64_t exr_width(const struct ssimcu_exr_window *window)
{
    return (uint64_t)((int64_t)window->x1 - window->x0 + 1);
}

static inline uint64_t exr_height(const struct ssimcu_exr_window *window)
{
    return (uint64_t)((int64_t)window->y1 - window->y0 + 1);
}

/* Contents of the header. */
struct ssimcu_exr_facts {
    uint32_t channel_count;
    uint16_t bits;
    uint16_t numbers; /* 1: the samples are numbers such as depth or normals; 0: light */
    struct ssimcu_exr_window display, data;
    float xy[8]; /* chromaticities, if has_xy: x and y of red, green, blue and white */
    uint32_t has_xy;
    float aspect;         /* of a pixel; 0: not declared */
    uint32_t rate[2];     /* frames per second as a fraction; 0: not declared */
    uint32_t compression; /* as in the header */
    uint64_t holds;       /* bytes that decoding allocates, a band among them */
    uint64_t band_bytes;  /* size of a band; depends on the number of threads */
};

enum { SSIMCU_EXR_TEXT = 400, SSIMCU_EXR_WISH = 4096, SSIMCU_EXR_NAMES = 15000 };

/* Maximum number of channels of a picture: four levels of Cryptomatte. Users select three at
 * most. */
enum { SSIMCU_EXR_CHANNELS = 16 };

/* Rows of the data window. A count of 0 means all. */
struct ssimcu_exr_rows {
    int32_t first;
    uint32_t count;
};

/* Returns the first row of the first band that holds wanted rows. */
static inline int64_t exr_first_row(const struct ssimcu_exr_window *data,
                                    const struct ssimcu_exr_rows *rows, uint64_t band_rows)
{
    const uint64_t before = rows->count > 0 ? (uint64_t)((int64_t)rows->first - data->y0) : 0;
    return (int64_t)data->y0 + (int64_t)(before / band_rows * band_rows);
}

static inline int64_t exr_last_row(const struct ssimcu_exr_window *data,
                                   const struct ssimcu_exr_rows *rows)
{
    return rows->count > 0 ? (int64_t)rows->first + rows->count - 1 : data->y1;
}

/* The first byte of a line in the list of channels. The rest is the channel's full name: its part,
 * if the file has several, its layer and its name, separated by dots. */
enum {
    SSIMCU_CHANNEL_READ = '*',  /* belongs to the picture */
    SSIMCU_CHANNEL_LEFT = ' ',  /* does not belong to it */
    SSIMCU_CHANNEL_CANNOT = '-' /* cannot belong to it, or the line counts further channels */
};

/* `channels` for any channel, for a caller that only wants the list. */
#define SSIMCU_CHANNELS_ANY "*"

struct ssimcu_exr_task {
    /* input */
    const uint8_t *bytes; /* the whole file */
    size_t size;
    const char *layer, *channels; /* names, see ssimcu_image_options */
    bool wide;                    /* half samples of numbers become floats */
    bool many;                    /* any number of channels may be selected */
    uint64_t max_pixels;          /* limit on both windows */
    uint32_t threads;             /* decoding threads besides the calling one; 0: none */
    void *band;                   /* NULL: only the header is read */
    uint64_t band_bytes;
    struct ssimcu_exr_rows rows; /* wanted rows: the bands that hold them are decoded */
    /* Takes `rows` rows of the data window from row `y` on, which lie in `band`, interleaved and
     * without gaps. Returns false to end decoding. */
    bool (*take)(void *user, int32_t y, uint32_t rows);
    void *user; /* first argument of take */
    /* output */
    struct ssimcu_exr_facts facts;
    char text[SSIMCU_EXR_TEXT];   /* one line that describes the error */
    char names[SSIMCU_EXR_NAMES]; /* all channels, each with a line break, or "" */
};

/* Reads the header and the chunk table, and checks that every chunk exists. Then decodes the data
 * window band by band, from top to bottom. Errors: ARGUMENT, DATA (also if a changed file makes a
 * band larger than the caller's), UNSUPPORTED, LIMIT, MEMORY; INTERNAL (`take` has returned
 * false). */
typedef ssimcu_status ssimcu_exr_read_function(struct ssimcu_exr_task *task);
SSIMCU_API ssimcu_exr_read_function ssimcu_exr_read_6;
SSIMCU_API const char *ssimcu_module_reads(void); /* modules.h */
#define SSIMCU_EXR_SYMBOL "ssimcu_exr_read_6"

/* ---- The same in a worker (worker.h) --------------------------------------------------------- */

/* A request. The descriptors of the file and of the window, if there is one, come with it. The
 * window has the size of a band. */
struct ssimcu_exr_request {
    uint64_t size;                     /* bytes of the file */
    uint64_t max_pixels, window_bytes; /* window_bytes 0: only the header is read */
    uint32_t threads;
    struct ssimcu_exr_rows rows;
    bool has_layer, has_channels, wide, many;
    char layer[SSIMCU_EXR_WISH], channels[SSIMCU_EXR_WISH];
};

/* A reply. Rows of the data window from row `y` on lie in the window until the caller sends a byte.
 * If `rows` is 0, the request is complete. */
struct ssimcu_exr_reply {
    ssimcu_status status;
    int32_t y;
    uint32_t rows;
    struct ssimcu_exr_facts facts;
    char text[SSIMCU_EXR_TEXT];
    char names[SSIMCU_EXR_NAMES];
};
