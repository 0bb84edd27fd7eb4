#include "report/frames/collect.h"

#include "base/results.h"
#include "facts/record.h"
#include "report/frames/report_frame.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Lists ----------------------------------------------------------------------------------- */

static int by_place(const struct report_frame *a, const struct report_frame *b)
{
    return (a->at > b->at) - (a->at < b->at);
}

/* What a limit judges comes before what none does, and what is further beyond it before the rest.
 * Without limits the lowest value comes first. */
static int by_score(const struct report_frame *a, const struct report_frame *b)
{
    const double far[] = {fmax(verdict_excess(&a->judged), -INFINITY), /* without: the last */
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
    if (frame->judged.faults || frame->record.kind != RECORD_SCORED) return 0;
    return frame->has_hints ? 1 : 2;
}

static int by_class(const struct report_frame *a, const struct report_frame *b)
{
    const int x = class_of(a), y = class_of(b);
    return x != y ? (x > y) - (x < y) : by_score(a, b);
}

/* Orders by how much is wrong. A frame beyond a limit comes first; a missing frame that may be
 * missing comes last, because nothing is wrong there. */
static int by_trouble(const struct report_frame *a, const struct report_frame *b)
{
    const bool x = a->record.kind == RECORD_MISSING && !a->judged.faults,
               y = b->record.kind == RECORD_MISSING && !b->judged.faults;
    return x != y ? x - y : x ? by_score(a, b) : by_class(a, b);
}

/* Neighbours mostly have the same fault, so the first of them stands for all. */
static int by_beginning(const struct report_frame *a, const struct report_frame *b)
{
    return a->begins != b->begins ? b->begins - a->begins : by_score(a, b);
}

static void release(struct report_frame *frame)
{
    if (--frame->users > 0) return;
    record_clear(&frame->record);
    free(frame);
}

/* Inserts a frame in its place, unless the list is full of better ones. The array has room for one
 * more from the start. */
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

_Static_assert(FAULT_COUNT <= 16, "each fault has a bit in a point");

/* ---- Adding ---------------------------------------------------------------------------------- */

/* Returns the kinds of a record's hints as bits. Another depth is said of every frame, so it has
 * none. */
static unsigned kinds_of(const char *hints)
{
    unsigned kinds = 0;
    size_t length;
    for (const char *name; (name = record_next_kind(&hints, &length));)
        if (strncmp(name, "depth ", 6) != 0) kinds |= 1u << hints_kind(name, length);
    return kinds;
}

/* Returns what the file of limits wants of a score at least; -INFINITY: nothing. */
static double least_of(const struct limits *own, int fault)
{
    return own->rule[fault] ? limits_number(own, fault) : -INFINITY;
}

static bool add_point(struct report *report, const struct record *record,
                      const struct judged *judged, unsigned hints)
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
        .faults = (uint16_t)judged->faults,
        .hints = hints};
    for (int m = 0; m < SSIMCU_METRICS; m++) {
        report->point[report->count - 1].value[m] = record_value(record, m);
        if (record_has(record, m)) report->metrics |= 1u << m;
    }
    return true;
}

/* A band begins at each frame whose part differs from the one before. */
static bool add_band(struct report *report, const char *part)
{
    const char *last = report->bands > 0 ? report->band[report->bands - 1].part : NULL;
    if (!part || (last && strcmp(part, last) == 0) || report->bands == COLLECT_BANDS) return true;
    if (!results_grow(&report->band, report->bands, &report->bands_room, sizeof *report->band))
        return false;
    report->band[report->bands] = (struct band){strdup(part), report->count - 1};
    return report->band[report->bands++].part != NULL;
}

/* Returns an owned copy, or NULL if memory ran out. */
static struct report_frame *make_frame(const struct report *report, const struct record *record,
                                       const struct judged *judged, bool has_hints)
{
    struct report_frame *frame = malloc(sizeof *frame);
    if (!frame) return NULL;
    const double value = record_value(record, report->metric);
    *frame = (struct report_frame){.value = isnan(value) ? -INFINITY : value,
                                   .judged = *judged,
                                   .has_hints = has_hints,
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

/* Joins the cells two by two if there are too many. */
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
    const struct flags flags = {judged->faults, kinds_of(record->scored.hints)};
    const bool good = add_point(report, record, judged, flags.hints) &&
                      add_band(report, record->part) &&
                      (frame = make_frame(report, record, judged, flags.hints != 0)) != NULL;
    if (!good) {
        report->out_of_memory = true;
        return;
    }
    const bool scored = record->kind == RECORD_SCORED;
    frame->begins =
        flags.faults != report->previous.faults || flags.hints != report->previous.hints;
    report->previous = flags;
    inputs_add(&report->inputs, record_reference(record));
    inputs_add(&report->inputs, record->side[1].path);
    report->limited = report->limited || (scored && verdict_is_limited(judged));
    if (scored) report->has_backend[strcmp(record->scored.backend, "cuda") == 0] = true;
    insert(&report->rows, frame);
    if (scored) insert(&report->worst, frame);
    if (scored && record->scored.tile.width > 0) insert(&report->tiles, frame);
    if (scored && class_of(frame) < 2) insert(&report->suspects, frame);
    if (scored && (flags.hints & ~report->kinds_seen) != 0) insert(&report->kinds, frame);
    if (scored) report->kinds_seen |= flags.hints;
    add_to_sheet(report, frame);
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
    if (!list_open(&cards, 4 * most + COLLECT_HINTS, by_score)) return NULL;
    join(&cards, &report->worst, most);
    join(&cards, &report->tiles, report->limited ? 0 : most);
    join(&cards, &report->suspects, 2 * most);
    join(&cards, &report->kinds, most > 0 ? COLLECT_HINTS : 0);
    for (size_t i = 0; i < cards.count; i++) cards.frame[i]->users--; /* the lists hold them */
    *count = cards.count;
    return cards.frame;
}

/* ---- Beginning and end ----------------------------------------------------------------------- */

bool collect_open(struct report *report, uint32_t cards_each)
{
    const size_t some = cards_each > 0 ? cards_each : 1; /* the page always names the worst */
    report->cards_each = cards_each;
    report->stride = 1;
    return list_open(&report->rows, COLLECT_ROWS, by_class) &&
           list_open(&report->worst, some, by_score) && list_open(&report->tiles, some, by_tile) &&
           list_open(&report->suspects, 2 * some, by_beginning) &&
           list_open(&report->kinds, COLLECT_HINTS, by_place) &&
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
    for (size_t i = 0; i < report->bands; i++) free(report->band[i].part);
    free(report->band);
    inputs_end(&report->inputs);
    free(report->point);
}
