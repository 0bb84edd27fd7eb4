/* The weights of scaling, for the CPU and the GPU: zimg's numbers, worked out anew. */
#ifndef SSIMCU_TAPS_H
#define SSIMCU_TAPS_H

#include "core/scale.h"
#include "ssimcu.h"

/* The tables of each pair of sizes that a context has scaled by. */
struct ssimcu_scale_tables {
    struct ssimcu_scale_tables *next;
    ssimcu_scaler_name scaler;
    double shift[2];
    struct ssimcu_taps across, down;
    void *memory[2];
};

/* Finds the tables in a list, or makes them and puts them there. The views have been checked.
 * Errors: MEMORY. */
ssimcu_status ssimcu_scale_tables_find(struct ssimcu_scale_tables **all, const ssimcu_view *from,
                                       ssimcu_scaler_name scaler, const double shift[2],
                                       const ssimcu_view *to,
                                       const struct ssimcu_scale_tables **found,
                                       ssimcu_message *message);

/* Frees a list; accepts NULL. */
void ssimcu_scale_tables_free(struct ssimcu_scale_tables *all);

/* Whether rows are scaled before columns, which is what takes less work. The order counts, because
 * numbers are rounded in between. */
int ssimcu_taps_across_first(const struct ssimcu_taps *across, const struct ssimcu_taps *down);

#endif
