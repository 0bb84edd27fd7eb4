/* Decompresses RLE, ZIPS and ZIP. OpenEXR takes a chunk that holds too little: the pixels behind
 * its end are then what memory held before. Here a chunk must hold exactly its pixels. */
#ifndef SSIMCU_EXR_UNPACK_H
#define SSIMCU_EXR_UNPACK_H

#include "structure.h"

/* Whether the functions below decode the picture. If not, OpenEXR does. */
bool ssimcu_exr_unpacks(const struct ssimcu_exr_picture *picture);

/* Rows of the data window whose chunks are to be decoded. */
struct ssimcu_exr_band {
    int32_t y;
    uint32_t rows;
};

/* The chunks that hold a band's rows, by their places in the table. */
struct ssimcu_exr_range {
    uint64_t first, end;
};
struct ssimcu_exr_range ssimcu_exr_band_chunks(const struct ssimcu_exr_task *task,
                                               const struct ssimcu_exr_picture *picture,
                                               const struct ssimcu_exr_band *band);

/* Decodes a chunk into the task's band, whose first row is row `y` of the data window. Integers
 * stay integers. Threads may decode different chunks at the same time. Errors: DATA, MEMORY; the
 * task's text stays as it is. */
ssimcu_status ssimcu_exr_unpack(const struct ssimcu_exr_task *task,
                                const struct ssimcu_exr_picture *picture, uint64_t chunk,
                                int32_t y);

#endif
