#include "engine/lanes.h"

#include "engine/score.h"

#include "fail.h"

#include <stdlib.h>
#include <string.h>

enum {
    /* One lane copies, one computes, and one is on its way between the two. The others cover the
     * time that a lane takes to wake up. Pairs of 4K y4m frames a second, from memory,
     * on 16 cores, three runs each in turn. Three lanes: 1,231; four: 1,296; five: 1,315; seven:
     * 1,450. */
    LANES_PER_GPU = 7,
    MAX_GPUS = 64
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
    if (gpus > MAX_GPUS) gpus = MAX_GPUS;
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
                          struct pair *pair, ssimcu_score *score, ssimcu_message *message)
{
    *score = SSIMCU_INIT(score);
    const ssimcu_status status =
        config->score ? config->score(config->user, lane, pair, score, message)
                      : score_pair(lane, pair, config->tile, score, &pair->record.tile, message);
    if (status != SSIMCU_OK) return status;
    score_note(pair, lane, score);
    return config->scored ? config->scored(config->user, lane, pair, message) : SSIMCU_OK;
}

ssimcu_status lanes_look(const struct pair *pair, const ssimcu_score *score,
                         struct findings **findings, ssimcu_message *message)
{
    *findings = NULL;
    if (pair->on_device[0] || pair->on_device[1])
        return SSIMCU_OK; /* hints read host memory alone */
    *findings = malloc(sizeof **findings);
    if (!*findings) return ssimcu_fail(message, SSIMCU_ERROR_MEMORY, "out of memory for the hints");
    look_pair(pair->plane[0], pair->plane[1], pair->planes, score, &(*findings)->hints,
              (*findings)->signature);
    return SSIMCU_OK;
}
