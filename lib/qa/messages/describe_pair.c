/* Results that only a pair of pictures has. */
#include "messages/describe.h"

#include "base/json.h"
#include "delivery/picture_pair.h"
#include "lines/lines.h"
#include "record/compat.h"
#include "record/record.h"

/* Returns the L of SSIM's formula. */
static int peak_of(const struct delivery *delivery)
{
    const bool pu21 = delivery->options->light.transfer == SSIMCU_TRANSFER_PU21;
    if (delivery->pictures->pair.record->scored.bits == 0) return pu21 ? 256 : 1;
    return (1 << delivery->pictures->pair.record->scored.bits) - 1;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* Returns a side of the record, with members that only a pair has. */
static json_t *side_to_json(const json_t *record, const char *name, const struct picture_side *side)
{
    struct object json = object_new();
    object_text(&json, "format", side->format);
    object_count(&json, "channels", side->frame.channels);
    if (side->frame.bits >= SSIMCU_BITS_FLOAT) object_text(&json, "samples", "float");
    object_count(&json, "bits", side->frame.bits % SSIMCU_BITS_FLOAT);
    object_real(&json, "decode_ms", side->decode_ms);
    return object_join(json_object_get(record, name), object_end(&json));
}

static json_t *stages_to_json(const struct delivery *delivery)
{
    const ssimcu_stage_ms *ms = &delivery->pictures->score.ms;
    return json_pack("{sfsfsfsfsfsf}", "start", delivery->pictures->start_ms, "upload", ms->upload,
                     "planes", ms->planes, "ssim", ms->ssim, "reduce", ms->reduce, "download",
                     ms->download);
}

/* Facts that are known only if this run scored the pair. */
static void put_measured(struct object *json, const struct delivery *delivery, const json_t *record)
{
    object_count(json, "width", delivery->pictures->side[0].frame.width);
    object_count(json, "height", delivery->pictures->side[0].frame.height);
    object_put(json, "ref", side_to_json(record, "ref", &delivery->pictures->side[0]));
    object_put(json, "out", side_to_json(record, "out", &delivery->pictures->side[1]));
    object_path(json, "reason", delivery->pictures->reason);
    object_put(json, "ms", stages_to_json(delivery));
}

/* Puts the record's members first, as in every line of results, and then those that only a pair
 * has. */
static json_t *pair_to_json(const struct delivery *delivery)
{
    const struct header *header = &delivery->header;
    json_t *record = record_to_object(delivery->pictures->pair.record, "pair");
    struct object json = object_new();
    object_count(&json, "schema", CONTRACT_SCHEMA);
    object_text(&json, "ssimcu", ssimcu_version());
    object_put(&json, "contract", json_incref(header->contract));
    object_put(&json, "input", json_incref(header->input));
    object_put(&json, "device", json_incref(header->device));
    object_count(&json, "peak", peak_of(delivery));
    if (delivery->pictures->device) put_measured(&json, delivery, record);
    object_put(&json, "verdict", verdict_to_json(&delivery->verdict, &delivery->summary));
    json_t *joined = object_join(record, object_end(&json));
    json_decref(record);
    return joined;
}

char *describe_pair_json(const struct delivery *delivery)
{
    return json_to_text(pair_to_json(delivery), JSON_INDENT(2));
}

/* ---- Lines ----------------------------------------------------------------------------------- */

void describe_stages(const struct delivery *delivery, const struct line_sink *to)
{
    const ssimcu_stage_ms *ms = &delivery->pictures->score.ms;
    const struct record *record = delivery->pictures->pair.record;
    const ssimcu_settings *settings = &delivery->options->settings;
    const char *background = contract_backgrounds[record->scored.background];
    print_line(to, "backend %s: %s", delivery->pictures->device, delivery->pictures->reason);
    describe_compat(settings->compat, to);
    if (!compat_has(settings->compat, SSIMCU_METRIC_SSIM))
        print_line(to, "contract: full resolution, window 11x11 sigma 1.5, L %d, %s, %s%s%s",
                   peak_of(delivery), contract_pads[settings->pad],
                   contract_colors[settings->color], background ? ", over " : "",
                   background ? background : "");
    char tile[RECORD_TILE_TEXT], light[CONTRACT_LIGHT_TEXT];
    if (record->scored.light[0].known || record->scored.light[1].known)
        print_line(to, "linear light: %s; clamped: %.4f %% of REF, %.4f %% of OUT",
                   contract_light_text(&delivery->options->light, light),
                   100 * record->scored.light[0].clamped, 100 * record->scored.light[1].clamped);
    if (record->scored.light[0].outside > 0 || record->scored.light[1].outside > 0)
        print_line(to,
                   "outside the data window, where pixels are 0: %.4f %% of REF, %.4f %% of OUT",
                   100 * record->scored.light[0].outside, 100 * record->scored.light[1].outside);
    describe_pair_metrics(to, record);
    if (record->scored.tile.width > 0)
        print_line(to, "worst tile %s", record_tile_text(tile, &record->scored.tile));
    if (record->scored.level_shift.width > 0)
        print_line(
            to, "largest level shift %s",
            record_level_shift_text(tile, record->scored.layout, &record->scored.level_shift));
    if (record->learned.known)
        print_line(to, "nearest to its learned limits: %s",
                   record_learned_text(tile, record->scored.layout, &record->learned,
                                       record->learned_worst));
    print_line(to,
               "ms: decode %.1f (%s) and %.1f (%s) in parallel with start %.1f; upload %.3f, "
               "planes %.3f, ssim %.3f, reduce %.3f, download %.3f",
               delivery->pictures->side[0].decode_ms, delivery->pictures->side[0].reader,
               delivery->pictures->side[1].decode_ms, delivery->pictures->side[1].reader,
               delivery->pictures->start_ms, ms->upload, ms->planes, ms->ssim, ms->reduce,
               ms->download);
}
