#include "batch/lanes.h"

#include <string.h>

enum {
    /* One copies, one computes, one is on its way between the two; the others cover the time that a
     * lane takes to wake up. Pairs of 4K y4m frames a second from memory, 16 cores, three runs each
     * in turn: 1,231 with three lanes, 1,296 with four, 1,315 with five, 1,450 with seven. */
    LANES_PER_GPU = 7,
    MAX_GPUS = 64
};

uint32_t lanes_most(uint32_t threads)
{
    const uint32_t gpus = MAX_GPUS * LANES_PER_GPU;
    return threads > gpus ? threads : gpus;
}

static ssimcu_status open_lane(const struct options *options, ssimcu_device device, uint32_t index,
                               ssimcu_context **lane, ssimcu_message *message)
{
    ssimcu_settings settings = options->settings;
    settings.device = device;
    settings.device_index = index;
    settings.threads = 1;
    settings.wait_asleep = 1;
    return ssimcu_open(&settings, lane, message);
}

ssimcu_status lanes_open(const struct options *options, uint32_t threads, ssimcu_context **lane,
                         uint32_t *count, bool *on_cpu, ssimcu_message *message)
{
    uint32_t gpus = 1;
    ssimcu_status status = SSIMCU_OK;
    *count = 0;
    *on_cpu = false;
    if (options->all_devices) status = ssimcu_device_count(SSIMCU_DEVICE_CUDA, &gpus, message);
    if (gpus > MAX_GPUS) gpus = MAX_GPUS;
    uint32_t wanted = gpus * LANES_PER_GPU;
    ssimcu_device device = options->settings.device;
    while (status == SSIMCU_OK && *count < wanted) {
        const uint32_t index =
            options->all_devices ? *count % gpus : options->settings.device_index;
        status = open_lane(options, device, index, &lane[*count], message);
        if (status != SSIMCU_OK) break;
        if (*count == 0) { /* AUTO has decided */
            *on_cpu = strcmp(ssimcu_context_device(lane[0]), "cpu") == 0;
            device = *on_cpu ? SSIMCU_DEVICE_CPU : SSIMCU_DEVICE_CUDA;
            if (*on_cpu) wanted = threads;
        }
        ++*count;
    }
    return status == SSIMCU_ERROR_MEMORY && *count > 0 ? SSIMCU_OK : status;
}

static const char *layout_of(const struct slot *slot, const ssimcu_score *score)
{
    if (slot->planes == 3) return "yuv";
    if (score->channels == 3) return "rgb";
    return slot->plane[0][0].channels < 3 && slot->plane[1][0].channels < 3 ? "grey" : "y";
}

static ssimcu_status compare_planes(ssimcu_context *context, const struct slot *slot,
                                    ssimcu_score *score, ssimcu_message *message)
{
    ssimcu_view view[2][SSIMCU_MAX_PLANES];
    ssimcu_status status = SSIMCU_OK;
    for (int side = 0; side < 2; side++)
        for (uint32_t p = 0; p < slot->planes && status == SSIMCU_OK; p++) {
            view[side][p] = SSIMCU_INIT(view);
            status = ssimcu_frame_view(&slot->plane[side][p], &view[side][p], message);
        }
    return status != SSIMCU_OK ? status
                               : ssimcu_compare_planes(context, view[0], view[1], slot->planes,
                                                       score, NULL, message);
}

ssimcu_status lanes_score(ssimcu_context *context, struct slot *slot, ssimcu_message *message)
{
    struct record *record = &slot->record;
    ssimcu_score score = {.struct_size = sizeof score};
    const ssimcu_status status =
        slot->planes == 1 ? ssimcu_compare(context, slot->plane[0], slot->plane[1], &score, message)
                          : compare_planes(context, slot, &score, message);
    if (status != SSIMCU_OK) return status;
    slot->ms = score.ms;
    record->score = score.score;
    record->bits = score.bits;
    record->background = score.background;
    record->layout = layout_of(slot, &score);
    record->channels = score.channels;
    memcpy(record->channel, score.channel, sizeof record->channel);
    record->backend = strncmp(ssimcu_context_device(context), "cuda", 4) == 0 ? "cuda" : "cpu";
    return SSIMCU_OK;
}
