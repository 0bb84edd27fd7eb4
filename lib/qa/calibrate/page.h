/* The page about a calibration: how its limits were learnt, how far accepted renders are from them,
 * and what they find. */
#ifndef SSIMCU_QA_CALIBRATE_PAGE_H
#define SSIMCU_QA_CALIBRATE_PAGE_H

#include "calibrate/learn.h"

struct calibrate_page {
    const char *limits; /* the file of limits */
    const char *ref;
    const char *central; /* the line that says why it became REF; empty: it was given */
    uint32_t tile;
    const struct learner *learner; /* it has ended */
};

/* Checks whether the page may be written to this folder, as folder_check does. */
ssimcu_status calibrate_page_check(const char *folder, ssimcu_message *message);

/* Writes it into a folder, which takes the place of an earlier report. Errors: as folder_commit. */
ssimcu_status calibrate_page_write(const char *folder, const struct calibrate_page *page,
                                   ssimcu_message *message);

#endif
