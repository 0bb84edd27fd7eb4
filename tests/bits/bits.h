/* What bits is made of. It links the libraries alone: what the tests share may change between
 * two builds, what is compared may not. */
#ifndef SSIMCU_BITS_H
#define SSIMCU_BITS_H

#include "ssimcu.h"

#include <stdbool.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* Pairs of more pixels are compared in fewer ways. */
enum { HUGE_PIXELS = 1 << 20 };

struct setup {
    ssimcu_device device;
    ssimcu_pad pad;
    ssimcu_color color;
    ssimcu_alpha alpha;
    uint32_t threads;
    int level; /* the CPU's instructions: best, plain, AVX2, AVX-512 */
};

/* A view, and the memory that it lies in, which the library lends so that it can be pinned. */
struct picture {
    ssimcu_view view;
    ssimcu_frame memory;
};

/* What a comparison came to. The score has a map or tiles if their data is not NULL. */
struct answer {
    ssimcu_status status;
    ssimcu_message why;
    ssimcu_score score;
    ssimcu_map map;
    ssimcu_tiles tiles;
};

/* ---- calls.c: what the library's interface changes, changes there alone ---------------------- */

enum { MAP = 1, TILES = 2, MOST_FRAMES = 8 };

/* Returns NULL, and why, if the build or the machine lacks it. */
ssimcu_context *open_context(const struct setup *setup, ssimcu_message *why);

struct answer compare_frames(ssimcu_context *context, const ssimcu_frame *ref,
                             const ssimcu_frame *out);
struct answer compare_frames_with_map(ssimcu_context *context, const ssimcu_frame *ref,
                                      const ssimcu_frame *out);

/* Compares two views. `want` is MAP, TILES of tile x tile pixels, both or 0. */
struct answer compare_views(ssimcu_context *context, const ssimcu_view *ref, const ssimcu_view *out,
                            int want, uint32_t tile);

/* Compares planes of video; the samples of 8 bits are U8, those of more U16. */
struct answer compare_planes(ssimcu_context *context, const ssimcu_view ref[3],
                             const ssimcu_view out[3], uint32_t planes, uint32_t bits);

/* Scores a batch on the device, with tiles if `tile` is not 0. Makes an answer for each pair; if
 * the request fails, only the first, with its error. Returns how many. */
uint32_t request(ssimcu_context *context, const ssimcu_view *ref, const ssimcu_view *out,
                 uint32_t tile, struct answer answer[MOST_FRAMES]);

/* Pins host memory: then it is device memory for a request. */
void pin(ssimcu_context *context, const struct picture *picture);
void unpin_and_free(ssimcu_context *context, struct picture *picture);

/* Return the view of a frame's memory, and the frame of an interleaved view's. */
ssimcu_view view_of(const ssimcu_frame *frame);
ssimcu_frame frame_of(const ssimcu_view *view, uint32_t bits);

ssimcu_frame load(const char *folder, const char *name);

/* ---- picture.c: what is compared ------------------------------------------------------------- */

struct kind {
    ssimcu_layout layout;
    ssimcu_type type;
    uint32_t channels;
    double peak;  /* 0: the type's own */
    uint32_t gap; /* samples before the first, after each row and plane */
    bool aligned; /* rows are multiples of 16 bytes */
};

struct shape {
    uint32_t width, height, frames, seed;
};

/* Makes side 0, a reference of random texture, or side 1, the same with noise. Every fourth seed
 * has opaque alpha; every third has floats outside 0 to peak. Between the samples lies 0xff: not
 * a number for floats. */
struct picture make_picture(struct kind kind, struct shape shape, int side);

/* Draws a number from low to high, both included; the same everywhere. */
uint32_t draw(uint32_t *state, uint32_t low, uint32_t high);

/* ---- bits.c: lines --------------------------------------------------------------------------- */

_Noreturn void quit(const char *what, const ssimcu_message *why);
ssimcu_context *must_open(const struct setup *setup);

/* Returns whether it is this comparison's turn. */
bool due(void);

/* Prints a line and releases the answer's memory. */
void print(struct answer answer, const char *label, ...) __attribute__((format(printf, 2, 3)));

/* Return text that lasts until the next call, or until the next but one: a line tells of two
 * kinds. */
const char *name_of(const struct setup *setup);
const char *name_of_kind(struct kind kind);

/* ---- views.c, requests.c --------------------------------------------------------------------- */

void shapes(ssimcu_device device);
void refused(ssimcu_device device);
void requests(ssimcu_device device);

#endif
