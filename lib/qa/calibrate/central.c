#include "calibrate/central.h"

#include "base/results.h"
#include "calibrate/source.h"
#include "facts/record.h"

#include "fail.h"

#include <stdlib.h>

/* Scores of a run against another. They are added up in the order of frames, so that the sum has
 * the same bits each time. */
struct central_sum {
    double scores;
    uint64_t pairs;
};

static bool take(void *user, const struct record *record, bool known)
{
    struct central *central = user;
    const uint32_t out = central->ref + 1 + record->out;
    struct central_sum *sum = &central->sum[central->ref * central->runs + out];
    if (record->kind != RECORD_SCORED) return true;
    sum->scores += record->scored.score;
    sum->pairs++;
    central->status = hooks_record(central->hooks, record, known, &central->message);
    return central->status == SSIMCU_OK;
}

/* Opens a run as REF of all behind it. */
static ssimcu_status open_from(struct central *central, const struct some_frames *frames,
                               ssimcu_message *message)
{
    central->input.path[0] = central->run[central->ref];
    central->input.out = central->run + central->ref + 1;
    central->input.path[1] = central->input.out[0];
    central->input.outs = central->runs - central->ref - 1;
    return calibrate_source_open(&central->input, frames, &central->source, message);
}

static void close_source(struct central *central)
{
    source_close(central->source);
    central->source = NULL;
}

/* Chooses the frames, and the side of tiles if nobody has. */
static ssimcu_status choose_frames(struct central *central, ssimcu_message *message)
{
    ssimcu_status status = SSIMCU_ERROR_MISMATCH; /* of a run that is no such video */
    for (; central->ref + 1 < central->runs && status == SSIMCU_ERROR_MISMATCH; central->ref++)
        status = open_from(central, NULL, message);
    central->ref = 0;
    if (status != SSIMCU_OK) return status;
    if (central->config.tile == 0) central->config.tile = calibrate_source_tile(central->source);
    if (central->source->on_device) central->config.settings.device = SSIMCU_DEVICE_CUDA;
    status = some_frames_choose(central->source, &central->frames, message);
    close_source(central);
    if (central->frames.numbers.count > 0) central->input.frames = &central->frames.numbers;
    return status;
}

/* Scores all behind a run against it. */
static ssimcu_status score_from(struct central *central, ssimcu_message *message)
{
    struct batch_times times;
    ssimcu_status status = open_from(central, &central->frames, message);
    if (status != SSIMCU_OK) return status == SSIMCU_ERROR_MISMATCH ? SSIMCU_OK : status;
    status = batch_run(&central->config, central->source, &times, message);
    central->hangs = times.abandoned;
    if (!central->hangs) close_source(central);
    if (central->status != SSIMCU_OK)
        return ssimcu_fail(message, central->status, "%s", central->message.text);
    const bool no_device =
        central->config.settings.device == SSIMCU_DEVICE_CUDA && times.lanes == 0;
    return status == SSIMCU_ERROR_MEMORY && no_device ? SSIMCU_ERROR_DEVICE : status;
}

/* Finds the run with the highest mean of its mean scores against the others, of those that can be
 * compared with the most. */
static ssimcu_status find_best(struct central *central, ssimcu_message *message)
{
    const size_t runs = central->runs;
    size_t most = 0;
    for (size_t i = 0; i < runs; i++) {
        double scores = 0;
        size_t others = 0;
        for (size_t j = 0; j < runs; j++) {
            const struct central_sum *sum = &central->sum[i < j ? i * runs + j : j * runs + i];
            if (sum->pairs == 0) continue;
            scores += sum->scores / (double)sum->pairs;
            others++;
            if (i < j) central->pairs += sum->pairs;
        }
        const double mean = others > 0 ? scores / (double)others : 0;
        if (others < most || others == 0 || (others == most && mean <= central->score)) continue;
        most = others;
        central->best = (uint32_t)i;
        central->score = mean;
    }
    return most > 0
               ? SSIMCU_OK
               : ssimcu_fail(message, SSIMCU_ERROR_MISMATCH,
                             "calibrate: no two of the %u runs can be compared", central->runs);
}

/* Scores each run against each, as far as they can be compared. */
static ssimcu_status score_all(struct central *central, ssimcu_message *message)
{
    const ssimcu_run_hooks *call = &central->hooks->call;
    const struct some_frames *frames = &central->frames;
    const size_t each = frames->count > 0 ? frames->count : frames->numbers.count;
    const int64_t total = (int64_t)each * central->runs * (central->runs - 1) / 2;
    ssimcu_status status = SSIMCU_OK;
    if (call->begin) call->begin(call->user, total > 0 ? total : -1);
    for (; status == SSIMCU_OK && central->ref + 1 < central->runs; central->ref++)
        status = score_from(central, message);
    if (call->end) call->end(call->user);
    return status;
}

ssimcu_status central_find(struct central *central, ssimcu_message *message)
{
    central->config.take = take;
    central->config.user = central;
    central->sum = calloc((size_t)central->runs * central->runs, sizeof *central->sum);
    if (!central->sum) return results_no_memory(message);
    ssimcu_status status = choose_frames(central, message);
    if (status == SSIMCU_OK) status = score_all(central, message);
    return status == SSIMCU_OK ? find_best(central, message) : status;
}

void central_free(struct central *central)
{
    source_close(central->source);
    some_frames_free(&central->frames);
    free(central->sum);
}
