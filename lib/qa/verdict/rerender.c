#include "verdict/rerender.h"

#include "base/overwrite_guard.h"
#include "base/refuse.h"
#include "base/results.h"
#include "base/text.h"
#include "record/record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char ALL[] = "all", IN_NAMES[] = "#./";

/* ---- Collecting ------------------------------------------------------------------------------ */

/* Returns the index of a shot, and adds a new one. All layers of its files are one shot. */
static size_t shot_of(struct rerender *list, const struct record *record)
{
    const char *layer = record->text[RECORD_LAYER];
    char ending[512] = "";
    if (layer) snprintf(ending, sizeof ending, ":%s", layer);
    const size_t length = text_stem(record->shot, ending);
    for (size_t i = list->shots; i-- > 0;)
        if (strncmp(list->shot[i], record->shot, length) == 0 && !list->shot[i][length]) return i;
    char *copy = strndup(record->shot, length);
    if (!copy || !results_grow(&list->shot, list->shots, &list->shots_room, sizeof copy)) {
        list->out_of_memory = true;
        free(copy);
        return 0;
    }
    for (char *at = copy; *at; at++)
        if ((unsigned char)*at < ' ') *at = '?'; /* a line break would forge another line */
    list->shot[list->shots] = copy;
    return list->shots++;
}

/* Returns the frames of a record: one, or a gap that is too long to have a record for each. */
static struct rerender_run frames_of(const struct record *record)
{
    struct rerender_run run = {0, record->frame, record->frame, 1};
    if (record->kind != RECORD_MISSING || record->findings.count == 0) return run;
    const struct finding *gap = record->findings.at;
    run.last = finding_gap_last(gap, run.first);
    if (run.last == run.first) return run;
    run.step = (run.last - run.first) / (int64_t)(finding_lacks(gap) - 1);
    if (run.step < 1) run.last = run.first, run.step = 1;
    return run;
}

void rerender_add(struct rerender *list, const struct record *record, const struct judged *judged)
{
    if (judged->fails == 0 || !record->shot) return;
    struct rerender_run run = frames_of(record);
    run.shot = shot_of(list, record);
    if (results_grow(&list->run, list->count, &list->room, sizeof run))
        list->run[list->count++] = run;
    else
        list->out_of_memory = true;
}

void rerender_free(struct rerender *list)
{
    for (size_t i = 0; i < list->shots; i++) free(list->shot[i]);
    free(list->shot);
    free(list->run);
    *list = (struct rerender){0};
}

/* ---- Writing --------------------------------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
    const struct rerender_run *x = a, *y = b;
    if (x->shot != y->shot) return x->shot < y->shot ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

/* Sorts the runs, and drops frames that are there twice, because several layers are damaged. */
static void sort(struct rerender *list)
{
    size_t kept = 0;
    if (list->count > 0) qsort(list->run, list->count, sizeof *list->run, by_place);
    for (size_t i = 0; i < list->count; i++)
        if (kept == 0 || by_place(&list->run[kept - 1], &list->run[i]) != 0)
            list->run[kept++] = list->run[i];
    list->count = kept;
}

/* Joins single frames at one distance, from `at` on. Returns the index after them. Two frames are
 * joined only if they follow each other. */
static size_t join(const struct rerender *list, size_t at, struct rerender_run *joined)
{
    const struct rerender_run *run = list->run;
    size_t end = at + 1;
    *joined = run[at];
    if (run[at].last > run[at].first) return end;
    while (end < list->count && run[end].shot == run[at].shot && run[end].first == run[end].last &&
           run[end].first - run[end - 1].first == run[at + 1].first - run[at].first)
        end++;
    if (end == at + 1) return end;
    const int64_t step = run[at + 1].first - run[at].first;
    if (end == at + 2 && step > 1) return at + 1;
    joined->last = run[end - 1].first, joined->step = step;
    return end;
}

/* Writes the frames of one shot, from `at` on. Returns the index after them. */
static size_t put_shot(FILE *to, const struct rerender *list, size_t at)
{
    const size_t shot = list->run[at].shot;
    const char *comma = "";
    fprintf(to, "%s%s ", list->shot[shot], strpbrk(list->shot[shot], IN_NAMES) ? "" : "/");
    while (at < list->count && list->run[at].shot == shot) {
        struct rerender_run run;
        at = join(list, at, &run);
        if (run.first < 0)
            fprintf(to, "%s%s", comma, ALL);
        else
            fprintf(to, "%s%" PRId64, comma, run.first);
        if (run.last > run.first) fprintf(to, "-%" PRId64, run.last);
        if (run.step > 1) fprintf(to, "x%" PRId64, run.step);
        comma = ",";
    }
    return at;
}

ssimcu_status rerender_print(struct rerender *list,
                             ssimcu_status (*take)(void *user, const char *line), void *user,
                             ssimcu_message *message)
{
    ssimcu_status status = list->out_of_memory ? SSIMCU_ERROR_MEMORY : SSIMCU_OK;
    sort(list);
    for (size_t at = 0; at < list->count && status == SSIMCU_OK;) {
        char *line = NULL;
        size_t size;
        FILE *to = open_memstream(&line, &size);
        if (to) at = put_shot(to, list, at);
        status = to && fclose(to) == 0 ? take(user, line) : SSIMCU_ERROR_MEMORY;
        free(line);
    }
    return status == SSIMCU_ERROR_MEMORY ? no_memory(message) : status;
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* Returns whether the first line is that of a list: a name with one of these characters, which each
 * shot has, and frames. */
static bool begins(const char *bytes, size_t length)
{
    const char *end = memchr(bytes, '\n', length);
    const size_t line = end ? (size_t)(end - bytes) : length;
    size_t frames = line;
    bool named = false, numbers = true;
    while (frames > 0 && bytes[frames - 1] != ' ') frames--;
    for (size_t i = 0; i < frames; i++) named = named || strchr(IN_NAMES, bytes[i]);
    for (size_t i = frames; i < line; i++) numbers = numbers && strchr("0123456789,-x", bytes[i]);
    const bool all = line - frames == strlen(ALL) && memcmp(bytes + frames, ALL, strlen(ALL)) == 0;
    return named && frames > 1 && frames < line && (numbers || all) && !memchr(bytes, 0, line);
}

const struct atomic_file_kind rerender_kind = {.name = "a list of frames to render again",
                                               .begins = begins};

static ssimcu_status put_line(void *user, const char *line)
{
    return fprintf(user, "%s\n", line) < 0 ? SSIMCU_ERROR_WRITE : SSIMCU_OK;
}

ssimcu_status rerender_write(struct rerender *list, const char *path, ssimcu_message *message)
{
    struct atomic_file draft;
    ssimcu_status status = atomic_file_open(&draft, path, results_beside(path, ".tmp"),
                                            &rerender_kind, ATOMIC_FILE_REPLACE, message);
    if (status == SSIMCU_OK) status = rerender_print(list, put_line, draft.file, message);
    if (status == SSIMCU_OK || status == SSIMCU_ERROR_WRITE) /* it knows why */
        status = draft.file ? atomic_file_end(&draft, 0, message) : status;
    atomic_file_drop(&draft);
    return status;
}
