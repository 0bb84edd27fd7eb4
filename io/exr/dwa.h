/* The counters in front of a DWA chunk. OpenEXR believes those that are too small; the pixels that
 * are missing are then what memory held before. */
#ifndef SSIMCU_EXR_DWA_H
#define SSIMCU_EXR_DWA_H

#include "structure.h"

/* Checks every chunk of a picture of DWAA or DWAB: its counters must be those of the channels. Does
 * nothing for other compressions. Errors: DATA, MEMORY. */
ssimcu_status ssimcu_exr_dwa_check(struct ssimcu_exr_task *task,
                                   const struct ssimcu_exr_picture *picture);

#endif
