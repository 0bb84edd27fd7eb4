/* A pair: one frame of REF and one of OUT on their way from a source to their record. */
#pragma once

#include "video/clip.h"

struct fit;
struct record;
struct slot;

struct pair {
    /* What is known about the pair, later its result. Whoever made the pair owns it until passing
     * it on. NULL: nobody needs it. */
    struct record *record;
    ssimcu_frame plane[2][SSIMCU_MAX_PLANES]; /* REF, OUT: the frames, once loaded */
    uint32_t planes;                          /* 1: pictures; 3: Y, U and V */
    bool on_device[2];                        /* REF, OUT: the planes have no data in host memory */
    ssimcu_view view[2][SSIMCU_MAX_PLANES];   /* views of them in device memory, if on_device */
    const struct fit *fit[2]; /* how the device must still fit the views; may be NULL */
    uint32_t out;             /* number of the OUT, from 0 */
    bool exact;               /* the frames are a mask of differing pixels (diff.h) */
    uint64_t index;           /* place among an OUT's pairs, if sources read concurrently */
    bool more;                /* pairs of the same frame may follow, of other OUTs */
    const ssimcu_clip_format *format[2]; /* video formats, owned by the source; NULL: pictures */
    uint32_t x, y;          /* upper left corner of the scored region in the file's frame */
    uint32_t width, height; /* pixels of the file's frame */
    uint32_t spread[2]; /* across, down: neighbouring pixels that a pixel affects (fit_spread) */
    int64_t place[2];   /* private to the source: `next` passes it to `load` */
    void *loan[2];      /* private to the source: frames lent by a decoder, until `release` */
    bool again;         /* a context reloads it, which must not wait for memory */
    bool pinned;        /* the GPU uploads from `memory`, so the frames must lie there */
    void *memory[2];    /* REF, OUT: the reserved memory, into which `load` puts the frames */
    struct slot *slot;  /* owner of `memory` */
};
