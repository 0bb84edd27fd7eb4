/* Checks an EXR's header and chunk table before OpenEXR sees the file. OpenEXR allocates whatever a
 * header claims, replaces a damaged chunk table with a guess, and leaves the pixels of missing
 * chunks unchanged. */
#pragma once

#include "exr.h"

enum { SSIMCU_EXR_NAME = 256 };

enum ssimcu_exr_type { SSIMCU_EXR_UINT, SSIMCU_EXR_HALF, SSIMCU_EXR_FLOAT };

/* The part of the file that holds the picture, and the channels to decode. */
struct ssimcu_exr_picture {
    int part;
    int tiled;
    uint32_t count;                   /* number of channels: 1 or 3, or as many as selected */
    uint32_t chunk_width, chunk_rows; /* pixels of a chunk or tile */
    uint64_t chunk_count;             /* chunks at full size, without other levels */
    uint32_t band_rows;               /* a multiple of chunk_rows */
    uint32_t compression;             /* as in the header */
    uint32_t chunk_head;              /* bytes before a chunk's size */
    const uint8_t *offsets;           /* the part's chunk table */
    struct ssimcu_exr_list {
        const uint8_t *bytes;
        size_t size;
    } channels; /* the part's list, as stored in the file */
    struct {
        char name[SSIMCU_EXR_NAME];
        enum ssimcu_exr_type type;
    } channel[SSIMCU_EXR_CHANNELS];
};

/* Checks the file's structure, finds the wanted part and channels, and fills in the task's output
 * fields. Errors: ARGUMENT (bad channel names), DATA, UNSUPPORTED, LIMIT. */
ssimcu_status ssimcu_exr_structure(struct ssimcu_exr_task *task,
                                   struct ssimcu_exr_picture *picture);

/* ---- dwa.c -----------------------------------------------------------------------------------
 *
 * The counters at the start of a DWA chunk. OpenEXR trusts counters that are too small, and leaves
 * old memory in the missing pixels. */

/* Checks every chunk of a DWAA or DWAB picture: its counters must match the channels. Does nothing
 * for other compressions. Errors: DATA, MEMORY. */
ssimcu_status ssimcu_exr_dwa_check(struct ssimcu_exr_task *task,
                                   const struct ssimcu_exr_picture *picture);

/* ---- unpack.c --------------------------------------------------------------------------------
 *
 * Decompresses RLE, ZIPS and ZIP. OpenEXR accepts a chunk that holds too little, and leaves old
 * memory in the pixels after its end. Here a chunk must hold exactly its pixels. */

/* Returns whether the functions below decode the picture. If not, OpenEXR does. */
bool ssimcu_exr_unpacks(const struct ssimcu_exr_picture *picture);

/* The chunks that hold a band's rows, by their places in the table. */
struct ssimcu_exr_range {
    uint64_t first, end;
};
struct ssimcu_exr_range ssimcu_exr_band_chunks(const struct ssimcu_exr_task *task,
                                               const struct ssimcu_exr_picture *picture,
                                               const struct ssimcu_exr_rows *band);

/* Decodes a chunk into the task's band, whose first row is row `y` of the data window. Integers
 * stay integers. Threads may decode different chunks at the same time. Errors: DATA, MEMORY; they
 * do not set the task's text. */
ssimcu_status ssimcu_exr_unpack(const struct ssimcu_exr_task *task,
                                const struct ssimcu_exr_picture *picture, uint64_t chunk,
                                int32_t y);
