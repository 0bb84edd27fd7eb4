/* A batch from its options to its exit code: source, scores, results, summary. */
#include "outcome.h"
#include "run.h"

#include "fail.h"

#include <jansson.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>

static atomic_int stop_signal; /* 0: none yet; set by a handler, read by every thread */

static void on_signal(int number) { stop_signal = number; }

static bool is_stopped(void) { return stop_signal != 0; }

/* The second signal ends the program at once. */
static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    stop_signal = 0;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

/* Whether an earlier run has scored these files as they are; the record is then that one. */
static bool find_known(void *user, struct record *record)
{
    struct outcome *outcome = user;
    struct record old;
    if (!loaded_find(&outcome->loaded, record->frame, &old)) return false;
    const bool same = record_same_files(&old, record);
    record_clear(same ? record : &old);
    if (same) *record = old;
    return same;
}

static ssimcu_status resume(struct outcome *outcome, const json_t *contract,
                            ssimcu_message *message)
{
    const struct batch_options *options = &outcome->options->batch;
    struct loaded *loaded = &outcome->loaded;
    if (!options->resume) return SSIMCU_OK;
    const bool is_output = options->output && strcmp(options->output, options->resume) == 0;
    const ssimcu_status status = loaded_resume(loaded, options->resume, is_output, message);
    if (status != SSIMCU_OK || !loaded->contract || json_equal(loaded->contract, contract))
        return status;
    return ssimcu_fail(message, SSIMCU_ERROR_MISMATCH,
                       "%.300s: these scores follow another contract (--pad, --color, --alpha, "
                       "--region, --offset)",
                       options->resume);
}

static void describe(const struct batch_source *source)
{
    char text[512];
    for (int side = 0; side < 2; side++)
        if (batch_describe(source, side, text, sizeof text)) report_line("%s", text);
}

static enum exit_code score(struct outcome *outcome, struct batch_source *source)
{
    const struct options *options = outcome->options;
    const struct batch_config config = {.settings = options->settings,
                                        .all_devices = options->all_devices,
                                        .memory_bytes = options->batch.memory_bytes,
                                        .known = outcome->loaded.count > 0 ? find_known : NULL,
                                        .take = outcome_take,
                                        .user = outcome,
                                        .stopped = is_stopped};
    struct batch_times times;
    ssimcu_message message = {{0}};
    report_progress_start(&outcome->progress,
                          options->quiet ? PROGRESS_NONE : options->batch.progress,
                          batch_count(source));
    const ssimcu_status status = batch_run(&config, source, &times, &message);
    report_progress_end(&outcome->progress);
    if (options->verbose) report_times(&times);
    const int signal_number = stop_signal;
    const bool damaged = source->damage.text[0] != '\0';
    if (damaged && signal_number == 0) report_line("%s", source->damage.text);
    outcome->summary.complete =
        status == SSIMCU_OK && outcome->status == SSIMCU_OK && signal_number == 0 && !damaged;
    const enum exit_code code = outcome_deliver(outcome);
    if (status != SSIMCU_OK) {
        const enum exit_code failed = outcome_complain(status, &message);
        return code == EXIT_OUTPUT ? code : failed;
    }
    if (code == EXIT_OUTPUT || code == EXIT_INTERNAL || signal_number == 0) return code;
    const char *output = outcome->summary.pairs > 0 ? options->batch.output : NULL;
    report_line("stopped by a signal%s%s%s", output ? ": " : "", output ? output : "",
                output ? ".partial holds what is scored, --resume goes on with it" : "");
    return (enum exit_code)(EXIT_SIGNAL + signal_number);
}

enum exit_code run_batch(const struct options *options)
{
    struct outcome outcome = {.options = options};
    struct batch_input input = options->input;
    struct batch_source *source = NULL;
    ssimcu_message message = {{0}};
    if (options->map) {
        report_line("--map takes a single pair of pictures");
        return EXIT_USAGE;
    }
    json_t *contract =
        contract_choose(contract_to_json(&options->settings, 0), &input.region, input.offset);
    input.color = options->settings.color;
    input.stopped = is_stopped;
    summary_start(&outcome.summary, options->batch.worst);
    catch_signals();
    ssimcu_status status = batch_open(&input, &source, &message);
    if (status == SSIMCU_OK && options->verbose) describe(source);
    if (status == SSIMCU_OK) status = outcome_spare_inputs(options, source, &message);
    if (status == SSIMCU_OK) status = resume(&outcome, contract, &message);
    if (status == SSIMCU_OK)
        status = outcome_begin(&outcome, contract, input.shard, input.shards, &message);
    enum exit_code code;
    if (status == SSIMCU_OK)
        code = score(&outcome, source);
    else if (is_stopped()) /* while it waited for input */
        code = (enum exit_code)(EXIT_SIGNAL + stop_signal);
    else
        code = outcome_complain(status, &message);
    batch_close(source);
    json_decref(contract);
    outcome_free(&outcome);
    return code;
}
