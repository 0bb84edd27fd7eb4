#include "check/check.h"
#include "check/csv.h"

#include "base/draft.h"
#include "base/guard.h"
#include "base/json.h"
#include "base/object.h"
#include "base/refuse.h"
#include "base/results.h"
#include "lines/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool check_frame_fails(const struct shot_frame *frame, check_mask fails)
{
    bool any = false;
    for (size_t i = 0; i < frame->found.count; i++)
        any = any || fails >> frame->found.finding[i].kind & 1;
    return any;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

static json_t *names_of(check_mask kinds)
{
    json_t *names = json_array();
    for (int k = 0; k < CHECK_KINDS; k++)
        if (kinds >> k & 1) names = json_add(names, json_string(check_kind_name(k)));
    return names;
}

/* Returns the options by which frames are found and read, of those that were given. */
static json_t *options_of(const ssimcu_run_options *run)
{
    struct object json = object_new();
    const struct {
        const char *name, *value;
    } texts[] = {{"list", run->list},     {"layer", run->layer}, {"channels", run->channels},
                 {"frames", run->frames}, {"size", run->size},   {"format", run->format}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].value) object_path(&json, texts[i].name, texts[i].value);
    if (run->recursive) object_bool(&json, "recursive", true);
    if (run->layers) object_bool(&json, "layers", true);
    if (run->stream[1] > 0) object_count(&json, "stream", (int64_t)run->stream[1]);
    if (run->max_pixels > 0) object_count(&json, "max_pixels", (int64_t)run->max_pixels);
    return object_end(&json);
}

/* Says which share it is, and which sequences of how many it has, by their places. */
static void put_share(struct object *json, const struct check *check)
{
    const ssimcu_run_options *run = &check->run;
    json_t *shard = json_add(json_array(), json_integer(run->shard)), *has = json_array();
    for (size_t i = 0; i < check->sequences; i++)
        if (!check->sequence[i].left_out || check->known[i])
            has = json_add(has, json_integer((json_int_t)i));
    object_put(json, "shard", json_add(shard, json_integer(run->shards)));
    object_count(json, "sequences", (int64_t)check->sequences);
    object_put(json, "has", has);
}

json_t *check_header(const struct check *check)
{
    const ssimcu_run_options *run = &check->run;
    struct object json = object_new();
    json_t *frames = json_array(), *options = options_of(run);
    for (uint32_t i = 0; i < run->outs; i++) frames = json_add(frames, json_of_path(run->out[i]));
    object_text(&json, "type", "check");
    object_count(&json, "schema", CHECK_SCHEMA);
    object_text(&json, "ssimcu", ssimcu_version());
    object_put(&json, "frames", frames);
    object_put(&json, "fail_on", names_of(check->fails));
    if (!options || json_object_size(options) > 0)
        object_put(&json, "options", options);
    else
        json_decref(options);
    if (run->shards > 1) put_share(&json, check);
    return object_end(&json);
}

static json_t *finding_to_json(const struct finding *finding, check_mask fails)
{
    struct object json = object_new();
    const struct check_place *place = &finding->place;
    object_text(&json, "kind", check_kind_name(finding->kind));
    object_bool(&json, "fails", fails >> finding->kind & 1);
    object_real(&json, "number", finding->number);
    if (place->width > 0) {
        object_count(&json, "x", place->x);
        object_count(&json, "y", place->y);
        object_count(&json, "width", place->width);
        object_count(&json, "height", place->height);
    }
    object_path(&json, "text", finding->text);
    return object_end(&json);
}

/* Names the file of a frame, with what tells whether it has changed. */
static void put_file(struct object *json, const struct shot_frame *frame)
{
    struct record_side side = frame->file;
    side.path = frame->path;
    json_t *file = record_side_to_json(&side);
    object_put(json, "path",
               frame->path ? json_incref(json_object_get(file, "path")) : json_null());
    if (frame->path && side.known) {
        object_put(json, "bytes", json_incref(json_object_get(file, "bytes")));
        object_put(json, "mtime", json_incref(json_object_get(file, "mtime")));
    }
    json_decref(file);
}

char *check_line_frame(const struct check_shot *shot, const struct shot_frame *frame,
                       check_mask fails)
{
    struct object json = object_new();
    json_t *findings = json_array();
    for (size_t i = 0; i < frame->found.count; i++)
        findings = json_add(findings, finding_to_json(&frame->found.finding[i], fails));
    object_text(&json, "type", "frame");
    object_path(&json, "sequence", shot->name);
    if (shot->layer) object_path(&json, "layer", shot->layer);
    if (frame->number < 0)
        object_text(&json, "frame", NULL);
    else
        object_count(&json, "frame", frame->number);
    put_file(&json, frame);
    if (frame->streams > 1) object_count(&json, "stream", frame->stream);
    if (frame->streams > 1) object_count(&json, "streams", frame->streams);
    object_bool(&json, "passed", !check_frame_fails(frame, fails));
    object_put(&json, "findings", findings);
    if (frame == &shot->frame[shot->count - 1]) object_bool(&json, "last", true);
    return json_to_line(object_end(&json));
}

char *check_line_summary(const struct check_count *count, bool complete)
{
    struct object json = object_new(), kinds = object_new();
    for (int k = 0; k < CHECK_KINDS; k++)
        if (count->of_kind[k] > 0)
            object_count(&kinds, check_kind_name(k), (int64_t)count->of_kind[k]);
    object_text(&json, "type", "summary");
    object_count(&json, "frames", (int64_t)count->frames);
    object_count(&json, "read", (int64_t)count->read);
    object_count(&json, "missing", (int64_t)count->missing);
    object_count(&json, "found", (int64_t)count->found);
    object_count(&json, "failed", (int64_t)count->failed);
    object_put(&json, "kinds", object_end(&kinds));
    object_bool(&json, "complete", complete);
    object_bool(&json, "passed", complete && count->failed == 0 && count->read > 0);
    return json_to_line(object_end(&json));
}

/* ---- Where they go --------------------------------------------------------------------------- */

struct check_results {
    struct draft draft;
    bool to_file, begun;
    bool ended; /* the file has its name */
    bool whole; /* a sequence is in the file */
    ssimcu_status (*take)(void *user, const char *line);
    void *user;
    bool csv;
    struct check_page *page;
};

static const char *const STARTS[] = {"{\"type\":\"check\",", CHECK_CSV_START, NULL};
const struct draft_kind check_results_kind = {.name = "results of a check", .starts = STARTS};

/* Checks that what has the file's name is results of a check, too. */
static ssimcu_status check_place(const char *path, ssimcu_message *message)
{
    if (guard_allows(path, STARTS, false)) return SSIMCU_OK;
    return ssimcu_fail(message, SSIMCU_ERROR_WRITE,
                       "%.300s: is not results of a check, and is left alone", path);
}

static ssimcu_status open_file(struct check_results *results, const char *path, bool resumed,
                               ssimcu_message *message)
{
    results->to_file = true;
    ssimcu_status status = check_place(path, message);
    if (status != SSIMCU_OK) return status;
    status = draft_open(&results->draft, path, results_beside(path, ".partial"),
                        &check_results_kind, resumed ? DRAFT_GO_ON : DRAFT_REFUSE, message);
    return status == SSIMCU_ERROR_WRITE ? draft_is_left(&results->draft, message) : status;
}

ssimcu_status check_results_open(const ssimcu_run_options *run, bool resumed,
                                 ssimcu_status (*take)(void *user, const char *line), void *user,
                                 struct check_results **results, ssimcu_message *message)
{
    *results = calloc(1, sizeof **results);
    if (!*results) return no_memory(message);
    (*results)->take = take;
    (*results)->user = user;
    return run->output ? open_file(*results, run->output, resumed, message) : SSIMCU_OK;
}

static ssimcu_status cannot(const struct check_results *results, ssimcu_message *message)
{
    return ssimcu_fail(message, SSIMCU_ERROR_WRITE, "%.300s: %s", results->draft.name,
                       strerror(errno));
}

ssimcu_status check_results_begin(struct check_results *results, char *line, bool resumed,
                                  ssimcu_message *message)
{
    ssimcu_status status = SSIMCU_OK;
    if (results->to_file && ftruncate(fileno(results->draft.file), 0) != 0)
        status = cannot(results, message);
    if (status == SSIMCU_OK && results->to_file && !resumed)
        status = guard_remove(results->draft.path, &check_results_kind, message);
    results->begun = true;
    if (status == SSIMCU_OK) return check_results_add(results, line, message);
    free(line);
    return status;
}

void check_results_show(struct check_results *results, bool csv, struct check_page *page)
{
    results->csv = csv;
    results->page = page;
}

static ssimcu_status put(struct check_results *results, const char *line, ssimcu_message *message)
{
    ssimcu_status status = SSIMCU_OK;
    if (results->to_file &&
        (fputs(line, results->draft.file) < 0 || fputc('\n', results->draft.file) < 0))
        status = cannot(results, message);
    if (!results->to_file && results->take) {
        status = results->take(results->user, line);
        if (status != SSIMCU_OK) (void)ssimcu_fail(message, status, "a line was refused");
    }
    return status;
}

/* Writes the rows of a line, one by one. */
static ssimcu_status put_rows(struct check_results *results, const char *line,
                              ssimcu_message *message)
{
    ssimcu_status status = SSIMCU_OK;
    char *rows = check_csv_rows(line), *rest = NULL;
    if (!rows) return no_memory(message);
    for (char *row = strtok_r(rows, "\n", &rest); row && status == SSIMCU_OK;
         row = strtok_r(NULL, "\n", &rest))
        status = put(results, row, message);
    free(rows);
    return status;
}

ssimcu_status check_results_add(struct check_results *results, char *line, ssimcu_message *message)
{
    if (!line) return no_memory(message);
    check_page_add(results->page, line);
    const ssimcu_status status = (results->csv ? put_rows : put)(results, line, message);
    free(line);
    return status;
}

ssimcu_status check_results_flush(struct check_results *results, ssimcu_message *message)
{
    if (!results->to_file) return SSIMCU_OK;
    if (fflush(results->draft.file) != 0) return cannot(results, message);
    results->whole = true;
    return SSIMCU_OK;
}

ssimcu_status check_results_end(struct check_results *results, ssimcu_message *message)
{
    if (!results->to_file) return SSIMCU_OK;
    const char *path = results->draft.path;
    char *left = results_beside(path, ".resume");
    ssimcu_status status = left ? SSIMCU_OK : no_memory(message);
    if (status == SSIMCU_OK) status = check_place(path, message); /* a file may have come there */
    if (status == SSIMCU_OK) status = draft_end(&results->draft, 0, message);
    if (status == SSIMCU_OK) guard_drop(left, &check_results_kind);
    results->ended = status == SSIMCU_OK;
    free(left);
    return status;
}

bool check_results_may_go(const struct check_results *results, ssimcu_status status)
{
    if (!results) return true;
    return !results->ended && (results->draft.file || status != SSIMCU_ERROR_WRITE);
}

/* Returns whether the file has nothing that another check could go on with. */
static bool is_useless(const struct check_results *results)
{
    struct stat info;
    if (results->begun) return !results->whole;
    return fstat(fileno(results->draft.file), &info) != 0 || info.st_size == 0;
}

void check_results_close(struct check_results *results, char *line)
{
    ssimcu_message ignored = {{0}};
    if (results && results->to_file && results->draft.file && !is_useless(results)) {
        if (line && results->begun) (void)check_results_add(results, line, &ignored), line = NULL;
        draft_keep(&results->draft);
    } else if (results && results->to_file) {
        draft_drop(&results->draft);
    }
    free(line);
    free(results);
}
