/* The OUTs that are accepted, and their names in DIR. */
#include "accept/accept.h"

#include "base/json.h"
#include "base/overwrite_guard.h"
#include "base/refuse.h"
#include "base/results.h"
#include "base/text.h"
#include "engine/neighbours.h"
#include "record/record.h"
#include "run/run.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- Names ----------------------------------------------------------------------------------- */

/* Returns a file's way from the directory that was given, or its last name. */
static const char *way_of(const struct run_said *said, const char *root, const char *path)
{
    const size_t length = root ? strlen(root) : 0;
    if (!said->recursive || length == 0 || strncmp(path, root, length) != 0) return text_base(path);
    if (path[length] != '/' && root[length - 1] != '/') return text_base(path);
    path += length;
    return path + strspn(path, "/");
}

/* Returns whether the way leads out of the directory, which only a changed file of results says. */
static bool leads_out(const char *way)
{
    for (const char *name = way; *name; name += strcspn(name, "/"), name += *name == '/') {
        const size_t length = strcspn(name, "/");
        if (length == 0 || (length <= 2 && strncmp(name, "..", length) == 0)) return true;
    }
    return way[0] == '\0';
}

static const char *ending_of(const char *path)
{
    const char *name = text_base(path), *dot = strrchr(name, '.');
    return dot ? dot : "";
}

/* Returns whether both are of one format. If one of them is not there, their endings tell. */
static bool same_format(const char *a, const char *b)
{
    const char *first = guard_picture(a), *second = guard_picture(b);
    return first && second ? first == second : strcasecmp(ending_of(a), ending_of(b)) == 0;
}

/* Names the file in DIR: as REF is called, if it stands for this OUT alone and has its format. */
static ssimcu_status name_file(const struct accept *accept, struct accept_file *file,
                               ssimcu_message *message)
{
    const struct run_said *said = &accept->said;
    const bool still = said->ref && file->ref && strcmp(said->ref, file->ref) == 0 &&
                       strcmp(said->out, file->out) != 0;
    const bool as_ref = file->ref && !still && same_format(file->ref, file->out);
    const char *way = way_of(said, as_ref ? said->ref : said->out, as_ref ? file->ref : file->out);
    if (leads_out(way))
        FAIL(DATA, "%.200s: %.250s is not in the directory that was compared", file->results,
             as_ref ? file->ref : file->out);
    file->name = strdup(way);
    file->path = text_join(accept->into, "/", way, "");
    return file->name && file->path ? SSIMCU_OK : no_memory(message);
}

/* ---- Lines of results ------------------------------------------------------------------------ */

static ssimcu_status add_file(struct accept *accept, const struct record *record,
                              const char *results, ssimcu_message *message)
{
    const struct record_side *side = record->side;
    if (!results_grow(&accept->file, accept->count, &accept->room, sizeof *accept->file))
        return no_memory(message);
    struct accept_file *file = &accept->file[accept->count++];
    *file = (struct accept_file){
        .frame = record->frame,
        .results = results,
        .score = record->scored.score,
        .is = {side[1].known ? side[1].bytes : -1, side[1].seconds, side[1].nanoseconds, 0}};
    return text_copy(&file->shot, record->shot) && text_copy(&file->ref, side[0].path) &&
                   text_copy(&file->out, side[1].path) &&
                   findings_copy(&file->findings, &record->findings)
               ? SSIMCU_OK
               : no_memory(message);
}

/* What no reference should be, as the run called it. */
static const enum finding_kind BROKEN[] = {FINDING_BLACK, FINDING_SOLID, FINDING_DUPLICATE};
enum { BROKEN_KINDS = sizeof BROKEN / sizeof BROKEN[0], NAMED = 20 /* frames, a line for each */ };

void accept_refuse(struct accept *accept, const char *shot, int64_t frame, finding_mask kinds,
                   const char *why)
{
    char name[TEXT_FRAME];
    accept->broken |= kinds;
    if (accept->done.refused++ < NAMED)
        hooks_log(accept->hooks, SSIMCU_LOG_WARNING, "frame %s was not accepted: %s",
                  text_frame(name, shot, frame), why);
}

/* Refuses a frame that the run called so. Returns false if it did not, or if `even_if` allows it.
 */
static bool refuse_broken(struct accept *accept, const struct record *record)
{
    const finding_mask kinds = findings_kinds(&record->findings) & ~accept->even_if;
    for (int k = 0; k < BROKEN_KINDS; k++) {
        if (!(kinds >> BROKEN[k] & 1)) continue;
        accept_refuse(accept, record->shot, record->frame, finding_bit(BROKEN[k]),
                      finding_row(BROKEN[k])->name);
        return true;
    }
    return false;
}

ssimcu_status accept_fail_refused(const struct accept *accept, ssimcu_message *message)
{
    char kinds[FINDING_NAMES];
    const unsigned long long refused = accept->done.refused;
    FAIL(MISMATCH, "%llu frame%s not accepted; nothing was replaced. --even-if %s accepts %s",
         refused, refused > 1 ? "s were" : " was", findings_names(kinds, accept->broken, ","),
         refused > 1 ? "them" : "it");
}

/* Returns whether the frames that are asked for hold this line, and marks its number as found. */
static bool is_chosen(struct accept *accept, const struct record *record, bool *found)
{
    const bool layers = accept->said.layers;
    const ssimcu_ranges *frames = &accept->frames;
    const int64_t *at = ssimcu_ranges_find(frames, record->frame);
    if (!ssimcu_ranges_hold(frames, record->frame) ||
        (frames->shot && !record_is_of(record, frames->shot, layers)))
        return false;
    if (at) found[at - frames->number] = true;
    const char *shot = frames->shot;
    accept->names_layer =
        accept->names_layer || (layers && shot && record->shot && strcmp(record->shot, shot) == 0);
    return true;
}

static const char *results_of(const struct accept *accept, const struct results_line *line)
{
    uint32_t i = 0;
    while (i + 1 < accept->options->results_count && line->place >= accept->said.read[i]) i++;
    return accept->options->results[i];
}

/* The lines of results, while they are taken. */
struct taking {
    struct accept *accept;
    bool *found; /* which frames that are asked for are there */
    size_t at;   /* the next line */
    ssimcu_status status;
    ssimcu_message *message;
};

/* Takes the next record, whose hints are final. */
static bool take_record(void *user, struct record *record, bool known)
{
    struct taking *taking = user;
    struct accept *accept = taking->accept;
    const bool asked = accept->options->frames != NULL;
    const char *results = results_of(accept, &accept->earlier.line[taking->at++]);
    (void)known;
    if (asked && !is_chosen(accept, record, taking->found)) return true;
    const struct accept_file named = {.frame = record->frame, .shot = record->shot};
    const bool scored = record->kind == RECORD_SCORED && record->side[1].path;
    if (scored && !refuse_broken(accept, record)) {
        taking->status = add_file(accept, record, results, taking->message);
        if (taking->status == SSIMCU_OK)
            taking->status = name_file(accept, &accept->file[accept->count - 1], taking->message);
    } else if (!scored && asked) {
        accept_unfit(accept, &named, SSIMCU_ERROR_MISMATCH, "it was not scored in %s (%s)", results,
                     record_status(record));
    } else if (!scored) {
        accept->done.left_out++;
    }
    return taking->status == SSIMCU_OK;
}

/* Takes all records in the order of frames. Those of shares get the hints that their neighbours in
 * other shares explain, as in a merge. */
static ssimcu_status take_records(struct accept *accept, bool *found, ssimcu_message *message)
{
    struct taking taking = {.accept = accept, .found = found, .message = message};
    struct neighbours neighbours = {.take = take_record, .user = &taking, .sequence = true};
    const ssimcu_status status = run_read_records(&accept->earlier, &neighbours, message);
    return status == SSIMCU_OK ? taking.status : status;
}

static ssimcu_status take_lines(struct accept *accept, ssimcu_message *message)
{
    bool *found = calloc(accept->frames.count + 1, sizeof *found);
    ssimcu_status status = found ? take_records(accept, found, message) : no_memory(message);
    for (size_t i = 0; i < accept->frames.count - accept->frames.open && status == SSIMCU_OK; i++) {
        const struct accept_file lacking = {.frame = accept->frames.number[i],
                                            .shot = accept->frames.shot};
        if (!found[i])
            accept_unfit(accept, &lacking, SSIMCU_ERROR_MISMATCH, "it is not in the results");
    }
    free(found);
    const bool none = accept->count == 0 && accept->unfit == 0 && accept->done.refused == 0;
    if (status == SSIMCU_OK && none)
        status =
            fail_data(message, "%.300s: contains no scored frame", accept->options->results[0]);
    return status;
}

/* ---- Files ----------------------------------------------------------------------------------- */

static int by_path(const void *a, const void *b)
{
    const struct accept_file *x = a, *y = b;
    const int order = strcmp(x->path, y->path);
    return order ? order : record_order(x->shot, x->frame, y->shot, y->frame);
}

/* Sorts the files. Layers of one OUT become one file; two OUTs for one name are unfit. */
static void join(struct accept *accept)
{
    size_t kept = 0;
    if (accept->count > 0) qsort(accept->file, accept->count, sizeof *accept->file, by_path);
    for (size_t i = 0; i < accept->count; i++) {
        struct accept_file *file = &accept->file[i];
        struct accept_file *last = kept > 0 ? &accept->file[kept - 1] : NULL;
        const bool again = last && strcmp(last->path, file->path) == 0;
        if (!again || strcmp(last->out, file->out) != 0) {
            if (again)
                accept_unfit(accept, file, SSIMCU_ERROR_MISMATCH,
                             "%.150s and %.150s would both become %.150s", last->out, file->out,
                             file->path);
            accept->file[kept++] = *file;
            continue;
        }
        const bool worse = file->score < last->score;
        if (worse) {
            char *shot = last->shot;
            last->score = file->score;
            last->shot = file->shot;
            file->shot = shot;
        }
        if (last->findings.count == 0 || (worse && file->findings.count > 0)) {
            const struct findings others = last->findings;
            last->findings = file->findings;
            file->findings = others;
        }
        accept_free_file(file);
    }
    accept->count = kept;
    accept->done.files = kept;
}

/* Checks that the results can be accepted as a whole. */
static ssimcu_status check_run(const struct accept *accept, ssimcu_message *message)
{
    const struct results_reader *earlier = &accept->earlier;
    const char *name = accept->options->results[0];
    if (!earlier->header.contract) FAIL(DATA, "%.300s: contains no results", name);
    if (contract_is_video(earlier->header.contract))
        FAIL(ARGUMENT, "%.300s: expected results of pictures, found results of video", name);
    if (!earlier->complete || !results_reader_has_all_shares(earlier))
        FAIL(MISMATCH, "%.300s: expected the results of a complete run, with all its shares", name);
    return SSIMCU_OK;
}

ssimcu_status accept_read(struct accept *accept, ssimcu_message *message)
{
    const ssimcu_accept_options *options = accept->options;
    struct results_reader *earlier = &accept->earlier;
    struct run_said *said = &accept->said;
    said->read = calloc(options->results_count, sizeof *said->read);
    if (!said->read) return no_memory(message);
    for (uint32_t i = 0; i < options->results_count; i++) {
        TRY(results_reader_add(earlier, options->results[i], false, message));
        TRY(results_reader_has_scores(earlier, options->results[i], message));
        said->read[i] = earlier->lines_read;
    }
    TRY(check_run(accept, message));
    const json_t *input = earlier->header.input;
    said->ref = json_text(input, "ref");
    said->out = json_text(input, "out");
    said->recursive = json_is_true(json_object_get(input, "recursive"));
    said->layers = json_object_get(input, "layers") != NULL;
    if (!said->out) said->ref = NULL;
    return SSIMCU_OK;
}

ssimcu_status accept_plan(struct accept *accept, ssimcu_message *message)
{
    TRY(take_lines(accept, message));
    join(accept);
    return accept->done.refused > 0 && accept->unfit == 0 ? accept_fail_refused(accept, message)
                                                          : SSIMCU_OK;
}
