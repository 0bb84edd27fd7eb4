/* The one table of what results tell of a record. A new fact is a row here. */
#include "facts/record.h"
#include "lines/fact.h"
#include "metric_table.h"

#include <stddef.h>

#define AT(field)                                                                                  \
    {                                                                                              \
        .at = offsetof(struct record, field)                                                       \
    }
#define PART(part, flag)                                                                           \
    {                                                                                              \
        .at = offsetof(struct record, part), .known = offsetof(struct record, part.flag)           \
    }
#define HAS(part, field)                                                                           \
    {                                                                                              \
        .at = offsetof(struct record, part.field), .known = offsetof(struct record, part.known)    \
    }
#define EACH(field)                                                                                \
    {                                                                                              \
        .at = offsetof(struct record, field[0]), .stride = sizeof((struct record *)0)->field[0]    \
    }
#define SIDES(part, field)                                                                         \
    {                                                                                              \
        .at = offsetof(struct record, part[0].field),                                              \
        .stride = sizeof((struct record *)0)->part[0],                                             \
        .known = offsetof(struct record, part[0].known)                                            \
    }

#define COLUMNS_OF(id, name, key, columns, ...) "," columns

static const char NO_MISSING[] = "the column message has it";
static const char NO_ASSUMED[] = "it is the same in every frame";
static const char NO_LOOK[] = "it is for a merge alone, which reads no CSV";

const struct fact record_facts[] = {
    {"frame", &fact_count, ALWAYS | NEEDED, AT(frame), 1, "frame"},
    {"part", &fact_text, ALWAYS, AT(part), 12, "part"},
    {"status", &fact_status, ALWAYS | NEEDED, AT(status), 2, "status"},
    {"score", &fact_score, IF_SCORED, AT(scored.score), 3, "score"},
    {"channels", &fact_channels, IF_SCORED, AT(scored.channel), 4,
     "channels,channel_1,channel_2,channel_3"},
    {"metrics", &fact_metrics, IF_SCORED, AT(metric), 22, &SSIMCU_OTHER_METRICS(COLUMNS_OF)[1]},
    {"ignored", &fact_ignored, IF_SCORED, AT(scored.ignored), 25,
     "ignored_tiles,ignored_of,ignored_crc,ignored_share"},
    {"tile", &fact_tile, IF_SCORED, PART(scored.tile, width), 10,
     "tile_score,tile_x,tile_y,tile_width,tile_height"},
    {"shift", &fact_shift, IF_SCORED, AT(scored.shift), 18,
     "shift_levels,shift_channel,shift_x,shift_y,shift_width,shift_height"},
    {"floor", &fact_floor, IF_SCORED, PART(floor, known), 19,
     "floor_rule,floor_excess,floor_channel,floor_x,floor_y,floor_width,floor_height"},
    {"floor.stale", &fact_stale, IF_SCORED, HAS(floor, stale), 21, "stale"},
    {"bits", &fact_bits, IF_SCORED | NEEDED, AT(scored.bits), 5, "bits"},
    {"background", &fact_background, IF_SCORED, AT(scored.background), 6, "background"},
    {"backend", &fact_backend, IF_SCORED | NEEDED, AT(scored.backend), 7, "backend"},
    {"decoded.%", &fact_decoder, IF_SCORED, EACH(by_nvdec), 26, "decoded_%"},
    {"light.%.clamped", &fact_share, IF_SCORED | NEEDED, SIDES(scored.light, clamped), 13,
     "clamped_%"},
    {"light.%.outside", &fact_share_if_any, IF_SCORED, SIDES(scored.light, outside), 27,
     "outside_%"},
    {"light.%.not_finite", &fact_count_if_any, IF_SCORED, SIDES(scored.light, not_finite), 14,
     "not_finite_%"},
    {"range.low", &fact_real, IF_SCORED | NEEDED, HAS(scored.range, low), 15, "range_low"},
    {"range.high", &fact_real, IF_SCORED | NEEDED, HAS(scored.range, high), 16, "range_high"},
    {"range.far", &fact_real, IF_SCORED | NEEDED, HAS(scored.range, far), 28, "range_far"},
    {"range.beyond", &fact_share_if_any, IF_SCORED, HAS(scored.range, beyond), 30, "range_beyond"},
    {"differing.share", &fact_share, IF_SCORED | NEEDED, HAS(scored.differing, share), 31,
     "differing_share"},
    {"differing.blob", &fact_count, IF_SCORED | NEEDED, HAS(scored.differing, blob), 32,
     "differing_blob"},
    {"differing.x", &fact_count, IF_SCORED | NEEDED, HAS(scored.differing, x), 33, "differing_x"},
    {"differing.y", &fact_count, IF_SCORED | NEEDED, HAS(scored.differing, y), 34, "differing_y"},
    {"differing.width", &fact_count, IF_SCORED | NEEDED, HAS(scored.differing, width), 35,
     "differing_width"},
    {"differing.height", &fact_count, IF_SCORED | NEEDED, HAS(scored.differing, height), 36,
     "differing_height"},
    {"not_compared", &fact_left, IF_SCORED | COLUMN_ALWAYS, AT(text[RECORD_LEFT]), 17,
     "not_compared"},
    {"assumed", &fact_text, IF_SCORED, AT(text[RECORD_ASSUMED]), 0, NO_ASSUMED},
    {"streams", &fact_text, ALWAYS, AT(text[RECORD_STREAMS]), 0, NO_ASSUMED},
    {"colours", &fact_text, IF_SCORED | COLUMN_ALWAYS, AT(text[RECORD_COLOURS]), 29, "colours"},
    {"missing", &fact_missing, IF_MISSING | NEEDED, AT(missing), 0, NO_MISSING},
    {"message", &fact_message, IF_FAILED | COLUMN_ALWAYS, AT(message), 9, "message"},
    {"coded.%.bytes", &fact_count, ALWAYS | NEEDED, SIDES(coded, bytes), 23, "bytes_%"},
    {"coded.%.time", &fact_real, ALWAYS, SIDES(coded, time), 24, "time_%"},
    {"hints", &fact_hints, ALWAYS, AT(scored.hints), 11, "hints"},
    {"%", &fact_side, ALWAYS | NEEDED, EACH(side), 8, "%"},
    {"variant", &fact_side_if_any, ALWAYS, AT(variant), 20, "variant"},
    {"look", &fact_text, ALWAYS, AT(text[RECORD_LOOK]), 0, NO_LOOK},
    {0}};

int fact_places(const struct fact *fact) { return fact->place.stride > 0 ? 2 : 1; }

struct telling fact_of(const struct fact *fact, const struct record *record, int side)
{
    const size_t at = fact->place.at + (size_t)side * fact->place.stride;
    return (struct telling){record, (const char *)record + at};
}

/* Returns whether it is known; `kind`: the record is of a kind that has it. */
static bool is_known(const struct fact *fact, const struct record *record, int side, bool kind)
{
    const size_t flag = fact->place.known + (size_t)side * fact->place.stride;
    return kind && (fact->place.known == 0 || *(const uint32_t *)((const char *)record + flag));
}

static bool has(const struct fact *fact, const struct record *record, int side)
{
    return !fact->kind->has || fact->kind->has(fact_of(fact, record, side));
}

bool fact_in_json(const struct fact *fact, const struct record *record, int side)
{
    return fact->kind->to_json && is_known(fact, record, side, fact->when >> record->kind & 1) &&
           has(fact, record, side);
}

bool fact_in_csv(const struct fact *fact, const struct record *record, int side)
{
    const bool kind = fact->when & COLUMN_ALWAYS || fact->when >> record->kind & 1;
    return is_known(fact, record, side, kind) &&
           (fact->kind->zero_column || has(fact, record, side));
}
