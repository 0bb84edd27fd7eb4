#include "run/run.h"

#include "base/numbers.h"
#include "base/refuse.h"
#include "delivery/exit_code.h"
#include "limits/limits_file.h"
#include "lines/lines.h"
#include "options/parts.h"
#include "options/verbs.h"
#include "say/describe.h"

#include "sized.h"

#include <math.h>
#include <stdlib.h>

/* ---- Its life -------------------------------------------------------------------------------- */

static enum verb verb_of(const ssimcu_run_options *given)
{
    return given->merges > 0 ? VERB_MERGE : given->list ? VERB_LIST : VERB_SCORE;
}

ssimcu_status ssimcu_run_open(const ssimcu_run_options *options, ssimcu_run **run,
                              ssimcu_message *message)
{
    ssimcu_run_options given;
    if (!run) return refuse(message, "run is NULL");
    *run = NULL;
    ssimcu_status status = ssimcu_sized_read(&given, sizeof given, SSIMCU_RUN_OPTIONS_OLDEST,
                                             options, "run_options", message);
    if (status == SSIMCU_OK) status = verbs_check(&given, verb_of(&given), message);
    if (status != SSIMCU_OK) return status;
    struct ssimcu_run *made = calloc(1, sizeof *made);
    if (!made) return no_memory(message);
    pthread_mutex_init(&made->hooks.lock, NULL);
    status = options_make(&made->options, &given, message);
    if (status != SSIMCU_OK) {
        ssimcu_run_close(&made);
        return status;
    }
    made->options.image.remark = hooks_remark;
    made->options.image.user = &made->hooks;
    made->input = made->options.input;
    made->input.stop = &made->stop;
    *run = made;
    return SSIMCU_OK;
}

/* Withdraws what earlier runs have left for every OUT, because this one came to no score. */
static void withdraw(struct ssimcu_run *run, ssimcu_status status, const ssimcu_message *why)
{
    static const ssimcu_message stopped = {DELIVERY_STOPPED};
    ssimcu_message ignored = {{0}};
    if (run->cancelled) status = SSIMCU_ERROR_INTERNAL, why = &stopped;
    const bool made = run->out != NULL;       /* the options of each OUT are there */
    if (!made && run->outs.count > 0) return; /* they could not be made */
    if (!made && out_options_open(&run->options, &run->outs, &ignored) != SSIMCU_OK) return;
    for (uint32_t i = 0; i < run->outs.count; i++)
        delivery_withdraw(&run->outs.options[i], run->is_pair, &run->hooks, status, why);
    if (status != SSIMCU_ERROR_ARGUMENT) run_index_withdraw(run, why->text);
}

ssimcu_status ssimcu_run_score(ssimcu_run *run, const ssimcu_run_hooks *hooks,
                               ssimcu_message *message)
{
    ssimcu_message cause = {{0}};
    ssimcu_status status = SSIMCU_OK;
    if (!run) return refuse(message, "run is NULL");
    if (run->started) return refuse(message, "this run has scored already");
    if (hooks)
        status = ssimcu_sized_read(&run->hooks.call, sizeof run->hooks.call,
                                   SSIMCU_RUN_HOOKS_OLDEST, hooks, "run_hooks", message);
    if (status != SSIMCU_OK) return status;
    run->started = true;
    const locale_t before = numbers_begin();
    const bool merge = run->options.run.merges > 0;
    run->is_pair = !merge && source_is_one_pair(&run->input);
    status = run_read_limits(run, &cause);
    const struct limits limits = run_limits(run);
    run->input.counts = limit_options_count_pixels(&run->options.run, &limits);
    run->input.differ = (struct differ_rule){
        .above = run->options.run.differ_above,
        .alpha = run->options.settings.alpha,
        .ignored = run->limits.ignored[0] ? limits_next_ignored : NULL,
        .user = &run->limits,
    };
    if (run->limits.compared[0]) run->is_pair = false; /* a batch looks at such rules */
    if (status != SSIMCU_OK)
        ; /* nothing is opened */
    else if (merge)
        status = run_merge(run, &cause);
    else
        status = run->is_pair ? run_pair(run, &cause) : run_batch(run, &cause);
    if (status != SSIMCU_OK && run->code == SSIMCU_EXIT_SCORED) run->code = exit_code_early(status);
    if (!run->begun && (status != SSIMCU_OK || run->cancelled)) withdraw(run, status, &cause);
    numbers_end(before);
    return status == SSIMCU_OK ? status : ssimcu_fail(message, status, "%s", cause.text);
}

void ssimcu_run_cancel(ssimcu_run *run)
{
    if (run) run->stop = true;
}

void ssimcu_run_close(ssimcu_run **run)
{
    struct ssimcu_run *own = run ? *run : NULL;
    if (!own) return;
    *run = NULL;
    if (own->hangs) return;
    source_close(own->source);
    variants_close(own->variants);
    for (uint32_t i = 0; own->out && i < own->outs.count; i++) delivery_free(&own->out[i].delivery);
    free(own->out);
    files_free(&own->files);
    out_options_close(&own->outs);
    picture_pair_free(&own->pictures);
    for (size_t i = 0; own->others && i < own->limits.floors.looks; i++)
        floors_file_close(own->others[i]);
    free(own->others);
    free(own->expected);
    floors_file_close(own->floors);
    limits_file_free(&own->limits);
    options_free(&own->options);
    pthread_mutex_destroy(&own->hooks.lock);
    free(own);
}

/* ---- What it came to ------------------------------------------------------------------------- */

ssimcu_exit ssimcu_run_exit_code(const ssimcu_run *run)
{
    return run && run->started ? run->code : SSIMCU_EXIT_USAGE;
}

int ssimcu_run_is_pair(const ssimcu_run *run) { return run && run->is_pair; }

int ssimcu_run_was_cancelled(const ssimcu_run *run) { return run && run->cancelled; }

/* Returns the run of an OUT; NULL: there is none. */
static const struct out_run *out_of(const ssimcu_run *run, uint32_t out)
{
    return run && run->out && out < run->outs.count ? &run->out[out] : NULL;
}

ssimcu_status ssimcu_run_summary(const ssimcu_run *run, uint32_t out, ssimcu_summary *summary,
                                 ssimcu_message *message)
{
    const struct out_run *one = out_of(run, out);
    if (!one || !(one->left_out || one->delivery.ended))
        return refuse(message, "OUT %u has no summary", out);
    const struct summary *own = &one->delivery.summary;
    const struct verdict *verdict = &one->delivery.verdict;
    ssimcu_summary filled;
    const ssimcu_status status = ssimcu_sized_read(&filled, sizeof filled, SSIMCU_SUMMARY_OLDEST,
                                                   summary, "summary", message);
    if (status != SSIMCU_OK) return status;
    filled = (ssimcu_summary){.struct_size = sizeof filled, .left_out = one->left_out};
    if (!one->left_out)
        filled = (ssimcu_summary){.struct_size = sizeof filled,
                                  .pairs = own->pairs,
                                  .scored = own->scored,
                                  .missing = own->missing,
                                  .failed = own->failed,
                                  .bad = verdict->bad,
                                  .complete = own->complete,
                                  .passed = verdict->passed,
                                  .low_mean = verdict->low_mean,
                                  .all = own->numbers.metrics[SSIMCU_METRIC_SSIM].all,
                                  .stale = own->stale,
                                  .metric = own->metric,
                                  .coded_frames = own->coded.frames,
                                  .coded_bytes = own->coded.bytes,
                                  .coded_seconds = own->coded.seconds,
                                  .coded_rate = own->coded.rate,
                                  .identical = own->numbers.metrics[SSIMCU_METRIC_PSNR].identical};
    for (int m = 0; m < SSIMCU_METRICS; m++) {
        const struct summary_metric *metric = &own->numbers.metrics[m];
        filled.metric_frames[m] = metric->scored;
        filled.metric_score[m] = metric->score;
        filled.metrics[m] = metric->all;
    }
    ssimcu_sized_write(summary, &filled);
    return SSIMCU_OK;
}

ssimcu_status ssimcu_run_part(const ssimcu_run *run, uint32_t out, uint32_t index,
                              ssimcu_part *part, ssimcu_message *message)
{
    const struct out_run *one = out_of(run, out);
    if (!one || !one->delivery.ended || index >= one->delivery.summary.parts)
        return refuse(message, "OUT %u has no part %u", out, index);
    const struct summary_part *own = &one->delivery.summary.part[index];
    ssimcu_part filled;
    const ssimcu_status status =
        ssimcu_sized_read(&filled, sizeof filled, SSIMCU_PART_OLDEST, part, "part", message);
    if (status != SSIMCU_OK) return status;
    filled = (ssimcu_part){.struct_size = sizeof filled,
                           .name = own->name,
                           .pairs = own->pairs,
                           .scored = own->scored,
                           .missing = own->missing,
                           .failed = own->failed,
                           .worst = own->worst};
    for (int m = 0; m < SSIMCU_METRICS; m++) {
        const struct summary_metric *metric = &own->numbers.metrics[m];
        filled.metric_score[m] = metric->scored > 0 ? metric->score : NAN;
        filled.metric_min[m] = metric->scored > 0 ? metric->all.min : NAN;
    }
    filled.mean = filled.metric_score[SSIMCU_METRIC_SSIM];
    filled.min = filled.metric_min[SSIMCU_METRIC_SSIM];
    ssimcu_sized_write(part, &filled);
    return SSIMCU_OK;
}

void ssimcu_run_describe(const ssimcu_run *run, uint32_t out, int brief,
                         void (*line)(void *user, const char *line), void *user)
{
    const struct out_run *one = out_of(run, out);
    const struct say to = {line, user};
    if (!one || !one->delivery.ended) return;
    const locale_t before = numbers_begin();
    describe_out(&one->delivery, brief != 0, &to);
    numbers_end(before);
}

char *ssimcu_run_json(const ssimcu_run *run, uint32_t out)
{
    const struct out_run *one = out_of(run, out);
    if (!one || !one->delivery.ended) return NULL;
    const struct delivery *delivery = &one->delivery;
    const struct verdict *verdict = delivery->options->share ? NULL : &delivery->verdict;
    const locale_t before = numbers_begin();
    char *text = delivery->pictures ? describe_pair_json(delivery)
                                    : summary_to_json(&delivery->summary, verdict);
    numbers_end(before);
    return text;
}

void ssimcu_text_free(char *text) { free(text); }
