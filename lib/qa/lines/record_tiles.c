/* The tiles of a record as JSON, and back: the worst, the one with the largest level shift, and the
 * one furthest over its learned limits. */
#include "lines/fact.h"
#include "record/record.h"

#include <math.h>
#include <string.h>

void fact_put_place(struct object *json, struct finding_place place)
{
    object_count(json, "x", place.x);
    object_count(json, "y", place.y);
    object_count(json, "width", place.width);
    object_count(json, "height", place.height);
}

json_t *record_tile_to_json(const ssimcu_tile *tile)
{
    struct object json = object_new();
    object_real(&json, "score", tile->score);
    fact_put_place(&json, (struct finding_place){tile->x, tile->y, tile->width, tile->height});
    return object_end(&json);
}

/* ---- Reading back ---------------------------------------------------------------------------- */

/* Reads a score. Except for rounding, it is in [-1, 1]. Otherwise someone edited the file, or it is
 * damaged. */
bool lines_score(const json_t *json, double *score)
{
    *score = json_real_value(json);
    return json_is_real(json) && fabs(*score) <= 1 + LINES_BEYOND;
}

bool lines_whole(const json_t *json, uint32_t *value)
{
    const json_int_t number = json_integer_value(json);
    *value = (uint32_t)number;
    return json_is_integer(json) && number >= 0 && number <= UINT32_MAX;
}

bool fact_read_place(const json_t *json, uint32_t *x, uint32_t *y, uint32_t *width,
                     uint32_t *height)
{
    return lines_whole(json_object_get(json, "x"), x) &&
           lines_whole(json_object_get(json, "y"), y) &&
           lines_whole(json_object_get(json, "width"), width) &&
           lines_whole(json_object_get(json, "height"), height);
}

static ssimcu_status tile_from_json(struct fact_target fact)
{
    ssimcu_tile *tile = fact.at;
    return fact_read(lines_score(json_object_get(fact.value, "score"), &tile->score) &&
                     fact_read_place(fact.value, &tile->x, &tile->y, &tile->width, &tile->height));
}

/* Reads the name of a channel. The record's layout and channels must have been read. */
static bool channel_from_json(const json_t *json, const struct record *record, uint32_t *channel)
{
    const char *name = json_text(json, "channel");
    *channel = 0;
    const uint32_t channels =
        record->scored.channels > 0 ? record->scored.channels : 3; /* RGB without scores */
    while (name && *channel < channels &&
           strcmp(name, contract_channel(record->scored.layout, *channel)) != 0)
        ++*channel;
    return name && *channel < channels;
}

static ssimcu_status ignored_from_json(struct fact_target fact)
{
    ssimcu_ignored *ignored = fact.at;
    const json_t *share = json_object_get(fact.value, "share");
    ignored->share = json_real_value(share);
    return fact_read(lines_whole(json_object_get(fact.value, "tiles"), &ignored->tiles) &&
                     lines_whole(json_object_get(fact.value, "of"), &ignored->all) &&
                     lines_whole(json_object_get(fact.value, "crc"), &ignored->crc) &&
                     ignored->tiles > 0 && ignored->tiles < ignored->all && json_is_real(share) &&
                     ignored->share > 0 && ignored->share <= 1);
}

static ssimcu_status shift_from_json(struct fact_target fact)
{
    ssimcu_level_shift *shift = fact.at;
    const json_t *levels = json_object_get(fact.value, "levels");
    shift->levels = json_real_value(levels);
    return fact_read(
        json_is_real(levels) && channel_from_json(fact.value, fact.record, &shift->channel) &&
        fact_read_place(fact.value, &shift->x, &shift->y, &shift->width, &shift->height));
}

/* Reads how far the frame is over its learned limits. At most the worst rule has a place. */
static ssimcu_status learned_from_json(struct fact_target fact)
{
    struct learned_excess *learned = fact.at;
    const char *worst = json_text(fact.value, "worst");
    int rule = 0;
    for (int r = 0; r < LEARNED_RULES; r++) {
        const json_t *z = json_object_get(fact.value, learned_rule_names[r]);
        if (!json_is_real(z)) return SSIMCU_ERROR_DATA;
        learned->z[r] = json_real_value(z);
    }
    while (worst && rule < LEARNED_RULES && strcmp(worst, learned_rule_names[rule]) != 0) rule++;
    if (!worst || rule == LEARNED_RULES) return SSIMCU_ERROR_DATA;
    struct learned_place *place = &learned->place[rule];
    learned->stale = json_is_true(json_object_get(fact.value, "stale"));
    fact.record->learned_worst = (enum learned_rule)rule;
    if (!json_object_get(fact.value, "width")) return SSIMCU_OK;
    return fact_read(
        fact_read_place(fact.value, &place->x, &place->y, &place->width, &place->height) &&
        (!learned_has_channel(fact.record->learned_worst) ||
         channel_from_json(fact.value, fact.record, &place->channel)));
}

/* ---- The facts ------------------------------------------------------------------------------- */

static json_t *tile_to_json(struct fact_source fact) { return record_tile_to_json(fact.at); }

const struct fact_kind fact_tile = {.to_json = tile_to_json, .from_json = tile_from_json};

static bool has_ignored(struct fact_source fact) { return fact.record->scored.ignored.tiles > 0; }

static json_t *ignored_to_json(struct fact_source fact)
{
    const ssimcu_ignored *ignored = fact.at;
    struct object json = object_new();
    object_count(&json, "tiles", ignored->tiles);
    object_count(&json, "of", ignored->all);
    object_count(&json, "crc", ignored->crc);
    object_real(&json, "share", ignored->share);
    return object_end(&json);
}

const struct fact_kind fact_ignored = {
    .has = has_ignored, .to_json = ignored_to_json, .from_json = ignored_from_json};

static bool has_shift(struct fact_source fact) { return fact.record->scored.level_shift.width > 0; }

static json_t *shift_to_json(struct fact_source fact)
{
    const ssimcu_level_shift *shift = fact.at;
    struct object json = object_new();
    object_real(&json, "levels", shift->levels);
    object_text(&json, "channel", contract_channel(fact.record->scored.layout, shift->channel));
    fact_put_place(&json, (struct finding_place){shift->x, shift->y, shift->width, shift->height});
    return object_end(&json);
}

const struct fact_kind fact_level_shift = {
    .has = has_shift, .to_json = shift_to_json, .from_json = shift_from_json};

static json_t *learned_to_json(struct fact_source fact)
{
    const struct learned_excess *learned = fact.at;
    const enum learned_rule worst = fact.record->learned_worst;
    const struct learned_place *place = &learned->place[worst];
    struct object json = object_new();
    for (int r = 0; r < LEARNED_RULES; r++)
        object_real(&json, learned_rule_names[r], learned->z[r]);
    object_text(&json, "worst", learned_rule_names[worst]);
    if (learned->stale) object_bool(&json, "stale", true);
    if (place->width == 0) return object_end(&json);
    fact_put_place(&json, (struct finding_place){place->x, place->y, place->width, place->height});
    if (learned_has_channel(worst))
        object_text(&json, "channel", contract_channel(fact.record->scored.layout, place->channel));
    return object_end(&json);
}

static bool learned_to_csv(FILE *to, struct fact_source fact)
{
    const enum learned_rule worst = fact.record->learned_worst;
    const struct learned_place *place = &fact.record->learned.place[worst];
    fprintf(to, "%s,%.*g,%s,%u,%u,%u,%u", learned_rule_names[worst], JSON_DIGITS,
            fact.record->learned.z[worst],
            learned_has_channel(worst)
                ? contract_channel(fact.record->scored.layout, place->channel)
                : "",
            place->x, place->y, place->width, place->height);
    return true;
}

const struct fact_kind fact_learned = {
    .to_json = learned_to_json, .from_json = learned_from_json, .to_csv = learned_to_csv};

static bool stale_to_csv(FILE *to, struct fact_source fact)
{
    fputc(fact.record->learned.stale ? '1' : '0', to);
    return true;
}

/* Part of the JSON of the learned limit. */
const struct fact_kind fact_stale = {.to_csv = stale_to_csv};
