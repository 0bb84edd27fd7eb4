/* Checks an EXR's header and chunk table before OpenEXR sees the file. OpenEXR allocates whatever a
 * header claims, replaces a damaged chunk table by a guess, and leaves the pixels of missing chunks
 * as they are. */
#ifndef SSIMCU_EXR_STRUCTURE_H
#define SSIMCU_EXR_STRUCTURE_H

#include "exr.h"

enum { SSIMCU_EXR_NAME = 256, SSIMCU_EXR_CHANNELS = 3 };

enum ssimcu_exr_type { SSIMCU_EXR_UINT, SSIMCU_EXR_HALF, SSIMCU_EXR_FLOAT };

/* The part of the file that holds the picture, and the channels to decode. */
struct ssimcu_exr_picture {
    int part;
    int tiled;
    uint32_t count;                   /* number of channels: 1 or 3 */
    uint32_t chunk_width, chunk_rows; /* pixels of a chunk or tile */
    uint64_t chunk_count;             /* at full size, without other levels */
    uint32_t band_rows;               /* a multiple of chunk_rows */
    uint32_t compression;             /* the header's number */
    uint32_t chunk_head;              /* bytes in front of a chunk's size */
    const uint8_t *offsets;           /* the part's chunk table */
    struct ssimcu_exr_list {
        const uint8_t *bytes;
        size_t size;
    } channels; /* of the part, as stored in the file */
    struct {
        char name[SSIMCU_EXR_NAME];
        enum ssimcu_exr_type type;
    } channel[SSIMCU_EXR_CHANNELS];
};

/* Checks the file's structure, finds the wanted part and channels, and fills in the task's output
 * fields. Errors: ARGUMENT (bad channel names), DATA, UNSUPPORTED, LIMIT. */
ssimcu_status ssimcu_exr_structure(struct ssimcu_exr_task *task,
                                   struct ssimcu_exr_picture *picture);

#endif
