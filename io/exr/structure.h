/* An EXR's header and chunk table, read by ourselves: before OpenEXR allocates anything, because it
 * makes room for whatever a header claims; and more strictly, because it replaces a damaged chunk
 * table by a guess and leaves pixels of missing chunks as they are. */
#ifndef SSIMCU_EXR_STRUCTURE_H
#define SSIMCU_EXR_STRUCTURE_H

#include "exr.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SSIMCU_EXR_NAME = 256, SSIMCU_EXR_CHANNELS = 3 };

enum ssimcu_exr_type { SSIMCU_EXR_UINT, SSIMCU_EXR_HALF, SSIMCU_EXR_FLOAT };

/* The part of the file that the task asks for, and the channels of it. */
struct ssimcu_exr_picture {
    int part;
    int tiled;
    uint32_t count; /* of channels: 1 or 3 */
    struct {
        char name[SSIMCU_EXR_NAME];
        enum ssimcu_exr_type type;
    } channel[SSIMCU_EXR_CHANNELS];
};

/* Checks the file's structure and finds the picture; fills in what the task says of the header.
 * Errors: DATA, UNSUPPORTED, LIMIT. */
ssimcu_status ssimcu_exr_structure(struct ssimcu_exr_task *task,
                                   struct ssimcu_exr_picture *picture);

#ifdef __cplusplus
}
#endif

#endif
