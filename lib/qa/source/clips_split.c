/* Splitting: how many readers go through the clips, and in stretches of how many frames. */
#include "source/clips.h"

enum {
    /* Each reader has a decoder of REF and one of each OUT; an H200 has 7 engines. Pairs a second,
     * H.264 against HEVC, with seven, ten and fourteen readers. 4K: 704, 703, 668. 1080p: 2,122,
     * 2,115, 2,004, and 636 with one reader. CPU cores that decode beside them could add a fifth at
     * most: 16 of them decode 157 pairs of 4K. */
    ON_GPU = 7,
    DECODER_FRAMES = 48, /* frames of GPU memory that a decoder takes, as measured */
    SHORTEST = 96 /* frames of a stretch, at least; going to the next stretch costs some frames */
};

/* Returns how many readers fit if their decoders take no more than half of the GPU's memory. */
static uint32_t count_on_gpu(const struct clips *clips, uint32_t gpu)
{
    ssimcu_device_info info = SSIMCU_INIT(device_info);
    uint64_t bytes = 0;
    for (uint32_t s = 0; s <= clips->outs; s++) {
        const ssimcu_clip *clip = clips->side[s].clip;
        const ssimcu_clip_format *format = clip ? ssimcu_clip_shape(clip) : NULL;
        if (format && format->on_device) bytes += (uint64_t)DECODER_FRAMES * format->frame_bytes;
    }
    if (bytes == 0 || ssimcu_device_describe(SSIMCU_DEVICE_CUDA, gpu, &info, NULL) != SSIMCU_OK)
        return 1;
    const uint64_t fit = info.memory_bytes / 2 / bytes;
    return fit < ON_GPU ? (uint32_t)fit : ON_GPU;
}

/* Returns how many CUDA devices decode. */
static uint32_t count_gpus(const struct clips *clips)
{
    uint32_t gpus = 1;
    if (!clips->base.input->all_gpus || !clips->base.on_device) return 1;
    if (ssimcu_device_count(SSIMCU_DEVICE_CUDA, &gpus, NULL) != SSIMCU_OK || gpus == 0) return 1;
    return gpus < SOURCE_MOST_GPUS ? gpus : SOURCE_MOST_GPUS;
}

/* Chooses as many readers for each GPU as fit on the one with the least memory. */
static uint32_t count_readers(const struct clips *clips, uint32_t gpus)
{
    const uint32_t threads = clips->base.input->threads;
    uint32_t each = ON_GPU;
    for (uint32_t i = 0; i < gpus; i++) {
        const uint32_t fit = count_on_gpu(clips, gpus > 1 ? i : (uint32_t)clips->gpu);
        if (fit < each) each = fit;
    }
    uint32_t readers = each * gpus;
    if (readers > threads) readers = threads;
    return readers < SOURCE_MOST_READERS ? readers : SOURCE_MOST_READERS;
}

/* Returns the longest distance between frames that a reader of any side can go to. 0: one side has
 * none. */
static uint64_t distance_of(const struct clips *clips)
{
    uint64_t longest = 0;
    for (uint32_t s = 0; s <= clips->outs; s++) {
        if (!clips->side[s].clip) continue;
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
    struct source_split split = {.readers = wanted, .gpus = count_gpus(clips)};
    if (wanted == 0 && source->on_device) split.readers = count_readers(clips, split.gpus);
    if (split.readers < 2) return one;
    const uint64_t distance = distance_of(clips);
    if (distance == 0) return one;
    split.length = (uint32_t)(distance * ((SHORTEST + distance - 1) / distance));
    if (!source->input->all_gpus) split.gpus = 0;
    return split;
}
