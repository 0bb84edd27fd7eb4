/* Whether, and in stretches of how many frames, several readers go through two clips. */
#include "source/clips.h"

enum {
    /* Each has a decoder of REF and one of OUT; an H200 has 7 engines. Pairs a second, H.264
     * against HEVC: 4K 704 with seven readers, 703 with ten, 668 with fourteen; 1080p 636 with one,
     * 2,122, 2,115 and 2,004. Cores that decode beside them could add a fifth at most: 16 of them
     * decode 157 pairs of 4K. */
    ON_GPU = 7,
    DECODER_FRAMES = 48, /* that a decoder takes of the GPU's memory, as measured */
    SHORTEST = 96        /* frames of a stretch: going to the next costs some of them */
};

/* Readers whose decoders take no more than half of the GPU's memory. */
static uint32_t count_on_gpu(const struct clips *clips)
{
    ssimcu_device_info info = SSIMCU_INIT(device_info);
    uint64_t bytes = 0;
    for (int s = 0; s < 2; s++) {
        const ssimcu_clip_format *format = ssimcu_clip_shape(clips->side[s].clip);
        if (format->on_device) bytes += (uint64_t)DECODER_FRAMES * format->frame_bytes;
    }
    if (bytes == 0 ||
        ssimcu_device_describe(SSIMCU_DEVICE_CUDA, (uint32_t)clips->gpu, &info, NULL) != SSIMCU_OK)
        return 1;
    const uint64_t fit = info.memory_bytes / 2 / bytes;
    return fit < ON_GPU ? (uint32_t)fit : ON_GPU;
}

/* Frames to which a reader can go, of both sides. 0: there are none. */
static uint64_t distance_of(const struct clips *clips)
{
    uint64_t longest = 0;
    for (int s = 0; s < 2; s++) {
        const uint64_t distance = ssimcu_clip_key_distance(clips->side[s].clip);
        if (distance == 0) return 0;
        if (distance > longest) longest = distance;
    }
    return longest;
}

struct source_split clips_split(struct source *source, uint32_t wanted)
{
    const struct clips *clips = (const struct clips *)source;
    const struct source_split one = {.readers = 1};
    const uint32_t threads = source->input->threads;
    struct source_split split = {.readers = wanted};
    if (clips->outs > 1 || source->input->frames) return one;
    if (wanted == 0 && source->on_device) split.readers = count_on_gpu(clips);
    if (wanted == 0 && split.readers > threads) split.readers = threads;
    if (split.readers < 2) return one;
    const uint64_t distance = distance_of(clips);
    if (distance == 0) return one;
    split.length = (uint32_t)(distance * ((SHORTEST + distance - 1) / distance));
    return split;
}
