#include "record/record.h"

#include "base/json.h"
#include "base/refuse.h"
#include "base/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int record_order(const char *shot, int64_t frame, const char *other_shot, int64_t other_frame)
{
    const int shots = strcmp(shot ? shot : "", other_shot ? other_shot : "");
    if (shots != 0) return shots < 0 ? -1 : 1;
    return (frame > other_frame) - (frame < other_frame);
}

/* Returns whether the directory of a record's file ends with this one. */
static bool lies_in(const struct record *record, const char *shot, size_t length)
{
    const char *path = record->side[0].path ? record->side[0].path : record->side[1].path;
    const char *slash = path ? strrchr(path, '/') : NULL;
    if (!slash || (size_t)(slash - path) < length) return false;
    const char *start = slash - length;
    return memcmp(start, shot, length) == 0 && (start == path || start[-1] == '/');
}

bool record_is_of(const struct record *record, const char *shot, bool layers)
{
    const size_t length = strlen(shot);
    const char *dir = record->shot ? record->shot : "";
    return strncmp(dir, shot, length) == 0 &&
           (dir[length] == '\0' || (layers && dir[length] == '/' && lies_in(record, shot, length)));
}

void record_light(ssimcu_light_share light[2], const ssimcu_frame *const frame[2],
                  const ssimcu_score *score)
{
    for (int s = 0; s < 2; s++) {
        const double pixels = (double)frame[s]->width * frame[s]->height;
        light[s].known = frame[s]->bits >= SSIMCU_BITS_FLOAT;
        light[s].clamped = (double)score->light[s].clamped / pixels;
        light[s].not_finite = score->light[s].not_finite;
    }
}

bool record_has(const struct record *record, ssimcu_metric metric)
{
    if (record->kind != RECORD_SCORED) return false;
    return metric == SSIMCU_METRIC_SSIM ? !isnan(record->scored.score)
                                        : record->metrics >> metric & 1;
}

double record_value(const struct record *record, ssimcu_metric metric)
{
    if (!record_has(record, metric)) return NAN;
    return metric == SSIMCU_METRIC_SSIM ? record->scored.score : record->metric[metric];
}

const double *record_metric_channels(const struct record *record, ssimcu_metric metric)
{
    const double *channel =
        metric == SSIMCU_METRIC_SSIM ? record->scored.channel : record->metric_channel[metric];
    const bool there =
        record_has(record, metric) && record->scored.channels > 0 && !isnan(channel[0]);
    return there && metrics_has_channels(metric) ? channel : NULL;
}

void record_metrics(struct record *record, const ssimcu_score *score)
{
    record->metrics &= ~(1u << SSIMCU_METRIC_SSIM);
    for (int m = SSIMCU_METRIC_PSNR; m < SSIMCU_METRICS; m++)
        if (!isnan(score->metric[m])) record->metrics |= 1u << m;
    memcpy(record->metric, score->metric, sizeof record->metric);
    memcpy(record->metric_channel, score->metric_channel, sizeof record->metric_channel);
    record->mse = score->mse;
}

double record_clamped(const ssimcu_light_share light[2])
{
    return light[0].clamped > light[1].clamped ? light[0].clamped : light[1].clamped;
}

static void drop(char **text)
{
    free(*text);
    *text = NULL;
}

void record_clear(struct record *record)
{
    for (int s = 0; s < 2; s++) drop(&record->side[s].path);
    drop(&record->variant.path);
    drop(&record->shot);
    for (int t = 0; t < RECORD_TEXTS; t++) drop(&record->text[t]);
    findings_free(&record->findings);
    if (record->values) learned_values_free(record->values);
    free(record->values);
    record->values = NULL;
}

struct record *record_new(void) { return calloc(1, sizeof(struct record)); }

void record_free(struct record *record)
{
    if (record) record_clear(record);
    free(record);
}

bool record_copy(struct record *copy, const struct record *record)
{
    *copy = *record;
    for (int t = 0; t < RECORD_TEXTS; t++) copy->text[t] = NULL;
    copy->values = NULL;
    bool good = findings_copy(&copy->findings, &record->findings);
    good = text_copy(&copy->shot, record->shot) && good;
    good = text_copy(&copy->variant.path, record->variant.path) && good;
    for (int s = 0; s < 2; s++) good = text_copy(&copy->side[s].path, record->side[s].path) && good;
    if (!good) record_clear(copy);
    return good;
}

const char *record_path(const struct record *record, int side) { return record->side[side].path; }

bool record_name(struct record *record, int side, const char *path)
{
    struct stat info;
    struct record_side *named = &record->side[side];
    named->path = strdup(path);
    if (!named->path) {
        ssimcu_message lost = {{0}};
        record_fail(record, no_memory(&lost), &lost);
        return true;
    }
    if (strcmp(path, "-") == 0) return true;
    if (stat(path, &info) != 0) return false;
    named->known = S_ISREG(info.st_mode);
    named->bytes = info.st_size;
    named->seconds = info.st_mtim.tv_sec;
    named->nanoseconds = info.st_mtim.tv_nsec;
    return true;
}

/* Returns whether the list has this line, whatever its mark. */
static bool lists(const char *list, const char *name, size_t length)
{
    for (const char *line = list; line && *line; line += strcspn(line, "\n") + 1)
        if (strcspn(line, "\n") == length && memcmp(line + 1, name + 1, length - 1) == 0)
            return true;
    return false;
}

bool record_leave(struct record *record, const char *const list[2])
{
    const size_t bytes = (list[0] ? strlen(list[0]) : 0) + (list[1] ? strlen(list[1]) : 0) + 1;
    char *left = malloc(bytes);
    size_t used = 0;
    if (!left) return false;
    for (int s = 0; s < 2; s++)
        for (const char *line = list[s]; line && *line; line += strcspn(line, "\n") + 1) {
            const size_t length = strcspn(line, "\n");
            if (line[0] == RECORD_READ || (s == 1 && lists(list[0], line, length))) continue;
            if (used > 0) left[used++] = '\n';
            memcpy(left + used, line + 1, length - 1);
            used += length - 1;
        }
    left[used] = '\0';
    free(record->text[RECORD_LEFT]); /* the pair is loaded once more */
    record->text[RECORD_LEFT] = used > 0 ? left : NULL;
    if (used == 0) free(left);
    return true;
}

void record_miss(struct record *record, int side)
{
    if (record->kind != RECORD_FAILED) record->kind = RECORD_MISSING;
    record->missing[side] = true;
}

void record_fail(struct record *record, ssimcu_status status, const ssimcu_message *message)
{
    record->kind = RECORD_FAILED;
    record->status = status;
    record->message = *message;
}

bool record_same_files(const struct record *a, const struct record *b)
{
    for (int s = 0; s < 2; s++) {
        const struct record_side *x = &a->side[s], *y = &b->side[s];
        if (!x->known || !y->known || x->bytes != y->bytes || x->seconds != y->seconds ||
            x->nanoseconds != y->nanoseconds || !x->path || !y->path)
            return false;
        json_t *first = json_of_path(x->path), *second = json_of_path(y->path);
        const bool same = first && second && json_equal(first, second);
        json_decref(first);
        json_decref(second);
        if (!same) return false;
    }
    return true;
}

bool record_is_unchanged(const struct record_side *side)
{
    struct stat info;
    return side->known && side->path && stat(side->path, &info) == 0 && S_ISREG(info.st_mode) &&
           info.st_size == side->bytes && info.st_mtim.tv_sec == side->seconds &&
           info.st_mtim.tv_nsec == side->nanoseconds;
}

const char *record_reference(const struct record *record)
{
    return record->variant.path ? record->variant.path : record->side[0].path;
}

void record_add_hint(struct record *record, const char *hint)
{
    const int kind = finding_named(hint, strcspn(hint, " "));
    const struct finding_place whole = {0};
    if (kind < FINDING_KINDS)
        (void)findings_add(&record->findings, (enum finding_kind)kind, whole, NAN, "%s", hint);
}

const char *record_status(const struct record *record)
{
    if (record->kind == RECORD_SCORED) return "ok";
    if (record->kind == RECORD_CHECKED) return "checked";
    return record->kind == RECORD_MISSING ? "missing" : ssimcu_status_name(record->status);
}

const char *record_missing(const struct record *record)
{
    if (record->missing[0] && record->missing[1]) return "both";
    return record->missing[0] ? "ref" : "out";
}

const char *record_tile_text(char text[RECORD_TILE_TEXT], const ssimcu_tile *tile)
{
    char digits[TEXT_DIGITS];
    snprintf(text, RECORD_TILE_TEXT, "%s at %ux%u+%u+%u", text_digits(digits, tile->score),
             tile->width, tile->height, tile->x, tile->y);
    return text;
}

const char *record_diff_text(char text[RECORD_TILE_TEXT], const ssimcu_diff *diff, bool cluster)
{
    char number[TEXT_DIGITS + 16], place[48] = "";
    if (cluster)
        snprintf(number, sizeof number, "%" PRIu64 " pixels", diff->cluster);
    else
        (void)text_digits(number, diff->ratio);
    if (diff->width > 0)
        snprintf(place, sizeof place, " at %ux%u+%u+%u", (uint32_t)diff->width,
                 (uint32_t)diff->height, (uint32_t)diff->x, (uint32_t)diff->y);
    snprintf(text, RECORD_TILE_TEXT, "%s%s", number, place);
    return text;
}

const char *record_level_shift_text(char text[RECORD_TILE_TEXT], const char *layout,
                                    const ssimcu_level_shift *shift)
{
    snprintf(text, RECORD_TILE_TEXT, "%+.3f of %s at %ux%u+%u+%u", shift->levels,
             contract_channel(layout, shift->channel), shift->width, shift->height, shift->x,
             shift->y);
    return text;
}

enum learned_rule record_learned_worst(const double *limit, const double z[LEARNED_RULES])
{
    int worst = -1;
    for (int r = 0; r < LEARNED_RULES && limit; r++)
        if (limit[r] > 0 && (worst < 0 || z[r] / limit[r] > z[worst] / limit[worst])) worst = r;
    if (worst >= 0) return (enum learned_rule)worst;
    worst = 0;
    for (int r = 1; r < LEARNED_RULES; r++)
        if (z[r] > z[worst]) worst = r;
    return (enum learned_rule)worst;
}

const char *record_learned_text(char text[RECORD_TILE_TEXT], const char *layout,
                                const struct learned_excess *learned, enum learned_rule rule)
{
    const struct learned_place *place = &learned->place[rule];
    const bool in_channel = place->width > 0 && learned_has_channel(rule);
    char words[LEARNED_WORDS];
    const size_t used = (size_t)snprintf(
        text, RECORD_TILE_TEXT, "%s %.2f%s%s", learned_rule_words(words, rule), learned->z[rule],
        in_channel ? " of " : "", in_channel ? contract_channel(layout, place->channel) : "");
    if (place->width > 0 && rule < LEARNED_TILE_RULES)
        snprintf(text + used, RECORD_TILE_TEXT - used, " at %ux%u+%u+%u", place->width,
                 place->height, place->x, place->y);
    return text;
}
