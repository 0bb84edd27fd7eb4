#include "results/lines.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

const char *const contract_pads[] = {"valid", "zero", NULL};
const char *const contract_colors[] = {"rgb", "y709", "y601", NULL};
const char *const contract_alphas[] = {"worst", "ignore", "black", "white", NULL};
const char *const contract_backgrounds[] = {NULL, "black", "white"};
const char *const contract_layouts[] = {"rgb", "yuv", "y", "grey", NULL};

const char *contract_layout(const ssimcu_frame *ref, const ssimcu_frame *out, uint32_t planes,
                            const ssimcu_score *score)
{
    if (planes == 3) return "yuv";
    if (score->channels == 3) return "rgb";
    return ref->channels < 3 && out->channels < 3 ? "grey" : "y";
}

const char *contract_channel(const char *layout, uint32_t channel)
{
    static const char *const names[] = {"r", "g", "b", "y", "u", "v"};
    if (strcmp(layout, "grey") == 0) return "grey";
    return names[channel + (strcmp(layout, "rgb") == 0 ? 0 : 3)];
}

json_t *channels_to_json(const char *layout, uint32_t count, const double *value)
{
    json_t *channels = json_object();
    for (uint32_t c = 0; c < count; c++)
        json_object_set_new(channels, contract_channel(layout, c), json_real(value[c]));
    return channels;
}

json_t *contract_to_json(const ssimcu_settings *settings, int peak)
{
    return json_pack("{s:s, s:s, s:f, s:f, s:o*, s:s, s:s, s:s, s:b}", "metric", "ssim", "window",
                     "gaussian 11x11 sigma 1.5", "k1", 0.01, "k2", 0.03, "peak",
                     peak ? json_integer(peak) : NULL, "pad", contract_pads[settings->pad], "color",
                     contract_colors[settings->color], "alpha", contract_alphas[settings->alpha],
                     "downsampled", 0);
}

json_t *contract_choose(json_t *contract, const struct contract_region *region, int64_t offset)
{
    bool good = contract != NULL;
    if (good && region->width > 0)
        good = json_object_set_new(contract, "region",
                                   json_sprintf("%ux%u+%u+%u", region->width, region->height,
                                                region->x, region->y)) == 0;
    if (good && offset != 0)
        good = json_object_set_new(contract, "offset", json_integer(offset)) == 0;
    if (good) return contract;
    json_decref(contract);
    return NULL;
}

json_t *path_to_json(const char *path)
{
    json_t *value = json_string(path);
    if (value) return value;
    char *shown = strdup(path);
    for (char *at = shown; at && *at; at++)
        if ((unsigned char)*at >= 0x80) *at = '?';
    value = shown ? json_string(shown) : NULL;
    free(shown);
    return value;
}
