#include "engine/contexts.h"

#include "base/refuse.h"
#include "engine/score.h"
#include "pair/device.h"
#include "pair/pair.h"
#include "record/record.h"

#include "sample_size.h"

#include <stdlib.h>
#include <string.h>

enum {
    /* One context copies, one computes, and one is on its way between the two. The others cover the
     * time that a context takes to wake up. Pairs of 4K y4m frames per second, from memory, on 16
     * cores, three alternating runs each. Three contexts: 1,231; four: 1,296; five: 1,315; seven:
     * 1,450. */
    LANES_PER_GPU = 7
};

ssimcu_status contexts_open(const struct batch_config *config, uint32_t threads,
                            struct contexts *contexts, ssimcu_message *message)
{
    ssimcu_settings settings = config->settings;
    uint32_t gpus = 1;
    ssimcu_status status = SSIMCU_OK;
    settings.threads = config->context_threads > 0 ? config->context_threads : 1;
    settings.wait_asleep = 1;
    *contexts = (struct contexts){0};
    if (config->all_devices) status = ssimcu_device_count(SSIMCU_DEVICE_CUDA, &gpus, message);
    if (gpus > SOURCE_MOST_GPUS) gpus = SOURCE_MOST_GPUS;
    contexts->gpus = gpus;
    const uint32_t on_gpus = gpus * (config->contexts ? config->contexts : LANES_PER_GPU);
    const uint32_t on_cpu = config->contexts ? config->contexts : threads;
    uint32_t wanted = on_gpus;
    contexts->context = calloc(on_gpus > on_cpu ? on_gpus : on_cpu, sizeof(ssimcu_context *));
    if (!contexts->context) return no_memory(message);
    while (status == SSIMCU_OK && contexts->count < wanted) {
        if (config->all_devices) settings.device_index = contexts->count % gpus;
        ssimcu_context **const context = &contexts->context[contexts->count];
        status = ssimcu_open(&settings, context, message);
        if (status != SSIMCU_OK) break;
        const bool is_cpu = strcmp(ssimcu_context_device(*context), "cpu") == 0;
        if (contexts->count == 0) contexts->on_cpu = is_cpu; /* it has resolved AUTO */
        if (contexts->on_cpu) wanted = on_cpu;
        if (is_cpu && !contexts->on_cpu) { /* device memory has run out */
            ssimcu_close(context);
            break;
        }
        contexts->count++;
    }
    return status == SSIMCU_ERROR_MEMORY && contexts->count > 0 ? SSIMCU_OK : status;
}

void contexts_close(struct contexts *contexts)
{
    for (uint32_t i = 0; i < contexts->count; i++) ssimcu_close(&contexts->context[i]);
    free(contexts->context);
    *contexts = (struct contexts){0};
}

/* Gives a record the values of all tiles. Returns false if memory runs out. */
static bool keep_values(struct record *record, const struct learned_tiles *tiles,
                        const struct ignored_tiles *ignored, uint32_t channels)
{
    if (!record->values) record->values = calloc(1, sizeof *record->values);
    if (!record->values) return false;
    learned_values_free(record->values); /* the pair was scored once more */
    return ignored_values(tiles, ignored, channels, record->values);
}

ssimcu_status contexts_score(const struct batch_config *config, ssimcu_context *context,
                             struct learned_tiles *tiles, struct pair *pair, ssimcu_score *score,
                             ssimcu_message *message)
{
    const bool all = config->judge || config->keeps_tiles;
    *score = SSIMCU_INIT(score);
    tiles->plain = !config->keeps_tiles && config->judge && !config->judge->find;
    TRY(device_finish(pair, context, message));
    TRY(config->score
            ? config->score(config->user, context, pair, score, message)
            : score_pair(context, pair, config->tile, all ? tiles : NULL, score, message));
    struct ignored_tiles ignored;
    pair->record->metrics =
        config->settings.compat != SSIMCU_COMPAT_NONE ? config->settings.metrics : 0;
    TRY(score_need(config->needed, pair, score, message));
    ssimcu_status status =
        score_note(pair, context, config->judge, tiles, &ignored, score, message);
    if (status == SSIMCU_OK && config->keeps_tiles &&
        !keep_values(pair->record, tiles, &ignored, score->channels))
        status = no_memory(message);
    ignored_free(&ignored);
    return status;
}

_Static_assert((int)HINTS_PLANES == SSIMCU_MAX_PLANES, "hints count planes as clips do");

/* The source of the samples that the analysis fetches, and its error. */
struct fetch {
    struct hints_fetch base;
    ssimcu_context *context;
    ssimcu_view view[2 * SSIMCU_MAX_PLANES];
    ssimcu_frame frame[2 * SSIMCU_MAX_PLANES];
    ssimcu_status status;
    ssimcu_message *message;
};

/* Lays out the planes of a device side in the pair's memory, without writing to it. Interleaved U
 * and V stay interleaved: as planes of two channels, of which the analysis takes the first. */
static void lay_side(struct fetch *fetch, const struct pair *pair, int side,
                     ssimcu_frame plane[SSIMCU_MAX_PLANES])
{
    char *to = pair->memory[side];
    for (uint32_t p = 0; p < pair->planes; p++) {
        const size_t sample = ssimcu_sample_size(plane[p].bits);
        ssimcu_view view = pair->view[side][p];
        const bool paired =
            p + 2 == pair->planes && device_are_paired(&view, &pair->view[side][p + 1]);
        if (paired) plane[p].channels = view.channels = 2;
        plane[p].data = to;
        plane[p].pitch = (size_t)plane[p].width * plane[p].channels * sample;
        to += plane[p].pitch * plane[p].height;
        fetch->view[side * SSIMCU_MAX_PLANES + p] = view;
        fetch->frame[side * SSIMCU_MAX_PLANES + p] = plane[p];
        if (!paired) continue;
        plane[p + 1] = plane[p];
        plane[p + 1].data = (char *)plane[p].data + sample;
        p++;
    }
}

static void fetch_patches(struct hints_fetch *base, const ssimcu_patch *patches, uint32_t count)
{
    struct fetch *fetch = (struct fetch *)base;
    if (fetch->status == SSIMCU_OK)
        fetch->status = ssimcu_view_patches(fetch->context, fetch->view, fetch->frame,
                                            2 * SSIMCU_MAX_PLANES, patches, count, fetch->message);
}

/* Lays out the sides that are on the device. A view that no patch names is another plane's. */
static void lay_out(struct fetch *fetch, const struct pair *pair,
                    ssimcu_frame plane[2][SSIMCU_MAX_PLANES])
{
    uint32_t known = 0;
    for (int side = 0; side < 2; side++) {
        for (uint32_t p = 0; p < SSIMCU_MAX_PLANES; p++)
            fetch->base.whole[side][p] = !pair->on_device[side];
        if (!pair->on_device[side]) continue;
        lay_side(fetch, pair, side, plane[side]);
        known = (uint32_t)side * SSIMCU_MAX_PLANES;
    }
    for (uint32_t i = 0; i < 2 * SSIMCU_MAX_PLANES; i++) {
        if (fetch->frame[i].data) continue;
        fetch->view[i] = fetch->view[known];
        fetch->frame[i] = fetch->frame[known];
    }
}

/* Analyses a pair with at least one side on the device. */
static ssimcu_status analyse_by_fetching(ssimcu_context *context, const struct pair *pair,
                                         const ssimcu_score *score, struct pending_hints *findings,
                                         ssimcu_message *message)
{
    ssimcu_patch list[HINTS_PATCHES];
    ssimcu_frame plane[2][SSIMCU_MAX_PLANES];
    struct fetch fetch = {.base = {.patches = fetch_patches, .list = list},
                          .context = context,
                          .status = SSIMCU_OK,
                          .message = message};
    memcpy(plane, pair->plane, sizeof plane);
    lay_out(&fetch, pair, plane);
    analyse_pair(plane[0], plane[1], pair->planes, score, &fetch.base, &findings->hints,
                 findings->signature);
    return fetch.status;
}

ssimcu_status contexts_find_hints(ssimcu_context *context, const struct pair *pair,
                                  const ssimcu_score *score, struct pending_hints **findings,
                                  ssimcu_message *message)
{
    ssimcu_status status = SSIMCU_OK;
    struct pending_hints *const pending = calloc(1, sizeof *pending);
    *findings = pending;
    if (!pending) return ssimcu_no_memory(message, "the hints");
    if (pair->exact) return SSIMCU_OK; /* a mask has no cause to find */
    if (pair->on_device[0] || pair->on_device[1])
        status = analyse_by_fetching(context, pair, score, pending, message);
    else
        analyse_pair(pair->plane[0], pair->plane[1], pair->planes, score, NULL, &pending->hints,
                     pending->signature);
    if (status == SSIMCU_OK) {
        judge_hint(pair->record, &pending->hints);
    } else {
        free(pending);
        *findings = NULL;
    }
    return status;
}
