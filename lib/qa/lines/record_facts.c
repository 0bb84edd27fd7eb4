/* The one table of a record's facts in results. A new fact is a row here. */
#include "lines/fact.h"
#include "metric_table.h"
#include "record/record.h"

#include <stddef.h>

#define AT(field)                                                                                  \
    {                                                                                              \
        .at = offsetof(struct record, field)                                                       \
    }
#define PART(member, flag)                                                                         \
    {                                                                                              \
        .at = offsetof(struct record, member), .known = offsetof(struct record, member.flag)       \
    }
#define HAS(member, field)                                                                         \
    {                                                                                              \
        .at = offsetof(struct record, member.field),                                               \
        .known = offsetof(struct record, member.known)                                             \
    }
#define EACH(field)                                                                                \
    {                                                                                              \
        .at = offsetof(struct record, field[0]), .stride = sizeof((struct record *)0)->field[0]    \
    }
#define SIDES(member, field)                                                                       \
    {                                                                                              \
        .at = offsetof(struct record, member[0].field),                                            \
        .stride = sizeof((struct record *)0)->member[0],                                           \
        .known = offsetof(struct record, member[0].known)                                          \
    }

#define COLUMNS_OF(id, name, key, columns, ...) "," columns

static const char NO_MISSING[] = "the column message has it";
static const char NO_ASSUMED[] = "it is the same in every frame";
static const char NO_LAYER[] = "the column shot has it";
static const char NO_LAST[] = "it is for a check that is resumed, which reads no CSV";
static const char NO_PENDING_HINTS[] = "only a merge reads it, and a merge reads no CSV";

const struct fact record_facts[] = {
    {"frame", &fact_frame, ALWAYS | NEEDED, AT(frame), 1, "frame"},
    {"shot", &fact_text, ALWAYS, AT(shot), 12, "shot"},
    {"layer", &fact_text, ALWAYS, AT(text[RECORD_LAYER]), 0, NO_LAYER},
    {"status", &fact_status, ALWAYS | NEEDED, AT(status), 2, "status"},
    {"score", &fact_score, IF_SCORED, AT(scored.score), 3, "score"},
    {"channels", &fact_channels, IF_SCORED, AT(scored.channel), 4,
     "channels,channel_1,channel_2,channel_3"},
    {"metrics", &fact_metrics, IF_SCORED, AT(metric), 22, &SSIMCU_OTHER_METRICS(COLUMNS_OF)[1]},
    {"ignored", &fact_ignored, IF_SCORED, AT(scored.ignored), 25,
     "ignored_tiles,ignored_of,ignored_crc,ignored_share"},
    {"tile", &fact_tile, IF_SCORED, PART(scored.tile, width), 10,
     "tile_score,tile_x,tile_y,tile_width,tile_height"},
    {"level_shift", &fact_level_shift, IF_SCORED, AT(scored.level_shift), 18,
     "level_shift_levels,level_shift_channel,level_shift_x,level_shift_y,level_shift_width,"
     "level_shift_height"},
    {"learned", &fact_learned, IF_SCORED, PART(learned, known), 19,
     "learned_rule,learned_excess,learned_channel,learned_x,learned_y,learned_width,learned_"
     "height"},
    {"learned.stale", &fact_stale, IF_SCORED, HAS(learned, stale), 21, "stale"},
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
    {"diff.ratio", &fact_share, IF_SCORED | NEEDED, HAS(scored.diff, ratio), 31, "diff_ratio"},
    {"diff.cluster", &fact_count, IF_SCORED | NEEDED, HAS(scored.diff, cluster), 32,
     "diff_cluster"},
    {"diff.x", &fact_count, IF_SCORED | NEEDED, HAS(scored.diff, x), 33, "diff_x"},
    {"diff.y", &fact_count, IF_SCORED | NEEDED, HAS(scored.diff, y), 34, "diff_y"},
    {"diff.width", &fact_count, IF_SCORED | NEEDED, HAS(scored.diff, width), 35, "diff_width"},
    {"diff.height", &fact_count, IF_SCORED | NEEDED, HAS(scored.diff, height), 36, "diff_height"},
    {"not_compared", &fact_left, IF_SCORED | IF_CHECKED | COLUMN_ALWAYS, AT(text[RECORD_LEFT]), 17,
     "not_compared"},
    {"assumed", &fact_text, IF_SCORED, AT(text[RECORD_ASSUMED]), 0, NO_ASSUMED},
    {"streams", &fact_text, ALWAYS, AT(text[RECORD_STREAMS]), 0, NO_ASSUMED},
    {"colours", &fact_text, IF_SCORED | COLUMN_ALWAYS, AT(text[RECORD_COLOURS]), 29, "colours"},
    {"missing", &fact_missing, IF_MISSING | NEEDED, AT(missing), 0, NO_MISSING},
    {"message", &fact_message, IF_FAILED | COLUMN_ALWAYS, AT(message), 9, "message"},
    {"coded.%.bytes", &fact_count, ALWAYS | NEEDED, SIDES(coded, bytes), 23, "bytes_%"},
    {"coded.%.time", &fact_real, ALWAYS, SIDES(coded, time), 24, "time_%"},
    {"%", &fact_side, ALWAYS | NEEDED, EACH(side), 8, "%"},
    {"variant", &fact_side_if_any, ALWAYS, AT(variant), 20, "variant"},
    {"findings", &fact_findings, ALWAYS, AT(findings), 11, "fails,findings"},
    {"last", &fact_flag, ALWAYS, AT(last), 0, NO_LAST},
    {"pending_hints", &fact_text, ALWAYS, AT(text[RECORD_PENDING_HINTS]), 0, NO_PENDING_HINTS},
    {0}};

int fact_places(const struct fact *fact) { return fact->place.stride > 0 ? 2 : 1; }

struct fact_source fact_of(const struct fact *fact, const struct record *record, int side)
{
    const size_t at = fact->place.at + (size_t)side * fact->place.stride;
    return (struct fact_source){record, (const char *)record + at};
}

/* Returns whether the fact is known. `kind`: the record's kind has it. */
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
