/* What the tiles of a record tell, as JSON, and back: the worst, the most shifted, and the one that
 * is furthest beyond its floor. */
#include "base/json.h"
#include "base/object.h"
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

json_t *record_tile_to_json(const struct record_tile *tile)
{
    struct object json = object_new();
    object_real(&json, "score", tile->score);
    add_place(&json, tile->x, tile->y, tile->width, tile->height);
    return object_end(&json);
}

json_t *record_ignored_to_json(const struct record_ignored *ignored)
{
    struct object json = object_new();
    object_count(&json, "tiles", ignored->tiles);
    object_count(&json, "of", ignored->all);
    object_real(&json, "share", ignored->share);
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
    if (record_floor_has_channel(worst))
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

bool record_tile_from_json(const json_t *json, struct record_tile *tile)
{
    if (!json) return true;
    tile->known = true;
    return lines_score(json_object_get(json, "score"), &tile->score) &&
           place_from_json(json, &tile->x, &tile->y, &tile->width, &tile->height);
}

/* Reads the name of a channel. The record's layout and channels are known. */
static bool channel_from_json(const json_t *json, const struct record *record, uint32_t *channel)
{
    const char *name = json_string_value(json_object_get(json, "channel"));
    *channel = 0;
    const uint32_t channels = record->channels > 0 ? record->channels : 3; /* RGB without scores */
    while (name && *channel < channels &&
           strcmp(name, contract_channel(record->layout, *channel)) != 0)
        ++*channel;
    return name && *channel < channels;
}

bool record_ignored_from_json(const json_t *json, struct record_ignored *ignored)
{
    const json_t *share = json_object_get(json, "share");
    if (!json) return true;
    ignored->share = json_real_value(share);
    return lines_whole(json_object_get(json, "tiles"), &ignored->tiles) &&
           lines_whole(json_object_get(json, "of"), &ignored->all) && ignored->tiles > 0 &&
           ignored->tiles < ignored->all && json_is_real(share) && ignored->share > 0 &&
           ignored->share <= 1;
}

bool record_shift_from_json(const json_t *json, struct record *record)
{
    ssimcu_tile_shift *shift = &record->shift;
    const json_t *levels = json_object_get(json, "levels");
    if (!json) return true;
    shift->levels = json_real_value(levels);
    return json_is_real(levels) && channel_from_json(json, record, &shift->channel) &&
           place_from_json(json, &shift->x, &shift->y, &shift->width, &shift->height);
}

/* Reads how far the frame is beyond its floors. Only the worst rule has a place, if any. */
bool record_floor_from_json(const json_t *json, struct record *record)
{
    struct floor_excess *floor = &record->floor;
    const char *worst = json_string_value(json_object_get(json, "worst"));
    int rule = 0;
    if (!json) return true;
    for (int r = 0; r < FLOOR_RULES; r++) {
        const json_t *z = json_object_get(json, floor_rule_names[r]);
        if (!json_is_real(z)) return false;
        floor->z[r] = json_real_value(z);
    }
    while (worst && rule < FLOOR_RULES && strcmp(worst, floor_rule_names[rule]) != 0) rule++;
    if (!worst || rule == FLOOR_RULES) return false;
    struct floor_place *place = &floor->place[rule];
    floor->known = true;
    floor->stale = json_is_true(json_object_get(json, "stale"));
    record->floor_worst = (enum floor_rule)rule;
    if (!json_object_get(json, "width")) return true;
    return place_from_json(json, &place->x, &place->y, &place->width, &place->height) &&
           (!record_floor_has_channel(record->floor_worst) ||
            channel_from_json(json, record, &place->channel));
}

/* ---- The facts ------------------------------------------------------------------------------- */

static ssimcu_status good(bool is_good) { return is_good ? SSIMCU_OK : SSIMCU_ERROR_DATA; }

static json_t *tile_to_json(struct telling fact) { return record_tile_to_json(&fact.record->tile); }

static ssimcu_status tile_from_json(struct reading fact)
{
    return good(record_tile_from_json(fact.value, &fact.record->tile));
}

static bool tile_to_csv(FILE *to, struct telling fact)
{
    const struct record_tile *tile = &fact.record->tile;
    fprintf(to, "%.*g,%u,%u,%u,%u", JSON_DIGITS, tile->score, tile->x, tile->y, tile->width,
            tile->height);
    return true;
}

const struct fact_kind fact_tile = {NULL, false, tile_to_json, tile_from_json, tile_to_csv};

static bool has_ignored(struct telling fact) { return fact.record->ignored.tiles > 0; }

static json_t *ignored_to_json(struct telling fact)
{
    return record_ignored_to_json(&fact.record->ignored);
}

static ssimcu_status ignored_from_json(struct reading fact)
{
    return good(record_ignored_from_json(fact.value, &fact.record->ignored));
}

static bool ignored_to_csv(FILE *to, struct telling fact)
{
    const struct record_ignored *ignored = &fact.record->ignored;
    fprintf(to, "%u,%u,%.*g", ignored->tiles, ignored->all, JSON_DIGITS, ignored->share);
    return true;
}

const struct fact_kind fact_ignored = {has_ignored, false, ignored_to_json, ignored_from_json,
                                       ignored_to_csv};

static bool has_shift(struct telling fact) { return fact.record->shift.width > 0; }

static json_t *shift_to_json(struct telling fact)
{
    return record_shift_to_json(fact.record->layout, &fact.record->shift);
}

static ssimcu_status shift_from_json(struct reading fact)
{
    return good(record_shift_from_json(fact.value, fact.record));
}

static bool shift_to_csv(FILE *to, struct telling fact)
{
    const ssimcu_tile_shift *shift = &fact.record->shift;
    fprintf(to, "%.*g,%s,%u,%u,%u,%u", JSON_DIGITS, shift->levels,
            contract_channel(fact.record->layout, shift->channel), shift->x, shift->y, shift->width,
            shift->height);
    return true;
}

const struct fact_kind fact_shift = {has_shift, false, shift_to_json, shift_from_json,
                                     shift_to_csv};

static json_t *floor_to_json(struct telling fact)
{
    return record_floor_to_json(fact.record->layout, &fact.record->floor, fact.record->floor_worst);
}

static ssimcu_status floor_from_json(struct reading fact)
{
    return good(record_floor_from_json(fact.value, fact.record));
}

static bool floor_to_csv(FILE *to, struct telling fact)
{
    const enum floor_rule worst = fact.record->floor_worst;
    const struct floor_place *place = &fact.record->floor.place[worst];
    fprintf(to, "%s,%.*g,%s,%u,%u,%u,%u", floor_rule_names[worst], JSON_DIGITS,
            fact.record->floor.z[worst],
            record_floor_has_channel(worst) ? contract_channel(fact.record->layout, place->channel)
                                            : "",
            place->x, place->y, place->width, place->height);
    return true;
}

const struct fact_kind fact_floor = {NULL, false, floor_to_json, floor_from_json, floor_to_csv};

static bool stale_to_csv(FILE *to, struct telling fact)
{
    fputc(fact.record->floor.stale ? '1' : '0', to);
    return true;
}

/* The JSON of the floor has it. */
const struct fact_kind fact_stale = {NULL, false, NULL, NULL, stale_to_csv};
