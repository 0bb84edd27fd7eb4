#include "engine/lanes.h"

#include "engine/score.h"
#include "source/device.h"

#include "fail.h"
#include "sample_size.h"

#include <stdlib.h>
#include <string.h>

enum {
    /* One lane copies, one computes, and one is on its way between the two. The others cover the
     * time that a lane takes to wake up. Pairs of 4K y4m frames a second, from memory,
     * on 16 cores, three runs each in turn. Three lanes: 1,231; four: 1,296; five: 1,315; seven:
     * 1,450. */
    LANES_PER_GPU = 7
};

ssimcu_status lanes_open(const struct batch_config *config, uint32_t threads, struct lanes *lanes,
                         ssimcu_message *message)
{
    ssimcu_settings settings = config->settings;
    uint32_t gpus = 1;
    ssimcu_status status = SSIMCU_OK;
    settings.threads = 1;
    settings.wait_asleep = 1;
    *lanes = (struct lanes){0};
    if (config->all_devices) status = ssimcu_device_count(SSIMCU_DEVICE_CUDA, &gpus, message);
    if (gpus > SOURCE_MOST_GPUS) gpus = SOURCE_MOST_GPUS;
    lanes->gpus = gpus;
    const uint32_t on_gpus = gpus * (config->lanes ? config->lanes : LANES_PER_GPU);
    const uint32_t on_cpu = config->lanes ? config->lanes : threads;
    uint32_t wanted = on_gpus;
    lanes->context = calloc(on_gpus > on_cpu ? on_gpus : on_cpu, sizeof(ssimcu_context *));
    if (!lanes->context) return ssimcu_fail(message, SSIMCU_ERROR_MEMORY, "out of memory");
    while (status == SSIMCU_OK && lanes->count < wanted) {
        if (config->all_devices) settings.device_index = lanes->count % gpus;
        status = ssimcu_open(&settings, &lanes->context[lanes->count], message);
        if (status != SSIMCU_OK || lanes->count++ > 0) continue;
        /* AUTO has decided with the first lane. */
        lanes->on_cpu = strcmp(ssimcu_context_device(lanes->context[0]), "cpu") == 0;
        settings.device = lanes->on_cpu ? SSIMCU_DEVICE_CPU : SSIMCU_DEVICE_CUDA;
        if (lanes->on_cpu) wanted = on_cpu;
    }
    return status == SSIMCU_ERROR_MEMORY && lanes->count > 0 ? SSIMCU_OK : status;
}

void lanes_close(struct lanes *lanes)
{
    for (uint32_t i = 0; i < lanes->count; i++) ssimcu_close(&lanes->context[i]);
    free(lanes->context);
    *lanes = (struct lanes){0};
}

ssimcu_status lanes_score(const struct batch_config *config, ssimcu_context *lane,
                          struct floor_tiles *tiles, struct pair *pair, ssimcu_score *score,
                          ssimcu_message *message)
{
    const bool all = config->judge || config->tiled;
    *score = SSIMCU_INIT(score);
    tiles->plain = !config->tiled && config->judge && !config->judge->find;
    ssimcu_status status = device_finish(pair, lane, message);
    if (status != SSIMCU_OK) return status;
    status = config->score
                 ? config->score(config->user, lane, pair, score, message)
                 : score_pair(lane, pair, config->tile, all ? tiles : NULL, score, message);
    struct ignored_tiles ignored;
    if (status != SSIMCU_OK) return status;
    pair->record.metrics = config->settings.metrics;
    status = score_note(pair, lane, config->judge, tiles, &ignored, score, message);
    if (status == SSIMCU_OK && config->tiled)
        status = config->tiled(config->user, lane, pair, tiles, &ignored, score->channels, message);
    ignored_free(&ignored);
    return status;
}

/* Reads the planes of a side that is on the device into the pair's memory. U and V that lie in each
 * other are read at once and stay so: planes of two channels, of which a look takes the first. */
static ssimcu_status read_back(ssimcu_context *lane, const struct pair *pair, int side,
                               ssimcu_frame plane[SSIMCU_MAX_PLANES], ssimcu_message *message)
{
    ssimcu_status status = SSIMCU_OK;
    char *to = pair->memory[side];
    for (uint32_t p = 0; p < pair->planes && status == SSIMCU_OK; p++) {
        const size_t sample = ssimcu_sample_size(plane[p].bits);
        ssimcu_view view = pair->view[side][p];
        const bool paired =
            p + 2 == pair->planes && device_are_paired(&view, &pair->view[side][p + 1]);
        if (paired) plane[p].channels = view.channels = 2;
        plane[p].data = to;
        plane[p].pitch = (size_t)plane[p].width * plane[p].channels * sample;
        to += plane[p].pitch * plane[p].height;
        status = ssimcu_view_read(lane, &view, &plane[p], message);
        if (paired) {
            plane[p + 1] = plane[p];
            plane[p + 1].data = (char *)plane[p].data + sample;
            p++;
        }
    }
    return status;
}

ssimcu_status lanes_look(ssimcu_context *lane, const struct pair *pair, const ssimcu_score *score,
                         struct findings **findings, ssimcu_message *message)
{
    ssimcu_frame plane[2][SSIMCU_MAX_PLANES];
    ssimcu_status status = SSIMCU_OK;
    memcpy(plane, pair->plane, sizeof plane);
    for (int side = 0; side < 2 && status == SSIMCU_OK; side++)
        if (pair->on_device[side]) status = read_back(lane, pair, side, plane[side], message);
    *findings = status == SSIMCU_OK ? malloc(sizeof **findings) : NULL;
    if (status == SSIMCU_OK && !*findings)
        status = ssimcu_fail(message, SSIMCU_ERROR_MEMORY, "out of memory for the hints");
    if (status != SSIMCU_OK) return status;
    look_pair(plane[0], plane[1], pair->planes, score, &(*findings)->hints, (*findings)->signature);
    judge_hint(&pair->record, &(*findings)->hints);
    return SSIMCU_OK;
}
