/* The pictures of one pair, as files. */
#ifndef SSIMCU_QA_REPORT_DRAW_H
#define SSIMCU_QA_REPORT_DRAW_H

#include "report/pictures.h"

struct drawing {
    const char *directory;
    uint32_t most_side; /* of a whole frame's picture, pixels */
    ssimcu_alpha alpha; /* of the settings, for what is not scored */
    double gain;        /* likewise, of linear light */
};

/* Scores the pair where it is to be shown, and makes its files. After an error none is left, and
 * none is named. For many threads. Errors: as ssimcu_compare; LIMIT, MEMORY, WRITE. */
ssimcu_status draw_pair(const struct drawing *drawing, ssimcu_context *lane,
                        const struct pair *pair, struct picture *picture, ssimcu_score *score,
                        ssimcu_message *message);

#endif
