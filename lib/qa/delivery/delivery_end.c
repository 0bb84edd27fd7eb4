/* The end of a delivery: the last outputs, the last callbacks, and the exit code. */
#include "delivery/delivery.h"

#include "delivery/exit_code.h"

static ssimcu_exit judge(const struct verdict *verdict, bool share)
{
    if (share) /* the merge judges it */
        return verdict->incomplete ? SSIMCU_EXIT_MISMATCH : SSIMCU_EXIT_SCORED;
    if (verdict->nothing_scored) return SSIMCU_EXIT_INPUT;
    if (verdict->incomplete || (!verdict->limits.alone && (verdict->count[FINDING_FAILED] > 0 ||
                                                           verdict->count[FINDING_MISSING] > 0)))
        return SSIMCU_EXIT_MISMATCH;
    return verdict->passed ? SSIMCU_EXIT_SCORED : SSIMCU_EXIT_BELOW;
}

/* Reports the outcome to the caller. Returns only an error of the callback. */
static ssimcu_status tell(const struct delivery *delivery)
{
    struct hooks *hooks = delivery->hooks;
    if (!hooks->call.out) return SSIMCU_OK;
    return hooks->call.out(hooks->call.user, delivery->number, delivery->status,
                           delivery->message.text);
}

/* Ends the caller's results and the first outputs. */
static ssimcu_status end_results(struct delivery *delivery, ssimcu_message *message)
{
    if (delivery->summary.pairs == 0 && delivery->earlier.count > 0) {
        writer_drop(delivery->writer); /* the resumed results are worth more than none */
        return SSIMCU_OK;
    }
    if (delivery->writer && !delivery->options->run.output)
        TRY(writer_end(delivery->writer, &delivery->summary,
                       delivery->options->share ? NULL : &delivery->verdict, message));
    return outputs_end(delivery, OUTPUT_FIRST, message);
}

ssimcu_exit delivery_end(struct delivery *delivery)
{
    struct summary *summary = &delivery->summary;
    delivery->ended = summary_finish(summary) && verdict_finish(&delivery->verdict, summary);
    if (!delivery->ended)
        delivery->status = ssimcu_no_memory(&delivery->message, "the summary");
    else if (delivery->status == SSIMCU_OK)
        delivery->status = end_results(delivery, &delivery->message);
    const ssimcu_status told = tell(delivery);
    if (delivery->status == SSIMCU_OK) delivery->status = hooks_failed(told, &delivery->message);
    delivery->delivered = delivery->status == SSIMCU_OK;
    if (!delivery->delivered) return exit_code_early(delivery->status);
    if (delivery->maps.status != SSIMCU_OK) { /* results are written all the same */
        hooks_log(delivery->hooks, SSIMCU_LOG_WARNING, "%s", delivery->maps.message.text);
        return exit_code_early(delivery->maps.status);
    }
    return judge(&delivery->verdict, delivery->options->share);
}

/* Ends the outputs of a phase. Returns the exit code so far. */
static ssimcu_exit end_phase(struct delivery *delivery, enum output_phase phase, ssimcu_exit code)
{
    ssimcu_message message = {{0}};
    const ssimcu_status status = outputs_end(delivery, phase, &message);
    if (status == SSIMCU_OK) return code;
    if (delivery->status == SSIMCU_OK) delivery->message = message;
    if (delivery->status == SSIMCU_OK) delivery->status = status;
    return delivery->maps.status != SSIMCU_OK ? code : exit_code_early(status);
}

ssimcu_exit delivery_report(struct delivery *delivery, ssimcu_exit code)
{
    if (delivery->delivered) return end_phase(delivery, OUTPUT_PAGES, code);
    delivery_withdraw_pages(delivery);
    return code;
}

ssimcu_exit delivery_conclude(struct delivery *delivery, ssimcu_exit code)
{
    delivery->code = code;
    return delivery->ended ? end_phase(delivery, OUTPUT_LAST, code) : code;
}

void delivery_free(struct delivery *delivery)
{
    writer_close(delivery->writer);
    report_close(delivery->report);
    summary_free(&delivery->summary);
    verdict_free(&delivery->verdict);
    junit_free(&delivery->cases);
    note_free(&delivery->note);
    rerender_free(&delivery->rerender);
    results_reader_free(&delivery->earlier);
    results_reader_free(&delivery->baseline);
    header_clear(&delivery->header);
}
