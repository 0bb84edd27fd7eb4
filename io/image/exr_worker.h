/* Reads an EXR in a worker. */
#ifndef SSIMCU_IMAGE_EXR_WORKER_H
#define SSIMCU_IMAGE_EXR_WORKER_H

#include "codec.h"

#include "exr/exr.h"
#include "worker/worker.h"

/* Does what the module's function does, in the worker, which is then given back or ended. If
 * task->band_bytes is above 0, the worker's window is task->band, and task->facts are what the
 * header said when the file was opened. Errors: those of the module's function, but LIMIT for its
 * MEMORY; FILE (the file has changed); DATA (the decoder has died). */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_exr_worker_read(ssimcu_worker *worker,
                                                       const ssimcu_file *file,
                                                       struct ssimcu_exr_task *task);

#endif
