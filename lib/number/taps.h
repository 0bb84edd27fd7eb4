/* The weights of scaling for the CPU and the GPU, recomputed to equal zimg's. */
#pragma once

#include "core/scale.h"
#include "ssimcu.h"

/* A list of tables, one per pair of sizes that a context has used. */
struct ssimcu_scale_tables {
    struct ssimcu_scale_tables *next;
    ssimcu_scaler_name scaler;
    double shift[2];
    struct ssimcu_taps across, down;
    void *memory[2];
};

/* Finds the tables in a list, or makes and adds them. The views have been checked. Errors:
 * MEMORY. */
ssimcu_status ssimcu_scale_tables_find(struct ssimcu_scale_tables **all, const ssimcu_view *from,
                                       ssimcu_scaler_name scaler, const double shift[2],
                                       const ssimcu_view *to,
                                       const struct ssimcu_scale_tables **found,
                                       ssimcu_message *message);

/* Frees a list; accepts NULL. */
void ssimcu_scale_tables_free(struct ssimcu_scale_tables *all);

/* Returns whether rows are scaled before columns, because that takes less work. The order matters,
 * because values are rounded in between. */
int ssimcu_taps_across_first(const struct ssimcu_taps *across, const struct ssimcu_taps *down);
