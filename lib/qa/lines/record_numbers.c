/* Numbers of a record. */
#include "facts/record.h"
#include "lines/fact.h"

#include <math.h>
#include <string.h>

/* ---- Counts: whole numbers of 64 bits -------------------------------------------------------- */

static json_t *count_to_json(struct telling fact)
{
    return json_integer(*(const int64_t *)fact.at);
}

static ssimcu_status count_from_json(struct reading fact)
{
    *(int64_t *)fact.at = json_integer_value(fact.value);
    return fact_read(json_is_integer(fact.value) && *(int64_t *)fact.at >= 0);
}

static bool has_count(struct telling fact) { return *(const int64_t *)fact.at > 0; }

const struct fact_kind fact_count = {.to_json = count_to_json, .from_json = count_from_json};
const struct fact_kind fact_count_if_any = {
    .has = has_count, .zero_column = true, .to_json = count_to_json, .from_json = count_from_json};

/* ---- Bits of a sample ------------------------------------------------------------------------ */

static json_t *bits_to_json(struct telling fact) { return json_integer(fact.record->scored.bits); }

static ssimcu_status bits_from_json(struct reading fact)
{
    return fact_read(lines_whole(fact.value, &fact.record->scored.bits));
}

const struct fact_kind fact_bits = {.to_json = bits_to_json, .from_json = bits_from_json};

/* ---- Reals; NaN is not known ----------------------------------------------------------------- */

static bool has_real(struct telling fact) { return !isnan(*(const double *)fact.at); }

static json_t *real_to_json(struct telling fact) { return json_real(*(const double *)fact.at); }

static ssimcu_status real_from_json(struct reading fact)
{
    *(double *)fact.at = json_real_value(fact.value);
    return fact_read(json_is_real(fact.value));
}

static bool has_share(struct telling fact) { return *(const double *)fact.at > 0; }

static ssimcu_status share_from_json(struct reading fact)
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

static bool has_ssim(struct telling fact) { return record_has(fact.record, SSIMCU_METRIC_SSIM); }

static ssimcu_status score_from_json(struct reading fact)
{
    return fact_read(lines_score(fact.value, fact.at));
}

const struct fact_kind fact_score = {
    .has = has_ssim, .to_json = real_to_json, .from_json = score_from_json};

static json_t *channels_to_json(struct telling fact)
{
    return contract_channels_to_json(fact.record->scored.layout, fact.record->scored.channels,
                                     fact.record->scored.channel);
}

/* Returns the layout that has these channels; NULL: none. */
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

static ssimcu_status channels_from_json(struct reading fact)
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

static bool channels_to_csv(FILE *to, struct telling fact)
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
