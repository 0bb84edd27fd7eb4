#include "console.h"
#include "signals.h"

static ssimcu_status on_record(void *user, const ssimcu_record *record)
{
    struct console_call *call = user;
    if (record->kind == SSIMCU_RECORD_FAILED) console_complaint(&call->progress, record);
    console_progress_pair(&call->progress, record);
    return signals_caught() ? SSIMCU_ERROR_INTERNAL : SSIMCU_OK; /* ends the calibration */
}

/* Prints how well the limits work. */
static void describe(const struct arguments *arguments, const ssimcu_calibrated *done)
{
    const double rate = arguments->false_alarms != 0 ? arguments->false_alarms : 0.001;
    if (arguments->quiet) return;
    console_line("%s: %llu frames; about %.9g of accepted frames exceed these limits (generalised "
                 "Pareto tail with a shape prior from other renders, margin 1.05)",
                 arguments->run.output, (unsigned long long)done->frames, rate);
}

int calibrate(const struct arguments *arguments)
{
    struct console_call call = {.arguments = arguments};
    const ssimcu_calibrate_options options = {.struct_size = sizeof options,
                                              .run = &arguments->run,
                                              .false_alarms = arguments->false_alarms};
    const ssimcu_run_hooks hooks = {.struct_size = sizeof hooks,
                                    .user = &call,
                                    .begin = console_on_begin,
                                    .record = on_record,
                                    .line = arguments->quiet ? NULL : console_on_text,
                                    .end = console_on_end,
                                    .log = console_on_log};
    ssimcu_calibrated done = SSIMCU_INIT(calibrated);
    ssimcu_message message = {{0}};
    console_progress_start(&call.progress, PROGRESS_NONE, -1);
    signals_catch(NULL);
    const ssimcu_status status = ssimcu_calibrate(&options, &hooks, &done, &message);
    if (signals_caught() && status != SSIMCU_OK) {
        console_line("stopped by a signal: nothing was learned");
        return EXIT_SIGNAL + signals_caught();
    }
    if (!console_ended(call.lost, status, &message)) describe(arguments, &done);
    return (int)done.code;
}
