/* The page about a calibration: how its limits were learnt, how far accepted renders are from them,
 * and what they find. */
#ifndef SSIMCU_QA_CALIBRATE_PAGE_H
#define SSIMCU_QA_CALIBRATE_PAGE_H

#include "calibrate/write.h"

/* Writes it into a folder, which takes the place of an earlier report. The learner has ended.
 * Errors: as folder_commit. */
ssimcu_status calibrate_page_write(const char *folder, const struct calibrate_files *files,
                                   const struct learner *learner, ssimcu_message *message);

#endif
