/* ssimcu check: frames that have no reference are read, looked at, and judged shot by shot. */
#include "check/junit.h"
#include "check/lines.h"
#include "check/seen.h"
#include "check/shot.h"

#include "base/numbers.h"
#include "base/refuse.h"
#include "delivery/exit_code.h"
#include "delivery/hooks.h"
#include "engine/batch.h"
#include "facts/record.h"
#include "lines/junit.h"
#include "options/options.h"
#include "options/parts.h"
#include "options/verbs.h"
#include "pair/pair.h"
#include "source/alone.h"

#include "sized.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a thread has seen of a frame, until its record comes in order. */
struct waiting {
    const struct record *record;
    struct seen *seen;
    struct waiting *next;
};

struct check {
    ssimcu_check_options given;
    ssimcu_run_options run;
    struct options options;
    struct hooks hooks;
    struct source_input input;
    struct source *source;
    struct check_results *results;
    struct check_junit junit;
    check_mask fails;
    pthread_mutex_t lock; /* guards `waiting` */
    struct waiting *waiting;
    struct check_shot shot;
    struct check_count count;
    ssimcu_status status; /* what ended it early */
    ssimcu_message message;
    bool hangs; /* a thread that hangs may still use all of this */
};

/* ---- Options --------------------------------------------------------------------------------- */

static ssimcu_status take_options(struct check *check, const ssimcu_check_options *given,
                                  ssimcu_message *message)
{
    ssimcu_run_options *run = &check->run, first;
    ssimcu_status status =
        ssimcu_sized_read(&check->given, sizeof check->given, SSIMCU_CHECK_OPTIONS_OLDEST, given,
                          "check_options", message);
    if (status == SSIMCU_OK)
        status = ssimcu_sized_read(run, sizeof *run, SSIMCU_RUN_OPTIONS_OLDEST, check->given.run,
                                   "run_options", message);
    if (status == SSIMCU_OK) status = verbs_check(run, VERB_CHECK, message);
    if (status != SSIMCU_OK) return status;
    if (run->ref) return refuse(message, "check: frames have no reference, so none is expected");
    if (run->outs == 0) return refuse(message, "check: expected frames");
    for (uint32_t i = 0; i < run->outs; i++)
        if (!run->out[i] || !run->out[i][0]) return refuse(message, "check: a path is empty");
    check->fails = check_default();
    if (check->given.fail_on)
        status = check_read_kinds(check->given.fail_on, &check->fails, message);
    if (status != SSIMCU_OK) return status;
    first = *run; /* the rest of the options is checked as that of a run of one OUT */
    first.ref = run->out[0], first.outs = 1;
    first.device = SSIMCU_DEVICE_CPU;
    status = options_make(&check->options, &first, message);
    check->options.image.remark = hooks_remark;
    check->options.image.user = &check->hooks;
    check->input = check->options.input;
    check->input.out = run->out;
    check->input.outs = run->outs;
    check->input.threads = check->options.settings.threads;
    return status;
}

/* ---- Frames ---------------------------------------------------------------------------------- */

enum { CODED = 2 /* levels by which codecs of video change one colour */ };

/* Looks at a frame, instead of scoring it. */
static ssimcu_status look(void *user, ssimcu_context *lane, const struct pair *pair,
                          ssimcu_score *score, ssimcu_message *message)
{
    struct check *check = user;
    struct waiting *waiting = calloc(1, sizeof *waiting);
    struct seen *seen = malloc(sizeof *seen);
    (void)lane;
    score->score = NAN;
    if (!waiting || !seen) {
        free(waiting), free(seen);
        return no_memory(message);
    }
    const ssimcu_status status =
        seen_look(pair->plane[1], pair->format[1] ? CODED : 0, seen, message);
    if (status != SSIMCU_OK) {
        seen_free(seen);
        free(waiting), free(seen);
        return status;
    }
    pthread_mutex_lock(&check->lock);
    *waiting = (struct waiting){pair->record, seen, check->waiting};
    check->waiting = waiting;
    pthread_mutex_unlock(&check->lock);
    return SSIMCU_OK;
}

/* Returns what was seen of a record's frame; NULL: it was not read. */
static struct seen *seen_of(struct check *check, const struct record *record)
{
    struct seen *seen = NULL;
    pthread_mutex_lock(&check->lock);
    struct waiting **at = &check->waiting;
    while (*at && (*at)->record != record) at = &(*at)->next;
    struct waiting *found = *at;
    if (found) *at = found->next, seen = found->seen;
    pthread_mutex_unlock(&check->lock);
    free(found);
    return seen;
}

/* ---- Shots ----------------------------------------------------------------------------------- */

/* Tells the caller what was found in a frame. */
static ssimcu_status tell(struct check *check, const struct shot_frame *frame)
{
    ssimcu_status status = SSIMCU_OK;
    for (size_t i = 0; i < frame->found.count && status == SSIMCU_OK; i++) {
        const struct finding *own = &frame->found.finding[i];
        const ssimcu_finding finding = {.struct_size = sizeof finding,
                                        .kind = check_kind_name(own->kind),
                                        .fails = check->fails >> own->kind & 1,
                                        .sequence = check->shot.name,
                                        .path = frame->path,
                                        .frame = frame->number,
                                        .x = own->place.x,
                                        .y = own->place.y,
                                        .width = own->place.width,
                                        .height = own->place.height,
                                        .number = own->number,
                                        .text = own->text};
        check->count.of_kind[own->kind]++;
        if (!check->given.finding) continue;
        pthread_mutex_lock(&check->hooks.lock);
        status = check->given.finding(check->given.user, &finding);
        pthread_mutex_unlock(&check->hooks.lock);
        if (status != SSIMCU_OK) (void)hooks_failed(status, &check->message);
    }
    return status;
}

static ssimcu_status deliver(struct check *check, const struct shot_frame *frame)
{
    struct check_count *count = &check->count;
    const bool missing = !frame->path;
    count->frames += !missing;
    count->read += frame->read;
    for (size_t i = 0; i < frame->found.count && missing; i++)
        count->missing += (uint64_t)frame->found.finding[i].number;
    count->found += frame->found.count > 0;
    count->failed += check_frame_fails(frame, check->fails);
    check_junit_add(&check->junit, &check->shot, frame, check->fails);
    ssimcu_status status = tell(check, frame);
    if (status == SSIMCU_OK)
        status = check_results_add(
            check->results, check_line_frame(&check->shot, frame, check->fails), &check->message);
    return status;
}

/* Judges a shot that is at its end, and hands it out. */
static void end_shot(struct check *check)
{
    struct check_shot *shot = &check->shot;
    if (shot->name) check_shot_judge(shot);
    if (shot->out_of_memory && check->status == SSIMCU_OK)
        check->status = no_memory(&check->message);
    for (size_t i = 0; i < shot->count && check->status == SSIMCU_OK; i++)
        check->status = deliver(check, &shot->frame[i]);
    check_shot_free(shot);
}

static void begin_shot(struct check *check, const struct record *record)
{
    const char *path = record->side[1].path;
    check->shot.name = strdup(record->part);
    check->shot.out_of_memory = !check->shot.name;
    check->shot.numbered = path && strcmp(path, record->part) != 0; /* that of video is its path */
}

static bool take(void *user, const struct record *record, bool known)
{
    struct check *check = user;
    struct seen *seen = seen_of(check, record);
    const bool read = record->kind == RECORD_SCORED && seen;
    const char *why = record->message.text[0] ? record->message.text : record_status(record);
    if (record->kind == RECORD_FAILED && record->status == SSIMCU_ERROR_MEMORY) {
        check->status = ssimcu_fail(&check->message, record->status, "%s", why); /* no damage */
        if (seen) seen_free(seen);
        free(seen);
        return false;
    }
    if (check->shot.name && record->part && strcmp(check->shot.name, record->part) != 0)
        end_shot(check);
    if (!check->shot.name && record->part) begin_shot(check, record);
    check_shot_add(&check->shot, record->frame, record->side[1].path, read ? NULL : why, seen);
    if (check->status == SSIMCU_OK)
        check->status = hooks_record(&check->hooks, record, known, &check->message);
    return check->status == SSIMCU_OK;
}

/* ---- The check ------------------------------------------------------------------------------- */

static ssimcu_status open_all(struct check *check, ssimcu_message *message)
{
    const bool lines = check->run.results == SSIMCU_RESULTS_JSON && check->hooks.call.line;
    ssimcu_status status = alone_open(&check->input, &check->source, message);
    if (status == SSIMCU_OK)
        status = check_results_open(&check->run, lines ? hooks_line : NULL, &check->hooks,
                                    &check->results, message);
    if (status == SSIMCU_OK) status = check_junit_open(check->run.junit, &check->junit, message);
    if (status == SSIMCU_OK)
        status = check_results_add(check->results, check_line_header(&check->run, check->fails),
                                   message);
    return status;
}

static ssimcu_status look_at_all(struct check *check, ssimcu_message *message)
{
    const ssimcu_run_hooks *call = &check->hooks.call;
    struct batch_times times;
    const struct batch_config config = {.settings = {.struct_size = sizeof config.settings,
                                                     .device = SSIMCU_DEVICE_CPU,
                                                     .threads = check->options.settings.threads},
                                        .memory_bytes = check->run.memory_bytes,
                                        .no_hints = true,
                                        .score = look,
                                        .take = take,
                                        .user = check};
    if (call->begin) call->begin(call->user, source_count(check->source));
    const ssimcu_status status = batch_run(&config, check->source, &times, message);
    check->hangs = times.abandoned;
    if (check->status == SSIMCU_OK) end_shot(check);
    if (call->end) call->end(call->user);
    if (check->status != SSIMCU_OK) /* the cause, if the batch was told to end */
        return ssimcu_fail(message, check->status, "%s", check->message.text);
    return status;
}

static ssimcu_status write_end(struct check *check, ssimcu_message *message)
{
    ssimcu_status status =
        check_results_add(check->results, check_line_summary(&check->count), message);
    if (status == SSIMCU_OK) status = check_results_end(check->results, message);
    return status == SSIMCU_OK ? check_junit_end(&check->junit, &check->run, message) : status;
}

/* Sees to it that no verdict of an earlier run passes for one of this run, which came to none. */
static void withdraw(struct check *check, ssimcu_status status, const ssimcu_message *why)
{
    const struct junit_end early = {status, why->text, {NULL, check->run.out[0]}};
    ssimcu_message message = {{0}};
    if (!check->run.junit || status == SSIMCU_ERROR_ARGUMENT) return;
    if (junit_write_end(check->run.junit, &early, &message) != SSIMCU_OK &&
        strcmp(message.text, why->text) != 0)
        hooks_log(&check->hooks, SSIMCU_LOG_WARNING, "%s", message.text);
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
                                 .code = status != SSIMCU_OK ? exit_code_early(status)
                                         : count->read == 0  ? SSIMCU_EXIT_INPUT
                                         : count->failed > 0 ? SSIMCU_EXIT_BELOW
                                                             : SSIMCU_EXIT_SCORED};
    ssimcu_sized_write(checked, &done);
    if (check->hangs) return;
    for (struct waiting *next; check->waiting; check->waiting = next) {
        next = check->waiting->next;
        seen_free(check->waiting->seen);
        free(check->waiting->seen), free(check->waiting);
    }
    check_shot_free(&check->shot);
    source_close(check->source);
    check_results_close(check->results);
    check_junit_free(&check->junit);
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
    if (status == SSIMCU_OK) status = look_at_all(check, &cause);
    if (status == SSIMCU_OK) status = write_end(check, &cause);
    if (status != SSIMCU_OK && check->run.outs > 0) withdraw(check, status, &cause);
    numbers_end(before);
    end(check, status, checked);
    return status == SSIMCU_OK ? status : ssimcu_fail(message, status, "%s", cause.text);
}
