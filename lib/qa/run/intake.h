/* What a check finds in files that accept and calibrate are about to trust. */
#pragma once

#include "run/run.h"

struct intake {
    struct intake_file { /* a damaged frame */
        char *path;      /* owned */
        int64_t frame;
        finding_mask kinds;
        char text[FINDING_LINE]; /* the first finding, with its kind */
    } * file;                    /* owned; sorted by path and frame */
    size_t count, room;
};

/* Checks `count` paths, of any form that a check takes, and keeps the frames with findings of
 * `kinds`. `like` says how the files are read. `stop` ends it early. Call intake_free even after an
 * error. Errors: those of a check. */
ssimcu_status intake_check(const ssimcu_run_options *like, const char *const *path, uint32_t count,
                           finding_mask kinds, const ssimcu_stop *stop, struct intake *intake,
                           ssimcu_message *message);

/* Returns the damaged frame of this file; NULL: it is not damaged. `frame`: of a video; else -1. */
const struct intake_file *intake_find(const struct intake *intake, const char *path, int64_t frame);

void intake_free(struct intake *intake);
