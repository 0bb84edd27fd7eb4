#include "report/frames/collect.h"

#include "base/results.h"
#include "base/text.h"
#include "report/frames/report_frame.h"

#include <stdlib.h>
#include <string.h>

/* ---- Lists ----------------------------------------------------------------------------------- */

static int by_place(const struct report_frame *a, const struct report_frame *b)
{
    return (a->at > b->at) - (a->at < b->at);
}

/* Judged frames precede all others, and the furthest beyond a limit comes first. Without limits,
 * the lowest value comes first. */
static int by_score(const struct report_frame *a, const struct report_frame *b)
{
    const double far[] = {fmax(verdict_excess(&a->judged), -INFINITY), /* without one: last */
                          fmax(verdict_excess(&b->judged), -INFINITY)};
    const double x = a->value, y = b->value;
    if (far[0] != far[1]) return far[0] > far[1] ? -1 : 1;
    return x != y ? (x > y) - (x < y) : by_place(a, b);
}

static int by_tile(const struct report_frame *a, const struct report_frame *b)
{
    const double x = a->record.scored.tile.score, y = b->record.scored.tile.score;
    return x != y ? (x > y) - (x < y) : by_place(a, b);
}

static int class_of(const struct report_frame *frame)
{
    if (frame->judged.fails || frame->record.kind == RECORD_FAILED ||
        frame->record.kind == RECORD_MISSING)
        return 0;
    return frame->has_hints ? 1 : 2;
}

static int by_class(const struct report_frame *a, const struct report_frame *b)
{
    const int x = class_of(a), y = class_of(b);
    return x != y ? (x > y) - (x < y) : by_score(a, b);
}

/* Orders by severity. A frame beyond a limit comes first. A missing frame that may be missing comes
 * last, because it is not a fault. */
static int by_trouble(const struct report_frame *a, const struct report_frame *b)
{
    const bool x = a->record.kind == RECORD_MISSING && !a->judged.fails,
               y = b->record.kind == RECORD_MISSING && !b->judged.fails;
    return x != y ? x - y : x ? by_score(a, b) : by_class(a, b);
}

/* Neighbours mostly have the same fault, so the first represents all. */
static int by_beginning(const struct report_frame *a, const struct report_frame *b)
{
    return a->begins != b->begins ? b->begins - a->begins : by_score(a, b);
}

/* Orders frames without a reference. Those that fail come first. Then comes the first of every kind
 * in every band, then the second, and so on. */
static int by_turn(const struct report_frame *a, const struct report_frame *b)
{
    const int fails = (b->judged.fails != 0) - (a->judged.fails != 0);
    if (fails) return fails;
    return a->rank != b->rank ? (a->rank > b->rank) - (a->rank < b->rank) : by_place(a, b);
}

static void release(struct report_frame *frame)
{
    if (--frame->users > 0) return;
    record_clear(&frame->record);
    free(frame);
}

/* Inserts a frame in its place, unless the list is full of better ones. The array has room for one
 * more frame from the start. */
static void insert(struct frame_list *list, struct report_frame *frame)
{
    size_t at = list->count;
    while (at > 0 && list->order(frame, list->frame[at - 1]) < 0) at--;
    if (at == list->most) return;
    memmove(list->frame + at + 1, list->frame + at, (list->count - at) * sizeof *list->frame);
    list->frame[at] = frame;
    frame->users++;
    if (list->count < list->most)
        list->count++;
    else
        release(list->frame[list->most]);
}

static bool list_open(struct frame_list *list, size_t most,
                      int (*order)(const struct report_frame *, const struct report_frame *))
{
    *list = (struct frame_list){calloc(most + 1, sizeof *list->frame), 0, most, order};
    return list->frame != NULL;
}

static void list_close(struct frame_list *list)
{
    for (size_t i = 0; i < list->count; i++) release(list->frame[i]);
    free(list->frame);
}

static int compare_places(const void *a, const void *b)
{
    return by_place(*(struct report_frame *const *)a, *(struct report_frame *const *)b);
}

void collect_sort(struct frame_list *list)
{
    qsort(list->frame, list->count, sizeof *list->frame, compare_places);
}

/* ---- Adding ---------------------------------------------------------------------------------- */

/* Returns the kinds of a record's findings other than limits. A difference of depth is found in
 * every frame, so it does not count. A missing or failed frame of a pair is a state, not a
 * finding. */
static finding_mask kinds_of(const struct report *report, const struct record *record)
{
    const finding_mask others = finding_bit(FINDING_UNREADABLE) - 1,
                       kinds = findings_kinds(&record->findings);
    return report->alone ? kinds : kinds & ~others & ~finding_bit(FINDING_DEPTH);
}

/* Notes the file of a frame without a reference, and how many frames are missing. */
static bool add_alone(struct report *report, const struct record *record)
{
    struct point *point = &report->point[report->count - 1];
    const char *path = record->side[1].path;
    char *last = report->count > 1 ? point[-1].path : NULL;
    for (size_t i = 0; i < record->findings.count; i++)
        if (record->findings.at[i].kind == FINDING_MISSING)
            point->lacks += finding_lacks(&record->findings.at[i]);
    point->path = path && last && strcmp(path, last) == 0 ? last : NULL;
    return point->path || text_copy(&point->path, path);
}

/* Returns the lowest score that the limits file allows; -INFINITY: none. */
static double least_of(const struct limits *limits, int fault)
{
    return limits->rule[fault] ? limits_number(limits, fault) : -INFINITY;
}

static bool add_point(struct report *report, const struct record *record,
                      const struct judged *judged, finding_mask kinds)
{
    if (!results_grow(&report->point, report->count, &report->room, sizeof *report->point))
        return false;
    const bool scored = record->kind == RECORD_SCORED;
    report->point[report->count++] = (struct point){
        .frame = record->frame,
        .tile = scored && record->scored.tile.width > 0 ? record->scored.tile.score : NAN,
        .excess = verdict_excess(judged),
        .least = {least_of(&judged->own, SSIMCU_LIMIT_MIN_FRAME),
                  least_of(&judged->own, SSIMCU_LIMIT_MIN_TILE)},
        .kind = (unsigned char)record->kind,
        .fails = judged->fails,
        .kinds = kinds};
    for (int m = 0; m < SSIMCU_METRICS; m++) {
        report->point[report->count - 1].value[m] = record_value(record, m);
        if (record_has(record, m)) report->metrics |= 1u << m;
    }
    return true;
}

/* A band begins at each frame whose shot differs from the previous one. */
static bool add_band(struct report *report, const struct record *record)
{
    const char *shot = record->shot,
               *last = report->bands > 0 ? report->band[report->bands - 1].shot : NULL;
    if (!shot || (last && strcmp(shot, last) == 0) || report->bands == COLLECT_BANDS) return true;
    if (!results_grow(&report->band, report->bands, &report->bands_room, sizeof *report->band))
        return false;
    struct band *band = &report->band[report->bands++];
    *band = (struct band){.first = report->count - 1};
    memset(report->found, 0, sizeof report->found);
    return text_copy(&band->shot, shot) && text_copy(&band->layer, record->text[RECORD_LAYER]);
}

/* Counts a frame by its kinds. Returns the number of earlier frames of its band with its rarest
 * kind. */
static size_t rank_of(struct report *report, finding_mask kinds)
{
    size_t rank = SIZE_MAX;
    for (int kind = 0; kind < FINDING_KINDS; kind++) {
        if (!(kinds >> kind & 1)) continue;
        if (report->found[kind] < rank) rank = report->found[kind];
        report->found[kind]++;
    }
    return rank;
}

/* Returns an owned copy, or NULL if memory ran out. */
static struct report_frame *make_frame(struct report *report, const struct record *record,
                                       const struct judged *judged, finding_mask kinds)
{
    struct report_frame *frame = malloc(sizeof *frame);
    if (!frame) return NULL;
    const double value = record_value(record, report->metric);
    *frame = (struct report_frame){.value = isnan(value) ? -INFINITY : value,
                                   .judged = *judged,
                                   .has_hints = kinds != 0,
                                   .rank = rank_of(report, kinds),
                                   .at = report->count - 1,
                                   .users = 1};
    if (record_copy(&frame->record, record)) return frame;
    free(frame);
    return NULL;
}

static void put_in_cell(struct frame_list *sheet, size_t cell, struct report_frame *frame)
{
    if (cell == sheet->count)
        sheet->count++;
    else if (sheet->order(frame, sheet->frame[cell]) >= 0)
        return;
    else
        release(sheet->frame[cell]);
    sheet->frame[cell] = frame;
    frame->users++;
}

/* Joins the cells in pairs if there are too many. */
static void add_to_sheet(struct report *report, struct report_frame *frame)
{
    struct frame_list *sheet = &report->sheet;
    if (frame->at / report->stride == sheet->most) {
        const size_t count = sheet->count;
        report->stride *= 2;
        sheet->count = 0;
        for (size_t i = 0; i < count; i++) {
            struct report_frame *old = sheet->frame[i];
            put_in_cell(sheet, i / 2, old);
            release(old);
        }
    }
    put_in_cell(sheet, frame->at / report->stride, frame);
}

void collect_add(struct report *report, const struct record *record, const struct judged *judged)
{
    if (report->out_of_memory) return;
    struct report_frame *frame = NULL;
    const struct flags flags = {judged->fails, kinds_of(report, record)};
    const bool good = add_point(report, record, judged, flags.kinds) &&
                      (!report->alone || add_alone(report, record)) && add_band(report, record) &&
                      (frame = make_frame(report, record, judged, flags.kinds)) != NULL;
    if (!good) {
        report->out_of_memory = true;
        return;
    }
    const bool scored = record->kind == RECORD_SCORED;
    const bool seen = scored || report->alone;
    frame->begins = flags.fails != report->previous.fails || flags.kinds != report->previous.kinds;
    report->previous = flags;
    inputs_add(&report->inputs, record_reference(record));
    inputs_add(&report->inputs, record->side[1].path);
    report->limited = report->limited || (scored && verdict_is_limited(judged));
    if (scored) report->has_backend[strcmp(record->scored.backend, "cuda") == 0] = true;
    if (!report->alone || frame->has_hints) insert(&report->rows, frame);
    if (scored) insert(&report->worst, frame);
    if (scored && record->scored.tile.width > 0) insert(&report->tiles, frame);
    if (seen && class_of(frame) < 2) insert(&report->suspects, frame);
    if (seen && (flags.kinds & ~report->kinds_seen) != 0) insert(&report->kinds, frame);
    if (seen) report->kinds_seen |= flags.kinds;
    if (!report->alone) add_to_sheet(report, frame);
    release(frame);
}

/* Adds the frames that are not in the list yet. */
static void join(struct frame_list *list, const struct frame_list *more, size_t most)
{
    for (size_t i = 0; i < more->count && i < most; i++) {
        bool there = false;
        for (size_t k = 0; k < list->count && !there; k++) there = list->frame[k] == more->frame[i];
        if (!there) insert(list, more->frame[i]);
    }
}

struct report_frame **collect_cards(const struct report *report, size_t *count)
{
    const size_t most = report->cards_each;
    struct frame_list cards;
    if (!list_open(&cards, 4 * most + COLLECT_KINDS, by_score)) return NULL;
    join(&cards, &report->worst, most);
    join(&cards, &report->tiles, report->limited ? 0 : most);
    join(&cards, &report->suspects, 2 * most);
    join(&cards, &report->kinds, most > 0 && !report->alone ? COLLECT_KINDS : 0);
    for (size_t i = 0; i < cards.count; i++) cards.frame[i]->users--; /* the lists use them */
    *count = cards.count;
    return cards.frame;
}

const struct band *collect_band(const struct report *report, size_t at)
{
    size_t low = 0, high = report->bands; /* finds the last band that begins at or before `at` */
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (report->band[middle].first <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? &report->band[low - 1] : NULL;
}

size_t collect_end(const struct report *report, const struct band *band)
{
    return band + 1 < report->band + report->bands ? band[1].first : report->count;
}

struct picture_frame collect_beside(const struct report *report, size_t at, int step)
{
    const struct band *band = collect_band(report, at);
    const struct point *first = report->point + (band ? band->first : 0),
                       *end = report->point + (band ? collect_end(report, band) : report->count);
    for (const struct point *point = report->point + at + step; point >= first && point < end;
         point += step)
        if (point->kind == RECORD_CHECKED)
            return (struct picture_frame){point->path, point->frame, band ? band->layer : NULL};
    return (struct picture_frame){NULL, -1, NULL};
}

/* ---- Beginning and end ----------------------------------------------------------------------- */

bool collect_open(struct report *report, bool alone, uint32_t cards_each)
{
    if (alone) cards_each = COLLECT_SHOWN / 2;           /* it has twice as many suspects */
    const size_t some = cards_each > 0 ? cards_each : 1; /* the page always names the worst */
    report->cards_each = cards_each;
    report->stride = 1;
    report->alone = alone;
    return list_open(&report->rows, alone ? COLLECT_FOUND : COLLECT_ROWS,
                     alone ? by_turn : by_class) &&
           list_open(&report->worst, some, by_score) && list_open(&report->tiles, some, by_tile) &&
           list_open(&report->suspects, 2 * some, alone ? by_turn : by_beginning) &&
           list_open(&report->kinds, COLLECT_KINDS, by_place) &&
           list_open(&report->sheet, COLLECT_SHEET, by_trouble);
}

void collect_close(struct report *report)
{
    list_close(&report->rows);
    list_close(&report->worst);
    list_close(&report->tiles);
    list_close(&report->suspects);
    list_close(&report->kinds);
    list_close(&report->sheet);
    for (size_t i = 0; i < report->bands; i++)
        free(report->band[i].shot), free(report->band[i].layer);
    for (size_t i = 0; i < report->count; i++)
        if (i == 0 || report->point[i].path != report->point[i - 1].path)
            free(report->point[i].path);
    free(report->band);
    inputs_end(&report->inputs);
    free(report->point);
}
