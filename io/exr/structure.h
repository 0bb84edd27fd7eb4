/* Checks an EXR's header and chunk table before OpenEXR sees the file. OpenEXR allocates whatever a
 * header claims, replaces a damaged chunk table by a guess, and leaves the pixels of missing chunks
 * as they are. */
#ifndef SSIMCU_EXR_STRUCTURE_H
#define SSIMCU_EXR_STRUCTURE_H

#include "exr.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SSIMCU_EXR_NAME = 256, SSIMCU_EXR_CHANNELS = 3 };

enum ssimcu_exr_type { SSIMCU_EXR_UINT, SSIMCU_EXR_HALF, SSIMCU_EXR_FLOAT };

/* The part of the file that holds the picture, and the channels to decode. */
struct ssimcu_exr_picture {
    int part;
    int tiled;
    uint32_t count;                 /* number of channels: 1 or 3 */
    uint32_t chunk_rows, band_rows; /* rows of a chunk or tile; rows of a band, a multiple */
    struct {
        char name[SSIMCU_EXR_NAME];
        enum ssimcu_exr_type type;
    } channel[SSIMCU_EXR_CHANNELS];
};

/* Checks the file's structure, finds the wanted part and channels, and fills in the task's output
 * fields. Errors: ARGUMENT (bad channel names), DATA, UNSUPPORTED, LIMIT. */
ssimcu_status ssimcu_exr_structure(struct ssimcu_exr_task *task,
                                   struct ssimcu_exr_picture *picture);

#ifdef __cplusplus
}
#endif

#endif
