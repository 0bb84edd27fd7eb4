/* The files of a calibration: the file of limits, and that of learned limits beside it. */
#pragma once

#include "base/atomic_file.h"
#include "calibrate/learn.h"
#include "limits/limits_file.h"

#include <jansson.h>

struct calibrate_files {
    const char *path;          /* limits */
    struct atomic_file draft;  /* own; what is written for `path` */
    char *learned;             /* own; beside it */
    json_t *rules;             /* own; the rules that are kept; NULL: none */
    bool own;                  /* they are those of `path`, which may change meanwhile */
    json_t *variants;          /* own; the limits of further variants, which are kept; NULL: none */
    struct limits_file limits; /* own; what they say; none if there are none */
    json_t *contract;          /* own; which scores the runs had */
    const char *ref;
    uint32_t tile; /* side in pixels */
};

/* Fills in the names, and the rules of `from`; NULL: those that are there. From here on no other
 * run can write these limits. Errors: WRITE (a file of another kind is there, or another run writes
 * it); ARGUMENT (a mask of the rules would not be found any more); those of limits_file_read. */
ssimcu_status calibrate_files_open(const char *from, struct calibrate_files *files,
                                   ssimcu_message *message);

/* Writes the file of limits, with the rules that it has by now. Both files are on the disk before
 * either gets its name. Errors: WRITE (also if its rules ignore other parts than they did), MEMORY,
 * those of limits_file_read. */
ssimcu_status calibrate_files_write(struct calibrate_files *files, const struct learner *learner,
                                    ssimcu_message *message);

void calibrate_files_free(struct calibrate_files *files);

/* Writes the page about a calibration: how its limits were learnt, how far accepted renders are
 * from them, and what they find (page.c). It goes into a folder, which takes the place of an
 * earlier report. The learner has ended. Errors: as folder_commit. */
ssimcu_status calibrate_page_write(const char *folder, const struct calibrate_files *files,
                                   const struct learner *learner, ssimcu_message *message);
