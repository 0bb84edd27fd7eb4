/* ssimcu check: frames that have no reference are read, looked at, and judged shot by shot. */
#include "check/check.h"
#include "check/seen.h"

#include "base/guard.h"
#include "base/json.h"
#include "base/numbers.h"
#include "base/refuse.h"
#include "base/text.h"
#include "delivery/exit_code.h"
#include "lines/junit.h"
#include "options/files.h"
#include "options/verbs.h"

#include "sized.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- Options --------------------------------------------------------------------------------- */

/* Checks what is to be read: frames, a list of them, or results to merge. */
static ssimcu_status check_frames(const ssimcu_run_options *run, ssimcu_message *message)
{
    if (run->ref) return refuse(message, "check: frames have no reference, so none is expected");
    if (run->merges > 0 && run->outs > 0)
        return refuse(message, "check: a merge reads results, and no frames");
    if (run->list && run->outs > 0)
        return refuse(message, "--list names all frames: none are expected beside it");
    if (run->outs == 0 && !run->list && run->merges == 0)
        return refuse(message, "check: expected frames");
    if (run->stream[0] != run->stream[1])
        return refuse(message, "--stream: frames that are checked have no reference: expected one "
                               "number");
    if ((run->outs > 0 && !run->out) || (run->merges > 0 && !run->merge))
        return refuse(message, "check: expected %s", run->merges > 0 ? "results" : "frames");
    for (uint32_t i = 0; i < run->outs; i++)
        if (!run->out[i] || !run->out[i][0]) return refuse(message, "check: a path is empty");
    for (uint32_t i = 0; i < run->merges; i++)
        if (!run->merge[i] || !run->merge[i][0]) return refuse(message, "check: a path is empty");
    return SSIMCU_OK;
}

/* Takes the name of the earlier results, which may be that of what a killed check has left. */
static ssimcu_status take_resume(struct check *check, ssimcu_message *message)
{
    ssimcu_run_options *run = &check->run;
    const size_t stem = run->resume ? text_stem(run->resume, ".partial") : 0;
    if (!run->resume) return SSIMCU_OK;
    check->resume = stem > 0 ? strndup(run->resume, stem) : strdup(run->resume);
    if (!check->resume) return no_memory(message);
    if (!run->output) run->output = check->resume;
    return SSIMCU_OK;
}

/* Returns whether results are written over those that are resumed. */
static bool goes_on(const struct check *check)
{
    return check->resume && strcmp(check->resume, check->run.output) == 0;
}

/* Checks the rest of the options as those of a run of one OUT, or of a merge. */
static ssimcu_status make_options(struct check *check, ssimcu_message *message)
{
    const ssimcu_run_options *run = &check->run;
    ssimcu_run_options first = *run;
    const char *frames = run->list;
    if (!check_is_merge(check)) {
        first.out = run->list ? &frames : run->out;
        first.ref = first.out[0], first.outs = 1;
    }
    first.list = NULL;
    first.device = SSIMCU_DEVICE_CPU;
    const ssimcu_status status = options_make(&check->options, &first, message);
    check->options.image.remark = hooks_remark;
    check->options.image.user = &check->hooks;
    check->input = check->options.input;
    check->input.list = run->list;
    check->input.out = run->out;
    check->input.outs = run->outs;
    check->input.threads = check->options.settings.threads;
    if (status == SSIMCU_OK && check->options.frames.part)
        return refuse(message, "--frames %.200s: check takes numbers of every sequence",
                      run->frames);
    if (status == SSIMCU_OK && check->options.csv && goes_on(check))
        return refuse(message, "--resume: JSON Lines can be resumed, CSV cannot: name an --output");
    return status;
}

static ssimcu_status take_options(struct check *check, const ssimcu_check_options *given,
                                  ssimcu_message *message)
{
    ssimcu_run_options *run = &check->run;
    ssimcu_status status =
        ssimcu_sized_read(&check->given, sizeof check->given, SSIMCU_CHECK_OPTIONS_OLDEST, given,
                          "check_options", message);
    if (status == SSIMCU_OK)
        status = ssimcu_sized_read(run, sizeof *run, SSIMCU_RUN_OPTIONS_OLDEST, check->given.run,
                                   "run_options", message);
    if (status == SSIMCU_OK)
        status = verbs_check(run, check_is_merge(check) ? VERB_CHECK_MERGE : VERB_CHECK, message);
    if (status == SSIMCU_OK) status = check_frames(run, message);
    if (status != SSIMCU_OK) return status;
    check->fails = check_default();
    if (check->given.fail_on && check_is_merge(check))
        status = refuse(message, "--fail-on does not go with check --merge");
    else if (check->given.fail_on)
        status = check_read_kinds(check->given.fail_on, &check->fails, message);
    if (status == SSIMCU_OK) status = take_resume(check, message);
    if (status == SSIMCU_OK) status = make_options(check, message);
    check->taken = status == SSIMCU_OK;
    return status;
}

/* ---- The check ------------------------------------------------------------------------------- */

static ssimcu_status open_source(struct check *check, ssimcu_message *message)
{
    ssimcu_status status = alone_open(&check->input, &check->source, message);
    if (status != SSIMCU_OK) return status;
    check->sequence = alone_sequences(check->source, &check->sequences);
    check->known = calloc(check->sequences + 1, sizeof *check->known);
    if (!check->known) return no_memory(message);
    return check_take_share(check, message);
}

/* Reads what earlier results have, once no other check can write them. */
static ssimcu_status resume(struct check *check, ssimcu_message *message)
{
    if (!check->resume) return SSIMCU_OK;
    json_t *own = check_header(check);
    ssimcu_status status = own ? SSIMCU_OK : no_memory(message);
    if (status == SSIMCU_OK)
        status = check_earlier_resume(&check->earlier, check->resume, own, message);
    json_decref(own);
    if (status == SSIMCU_OK) status = check_take_over(check, message);
    if (status == SSIMCU_OK && goes_on(check))
        status = check_earlier_save(&check->earlier, check->resume, check->known, check->sequences,
                                    message);
    return status;
}

static json_t *header_of(const struct check *check)
{
    return check_is_merge(check) ? json_incref(check->earlier.header) : check_header(check);
}

/* Checks that no output replaces what is read, or another output. */
static ssimcu_status check_paths(const struct check *check, ssimcu_message *message)
{
    struct options options = check->options;
    struct files files = {.own_results = true};
    options.run = check->run;
    options.input = check->input;
    options.input.path[0] = NULL;
    options.input.path[1] = check->run.outs > 0 ? check->run.out[0] : NULL;
    ssimcu_status status = files_add(&files, &options, false, message);
    if (status == SSIMCU_OK) status = files_check(&files, NULL, NULL, message);
    files_free(&files);
    return status;
}

static ssimcu_status open_all(struct check *check, ssimcu_message *message)
{
    const bool lines = check->run.results != SSIMCU_RESULTS_AUTO && check->hooks.call.line;
    ssimcu_status status = check_paths(check, message);
    if (status == SSIMCU_OK)
        status =
            check_is_merge(check) ? check_merge_open(check, message) : open_source(check, message);
    if (status == SSIMCU_OK)
        status = check_results_open(&check->run, goes_on(check), lines ? hooks_line : NULL,
                                    &check->hooks, &check->results, message);
    if (status == SSIMCU_OK) status = resume(check, message);
    if (status == SSIMCU_OK) status = check_page_open(check->run.report, &check->page, message);
    if (status == SSIMCU_OK) check_results_show(check->results, check->options.csv, check->page);
    if (status == SSIMCU_OK) status = check_junit_open(check->run.junit, &check->junit, message);
    if (status == SSIMCU_OK)
        status = check_results_begin(check->results, json_to_line(header_of(check)), goes_on(check),
                                     message);
    return status;
}

static ssimcu_status write_end(struct check *check, ssimcu_message *message)
{
    ssimcu_status status =
        check_results_add(check->results, check_line_summary(&check->count, true), message);
    if (status == SSIMCU_OK) status = check_results_end(check->results, message);
    if (status == SSIMCU_OK) status = check_junit_end(&check->junit, &check->run, message);
    if (status != SSIMCU_OK) return status;
    return check_page_write(check->page, &check->input, check->run.memory_bytes, message);
}

/* Returns whether the outputs may be written as far as their names tell. What each would replace is
 * guarded where it is replaced. */
static bool may_write(const struct check *check, ssimcu_status status)
{
    ssimcu_message ignored = {{0}};
    if (status == SSIMCU_ERROR_ARGUMENT && !check->taken) return false;
    const ssimcu_status paths = check_paths(check, &ignored);
    return paths == SSIMCU_OK || paths == SSIMCU_ERROR_WRITE;
}

/* Returns whether results are written over those that are resumed, by whatever name. */
static bool resumes_output(const struct check *check)
{
    struct stat resumed, output;
    return check->resume && stat(check->resume, &resumed) == 0 &&
           stat(check->run.output, &output) == 0 && resumed.st_dev == output.st_dev &&
           resumed.st_ino == output.st_ino;
}

/* Removes the results of an earlier check. Those that are resumed stay, because a later check can
 * go on with them, and so do those that another check may just have written. */
static ssimcu_status remove_results(const struct check *check, ssimcu_status status,
                                    ssimcu_message *message)
{
    if (!check->run.output || resumes_output(check)) return SSIMCU_OK;
    if (!check_results_may_go(check->results, status)) return SSIMCU_OK;
    return guard_remove(check->run.output, &check_results_kind, message);
}

/* Sees to it that no verdict of an earlier run passes for one of this run, which came to none. */
static void withdraw(struct check *check, ssimcu_status status, const ssimcu_message *why)
{
    const ssimcu_run_options *run = &check->run;
    if (!may_write(check, status)) return;
    const char *first = check_is_merge(check) ? run->merge[0] : run->list ? run->list : run->out[0];
    const struct junit_end early = {status, why->text, {NULL, first}};
    for (int output = 0; output < 3; output++) {
        ssimcu_message message = {{0}};
        ssimcu_status done = SSIMCU_OK;
        if (output == 0) done = check_page_withdraw(run->report, why->text, &message);
        if (output == 1 && run->junit) done = junit_write_end(run->junit, &early, &message);
        if (output == 2) done = remove_results(check, status, &message);
        if (done != SSIMCU_OK && strcmp(message.text, why->text) != 0)
            hooks_log(&check->hooks, SSIMCU_LOG_WARNING, "%s", message.text);
    }
}

/* Returns the exit code. A share that is whole passes whatever was found: its merge judges. */
static ssimcu_exit code_of(const struct check *check, ssimcu_status status)
{
    if (status != SSIMCU_OK) return exit_code_early(status);
    if (check_is_share(check)) return SSIMCU_EXIT_SCORED;
    if (check->count.read == 0) return SSIMCU_EXIT_INPUT;
    return check->count.failed > 0 ? SSIMCU_EXIT_BELOW : SSIMCU_EXIT_SCORED;
}

/* Returns the last line of a check that was stopped; NULL: it has none. */
static char *last_line(const struct check *check, ssimcu_status status)
{
    const bool lost = status == SSIMCU_ERROR_WRITE || status == SSIMCU_ERROR_MEMORY;
    return status == SSIMCU_OK || lost ? NULL : check_line_summary(&check->count, false);
}

static void end(struct check *check, ssimcu_status status, ssimcu_checked *checked)
{
    const struct check_count *count = &check->count;
    const ssimcu_checked done = {.struct_size = sizeof done,
                                 .frames = count->frames,
                                 .read = count->read,
                                 .missing = count->missing,
                                 .found = count->found,
                                 .failed = count->failed,
                                 .code = code_of(check, status)};
    ssimcu_sized_write(checked, &done);
    if (check->hangs) return;
    for (struct waiting *next; check->waiting; check->waiting = next) {
        next = check->waiting->next;
        seen_free(check->waiting->seen);
        free(check->waiting->seen), free(check->waiting);
    }
    check_shot_free(&check->shot);
    source_close(check->source);
    check_results_close(check->results, last_line(check, status));
    check_junit_free(&check->junit);
    check_page_close(check->page);
    check_earlier_free(&check->earlier);
    free(check->known);
    free(check->paths);
    free(check->resume);
    options_free(&check->options);
    pthread_mutex_destroy(&check->lock);
    pthread_mutex_destroy(&check->hooks.lock);
    free(check);
}

ssimcu_status ssimcu_check(const ssimcu_check_options *options, const ssimcu_run_hooks *hooks,
                           ssimcu_checked *checked, ssimcu_message *message)
{
    ssimcu_checked given;
    ssimcu_message cause = {{0}};
    ssimcu_status status =
        ssimcu_sized_read(&given, sizeof given, SSIMCU_CHECKED_OLDEST, checked, "checked", message);
    if (status != SSIMCU_OK) return status;
    struct check *check = calloc(1, sizeof *check);
    if (!check) {
        given.code = exit_code_early(SSIMCU_ERROR_MEMORY);
        ssimcu_sized_write(checked, &given);
        return no_memory(message);
    }
    pthread_mutex_init(&check->hooks.lock, NULL);
    pthread_mutex_init(&check->lock, NULL);
    const locale_t before = numbers_begin();
    if (hooks)
        status = ssimcu_sized_read(&check->hooks.call, sizeof check->hooks.call,
                                   SSIMCU_RUN_HOOKS_OLDEST, hooks, "run_hooks", &cause);
    if (status == SSIMCU_OK) status = take_options(check, options, &cause);
    if (status == SSIMCU_OK) status = open_all(check, &cause);
    if (status == SSIMCU_OK)
        status =
            check_is_merge(check) ? check_merge(check, &cause) : check_look_at_all(check, &cause);
    if (status == SSIMCU_OK) status = write_end(check, &cause);
    if (status != SSIMCU_OK && check->run.struct_size > 0) withdraw(check, status, &cause);
    numbers_end(before);
    end(check, status, checked);
    return status == SSIMCU_OK ? status : ssimcu_fail(message, status, "%s", cause.text);
}
