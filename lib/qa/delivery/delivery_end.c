/* The end of a delivery: what is written last, what the caller is told, and the exit code. */
#include "delivery/delivery.h"

#include "base/refuse.h"
#include "delivery/exit_code.h"
#include "options/files.h"
#include "options/parts.h"

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
    if (delivery->status == SSIMCU_OK && delivery->tiles)
        delivery->status = floors_writer_end(delivery->tiles, &delivery->message);
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
        delivery->status =
            ssimcu_fail(&delivery->message, SSIMCU_ERROR_MEMORY, "out of memory for the summary");
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
    floors_writer_close(delivery->tiles);
    report_close(delivery->report);
    summary_free(&delivery->summary);
    verdict_free(&delivery->verdict);
    junit_free(&delivery->cases);
    note_free(&delivery->note);
    earlier_free(&delivery->earlier);
    earlier_free(&delivery->baseline);
    header_clear(&delivery->header);
}
