/* Reads an EXR in a worker. */
#pragma once

#include "codec.h"

#include "exr/exr.h"
#include "worker/worker.h"

/* Runs the module's function in the worker, which is then returned or ended. If task->band_bytes is
 * above 0, the worker's window is task->band, and task->facts come from opening the file. Errors:
 * those of the module's function, but LIMIT for its MEMORY; FILE (the file has changed); DATA (the
 * decoder has died). */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_exr_worker_read(ssimcu_worker *worker,
                                                       const ssimcu_file *file,
                                                       struct ssimcu_exr_task *task);
