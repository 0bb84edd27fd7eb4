#include "number/scale_tables.h"

#include "fail.h"

#include <stdlib.h>

static void free_tables(struct ssimcu_scale_tables *tables)
{
    free(tables->memory[0]);
    free(tables->memory[1]);
    free(tables);
}

void ssimcu_scale_tables_free(struct ssimcu_scale_tables *tables)
{
    while (tables) {
        struct ssimcu_scale_tables *const next = tables->next;
        free_tables(tables);
        tables = next;
    }
}

static int are_of(const struct ssimcu_scale_tables *tables, const ssimcu_view *from,
                  ssimcu_scaler_name scaler, const double shift[2], const ssimcu_view *to)
{
    return tables->scaler == scaler && tables->shift[0] == shift[0] &&
           tables->shift[1] == shift[1] && tables->across.from == from->width &&
           tables->down.from == from->height && tables->across.to == to->width &&
           tables->down.to == to->height;
}

ssimcu_status ssimcu_scale_tables_find(struct ssimcu_scale_tables **all, const ssimcu_view *from,
                                       ssimcu_scaler_name scaler, const double shift[2],
                                       const ssimcu_view *to,
                                       const struct ssimcu_scale_tables **found,
                                       ssimcu_message *message)
{
    for (*found = *all; *found; *found = (*found)->next)
        if (are_of(*found, from, scaler, shift, to)) return SSIMCU_OK;
    struct ssimcu_scale_tables *made = calloc(1, sizeof *made);
    if (!made) return ssimcu_fail(message, SSIMCU_ERROR_MEMORY, "out of memory");
    made->scaler = scaler;
    made->shift[0] = shift[0], made->shift[1] = shift[1];
    ssimcu_status status = ssimcu_taps_make(scaler, from->width, to->width, shift[0], &made->across,
                                            &made->memory[0], message);
    if (status == SSIMCU_OK)
        status = ssimcu_taps_make(scaler, from->height, to->height, shift[1], &made->down,
                                  &made->memory[1], message);
    if (status != SSIMCU_OK) {
        free_tables(made);
        return status;
    }
    made->next = *all;
    *all = made;
    *found = made;
    return SSIMCU_OK;
}
