/* Numbers of a record. */
#include "lines/fact.h"
#include "record/record.h"

#include <math.h>

/* ---- Counts: whole numbers of 64 bits -------------------------------------------------------- */

static json_t *count_to_json(struct fact_source fact)
{
    return json_integer(*(const int64_t *)fact.at);
}

static ssimcu_status count_from_json(struct fact_target fact)
{
    *(int64_t *)fact.at = json_integer_value(fact.value);
    return fact_read(json_is_integer(fact.value) && *(int64_t *)fact.at >= 0);
}

static bool has_count(struct fact_source fact) { return *(const int64_t *)fact.at > 0; }

const struct fact_kind fact_count = {.to_json = count_to_json, .from_json = count_from_json};
const struct fact_kind fact_count_if_any = {
    .has = has_count, .zero_column = true, .to_json = count_to_json, .from_json = count_from_json};

/* ---- The number of a frame, or null ---------------------------------------------------------- */

static json_t *frame_to_json(struct fact_source fact)
{
    return fact.record->frame < 0 ? json_null() : count_to_json(fact);
}

static ssimcu_status frame_from_json(struct fact_target fact)
{
    if (!json_is_null(fact.value)) return count_from_json(fact);
    fact.record->frame = -1;
    return SSIMCU_OK;
}

const struct fact_kind fact_frame = {.to_json = frame_to_json, .from_json = frame_from_json};

/* ---- Flags, which are present only if set ---------------------------------------------------- */

static bool has_flag(struct fact_source fact) { return *(const bool *)fact.at; }

static json_t *flag_to_json(struct fact_source fact) { return json_boolean(has_flag(fact)); }

static ssimcu_status flag_from_json(struct fact_target fact)
{
    *(bool *)fact.at = json_is_true(fact.value);
    return fact_read(json_is_boolean(fact.value));
}

const struct fact_kind fact_flag = {
    .has = has_flag, .to_json = flag_to_json, .from_json = flag_from_json};

/* ---- Bits of a sample ------------------------------------------------------------------------ */

static json_t *bits_to_json(struct fact_source fact)
{
    return json_integer(fact.record->scored.bits);
}

static ssimcu_status bits_from_json(struct fact_target fact)
{
    return fact_read(lines_whole(fact.value, &fact.record->scored.bits));
}

const struct fact_kind fact_bits = {.to_json = bits_to_json, .from_json = bits_from_json};

/* ---- Reals; NaN means unknown ---------------------------------------------------------------- */

static bool has_real(struct fact_source fact) { return !isnan(*(const double *)fact.at); }

static json_t *real_to_json(struct fact_source fact) { return json_real(*(const double *)fact.at); }

static ssimcu_status real_from_json(struct fact_target fact)
{
    *(double *)fact.at = json_real_value(fact.value);
    return fact_read(json_is_real(fact.value));
}

static bool has_share(struct fact_source fact) { return *(const double *)fact.at > 0; }

static ssimcu_status share_from_json(struct fact_target fact)
{
    const ssimcu_status status = real_from_json(fact);
    const double share = *(const double *)fact.at;
    return share >= 0 && share <= 1 ? status : SSIMCU_ERROR_DATA;
}

const struct fact_kind fact_real = {
    .has = has_real, .to_json = real_to_json, .from_json = real_from_json};
const struct fact_kind fact_share = {.to_json = real_to_json, .from_json = share_from_json};
const struct fact_kind fact_share_if_any = {
    .has = has_share, .zero_column = true, .to_json = real_to_json, .from_json = share_from_json};

/* ---- SSIM ------------------------------------------------------------------------------------ */

static bool has_ssim(struct fact_source fact)
{
    return record_has(fact.record, SSIMCU_METRIC_SSIM);
}

static ssimcu_status score_from_json(struct fact_target fact)
{
    return fact_read(lines_score(fact.value, fact.at));
}

const struct fact_kind fact_score = {
    .has = has_ssim, .to_json = real_to_json, .from_json = score_from_json};

static json_t *channels_to_json(struct fact_source fact)
{
    return contract_channels_to_json(fact.record->scored.layout, fact.record->scored.channels,
                                     fact.record->scored.channel);
}

/* Returns the layout with these channels; NULL: none. */
static const char *layout_from_json(const json_t *channels)
{
    const size_t count = json_object_size(channels);
    if (json_is_object(channels) && count == 0) return contract_layouts[0];
    for (int i = 0; contract_layouts[i]; i++)
        if (count == (i < 2 ? 3 : 1) &&
            json_object_get(channels, contract_channel(contract_layouts[i], 0)))
            return contract_layouts[i];
    return NULL;
}

static ssimcu_status channels_from_json(struct fact_target fact)
{
    const char *layout = layout_from_json(fact.value);
    if (!layout) return SSIMCU_ERROR_DATA;
    fact.record->scored.layout = layout;
    fact.record->scored.channels = (uint32_t)json_object_size(fact.value);
    for (uint32_t c = 0; c < fact.record->scored.channels; c++)
        if (!lines_score(json_object_get(fact.value, contract_channel(layout, c)),
                         &fact.record->scored.channel[c]))
            return SSIMCU_ERROR_DATA;
    return SSIMCU_OK;
}

static bool channels_to_csv(FILE *to, struct fact_source fact)
{
    fputs(fact.record->scored.layout, to);
    for (uint32_t c = 0; c < 3; c++) {
        fputc(',', to);
        if (c < fact.record->scored.channels) fact_put_value(to, fact.record->scored.channel[c]);
    }
    return true;
}

const struct fact_kind fact_channels = {.has = has_ssim,
                                        .to_json = channels_to_json,
                                        .from_json = channels_from_json,
                                        .to_csv = channels_to_csv};

/* ---- The metrics other than SSIM ------------------------------------------------------------- */

json_t *lines_value_to_json(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *metric_to_json(const struct record *record, ssimcu_metric metric)
{
    const double *channel = record_metric_channels(record, metric);
    struct object json = object_new();
    object_put(&json, "score", lines_value_to_json(record->metric[metric]));
    if (channel) {
        struct object channels = object_new();
        for (uint32_t c = 0; c < record->scored.channels; c++)
            object_put(&channels, contract_channel(record->scored.layout, c),
                       lines_value_to_json(channel[c]));
        object_put(&json, "channels", object_end(&channels));
    }
    if (metrics_of_mean_mse(metric)) object_real(&json, "mse", record->mse);
    return object_end(&json);
}

static json_t *metrics_to_json(struct fact_source fact)
{
    struct object json = object_new();
    for (int m = SSIMCU_METRIC_PSNR; m < SSIMCU_METRICS; m++)
        if (record_has(fact.record, m))
            object_put(&json, metrics_key(m), metric_to_json(fact.record, m));
    return object_end(&json);
}

/* ---- Reading back ---------------------------------------------------------------------------- */

/* Reads a value. JSON null is infinity, as PSNR may be, or NaN, as MS-SSIM of libvmaf may be. */
static bool value_from_json(const json_t *json, ssimcu_metric metric, double *value)
{
    const bool endless = isinf(metrics_best(metric)), none = json_is_null(json);
    *value = !none ? json_real_value(json) : endless ? INFINITY : NAN;
    if (none) return endless || metrics_may_be_nan(metric);
    return json_is_real(json) && *value <= metrics_best(metric) + LINES_BEYOND;
}

static bool metric_from_json(const json_t *json, ssimcu_metric metric, struct record *record)
{
    const json_t *channels = json_object_get(json, "channels"), *mse = json_object_get(json, "mse");
    double *channel = record->metric_channel[metric];
    bool good = value_from_json(json_object_get(json, "score"), metric, &record->metric[metric]);
    channel[0] = channel[1] = channel[2] = NAN;
    for (uint32_t c = 0; channels && c < record->scored.channels; c++)
        good = good && value_from_json(
                           json_object_get(channels, contract_channel(record->scored.layout, c)),
                           metric, &channel[c]);
    record->metrics |= 1u << metric;
    if (!metrics_of_mean_mse(metric)) return good;
    record->mse = json_real_value(mse);
    return good && json_is_real(mse) && record->mse >= 0;
}

static ssimcu_status metrics_from_json(struct fact_target fact)
{
    bool good = json_is_object(fact.value);
    for (int m = SSIMCU_METRIC_PSNR; m < SSIMCU_METRICS; m++) {
        const json_t *metric = json_object_get(fact.value, metrics_key(m));
        good = good && (!metric || metric_from_json(metric, m, fact.record));
    }
    return fact_read(good);
}

/* ---- The fact ------------------------------------------------------------------------------- */

static bool has_metrics(struct fact_source fact) { return fact.record->metrics != 0; }

static void put_values(FILE *to, const struct record *record, ssimcu_metric metric)
{
    const double *channel = record_metric_channels(record, metric);
    const bool has = record_has(record, metric);
    if (has && isnan(record_value(record, metric)))
        fputs("nan", to); /* a tool's NaN */
    else
        fact_put_value(to, record_value(record, metric));
    if (metrics_of_mean_mse(metric)) fputc(',', to);
    if (metrics_of_mean_mse(metric) && has) fact_put_value(to, record->mse);
    for (uint32_t c = 0; c < 3 && metrics_has_channels(metric); c++) {
        fputc(',', to);
        fact_put_value(to, channel && c < record->scored.channels ? channel[c] : NAN);
    }
}

static bool metrics_to_csv(FILE *to, struct fact_source fact)
{
    for (int m = SSIMCU_METRIC_PSNR; m < SSIMCU_METRICS; m++) {
        if (m > SSIMCU_METRIC_PSNR) fputc(',', to);
        put_values(to, fact.record, m);
    }
    return true;
}

const struct fact_kind fact_metrics = {.has = has_metrics,
                                       .to_json = metrics_to_json,
                                       .from_json = metrics_from_json,
                                       .to_csv = metrics_to_csv};
