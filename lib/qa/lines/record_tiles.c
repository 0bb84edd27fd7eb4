/* What the tiles of a record tell, as JSON, and back: the worst, the most shifted, and the one that
 * is furthest beyond its floor. */
#include "base/json.h"
#include "base/object.h"
#include "facts/record.h"
#include "lines/fact.h"

#include <math.h>
#include <string.h>

static void add_place(struct object *json, uint32_t x, uint32_t y, uint32_t width, uint32_t height)
{
    object_count(json, "x", x);
    object_count(json, "y", y);
    object_count(json, "width", width);
    object_count(json, "height", height);
}

json_t *record_tile_to_json(const ssimcu_tile *tile)
{
    struct object json = object_new();
    object_real(&json, "score", tile->score);
    add_place(&json, tile->x, tile->y, tile->width, tile->height);
    return object_end(&json);
}

json_t *record_shift_to_json(const char *layout, const ssimcu_tile_shift *shift)
{
    struct object json = object_new();
    object_real(&json, "levels", shift->levels);
    object_text(&json, "channel", contract_channel(layout, shift->channel));
    add_place(&json, shift->x, shift->y, shift->width, shift->height);
    return object_end(&json);
}

json_t *record_floor_to_json(const char *layout, const struct floor_excess *floor,
                             enum floor_rule worst)
{
    const struct floor_place *place = &floor->place[worst];
    struct object json = object_new();
    for (int r = 0; r < FLOOR_RULES; r++) object_real(&json, floor_rule_names[r], floor->z[r]);
    object_text(&json, "worst", floor_rule_names[worst]);
    if (floor->stale) object_bool(&json, "stale", true);
    if (place->width == 0) return object_end(&json);
    add_place(&json, place->x, place->y, place->width, place->height);
    if (floor_has_channel(worst))
        object_text(&json, "channel", contract_channel(layout, place->channel));
    return object_end(&json);
}

/* ---- Reading back ---------------------------------------------------------------------------- */

/* Reads a score. Apart from rounding it lies in [-1, 1]; any other was written by hand, or a disk
 * has lost its bits. */
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

static bool place_from_json(const json_t *json, uint32_t *x, uint32_t *y, uint32_t *width,
                            uint32_t *height)
{
    return lines_whole(json_object_get(json, "x"), x) &&
           lines_whole(json_object_get(json, "y"), y) &&
           lines_whole(json_object_get(json, "width"), width) &&
           lines_whole(json_object_get(json, "height"), height);
}

static ssimcu_status tile_from_json(struct reading fact)
{
    ssimcu_tile *tile = fact.at;
    return fact_read(lines_score(json_object_get(fact.value, "score"), &tile->score) &&
                     place_from_json(fact.value, &tile->x, &tile->y, &tile->width, &tile->height));
}

/* Reads the name of a channel. The record's layout and channels are known. */
static bool channel_from_json(const json_t *json, const struct record *record, uint32_t *channel)
{
    const char *name = json_string_value(json_object_get(json, "channel"));
    *channel = 0;
    const uint32_t channels =
        record->scored.channels > 0 ? record->scored.channels : 3; /* RGB without scores */
    while (name && *channel < channels &&
           strcmp(name, contract_channel(record->scored.layout, *channel)) != 0)
        ++*channel;
    return name && *channel < channels;
}

static ssimcu_status ignored_from_json(struct reading fact)
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

static ssimcu_status shift_from_json(struct reading fact)
{
    ssimcu_tile_shift *shift = fact.at;
    const json_t *levels = json_object_get(fact.value, "levels");
    shift->levels = json_real_value(levels);
    return fact_read(
        json_is_real(levels) && channel_from_json(fact.value, fact.record, &shift->channel) &&
        place_from_json(fact.value, &shift->x, &shift->y, &shift->width, &shift->height));
}

/* Reads how far the frame is beyond its floors. Only the worst rule has a place, if any. */
static ssimcu_status floor_from_json(struct reading fact)
{
    struct floor_excess *floor = fact.at;
    const char *worst = json_string_value(json_object_get(fact.value, "worst"));
    int rule = 0;
    for (int r = 0; r < FLOOR_RULES; r++) {
        const json_t *z = json_object_get(fact.value, floor_rule_names[r]);
        if (!json_is_real(z)) return SSIMCU_ERROR_DATA;
        floor->z[r] = json_real_value(z);
    }
    while (worst && rule < FLOOR_RULES && strcmp(worst, floor_rule_names[rule]) != 0) rule++;
    if (!worst || rule == FLOOR_RULES) return SSIMCU_ERROR_DATA;
    struct floor_place *place = &floor->place[rule];
    floor->stale = json_is_true(json_object_get(fact.value, "stale"));
    fact.record->floor_worst = (enum floor_rule)rule;
    if (!json_object_get(fact.value, "width")) return SSIMCU_OK;
    return fact_read(
        place_from_json(fact.value, &place->x, &place->y, &place->width, &place->height) &&
        (!floor_has_channel(fact.record->floor_worst) ||
         channel_from_json(fact.value, fact.record, &place->channel)));
}

/* ---- The facts ------------------------------------------------------------------------------- */

static json_t *tile_to_json(struct telling fact)
{
    return record_tile_to_json(&fact.record->scored.tile);
}

const struct fact_kind fact_tile = {.to_json = tile_to_json, .from_json = tile_from_json};

static bool has_ignored(struct telling fact) { return fact.record->scored.ignored.tiles > 0; }

static json_t *ignored_to_json(struct telling fact)
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

static bool has_shift(struct telling fact) { return fact.record->scored.shift.width > 0; }

static json_t *shift_to_json(struct telling fact)
{
    return record_shift_to_json(fact.record->scored.layout, &fact.record->scored.shift);
}

const struct fact_kind fact_shift = {
    .has = has_shift, .to_json = shift_to_json, .from_json = shift_from_json};

static json_t *floor_to_json(struct telling fact)
{
    return record_floor_to_json(fact.record->scored.layout, &fact.record->floor,
                                fact.record->floor_worst);
}

static bool floor_to_csv(FILE *to, struct telling fact)
{
    const enum floor_rule worst = fact.record->floor_worst;
    const struct floor_place *place = &fact.record->floor.place[worst];
    fprintf(to, "%s,%.*g,%s,%u,%u,%u,%u", floor_rule_names[worst], JSON_DIGITS,
            fact.record->floor.z[worst],
            floor_has_channel(worst) ? contract_channel(fact.record->scored.layout, place->channel)
                                     : "",
            place->x, place->y, place->width, place->height);
    return true;
}

const struct fact_kind fact_floor = {
    .to_json = floor_to_json, .from_json = floor_from_json, .to_csv = floor_to_csv};

static bool stale_to_csv(FILE *to, struct telling fact)
{
    fputc(fact.record->floor.stale ? '1' : '0', to);
    return true;
}

/* The JSON of the floor has it. */
const struct fact_kind fact_stale = {.to_csv = stale_to_csv};
