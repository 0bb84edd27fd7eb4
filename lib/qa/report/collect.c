#include "report/collect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Lists ----------------------------------------------------------------------------------- */

/* NAN, of what has no score, comes first. */
static double score_of(const struct kept *kept)
{
    return kept->record.kind == RECORD_SCORED ? kept->record.score : -2;
}

static int by_place(const struct kept *a, const struct kept *b)
{
    return (a->at > b->at) - (a->at < b->at);
}

static int by_score(const struct kept *a, const struct kept *b)
{
    const double x = score_of(a), y = score_of(b);
    return x != y ? (x > y) - (x < y) : by_place(a, b);
}

static int by_tile(const struct kept *a, const struct kept *b)
{
    const double x = a->record.tile.score, y = b->record.tile.score;
    return x != y ? (x > y) - (x < y) : by_place(a, b);
}

static int class_of(const struct kept *kept)
{
    return kept->faults || kept->record.kind != RECORD_SCORED ? 0 : kept->hinted ? 1 : 2;
}

static int by_class(const struct kept *a, const struct kept *b)
{
    const int x = class_of(a), y = class_of(b);
    return x != y ? (x > y) - (x < y) : by_score(a, b);
}

/* Most is wrong where a limit is broken; where a frame may be missing, nothing is. */
static int by_trouble(const struct kept *a, const struct kept *b)
{
    const struct kept *const pair[] = {a, b};
    int class[2];
    for (int i = 0; i < 2; i++)
        class[i] =
            pair[i]->record.kind == RECORD_MISSING && !pair[i]->faults ? 3 : class_of(pair[i]);
    return class[0] != class[1] ? class[0] - class[1] : by_score(a, b);
}

/* Neighbours mostly have the same fault: one of them tells of all. */
static int by_beginning(const struct kept *a, const struct kept *b)
{
    return a->begins != b->begins ? b->begins - a->begins : by_score(a, b);
}

static void release(struct kept *kept)
{
    if (--kept->users > 0) return;
    record_clear(&kept->record);
    free(kept);
}

/* Puts it where it belongs, if it does. The room for one more is there from the start. */
static void insert(struct kept_list *list, struct kept *kept)
{
    size_t at = list->count;
    while (at > 0 && list->order(kept, list->entry[at - 1]) < 0) at--;
    if (at == list->most) return;
    memmove(list->entry + at + 1, list->entry + at, (list->count - at) * sizeof *list->entry);
    list->entry[at] = kept;
    kept->users++;
    if (list->count < list->most)
        list->count++;
    else
        release(list->entry[list->most]);
}

static bool list_open(struct kept_list *list, size_t most,
                      int (*order)(const struct kept *, const struct kept *))
{
    *list = (struct kept_list){calloc(most + 1, sizeof *list->entry), 0, most, order};
    return list->entry != NULL;
}

static void list_close(struct kept_list *list)
{
    for (size_t i = 0; i < list->count; i++) release(list->entry[i]);
    free(list->entry);
}

static int compare_places(const void *a, const void *b)
{
    return by_place(*(struct kept *const *)a, *(struct kept *const *)b);
}

void collect_sort(struct kept_list *list)
{
    qsort(list->entry, list->count, sizeof *list->entry, compare_places);
}

/* ---- Adding ---------------------------------------------------------------------------------- */

/* The array with room for one more element, NULL when memory ran out. */
static void *grow(void *array, size_t count, size_t *room, size_t size)
{
    if (count < *room) return array;
    const size_t more = *room ? 2 * *room : 256;
    void *grown = realloc(array, more * size);
    if (grown) *room = more;
    return grown;
}

const char *const collect_hints[COLLECT_HINTS] = {"black", "flat",   "stuck", "frame", "shift",
                                                  "gain",  "offset", "range", "alpha", "other"};

/* Which kinds a record's hints are of. */
static unsigned kinds_of(const char *hints)
{
    unsigned kinds = 0;
    for (const char *at = hints, *end; *at; at = *end ? end + strspn(end, "; ") : end) {
        const size_t length = strcspn(at, " ;");
        int kind = 0;
        end = at + strcspn(at, ";");
        while (kind < COLLECT_HINTS - 1 && (strncmp(at, collect_hints[kind], length) != 0 ||
                                            collect_hints[kind][length] != '\0'))
            kind++;
        if (strncmp(at, "depth ", 6) != 0) kinds |= 1u << kind;
    }
    return kinds;
}

static bool add_point(struct report *report, const struct record *record, unsigned faults,
                      unsigned hints)
{
    struct point *grown = grow(report->point, report->count, &report->room, sizeof *grown);
    if (!grown) return false;
    const bool scored = record->kind == RECORD_SCORED;
    report->point = grown;
    report->point[report->count++] =
        (struct point){.frame = record->frame,
                       .score = scored ? record->score : NAN,
                       .tile = scored && record->tile.known ? record->tile.score : NAN,
                       .kind = (unsigned char)record->kind,
                       .faults = (unsigned char)faults,
                       .hints = (unsigned short)hints};
    return true;
}

/* A band begins where the part is another one. */
static bool add_band(struct report *report, const char *part)
{
    const char *last = report->bands > 0 ? report->band[report->bands - 1].part : NULL;
    if (!part || (last && strcmp(part, last) == 0) || report->bands == COLLECT_BANDS) return true;
    struct band *grown = grow(report->band, report->bands, &report->bands_room, sizeof *grown);
    if (!grown) return false;
    report->band = grown;
    report->band[report->bands] = (struct band){strdup(part), report->count - 1};
    return report->band[report->bands++].part != NULL;
}

static bool copy(char **text)
{
    *text = *text ? strdup(*text) : NULL;
    return *text != NULL;
}

/* A copy of its own, or NULL. */
static struct kept *keep(const struct record *record, unsigned faults, bool hinted,
                         const double *baseline, size_t at)
{
    struct kept *kept = malloc(sizeof *kept);
    if (!kept) return NULL;
    *kept = (struct kept){.record = *record,
                          .faults = faults,
                          .hinted = hinted,
                          .has_baseline = baseline != NULL,
                          .baseline = baseline ? *baseline : 0,
                          .at = at,
                          .users = 1};
    bool good = true;
    char **const own[] = {&kept->record.side[0].path, &kept->record.side[1].path,
                          &kept->record.part};
    for (int i = 0; i < 3; i++)
        good = (copy(own[i]) || !(i < 2 ? record->side[i].path : record->part)) && good;
    if (good) return kept;
    release(kept);
    return NULL;
}

static void put_in_cell(struct kept_list *sheet, size_t cell, struct kept *kept)
{
    if (cell == sheet->count)
        sheet->count++;
    else if (sheet->order(kept, sheet->entry[cell]) >= 0)
        return;
    else
        release(sheet->entry[cell]);
    sheet->entry[cell] = kept;
    kept->users++;
}

/* When there are too many cells, each two become one. */
static void add_to_sheet(struct report *report, struct kept *kept)
{
    struct kept_list *sheet = &report->sheet;
    if (kept->at / report->stride == sheet->most) {
        const size_t count = sheet->count;
        report->stride *= 2;
        sheet->count = 0;
        for (size_t i = 0; i < count; i++) {
            struct kept *moved = sheet->entry[i];
            put_in_cell(sheet, i / 2, moved);
            release(moved);
        }
    }
    put_in_cell(sheet, kept->at / report->stride, kept);
}

/* Lists name files late. One that lies in the report that is to be replaced must stay. */
static void look_for_input(struct report *report, const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    const size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    const char *last = report->last_folder;
    if (!slash || (last && strncmp(last, path, length) == 0 && last[length] == '\0')) return;
    free(report->last_folder);
    report->last_folder = strndup(path, length);
    struct stat info;
    if (report->last_folder && stat(report->last_folder, &info) == 0 &&
        info.st_dev == report->old.st_dev && info.st_ino == report->old.st_ino)
        report->holds_input = true;
}

void report_add(struct report *report, const struct record *record, unsigned faults,
                const double *baseline)
{
    if (report->out_of_memory) return;
    struct kept *kept = NULL;
    const struct last now = {faults, kinds_of(record->hints)};
    const bool good =
        add_point(report, record, faults, now.hints) && add_band(report, record->part) &&
        (kept = keep(record, faults, now.hints != 0, baseline, report->count - 1)) != NULL;
    if (!good) {
        report->out_of_memory = true;
        return;
    }
    const bool scored = record->kind == RECORD_SCORED;
    kept->begins = faults != report->last.faults || now.hints != report->last.hints;
    report->last = now;
    for (int side = 0; side < 2 && report->old.st_ino != 0; side++)
        look_for_input(report, record->side[side].path);
    if (scored) report->has_backend[strcmp(record->backend, "cuda") == 0] = true;
    insert(&report->rows, kept);
    if (scored) insert(&report->worst, kept);
    if (scored && record->tile.known) insert(&report->tiles, kept);
    if (scored && class_of(kept) < 2) insert(&report->marked, kept);
    add_to_sheet(report, kept);
    release(kept);
}

/* Adds what is not there yet. */
static void join(struct kept_list *list, const struct kept_list *more, size_t most)
{
    for (size_t i = 0; i < more->count && i < most; i++) {
        bool there = false;
        for (size_t k = 0; k < list->count && !there; k++) there = list->entry[k] == more->entry[i];
        if (!there) insert(list, more->entry[i]);
    }
}

struct kept **collect_shown(const struct report *report, size_t *count)
{
    const size_t most = report->shown;
    struct kept_list shown;
    if (!list_open(&shown, 4 * most, by_score)) return NULL;
    join(&shown, &report->worst, most);
    join(&shown, &report->tiles, most);
    join(&shown, &report->marked, 2 * most);
    for (size_t i = 0; i < shown.count; i++) shown.entry[i]->users--; /* the lists hold them */
    *count = shown.count;
    return shown.entry;
}

/* ---- Beginning and end ----------------------------------------------------------------------- */

bool collect_open(struct report *report, uint32_t shown)
{
    const size_t some = shown > 0 ? shown : 1; /* the very worst are named anyway */
    report->shown = shown;
    report->stride = 1;
    const bool rows = list_open(&report->rows, COLLECT_ROWS, by_class),
               worst = list_open(&report->worst, some, by_score),
               tiles = list_open(&report->tiles, some, by_tile),
               marked = list_open(&report->marked, 2 * some, by_beginning),
               sheet = list_open(&report->sheet, COLLECT_SHEET, by_trouble);
    return rows && worst && tiles && marked && sheet;
}

void collect_close(struct report *report)
{
    list_close(&report->rows);
    list_close(&report->worst);
    list_close(&report->tiles);
    list_close(&report->marked);
    list_close(&report->sheet);
    for (size_t i = 0; i < report->bands; i++) free(report->band[i].part);
    free(report->band);
    free(report->last_folder);
    free(report->point);
}
