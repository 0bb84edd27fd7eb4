/* A frame beyond a limit is scored against further references. */
#ifndef SSIMCU_QA_RETRY_H
#define SSIMCU_QA_RETRY_H

#include "engine/engine.h"

/* Scores a task that is beyond a limit against each variant in turn, until one keeps it. Its record
 * is then that of that variant, with hints and without findings. *there: the frames in memory are
 * still those of the record. If memory runs out, the record becomes a failed one. Errors: those
 * that concern no single pair (DEVICE, INTERNAL). */
ssimcu_status retry_task(struct worker *worker, struct task *task, bool *there,
                         ssimcu_message *message);

/* Loads the frames of the task's record once more. Errors: as `load` of a source. */
ssimcu_status retry_reload(struct task *task, ssimcu_message *message);

#endif
