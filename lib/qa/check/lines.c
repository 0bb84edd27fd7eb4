#include "check/lines.h"

#include "base/draft.h"
#include "base/guard.h"
#include "base/json.h"
#include "base/object.h"
#include "base/refuse.h"
#include "base/results.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SCHEMA = 1 };

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

char *check_line_header(const ssimcu_run_options *run, check_mask fails)
{
    struct object json = object_new();
    json_t *frames = json_array();
    for (uint32_t i = 0; i < run->outs; i++) frames = json_add(frames, json_of_path(run->out[i]));
    object_text(&json, "type", "check");
    object_count(&json, "schema", SCHEMA);
    object_text(&json, "ssimcu", ssimcu_version());
    object_put(&json, "frames", frames);
    object_put(&json, "fail_on", names_of(fails));
    return json_to_line(object_end(&json));
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

char *check_line_frame(const struct check_shot *shot, const struct shot_frame *frame,
                       check_mask fails)
{
    struct object json = object_new();
    json_t *findings = json_array();
    for (size_t i = 0; i < frame->found.count; i++)
        findings = json_add(findings, finding_to_json(&frame->found.finding[i], fails));
    object_text(&json, "type", "frame");
    object_path(&json, "sequence", shot->name);
    if (frame->number < 0)
        object_text(&json, "frame", NULL);
    else
        object_count(&json, "frame", frame->number);
    object_path(&json, "path", frame->path);
    object_bool(&json, "passed", !check_frame_fails(frame, fails));
    object_put(&json, "findings", findings);
    return json_to_line(object_end(&json));
}

char *check_line_summary(const struct check_count *count)
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
    object_bool(&json, "complete", true);
    object_bool(&json, "passed", count->failed == 0 && count->read > 0);
    return json_to_line(object_end(&json));
}

/* ---- Where they go --------------------------------------------------------------------------- */

struct check_results {
    struct draft draft;
    bool to_file;
    ssimcu_status (*take)(void *user, const char *line);
    void *user;
};

static const char *const STARTS[] = {"{\"type\":\"check\",", NULL};
static const struct draft_kind kind = {.name = "results of a check", .starts = STARTS};

static ssimcu_status open_file(struct check_results *results, const char *path,
                               ssimcu_message *message)
{
    results->to_file = true;
    if (!guard_allows(path, STARTS, false))
        return ssimcu_fail(message, SSIMCU_ERROR_WRITE,
                           "%.300s: is not results of a check, and is left alone", path);
    return draft_open(&results->draft, path, results_beside(path, ".partial"), &kind, DRAFT_REPLACE,
                      message);
}

ssimcu_status check_results_open(const ssimcu_run_options *run,
                                 ssimcu_status (*take)(void *user, const char *line), void *user,
                                 struct check_results **results, ssimcu_message *message)
{
    *results = calloc(1, sizeof **results);
    if (!*results) return no_memory(message);
    (*results)->take = take;
    (*results)->user = user;
    return run->output ? open_file(*results, run->output, message) : SSIMCU_OK;
}

ssimcu_status check_results_add(struct check_results *results, char *line, ssimcu_message *message)
{
    ssimcu_status status = SSIMCU_OK;
    if (!line) return no_memory(message);
    if (results->to_file &&
        (fputs(line, results->draft.file) < 0 || fputc('\n', results->draft.file) < 0))
        status = ssimcu_fail(message, SSIMCU_ERROR_WRITE, "%.300s: %s", results->draft.name,
                             strerror(errno));
    if (!results->to_file && results->take) {
        status = results->take(results->user, line);
        if (status != SSIMCU_OK) (void)ssimcu_fail(message, status, "a line was refused");
    }
    free(line);
    return status;
}

ssimcu_status check_results_end(struct check_results *results, ssimcu_message *message)
{
    return results->to_file ? draft_end(&results->draft, 0, message) : SSIMCU_OK;
}

void check_results_close(struct check_results *results)
{
    if (results && results->to_file) draft_drop(&results->draft);
    free(results);
}
