#include "run/run.h"

#include "base/numbers.h"
#include "base/refuse.h"
#include "lines/lines.h"
#include "messages/describe.h"
#include "options/internal.h"

#include "sized.h"

#include <math.h>
#include <stdlib.h>

/* ---- Its life -------------------------------------------------------------------------------- */

static enum verb verb_of(const ssimcu_run_options *given)
{
    if (given->merges > 0) return VERB_MERGE;
    return given->check ? VERB_CHECK : given->list ? VERB_LIST : VERB_SCORE;
}

ssimcu_status ssimcu_run_open(const ssimcu_run_options *options, ssimcu_run **run,
                              ssimcu_message *message)
{
    ssimcu_run_options given;
    if (!run) FAIL(ARGUMENT, "run is NULL");
    *run = NULL;
    TRY(ssimcu_sized_read(&given, sizeof given, SSIMCU_RUN_OPTIONS_OLDEST, options, "run_options",
                          message));
    TRY(job_open(&given, verb_of(&given), run, message));
    if (given.check) (*run)->input.out = given.out, (*run)->input.outs = given.outs;
    return SSIMCU_OK;
}

static const struct work *work_of(const struct ssimcu_run *run)
{
    if (run->options.run.merges > 0) return &work_merge;
    if (run->options.run.check) return &work_check;
    return run->is_pair ? &work_pair : &work_batch;
}

/* Reads the limits, and the facts that the run needs from them. */
static ssimcu_status read_limits(struct ssimcu_run *run, ssimcu_message *message)
{
    const ssimcu_run_options *given = &run->options.run;
    run->is_pair = given->merges == 0 && !given->check && source_is_one_pair(&run->input);
    const ssimcu_status status = run_read_limits(run, message);
    const struct limits limits = run_limits(run);
    run->input.counts = limit_options_count_pixels(given, &limits);
    run->input.diff = (struct diff_rule){
        .above = given->diff_threshold,
        .alpha = run->options.settings.alpha,
        .ignored = run->limits.ignored[0] ? limits_next_ignored : NULL,
        .user = &run->limits,
    };
    if (run->limits.compared[0]) run->is_pair = false; /* only a batch applies such rules */
    return status;
}

static ssimcu_status score(struct ssimcu_run *run, ssimcu_message *message)
{
    const ssimcu_run_hooks *call = &run->hooks.call;
    TRY(read_limits(run, message));
    if (run->is_pair && call->begin) call->begin(call->user, 1);
    run->work = work_of(run);
    const ssimcu_status status = job_run(run, message);
    if (run->is_pair && call->end) call->end(call->user);
    return status;
}

ssimcu_status ssimcu_run_score(ssimcu_run *run, const ssimcu_run_hooks *hooks,
                               ssimcu_message *message)
{
    if (!run) FAIL(ARGUMENT, "run is NULL");
    if (run->started) FAIL(ARGUMENT, "this run has already scored");
    return job_call(run, score, hooks, message);
}

void ssimcu_run_cancel(ssimcu_run *run)
{
    if (run) run->stop = true;
}

/* ---- Its outcome ----------------------------------------------------------------------------- */

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
        FAIL(ARGUMENT, "OUT %u has no summary", out);
    const struct summary *sum = &one->delivery.summary;
    const struct verdict *verdict = &one->delivery.verdict;
    ssimcu_summary filled;
    TRY(ssimcu_sized_read(&filled, sizeof filled, SSIMCU_SUMMARY_OLDEST, summary, "summary",
                          message));
    filled = (ssimcu_summary){.struct_size = sizeof filled, .left_out = one->left_out};
    if (!one->left_out)
        filled = (ssimcu_summary){.struct_size = sizeof filled,
                                  .pairs = sum->pairs,
                                  .scored = sum->scored,
                                  .missing = sum->lacking,
                                  .failed = sum->failed,
                                  .bad = verdict->bad,
                                  .checked = sum->checked,
                                  .found = verdict->found,
                                  .complete = sum->complete,
                                  .passed = verdict->passed,
                                  .low_mean = verdict->low_mean,
                                  .all = sum->numbers.metrics[SSIMCU_METRIC_SSIM].all,
                                  .stale = sum->stale,
                                  .metric = sum->metric,
                                  .coded_frames = sum->coded.frames,
                                  .coded_bytes = sum->coded.bytes,
                                  .coded_seconds = sum->coded.seconds,
                                  .coded_rate = sum->coded.rate,
                                  .identical = sum->numbers.metrics[SSIMCU_METRIC_PSNR].identical};
    for (int m = 0; m < SSIMCU_METRICS; m++) {
        const struct summary_metric *metric = &sum->numbers.metrics[m];
        filled.metric_frames[m] = metric->scored;
        filled.metric_score[m] = metric->score;
        filled.metrics[m] = metric->all;
    }
    ssimcu_sized_write(summary, &filled);
    return SSIMCU_OK;
}

ssimcu_status ssimcu_run_shot(const ssimcu_run *run, uint32_t out, uint32_t index,
                              ssimcu_shot *shot, ssimcu_message *message)
{
    const struct out_run *one = out_of(run, out);
    if (!one || !one->delivery.ended || index >= one->delivery.summary.shots)
        FAIL(ARGUMENT, "OUT %u has no shot %u", out, index);
    const struct summary_shot *counts = &one->delivery.summary.shot[index];
    ssimcu_shot filled;
    TRY(ssimcu_sized_read(&filled, sizeof filled, SSIMCU_SHOT_OLDEST, shot, "shot", message));
    filled = (ssimcu_shot){.struct_size = sizeof filled,
                           .name = counts->name,
                           .pairs = counts->pairs,
                           .scored = counts->scored,
                           .missing = counts->missing,
                           .failed = counts->failed,
                           .worst = counts->worst};
    for (int m = 0; m < SSIMCU_METRICS; m++) {
        const struct summary_metric *metric = &counts->numbers.metrics[m];
        filled.metric_score[m] = metric->scored > 0 ? metric->score : NAN;
        filled.metric_min[m] = metric->scored > 0 ? metric->all.min : NAN;
    }
    filled.mean = filled.metric_score[SSIMCU_METRIC_SSIM];
    filled.min = filled.metric_min[SSIMCU_METRIC_SSIM];
    ssimcu_sized_write(shot, &filled);
    return SSIMCU_OK;
}

void ssimcu_run_describe(const ssimcu_run *run, uint32_t out, int brief,
                         void (*line)(void *user, const char *line), void *user)
{
    const struct out_run *one = out_of(run, out);
    const struct line_sink to = {line, user};
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
