#include "source/kind.h"

#include "record/record_types.h"

ssimcu_image_options kind_options(const struct source_input *input)
{
    const ssimcu_image_options defaults = SSIMCU_INIT(image_options);
    return input->limits ? *input->limits : defaults;
}

const char *kind_out_path(const struct source_input *input, uint32_t out)
{
    return input->outs > 1 ? input->out[out] : input->path[1];
}

const char *source_out_name(const struct source_input *input, uint32_t out)
{
    const char *const label = input->outs < 2 ? input->label
                              : input->labels ? input->labels[out]
                                              : NULL;
    return label ? label : kind_out_path(input, out);
}

void kind_name_files(struct record *record, const char *ref, const char *out)
{
    const char *const path[2] = {ref, out};
    for (int side = 0; side < 2; side++)
        if (!path[side] || !record_name(record, side, path[side])) record_miss(record, side);
}
