/* The last part of a delivery: the report. */
#include "delivery/delivery.h"
#include "delivery/exit_code.h"

#include "base/text.h"

static bool show_pictures(void *user, size_t done, size_t count)
{
    const struct delivery *delivery = user;
    struct hooks *hooks = delivery->hooks;
    if (hooks->call.pictures) hooks->call.pictures(hooks->call.user, done, count);
    return !ssimcu_is_stopped(delivery->stop);
}

/* Returns SCORED, because the caller knows that it has stopped the run. */
static ssimcu_exit withdraw_report(struct delivery *delivery)
{
    ssimcu_message message = {{0}};
    if (report_withdraw(delivery->options->run.report, DELIVERY_STOPPED, &message) != SSIMCU_OK)
        hooks_log(delivery->hooks, SSIMCU_LOG_WARNING, "%s", message.text);
    return SSIMCU_EXIT_SCORED;
}

static ssimcu_exit write_report(struct delivery *delivery)
{
    const struct options *options = delivery->options;
    const struct report_facts facts = {.header = &delivery->header,
                                       .summary = &delivery->summary,
                                       .verdict = &delivery->verdict,
                                       .share = options->share,
                                       .pair = delivery->pictures != NULL,
                                       .score_seconds = delivery->seconds,
                                       .input = delivery->input,
                                       .settings = delivery->settings,
                                       .judge = delivery->judge,
                                       .memory_bytes = options->run.memory_bytes,
                                       .progress = show_pictures,
                                       .user = delivery};
    if (!delivery->report) return SSIMCU_EXIT_SCORED;
    (void)show_pictures(delivery, 0, 0);
    if (ssimcu_is_stopped(delivery->stop)) return withdraw_report(delivery);
    const ssimcu_status status = report_write(delivery->report, &facts, &delivery->message);
    (void)show_pictures(delivery, 0, 0);
    delivery->report_stopped = status != SSIMCU_OK && ssimcu_is_stopped(delivery->stop);
    if (delivery->report_stopped) return withdraw_report(delivery);
    delivery->reported = status == SSIMCU_OK;
    if (status == SSIMCU_OK) return SSIMCU_EXIT_SCORED;
    delivery->status = status;
    hooks_log(delivery->hooks, SSIMCU_LOG_WARNING, "%s", delivery->message.text);
    return exit_code_early(status);
}

/* Writes the verdict as Markdown. */
static ssimcu_exit write_note(struct delivery *delivery)
{
    const struct options *options = delivery->options;
    const char *path = options->run.markdown;
    if (!path) return SSIMCU_EXIT_SCORED;
    const struct source_input *input = delivery->input;
    const struct note_run run = {.ref = input->path[0],
                                 .out = input->path[1],
                                 .verdict = &delivery->verdict,
                                 .summary = &delivery->summary,
                                 .pictures = options->pictures,
                                 .way = text_base(options->pictures),
                                 .input = input,
                                 .settings = delivery->settings,
                                 .memory_bytes = options->run.memory_bytes};
    const ssimcu_status status = ssimcu_is_stopped(delivery->stop)
                                     ? note_write_end(path, DELIVERY_STOPPED, &delivery->message)
                                     : note_write(&delivery->note, path, &run, &delivery->message);
    if (status == SSIMCU_OK) return SSIMCU_EXIT_SCORED;
    delivery->status = status;
    hooks_log(delivery->hooks, SSIMCU_LOG_WARNING, "%s", delivery->message.text);
    return exit_code_early(status);
}

ssimcu_exit delivery_report(struct delivery *delivery, ssimcu_exit code)
{
    ssimcu_exit written = delivery->delivered ? write_report(delivery) : SSIMCU_EXIT_SCORED;
    if (delivery->delivered && written == SSIMCU_EXIT_SCORED) written = write_note(delivery);
    return written == SSIMCU_EXIT_SCORED || delivery->maps.status != SSIMCU_OK ? code : written;
}
