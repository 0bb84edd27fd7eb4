/* The end of a delivery: what is written last, what the caller is told, and the exit code. */
#include "base/text.h"
#include "delivery/delivery.h"

#include "base/refuse.h"
#include "delivery/exit_code.h"
#include "options/files.h"

#include <stdlib.h>

static ssimcu_exit judge(const struct verdict *verdict, bool share)
{
    if (share)
        return verdict->incomplete ? SSIMCU_EXIT_MISMATCH
                                   : SSIMCU_EXIT_SCORED; /* the merge judges */
    if (verdict->nothing_scored) return SSIMCU_EXIT_INPUT;
    if (verdict->incomplete || verdict->count[FAULT_FAILED] > 0 ||
        verdict->count[FAULT_MISSING] > 0)
        return SSIMCU_EXIT_MISMATCH;
    return verdict->passed ? SSIMCU_EXIT_SCORED : SSIMCU_EXIT_BELOW;
}

static ssimcu_status write_junit(const struct delivery *delivery, ssimcu_message *message)
{
    const struct options *options = delivery->options;
    const char *path = options->run.junit;
    const struct source_input *input = delivery->input;
    struct junit_run run = {.cases = &delivery->cases,
                            .device = delivery->header.device,
                            .contract = delivery->header.contract,
                            .side = {input->path[0], input->path[1]},
                            .list = input->list,
                            .seconds = delivery->seconds};
    char *page = options->run.report ? files_way(path, options->run.report, "index.html") : NULL;
    if (options->run.report && !page) return no_memory(message);
    run.report = page;
    const ssimcu_status status =
        junit_write(path, &run, &delivery->verdict, &delivery->summary, message);
    free(page);
    return status;
}

/* Ends the results and writes the verdict's file. If one fails, the other is still written. */
static void write_files(struct delivery *delivery)
{
    ssimcu_message message = {{0}};
    ssimcu_status status = SSIMCU_OK;
    if (delivery->status == SSIMCU_OK && delivery->writer)
        delivery->status =
            writer_end(delivery->writer, &delivery->summary,
                       delivery->options->share ? NULL : &delivery->verdict, &delivery->message);
    if (delivery->options->run.junit) status = write_junit(delivery, &message);
    if (delivery->status != SSIMCU_OK) return;
    delivery->status = status;
    delivery->message = message;
}

/* Tells the caller what the run came to. Only an error of its own is returned. */
static ssimcu_status tell(const struct delivery *delivery)
{
    struct hooks *hooks = delivery->hooks;
    if (delivery->options->run.map && !delivery->pictures)
        hooks_log(hooks, SSIMCU_LOG_DETAIL, "%llu maps in %s",
                  (unsigned long long)delivery->maps.written, delivery->options->run.map);
    if (!hooks->call.out) return SSIMCU_OK;
    return hooks->call.out(hooks->call.user, delivery->number, delivery->status,
                           delivery->message.text);
}

ssimcu_exit delivery_end(struct delivery *delivery)
{
    struct summary *summary = &delivery->summary;
    delivery->ended = summary_finish(summary) && verdict_finish(&delivery->verdict, summary);
    if (delivery->ended)
        write_files(delivery);
    else
        delivery->status = ssimcu_no_memory(&delivery->message, "the summary");
    const ssimcu_status told = tell(delivery);
    if (delivery->status == SSIMCU_OK) delivery->status = hooks_failed(told, &delivery->message);
    if (delivery->status != SSIMCU_OK) return exit_code_early(delivery->status);
    delivery->delivered = true;
    if (delivery->maps.status != SSIMCU_OK) {
        hooks_log(delivery->hooks, SSIMCU_LOG_WARNING, "%s", delivery->maps.message.text);
        return exit_code_early(delivery->maps.status);
    }
    return judge(&delivery->verdict, delivery->options->share);
}

void delivery_free(struct delivery *delivery)
{
    writer_close(delivery->writer);
    report_close(delivery->report);
    summary_free(&delivery->summary);
    verdict_free(&delivery->verdict);
    junit_free(&delivery->cases);
    note_free(&delivery->note);
    earlier_free(&delivery->earlier);
    earlier_free(&delivery->baseline);
    header_clear(&delivery->header);
}

/* ---- The report and the note ----------------------------------------------------------------- */

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
