#include "report/note/note.h"

#include "base/atomic_file.h"
#include "base/overwrite_guard.h"
#include "base/refuse.h"
#include "base/results.h"
#include "base/text.h"
#include "record/record.h"
#include "report/html/model.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The first bytes, which identify a note. They are not displayed. */
static const char START[] = "<!-- ssimcu -->\n";

/* ---- What is kept ---------------------------------------------------------------------------- */

static void free_frame(struct note_frame *frame)
{
    free(frame->shot);
    free(frame->variant);
    free(frame->what);
}

void note_free(struct note *note)
{
    for (size_t i = 0; i < note->count; i++) free_frame(&note->frame[i]);
    *note = (struct note){0};
}

/* Returns the share of its limits that a frame uses, which orders the table. */
static double excess_of(const struct judged *judged, const struct record *record)
{
    if (record->kind != RECORD_SCORED) return INFINITY;
    return verdict_is_limited(judged) ? judged->excess : 1;
}

/* Returns the area of the first finding by which a frame without a reference fails. */
static ssimcu_tile place_of(const struct findings *findings)
{
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding_place *at = &findings->at[i].place;
        if (findings->at[i].fails && at->width > 0)
            return (ssimcu_tile){NAN, at->x, at->y, at->width, at->height};
    }
    return (ssimcu_tile){0};
}

static bool fill(struct note_frame *frame, const struct record *record, const struct judged *judged)
{
    char text[2 * FINDING_LINE];
    *frame = (struct note_frame){.frame = record->frame,
                                 .excess = excess_of(judged, record),
                                 .scored = record->kind == RECORD_SCORED};
    frame->place = frame->scored ? verdict_place(judged, record) : place_of(&record->findings);
    frame->what = strdup(findings_line(text, sizeof text, &record->findings, ~(finding_mask)0));
    return text_copy(&frame->shot, record->shot) &&
           text_copy(&frame->variant, record->variant.path) && frame->what;
}

void note_add(struct note *note, const struct record *record, const struct judged *judged)
{
    struct note_frame frame;
    if (judged->fails == 0) return;
    note->all++;
    const double excess = excess_of(judged, record);
    size_t at = note->count;
    while (at > 0 && note->frame[at - 1].excess < excess) at--;
    if (at == NOTE_ROWS) return;
    if (!fill(&frame, record, judged)) note->out_of_memory = true;
    if (note->count == NOTE_ROWS) free_frame(&note->frame[--note->count]);
    memmove(&note->frame[at + 1], &note->frame[at], (note->count - at) * sizeof frame);
    note->frame[at] = frame;
    note->count++;
}

/* ---- Markdown -------------------------------------------------------------------------------- */

/* Writes an external text as code, so that nothing in it is markup. In a `cell` of a table, a bar
 * still needs a backslash. */
static void put_code(FILE *to, const char *text, bool cell)
{
    fputc('`', to);
    for (const char *c = text; *c; c++)
        if (*c == '|' && cell)
            fputs("\\|", to);
        else
            fputc(*c == '`' ? '\'' : (unsigned char)*c < ' ' || *c == 0x7f ? '?' : *c, to);
    fputc('`', to);
}

static void put_row(FILE *to, const struct note_frame *frame, bool alone)
{
    const ssimcu_tile *place = &frame->place;
    char name[TEXT_FRAME];
    fputs("| ", to);
    put_code(to, text_frame(name, frame->shot, frame->frame), true);
    fputs(" | ", to);
    put_code(to, frame->what, true);
    fputs(" | ", to);
    if (place->width > 0)
        fprintf(to, "%ux%u+%u+%u", place->width, place->height, place->x, place->y);
    if (alone)
        fputs(" |\n", to);
    else if (isinf(frame->excess))
        fputs(" | |\n", to);
    else
        fprintf(to, " | %.2f |\n", frame->excess);
}

/* `alone`: frames have no reference and no numeric limits. */
static void put_table(FILE *to, const struct note *note, bool alone)
{
    if (note->count == 0) return;
    fputs(alone ? "\n| frame | verdict | where |\n|---|---|---|\n"
                : "\n| frame | verdict | where | x its limit |\n|---|---|---|---:|\n",
          to);
    for (size_t i = 0; i < note->count; i++) put_row(to, &note->frame[i], alone);
    if (note->all > note->count)
        fprintf(to, "\n%" PRIu64 " more frames are not good.\n", note->all - (uint64_t)note->count);
}

/* Writes the reasons other than frames why the run fails. */
static void put_run(FILE *to, const struct note_run *run)
{
    char text[VERDICT_LIMIT];
    const struct verdict *verdict = run->verdict;
    for (int m = 0; m < SSIMCU_METRICS; m++)
        if (verdict->low_mean >> m & 1) {
            fputs("\nThe score of the run: ", to);
            put_code(to, verdict_mean_text(text, verdict, run->summary, m), false);
            fputc('\n', to);
        }
    if (verdict->unlimited) fputs("\nNo frame has a limit.\n", to);
    if (verdict->incomplete)
        fprintf(to, "\nThe %s is incomplete.\n", verdict->limits.alone ? "check" : "run");
    if (verdict->nothing_scored)
        fputs(verdict->limits.alone ? "\nNo frame could be read.\n" : "\nNothing was scored.\n",
              to);
}

static void put_top(FILE *to, const struct note *note, const struct note_run *run)
{
    const struct summary *summary = run->summary;
    const bool alone = run->verdict->limits.alone;
    fprintf(to, "%s**ssimcu%s: %s**, %" PRIu64 " of %" PRIu64 " frames %s", START,
            alone ? " check" : "", run->verdict->passed ? "passed" : "failed",
            summary->scored + summary->checked, summary->pairs, alone ? "read" : "scored");
    if (note->all > 0) fprintf(to, ", %" PRIu64 " not good", note->all);
    if (run->ref && run->out) {
        fputs(": ", to);
        put_code(to, run->out, false);
        fputs(" against ", to);
        put_code(to, run->ref, false);
    }
    fputc('\n', to);
}

static void put_pictures(FILE *to, const struct note_pictures *made, const char *way)
{
    static const char *const alt[] = {"before", "after", "difference"};
    char name[TEXT_FRAME];
    fputc('\n', to);
    put_code(to, text_frame(name, made->frame->shot, made->frame->frame), false);
    if (!made->name[0][0]) {
        fputs(": no pictures, ", to);
        put_code(to, made->why, false);
        fputc('\n', to);
        return;
    }
    fprintf(to, "\n\n| before | after | difference x %g |\n|---|---|---|\n|", made->times);
    for (int i = 0; i < 3; i++) {
        fprintf(to, " ![%s](", alt[i]);
        html_link(to, way);
        fprintf(to, "/%s) |", made->name[i]);
    }
    fputc('\n', to);
}

/* ---- The file -------------------------------------------------------------------------------- */

static const char *const STARTS[] = {START, NULL};
const struct atomic_file_kind note_kind = {.name = "a note of ssimcu", .starts = STARTS};

static ssimcu_status open_draft(struct atomic_file *draft, const char *path,
                                ssimcu_message *message)
{
    return atomic_file_open(draft, path, results_beside(path, ".tmp"), &note_kind,
                            ATOMIC_FILE_REPLACE, message);
}

ssimcu_status note_write(const struct note *note, const char *path, const struct note_run *run,
                         ssimcu_message *message)
{
    struct note_pictures made[NOTE_PICTURES];
    struct atomic_file draft;
    size_t count = 0;
    if (note->out_of_memory) return no_memory(message);
    TRY(note_pictures_make(note, run, made, &count, message));
    ssimcu_status status = open_draft(&draft, path, message);
    if (draft.file) {
        put_top(draft.file, note, run);
        put_run(draft.file, run);
        put_table(draft.file, note, run->verdict->limits.alone);
        for (size_t i = 0; i < count; i++) put_pictures(draft.file, &made[i], run->way);
    }
    if (status == SSIMCU_OK) status = atomic_file_end(&draft, 0, message);
    atomic_file_drop(&draft);
    return status;
}

ssimcu_status note_write_end(const char *path, const char *why, ssimcu_message *message)
{
    struct atomic_file draft;
    TRY(guard_remove(path, &note_kind, message));
    ssimcu_status status = open_draft(&draft, path, message);
    if (draft.file) {
        fprintf(draft.file, "%s**ssimcu: no verdict**: ", START);
        put_code(draft.file, why, false);
        fputc('\n', draft.file);
    }
    if (status == SSIMCU_OK) status = atomic_file_end(&draft, 0, message);
    atomic_file_drop(&draft);
    return status;
}
