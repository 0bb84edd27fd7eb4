/* Splitting: how many readers go through two clips, and in stretches of how many frames. */
#include "source/clips.h"

enum {
    /* Each reader has a decoder of REF and one of OUT; an H200 has 7 engines. Pairs a second, H.264
     * against HEVC, with seven, ten and fourteen readers. 4K: 704, 703, 668. 1080p: 2,122, 2,115,
     * 2,004, and 636 with one reader. CPU cores that decode beside them could add a fifth at most:
     * 16 of them decode 157 pairs of 4K. */
    ON_GPU = 7,
    DECODER_FRAMES = 48, /* frames of GPU memory that a decoder takes, as measured */
    SHORTEST = 96 /* frames of a stretch, at least; going to the next stretch costs some frames */
};

/* Returns how many readers fit if their decoders take no more than half of the GPU's memory. */
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

/* Returns the longest distance between frames that a reader of either side can go to. 0: one side
 * has none. */
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
    if (clips->outs > 1 || source->input->frames || source->input->align) return one;
    if (wanted == 0 && source->on_device) split.readers = count_on_gpu(clips);
    if (wanted == 0 && split.readers > threads) split.readers = threads;
    if (split.readers < 2) return one;
    const uint64_t distance = distance_of(clips);
    if (distance == 0) return one;
    split.length = (uint32_t)(distance * ((SHORTEST + distance - 1) / distance));
    return split;
}
