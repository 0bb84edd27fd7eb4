#include "record/contract.h"
#include "base/json.h"
#include "record/compat.h"
#include "record/metrics.h"

#include <stdio.h>
#include <string.h>

/* Adds the metrics of a run if it has others than SSIM, and the tool that they reproduce. */
static const char METRICS[] = "metrics", COMPAT[] = "compat", DEFINITION[] = "definition",
                  IGNORED[] = "ignored", COMPARED[] = "compared", LEARNED[] = "learned",
                  PLANES[] = "planes";

const char *const contract_pads[] = {"valid", "zero", NULL};
const char *const contract_colors[] = {"rgb", "y709", "y601", NULL};
const char *const contract_alphas[] = {"worst", "ignore", "black", "white", NULL};
const char *const contract_transfers[] = {"none", "srgb", "pu21", "hable", NULL};
const char *const contract_nans[] = {"error", "zero", NULL};
const char *const contract_ranges[] = {"tags", "limited", "full", NULL};
const char *const contract_scales[] = {"none", "ref", "out", NULL};
const char *const contract_scalers[] = {"bicubic", "bilinear", "lanczos", "spline36", NULL};
const char *const contract_backgrounds[] = {NULL, "black", "white"};
const char *const contract_layouts[] = {"rgb", "yuv", "y", "grey", NULL};

const char *contract_layout(const ssimcu_frame *ref, const ssimcu_frame *out, uint32_t planes,
                            const ssimcu_score *score)
{
    if (planes == 3) return score->channels == 3 ? "yuv" : "y"; /* a tool may score only Y */
    if (score->channels == 3) return "rgb";
    return ref->channels < 3 && out->channels < 3 ? "grey" : "y";
}

const char *contract_channel(const char *layout, uint32_t channel)
{
    static const char *const names[] = {"r", "g", "b", "y", "u", "v"};
    if (strcmp(layout, "grey") == 0) return "grey";
    return names[channel + (strcmp(layout, "rgb") == 0 ? 0 : 3)];
}

json_t *contract_channels_to_json(const char *layout, uint32_t count, const double *value)
{
    struct object channels = object_new();
    for (uint32_t c = 0; c < count; c++)
        object_real(&channels, contract_channel(layout, c), value[c]);
    return object_end(&channels);
}

/* White matters where samples are luminance: under PU21, and in video. */
static json_t *contract_light_to_json(const struct contract_light *light, bool video)
{
    struct object json = object_new();
    object_text(&json, "hdr", contract_transfers[light->transfer]);
    object_real(&json, "exposure", light->exposure);
    if (video || light->transfer == SSIMCU_TRANSFER_PU21) object_real(&json, "white", light->white);
    object_text(&json, "not_finite", contract_nans[light->nan]);
    if (light->layer) object_path(&json, "layer", light->layer);
    if (light->channels) object_path(&json, "channels", light->channels);
    return object_end(&json);
}

const char *contract_light_text(const struct contract_light *light, char text[CONTRACT_LIGHT_TEXT])
{
    char white[40] = "";
    if (light->transfer == SSIMCU_TRANSFER_PU21)
        snprintf(white, sizeof white, ", white %.9g", light->white);
    snprintf(text, CONTRACT_LIGHT_TEXT, "%s, exposure %.9g%s%s",
             contract_transfers[light->transfer], light->exposure, white,
             light->nan ? ", nan zero" : "");
    return text;
}

/* Lists SSIM and the other metrics, the primary one first. */
static json_t *metrics_to_json(const struct contract *contract)
{
    const uint32_t metrics = contract->settings->metrics | 1u << SSIMCU_METRIC_SSIM;
    json_t *list = json_add(json_array(), json_string(metrics_key(contract->metric)));
    for (int m = 0; m < SSIMCU_METRICS; m++)
        if (metrics >> m & 1 && m != (int)contract->metric)
            list = json_add(list, json_string(metrics_key(m)));
    return list;
}

/* Returns whether ssimcu's definition of SSIM applies, not a tool's. */
static bool has_own_ssim(const ssimcu_settings *settings)
{
    return !compat_has(settings->compat, SSIMCU_METRIC_SSIM);
}

/* Adds the inputs of SSIM, and the tool whose numbers are wanted. */
static void put_windows(struct object *json, const ssimcu_settings *settings)
{
    if (has_own_ssim(settings)) {
        object_text(json, "window", "gaussian 11x11 sigma 1.5");
        object_real(json, "k1", 0.01);
        object_real(json, "k2", 0.03);
        object_text(json, "pad", contract_pads[settings->pad]);
    }
    if (settings->compat == SSIMCU_COMPAT_NONE) return;
    object_text(json, COMPAT, ssimcu_compat_name(settings->compat));
    object_text(json, DEFINITION, compat_definition(settings->compat));
}

/* Adds the size at which frames are compared, and the filter that scales them. */
static void put_scale(struct object *json, const struct contract_scale *scale)
{
    if (scale->to == SSIMCU_SCALE_NONE) return;
    if (scale->to == SSIMCU_SCALE_SIZE)
        object_put(json, "scale", json_sprintf("%ux%u", scale->width, scale->height));
    else
        object_text(json, "scale", contract_scales[scale->to]);
    object_text(json, "scaler", contract_scalers[scale->scaler]);
}

json_t *contract_to_json(const struct contract *contract)
{
    const ssimcu_settings *settings = contract->settings;
    const struct contract_region *region = &contract->region;
    const bool ssimcu_ssim = has_own_ssim(settings);
    struct object json = object_new();
    object_text(&json, "metric", "ssim");
    put_windows(&json, settings);
    if (contract->video) {
        object_text(&json, PLANES, "as stored");
        if (ssimcu_ssim) object_text(&json, "weights", "area");
        if (contract->range > 0) object_text(&json, "range", contract_ranges[contract->range]);
        if (contract->matrix) object_path(&json, "matrix", contract->matrix);
        put_scale(&json, &contract->scale);
        if (contract->stream[0] > 0 || contract->stream[1] > 0)
            object_put(&json, "stream",
                       json_sprintf("%u:%u", contract->stream[0], contract->stream[1]));
        if (contract->align) object_text(&json, "align", "times");
    } else {
        object_text(&json, "color", contract_colors[settings->color]);
        object_text(&json, "alpha", contract_alphas[settings->alpha]);
    }
    if (ssimcu_ssim) object_bool(&json, "downsampled", false);
    if (region->width > 0)
        object_put(
            &json, "region",
            json_sprintf("%ux%u+%u+%u", region->width, region->height, region->x, region->y));
    if (contract->offset != 0) object_count(&json, "offset", contract->offset);
    if (contract->tile > 0) object_count(&json, "tile", contract->tile);
    if (contract->ignored && contract->ignored[0]) object_text(&json, IGNORED, contract->ignored);
    if (contract->compared && contract->compared[0])
        object_text(&json, COMPARED, contract->compared);
    if (contract->diff_threshold > 0)
        object_real(&json, "diff_threshold", contract->diff_threshold);
    if (contract->learned && contract->learned[0]) object_text(&json, LEARNED, contract->learned);
    if (contract->light)
        object_put(&json, "light", contract_light_to_json(contract->light, contract->video));
    if (settings->metrics != 0) object_put(&json, METRICS, metrics_to_json(contract));
    return object_end(&json);
}

bool contract_is_video(const json_t *contract) { return json_object_get(contract, PLANES); }

static const char *print_of(const json_t *contract, const char *name)
{
    const char *text = json_text(contract, name);
    return text ? text : "";
}

const char *contract_ignored(const json_t *contract) { return print_of(contract, IGNORED); }

const char *contract_compared(const json_t *contract) { return print_of(contract, COMPARED); }

const char *contract_learned(const json_t *contract) { return print_of(contract, LEARNED); }

const char *contract_compat(const json_t *contract) { return json_text(contract, COMPAT); }

const char *contract_definition(const json_t *contract) { return json_text(contract, DEFINITION); }

bool contract_same_tool(const json_t *contract, const json_t *other)
{
    const char *mine = contract_compat(contract), *their = contract_compat(other);
    return mine && their ? strcmp(mine, their) == 0 : mine == their;
}

uint32_t contract_metrics(const json_t *contract, ssimcu_metric *first)
{
    const json_t *list = json_object_get(contract, METRICS);
    uint32_t metrics = 0;
    *first = SSIMCU_METRIC_SSIM;
    for (size_t i = 0; i < json_array_size(list); i++)
        for (int m = 0; m < SSIMCU_METRICS; m++) {
            const char *key = json_string_value(json_array_get(list, i));
            if (!key || strcmp(key, metrics_key(m)) != 0) continue;
            if (i == 0) *first = (ssimcu_metric)m;
            metrics |= 1u << m;
        }
    return metrics & ~(1u << SSIMCU_METRIC_SSIM);
}

/* ---- Comparing ------------------------------------------------------------------------------- */

/* Returns whether two values are equal. People write numbers in any form. */
static bool is_same(const json_t *a, const json_t *b)
{
    if (json_is_number(a) && json_is_number(b)) return json_number_value(a) == json_number_value(b);
    return a && b && json_equal(a, b);
}

static bool may_differ(const char *name, bool ignored)
{
    return strcmp(name, METRICS) == 0 || strcmp(name, LEARNED) == 0 ||
           (!ignored && strcmp(name, IGNORED) == 0);
}

/* Compares the members of two objects. `before`: "", or "light." for those within the light. */
static bool differ(const json_t *contract, const json_t *other, const char *before, bool ignored,
                   struct contract_difference *found)
{
    json_t *const side[2] = {(json_t *)(uintptr_t)contract, (json_t *)(uintptr_t)other};
    for (int s = 0; s < 2; s++)
        for (void *at = json_object_iter(side[s]); at; at = json_object_iter_next(side[s], at)) {
            const char *name = json_object_iter_key(at);
            json_t *a = json_object_get(contract, name), *b = json_object_get(other, name);
            char within[40];
            if (is_same(a, b) || may_differ(name, ignored)) continue;
            snprintf(within, sizeof within, "%.38s.", name);
            if (!before[0] && json_is_object(a) && json_is_object(b)) {
                if (differ(a, b, within, ignored, found)) return true;
                continue;
            }
            snprintf(found->name, sizeof found->name, "%s%.38s", before, name);
            found->value = a;
            found->other = b;
            return true;
        }
    return false;
}

bool contract_find_difference(const json_t *contract, const json_t *other, bool ignored,
                              struct contract_difference *found)
{
    return differ(contract, other, "", ignored, found);
}

bool contract_same_ssim(const json_t *contract, const json_t *other)
{
    struct contract_difference found;
    return !contract_find_difference(contract, other, true, &found);
}
