#include "record/finding.h"

#include "base/refuse.h"
#include "base/results.h"
#include "metric_table.h"
#include "record/record.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BELOW_2 (2 - DBL_EPSILON) /* the largest number below 2 */

/* Traits of limits: one whose name in limits files is that in results, and one that is a
 * maximum. */
#define NAMED(name_, option_) .name = name_, .option = option_, .in_file = name_
#define OVER(most_, expected_) .over = true, .most = most_, .expected = expected_

/* The lowest value of a frame, for a metric other than SSIM. */
#define FRAME_OF(id, option_name, key, columns, article, words, ...)                               \
    [FINDING_OF_METRIC(SSIMCU_METRIC_##id)] = {.name = "min_frame_" key,                           \
                                               .option = "--min-frame " option_name,               \
                                               .in_file = "min_frame " option_name,                \
                                               .metric = SSIMCU_METRIC_##id,                       \
                                               .noun = (option_name),                              \
                                               .title = (words),                                   \
                                               .unjudged = "without " option_name,                 \
                                               .frames = "have " article " " words " below",       \
                                               .pair = words " is below"},

/* The numbers of limits that are not of a metric. */
static double tile_score(const struct record *record) { return record->scored.tile.score; }

static double level_shift(const struct record *record)
{
    return fabs(record->scored.level_shift.levels);
}

static double diff_ratio(const struct record *record) { return record->scored.diff.ratio; }

static double diff_cluster(const struct record *record)
{
    return (double)record->scored.diff.cluster;
}

#ifdef SSIMCU_TEST_ROWS
static void find_test(const struct record *record, struct findings *findings)
{
    const struct finding_place place = {1, 2, 4, 8};
    if (record->kind == RECORD_SCORED || record->kind == RECORD_CHECKED)
        (void)findings_add(findings, FINDING_TEST, place, 7, "seven of a test build");
}
#endif

/* Any other kind. */
#define FINDING(id, name_, ...) [FINDING_##id] = {.name = (name_), __VA_ARGS__},

static const struct finding_row ROWS[FINDING_KINDS] = {
    [SSIMCU_LIMIT_MIN_FRAME] = {NAMED("min_frame", "--min-frame"), .noun = "score",
                                .title = "score", .unjudged = "without ssim",
                                .frames = "score below", .pair = "The score is below"},
    [SSIMCU_LIMIT_MIN_TILE] = {NAMED("min_tile", "--min-tile"), .of = FINDING_OF_TILE,
                               .number = tile_score, .noun = "tile", .title = "worst tile",
                               .extreme = "lowest", .unjudged = "without tiles",
                               .frames = "have a tile below", .pair = "The worst tile is below"},
    [SSIMCU_LIMIT_MAX_DROP] = {NAMED("max_drop", "--max-drop"), .drop = true,
                               OVER(BELOW_2, "a number from 0, below 2"), .noun = "score",
                               .title = "score", .unjudged = "not in the baseline",
                               .frames = "dropped by more than", .pair = "The drop is more than"},
    [SSIMCU_LIMIT_MAX_TILE_DROP] = {NAMED("max_tile_drop", "--max-tile-drop"),
                                    .of = FINDING_OF_TILE, .number = tile_score, .drop = true,
                                    OVER(BELOW_2, "a number from 0, below 2"), .noun = "tile",
                                    .title = "worst tile",
                                    .unjudged = "without a tile in the baseline",
                                    .frames = "have a worst tile that dropped by more than",
                                    .pair = "The drop of the worst tile is more than"},
    [SSIMCU_LIMIT_MAX_LEVEL_SHIFT] = {NAMED("max_level_shift", "--max-level-shift"),
                                      .of = FINDING_OF_LEVEL_SHIFT, .number = level_shift,
                                      OVER(255, "a number from 0 to 255"), .noun = "level shift",
                                      .title = "largest level shift", .extreme = "largest",
                                      .unjudged = "without a level shift",
                                      .frames = "have a level shift over",
                                      .pair = "The largest level shift is more than"},
    [SSIMCU_LIMIT_MAX_DIFF_RATIO] = {NAMED("max_diff_ratio", "--max-diff-ratio"),
                                     .of = FINDING_OF_PIXELS, .number = diff_ratio,
                                     OVER(1, "a number from 0 to 1"), .noun = "diff ratio",
                                     .title = "ratio of different pixels", .extreme = "most",
                                     .unjudged = "without a count of different pixels",
                                     .frames = "have a ratio of different pixels over",
                                     .pair = "The ratio of different pixels is over"},
    [SSIMCU_LIMIT_MAX_DIFF_CLUSTER] = {NAMED("max_diff_cluster", "--max-diff-cluster"),
                                       .of = FINDING_OF_PIXELS, .number = diff_cluster,
                                       .counts = true, OVER(1e15, "a number of pixels, from 0"),
                                       .noun = "diff cluster",
                                       .title = "largest cluster of different pixels",
                                       .extreme = "largest",
                                       .unjudged = "without a count of different pixels",
                                       .frames = "have a cluster of different pixels over",
                                       .pair = "The largest cluster of different pixels is over"},
    [FINDING_LEARNED] = {.name = "learned",
                         .option = "--limits",
                         .in_file = "max_excess",
                         .of = FINDING_OF_LEARNED,
                         .over = true,
                         .title = "over its learned limit",
                         .extreme = "furthest, in standard deviations:",
                         .unjudged = "without learned limits for this REF",
                         .frames = "are over their learned limits by more than",
                         .pair = "The pair is over its learned limit by more than"},
    [FINDING_FAIL_ON] = {.name = "fail_on", .option = "--fail-on", .in_file = "fail_on"},
    SSIMCU_OTHER_METRICS(FRAME_OF)
#include "record/findings.def"
};
const struct finding_row *finding_row(int kind) { return &ROWS[kind]; }

/* ---- Lists of kinds -------------------------------------------------------------------------- */

int finding_named(const char *name, size_t length)
{
    for (int kind = FINDING_MISSING; kind < FINDING_KINDS; kind++)
        if (strlen(ROWS[kind].name) == length && strncmp(ROWS[kind].name, name, length) == 0)
            return kind;
    return FINDING_KINDS;
}

finding_mask findings_by(unsigned by)
{
    finding_mask kinds = 0;
    for (int kind = FINDING_MISSING; kind < FINDING_KINDS; kind++)
        if (ROWS[kind].by & by) kinds |= finding_bit(kind);
    return kinds;
}

finding_mask findings_default(unsigned by)
{
    finding_mask kinds = findings_by(by);
    for (int kind = FINDING_MISSING; kind < FINDING_KINDS; kind++)
        if (!ROWS[kind].fails) kinds &= ~finding_bit(kind);
    return kinds;
}

finding_mask findings_detected(void)
{
    finding_mask kinds = 0;
    for (int kind = FINDING_MISSING; kind < FINDING_KINDS; kind++)
        if (ROWS[kind].detect) kinds |= finding_bit(kind);
    return kinds;
}

void findings_detect(struct record *record)
{
    for (int kind = FINDING_MISSING; kind < FINDING_KINDS; kind++)
        if (ROWS[kind].detect) ROWS[kind].detect(record, &record->findings);
}

const char *findings_names(char text[FINDING_NAMES], finding_mask kinds, const char *between)
{
    size_t used = 0;
    text[0] = '\0';
    for (int kind = 0; kind < FINDING_KINDS; kind++)
        if (kinds >> kind & 1)
            used += (size_t)snprintf(text + used, FINDING_NAMES - used, "%s%s",
                                     used > 0 ? between : "", ROWS[kind].name);
    return text;
}

ssimcu_status findings_read(const char *list, unsigned by, const char *option, finding_mask *kinds,
                            ssimcu_message *message)
{
    char names[FINDING_NAMES];
    const finding_mask all = findings_by(by);
    *kinds = 0;
    if (strcmp(list, "none") == 0) return SSIMCU_OK;
    for (const char *word = list;; word++) {
        const size_t length = strcspn(word, ",");
        const int kind = finding_named(word, length);
        const finding_mask found = length == 3 && strncmp(word, "all", 3) == 0 ? all
                                   : kind < FINDING_KINDS ? finding_bit(kind) & all
                                                          : 0;
        *kinds |= found;
        word += length;
        if (!found) break;
        if (!*word) return SSIMCU_OK;
    }
    FAIL(ARGUMENT, "%s %.100s: expected kinds separated by commas: %s, all or none", option, list,
         findings_names(names, all, ", "));
}

/* ---- Lists of findings ----------------------------------------------------------------------- */

struct finding *findings_add(struct findings *list, enum finding_kind kind,
                             struct finding_place place, double value, const char *format, ...)
{
    va_list arguments;
    if (!results_grow(&list->at, list->count, &list->room, sizeof *list->at)) {
        list->out_of_memory = true;
        return NULL;
    }
    struct finding *made = &list->at[list->count++];
    *made = (struct finding){.kind = kind, .place = place, .value = value, .limit = NAN};
    va_start(arguments, format);
    vsnprintf(made->text, sizeof made->text, format, arguments);
    va_end(arguments);
    return made;
}

uint64_t finding_lacks(const struct finding *finding)
{
    const double number = finding->value;
    return number >= 1 && number < 1e15 ? (uint64_t)number : 1;
}

const char *finding_gap(char text[FINDING_TEXT], int64_t first, int64_t last, uint64_t count)
{
    if (count == 1)
        snprintf(text, FINDING_TEXT, "frame %" PRId64 " is missing", first);
    else
        snprintf(text, FINDING_TEXT, "%" PRIu64 " frames are missing, %" PRId64 " to %" PRId64,
                 count, first, last);
    return text;
}

int64_t finding_gap_last(const struct finding *finding, int64_t first)
{
    const char *last = strstr(finding->text, " to ");
    return finding_lacks(finding) > 1 && last ? strtoll(last + 4, NULL, 10) : first;
}

finding_mask findings_kinds(const struct findings *list)
{
    finding_mask kinds = 0;
    for (size_t i = 0; i < list->count; i++) kinds |= finding_bit(list->at[i].kind);
    return kinds;
}

finding_mask findings_failing(const struct findings *list)
{
    finding_mask kinds = 0;
    for (size_t i = 0; i < list->count; i++)
        if (list->at[i].fails) kinds |= finding_bit(list->at[i].kind);
    return kinds;
}

void findings_keep(struct findings *list, finding_mask kinds)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++)
        if (kinds >> list->at[i].kind & 1) list->at[kept++] = list->at[i];
    list->count = kept;
}

bool findings_copy(struct findings *copy, const struct findings *list)
{
    *copy = (struct findings){0};
    if (list->count == 0) return true;
    copy->at = malloc(list->count * sizeof *copy->at);
    if (!copy->at) return false;
    memcpy(copy->at, list->at, list->count * sizeof *copy->at);
    copy->count = copy->room = list->count;
    return true;
}

void findings_free(struct findings *list)
{
    free(list->at);
    *list = (struct findings){0};
}

/* ---- In words -------------------------------------------------------------------------------- */

const char *finding_line(char text[FINDING_LINE], const struct finding *finding)
{
    const struct finding_row *row = finding_row(finding->kind);
    const struct finding_place *place = &finding->place;
    const bool speaks = row->option || !(row->by & FINDING_BY_CHECK) ||
                        strncmp(finding->text, row->name, strlen(row->name)) == 0;
    size_t used = (size_t)snprintf(text, FINDING_LINE, "%s%s%s", speaks ? "" : row->name,
                                   speaks ? "" : ": ", finding->text);
    if (!row->option && place->width > 0)
        snprintf(text + used, FINDING_LINE - used, "%s at %ux%u+%u+%u",
                 row->first && finding->value > 1 ? ", first" : "", place->width, place->height,
                 place->x, place->y);
    return text;
}

const char *findings_line(char *text, size_t size, const struct findings *list, finding_mask kinds)
{
    char line[FINDING_LINE];
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < 2 * list->count && used < size; i++) {
        const struct finding *finding = &list->at[i % list->count];
        if (finding->fails == (i < list->count) && kinds >> finding->kind & 1)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? "; " : "",
                                     finding_line(line, finding));
    }
    return text;
}
