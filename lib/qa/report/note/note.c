#include "report/note/note.h"

#include "base/draft.h"
#include "base/guard.h"
#include "base/results.h"
#include "base/text.h"
#include "facts/record.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The first bytes, by which a note is recognised. They are not shown. */
static const char START[] = "<!-- ssimcu -->\n";

/* ---- What is kept ---------------------------------------------------------------------------- */

static void free_frame(struct note_frame *frame)
{
    free(frame->part);
    free(frame->variant);
    free(frame->what);
}

void note_free(struct note *note)
{
    for (size_t i = 0; i < note->count; i++) free_frame(&note->frame[i]);
    *note = (struct note){0};
}

/* Says in words all that is wrong with a frame. */
static void describe(const struct judged *judged, const struct record *record, char *text,
                     size_t size)
{
    char beyond[VERDICT_BEYOND], limit[VERDICT_LIMIT];
    size_t used = 0;
    for (int i = 0; i <= FAULT_HINT && used < size; i++) {
        if (!(judged->faults >> i & 1)) continue;
        const char *what = i == FAULT_HINT             ? verdict_limit_text(limit, &judged->own, i)
                           : judged->unjudged >> i & 1 ? faults_row(i)->unjudged
                                                       : verdict_beyond(beyond, judged, i, record);
        used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? "; " : "", what);
    }
    if (record->scored.hints[0] && used < size)
        snprintf(text + used, size - used, "%s%s", used > 0 ? "; " : "", record->scored.hints);
}

static bool fill(struct note_frame *frame, const struct record *record, const struct judged *judged)
{
    char text[1024] = "";
    *frame = (struct note_frame){
        .frame = record->frame, .excess = INFINITY, .scored = record->kind == RECORD_SCORED};
    if (frame->scored) {
        frame->excess = verdict_is_limited(judged) ? judged->excess : 1;
        frame->place = verdict_place(judged, record);
        describe(judged, record, text, sizeof text);
    } else {
        snprintf(text, sizeof text, "%s%s", record->kind == RECORD_FAILED ? "" : "missing: ",
                 record->kind == RECORD_FAILED ? record->message.text : record_missing(record));
    }
    frame->what = strdup(text);
    return text_copy(&frame->part, record->part) &&
           text_copy(&frame->variant, record->variant.path) && frame->what;
}

void note_add(struct note *note, const struct record *record, const struct judged *judged)
{
    struct note_frame frame;
    if (judged->faults == 0) return;
    note->all++;
    const double excess = record->kind == RECORD_SCORED && verdict_is_limited(judged)
                              ? judged->excess
                          : record->kind == RECORD_SCORED ? 1
                                                          : INFINITY;
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

/* Writes a text from outside as code, in which nothing is a command. In a `cell` of a table a bar
 * needs a backslash all the same. */
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

static void put_place(FILE *to, const ssimcu_tile *place)
{
    if (place->width > 0)
        fprintf(to, "%ux%u+%u+%u", place->width, place->height, place->x, place->y);
}

static void put_row(FILE *to, const struct note_frame *frame)
{
    char name[TEXT_FRAME];
    fputs("| ", to);
    put_code(to, text_frame(name, frame->part, frame->frame), true);
    fputs(" | ", to);
    put_code(to, frame->what, true);
    fputs(" | ", to);
    put_place(to, &frame->place);
    if (isinf(frame->excess))
        fputs(" | |\n", to);
    else
        fprintf(to, " | %.2f |\n", frame->excess);
}

static void put_table(FILE *to, const struct note *note)
{
    if (note->count == 0) return;
    fputs("\n| frame | verdict | where | of its limit |\n|---|---|---|---:|\n", to);
    for (size_t i = 0; i < note->count; i++) put_row(to, &note->frame[i]);
    if (note->all > note->count)
        fprintf(to, "\n%" PRIu64 " more are not good.\n", note->all - (uint64_t)note->count);
}

/* Writes why the run fails beside its frames. */
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
    if (verdict->incomplete) fputs("\nThe run is incomplete.\n", to);
    if (verdict->nothing_scored) fputs("\nNothing was scored.\n", to);
}

static void put_top(FILE *to, const struct note *note, const struct note_run *run)
{
    const struct summary *summary = run->summary;
    fprintf(to, "%s**ssimcu: %s**, %" PRIu64 " of %" PRIu64 " frames scored", START,
            run->verdict->passed ? "passed" : "failed", summary->scored, summary->pairs);
    if (note->all > 0) fprintf(to, ", %" PRIu64 " not good", note->all);
    if (run->ref && run->out) {
        fputs(": ", to);
        put_code(to, run->out, false);
        fputs(" against ", to);
        put_code(to, run->ref, false);
    }
    fputc('\n', to);
}

/* Writes a way in which all but letters, digits and a few signs are escaped, so that it is one. */
static void put_way(FILE *to, const char *way)
{
    for (const char *c = way; *c; c++)
        if (strchr("./-_~", *c) || (*c >= '0' && *c <= '9') || (*c >= 'a' && *c <= 'z') ||
            (*c >= 'A' && *c <= 'Z'))
            fputc(*c, to);
        else
            fprintf(to, "%%%02X", (unsigned)(unsigned char)*c);
}

static void put_pictures(FILE *to, const struct note_pictures *made, const char *way)
{
    static const char *const alt[] = {"before", "after", "difference"};
    char name[TEXT_FRAME];
    fputc('\n', to);
    put_code(to, text_frame(name, made->frame->part, made->frame->frame), false);
    if (!made->name[0][0]) {
        fputs(": no pictures, ", to);
        put_code(to, made->why, false);
        fputc('\n', to);
        return;
    }
    fprintf(to, "\n\n| before | after | difference x %g |\n|---|---|---|\n|", made->times);
    for (int i = 0; i < 3; i++) {
        fprintf(to, " ![%s](", alt[i]);
        put_way(to, way);
        fprintf(to, "/%s) |", made->name[i]);
    }
    fputc('\n', to);
}

/* ---- The file -------------------------------------------------------------------------------- */

static bool begins(const char *bytes, size_t length)
{
    return guard_begins(bytes, length, (const char *const[]){START, NULL}, true);
}

static const struct draft_kind KIND = {"a note of ssimcu", begins};

static ssimcu_status open_draft(struct draft *draft, const char *path, ssimcu_message *message)
{
    return draft_open(draft, path, results_beside(path, ".tmp"), &KIND, DRAFT_REPLACE, message);
}

ssimcu_status note_write(const struct note *note, const char *path, const struct note_run *run,
                         ssimcu_message *message)
{
    struct note_pictures made[NOTE_PICTURES];
    struct draft draft;
    size_t count = 0;
    if (note->out_of_memory) return results_no_memory(message);
    ssimcu_status status = note_pictures_make(note, run, made, &count, message);
    if (status != SSIMCU_OK) return status;
    status = open_draft(&draft, path, message);
    if (draft.file) {
        put_top(draft.file, note, run);
        put_run(draft.file, run);
        put_table(draft.file, note);
        for (size_t i = 0; i < count; i++) put_pictures(draft.file, &made[i], run->way);
    }
    if (status == SSIMCU_OK) status = draft_end(&draft, 0, message);
    draft_drop(&draft);
    return status;
}

ssimcu_status note_write_end(const char *path, const char *why, ssimcu_message *message)
{
    struct draft draft;
    ssimcu_status status = note_remove(path, message);
    if (status != SSIMCU_OK) return status;
    status = open_draft(&draft, path, message);
    if (draft.file) {
        fprintf(draft.file, "%s**ssimcu: no verdict**: ", START);
        put_code(draft.file, why, false);
        fputc('\n', draft.file);
    }
    if (status == SSIMCU_OK) status = draft_end(&draft, 0, message);
    draft_drop(&draft);
    return status;
}

ssimcu_status note_remove(const char *path, ssimcu_message *message)
{
    return guard_remove(path, note_may_go(path), KIND.name, message);
}

bool note_may_go(const char *path)
{
    return guard_allows(path, (const char *const[]){START, NULL}, false);
}
