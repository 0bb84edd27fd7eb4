/* The steps that all verbs share, around the work of each. */
#include "run/run.h"

#include "base/numbers.h"
#include "base/refuse.h"
#include "delivery/exit_code.h"
#include "limits/limits_file.h"
#include "options/verbs.h"
#include "report/folder/folder.h"

#include "sized.h"

#include <stdlib.h>

/* ---- The beginning --------------------------------------------------------------------------- */

ssimcu_status job_open(const ssimcu_run_options *given, enum verb verb, struct ssimcu_run **run,
                       ssimcu_message *message)
{
    if (given) TRY(verbs_check(given, verb, message));
    struct ssimcu_run *made = calloc(1, sizeof *made);
    if (!made) return no_memory(message);
    pthread_mutex_init(&made->hooks.lock, NULL);
    const ssimcu_status status = given ? options_make(&made->options, given, message) : SSIMCU_OK;
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

void ssimcu_run_close(ssimcu_run **run)
{
    struct ssimcu_run *closed = run ? *run : NULL;
    if (!closed) return;
    *run = NULL;
    if (closed->abandoned) return;
    source_close(closed->source);
    variants_close(closed->variants);
    for (uint32_t i = 0; closed->out && i < closed->outs.count; i++)
        delivery_free(&closed->out[i].delivery);
    free(closed->out);
    files_free(&closed->files);
    out_options_close(&closed->outs);
    picture_pair_free(&closed->pictures);
    for (size_t i = 0; closed->others && i < closed->limits.learned.variants; i++)
        learned_file_close(closed->others[i]);
    free(closed->others);
    free(closed->expected);
    learned_file_close(closed->learned);
    limits_file_free(&closed->limits);
    options_free(&closed->options);
    pthread_mutex_destroy(&closed->hooks.lock);
    free(closed);
}

/* Names an OUT that cannot be compared and leaves it out. The others continue. */
static void leave_out(struct ssimcu_run *run, uint32_t at, const struct source_out *out)
{
    const ssimcu_exit code = exit_code_early(out->status);
    run->out[at].left_out = true;
    hooks_log(&run->hooks, SSIMCU_LOG_WARNING, "OUT %s was left out: %s",
              source_out_name(&run->out[at].input, 0), out->message.text);
    if (code > run->code) run->code = code;
}

/* Checks the files of all OUTs before the first output is opened. */
static ssimcu_status check_files(struct ssimcu_run *run, ssimcu_message *message)
{
    const bool no_pairs = run->options.run.check || run->work->delivers_nothing;
    const struct source *source = no_pairs ? NULL : run->source;
    for (uint32_t i = 0; i < run->outs.count; i++)
        if (source && source->out && source->out[i].status != SSIMCU_OK)
            leave_out(run, i, &source->out[i]);
        else
            TRY(files_add(&run->files, run->out[i].delivery.options, run->is_pair, message));
    TRY(files_check(&run->files, source, run->variants, message));
    for (uint32_t i = 0; i < run->outs.count; i++) { /* before any OUT has begun */
        const char *report = run->outs.options[i].run.report;
        if (report && !run->out[i].left_out) TRY(folder_check(report, message));
    }
    return run_index_check(run, message);
}

/* Withdraws old outputs of the OUTs that are left out. Returns whether any OUT remains. */
static bool withdraw_left_out(struct ssimcu_run *run)
{
    bool others = false;
    for (uint32_t i = 0; i < run->outs.count; i++) {
        const struct source_out *out = run->out[i].left_out ? &run->source->out[i] : NULL;
        others = others || !out;
        if (out)
            delivery_withdraw(&run->outs.options[i], false, &run->hooks, out->status, &out->message,
                              false);
    }
    if (!others) run_index_withdraw(run, "no OUT can be compared");
    return others;
}

static ssimcu_status begin(struct ssimcu_run *run, ssimcu_message *message)
{
    const struct work *work = run->work;
    if (work->open) TRY(work->open(run, message));
    TRY(run_make_outs(run, message));
    TRY(check_files(run, message));
    for (uint32_t i = 0; i < run->outs.count; i++) {
        struct out_run *out = &run->out[i];
        if (out->left_out) continue;
        if (work->begin)
            TRY(work->begin(run, out, message));
        else if (!work->delivers_nothing)
            TRY(delivery_begin(&out->delivery, run->source, message));
    }
    return SSIMCU_OK;
}

/* ---- The end --------------------------------------------------------------------------------- */

/* Returns the code of an OUT whose records gave `judged`. A failure's code takes precedence. */
static ssimcu_exit code_of(ssimcu_exit judged, ssimcu_exit failure)
{
    const bool lost = judged == SSIMCU_EXIT_OUTPUT || judged == SSIMCU_EXIT_INTERNAL;
    return failure == SSIMCU_EXIT_SCORED || lost ? judged : failure;
}

/* Ends all results before the reports, which take a while, and JUnit XML last. `failure` is the
 * code of the error that ended the work; SCORED: none. Returns the highest code. */
static ssimcu_exit deliver(struct ssimcu_run *run, ssimcu_exit failure)
{
    const bool several = run->outs.count > 1;
    ssimcu_exit worst = several ? run->code : SSIMCU_EXIT_SCORED; /* the code of OUTs left out */
    if (!several && failure == SSIMCU_EXIT_SCORED) failure = run->code;
    for (uint32_t i = 0; i < run->outs.count; i++)
        if (!run->out[i].left_out) run->out[i].code = delivery_end(&run->out[i].delivery);
    run_index_say(run);
    for (uint32_t i = 0; i < run->outs.count; i++) {
        struct out_run *out = &run->out[i];
        if (out->left_out) continue;
        out->code = delivery_report(&out->delivery, out->code);
        run->cancelled = run->cancelled || out->delivery.report_stopped;
    }
    const ssimcu_exit index = run_index_write(run);
    if (index > worst) worst = index;
    for (uint32_t i = 0; i < run->outs.count; i++) {
        struct out_run *out = &run->out[i];
        if (out->left_out) continue;
        const ssimcu_exit code = code_of(out->code, failure);
        out->code = delivery_conclude(&out->delivery, index > code ? index : code);
        if (out->code > worst) worst = out->code;
    }
    return worst;
}

/* Returns the first error of any delivery, with its message. */
static ssimcu_status delivered(const struct ssimcu_run *run, ssimcu_message *message)
{
    for (uint32_t i = 0; i < run->outs.count; i++) {
        const struct delivery *delivery = &run->out[i].delivery;
        if (delivery->status != SSIMCU_OK)
            return ssimcu_fail(message, delivery->status, "%s", delivery->message.text);
    }
    return SSIMCU_OK;
}

ssimcu_status job_run(struct ssimcu_run *run, ssimcu_message *message)
{
    TRY(begin(run, message));
    if (run->work->delivers_nothing) return run->work->work(run, message);
    run->begun = withdraw_left_out(run);
    if (!run->begun) return SSIMCU_OK;
    const ssimcu_status status = run->work->work(run, message);
    run->code = deliver(run, status == SSIMCU_OK ? SSIMCU_EXIT_SCORED : exit_code_early(status));
    return status == SSIMCU_OK ? delivered(run, message) : status;
}

/* ---- An early end ---------------------------------------------------------------------------- */

/* Withdraws old outputs of every OUT, because this run has no score. */
static void withdraw(struct ssimcu_run *run, ssimcu_status status, const ssimcu_message *why)
{
    static const ssimcu_message stopped = {DELIVERY_STOPPED};
    ssimcu_message ignored = {{0}};
    if (run->cancelled) status = SSIMCU_ERROR_INTERNAL, why = &stopped;
    const bool made = run->out != NULL;
    if (run->outs.count == 0) (void)out_options_open(&run->options, &run->outs, &ignored);
    if (!run->outs.named) return; /* the options of the OUTs could not be made */
    for (uint32_t i = 0; i < run->outs.count; i++)
        delivery_withdraw(&run->outs.options[i], run->is_pair, &run->hooks, status, why,
                          made && run->out[i].delivery.writer);
    if (status != SSIMCU_ERROR_ARGUMENT) run_index_withdraw(run, why->text);
}

/* Sets the exit code of an error, and withdraws what there is to withdraw. */
static void end(struct ssimcu_run *run, ssimcu_status status, const ssimcu_message *why)
{
    if (!run->begun) run->cancelled = ssimcu_is_stopped(&run->stop); /* it was waiting for input */
    if (status != SSIMCU_OK && run->code == SSIMCU_EXIT_SCORED) run->code = exit_code_early(status);
    if (!run->begun && (status != SSIMCU_OK || run->cancelled)) withdraw(run, status, why);
}

ssimcu_status job_call(struct ssimcu_run *run,
                       ssimcu_status (*all)(struct ssimcu_run *run, ssimcu_message *message),
                       const ssimcu_run_hooks *hooks, ssimcu_message *message)
{
    ssimcu_message cause = {{0}};
    if (hooks)
        TRY(ssimcu_sized_read(&run->hooks.call, sizeof run->hooks.call, SSIMCU_RUN_HOOKS_OLDEST,
                              hooks, "run_hooks", message));
    run->started = true;
    const locale_t before = numbers_begin();
    const ssimcu_status status = all(run, &cause);
    end(run, status, &cause);
    numbers_end(before);
    return status == SSIMCU_OK ? status : ssimcu_fail(message, status, "%s", cause.text);
}
