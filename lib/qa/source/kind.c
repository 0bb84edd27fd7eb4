#include "source/kind.h"

const char *kind_out_path(const struct source_input *input, uint32_t out)
{
    return input->outs > 1 ? input->out[out] : input->path[1];
}

void kind_name_files(struct record *record, const char *ref, const char *out)
{
    const char *const path[2] = {ref, out};
    for (int side = 0; side < 2; side++)
        if (!path[side] || !record_name(record, side, path[side])) record_miss(record, side);
}
