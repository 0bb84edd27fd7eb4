/* The tables of each pair of sizes that a context has scaled by. */
#ifndef SSIMCU_SCALE_TABLES_H
#define SSIMCU_SCALE_TABLES_H

#include "number/taps.h"

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

#endif
