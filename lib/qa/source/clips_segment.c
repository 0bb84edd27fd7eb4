/* Who decodes what: where shares of video begin, so that no share decodes another's frames, and how
 * many readers go through the clips of a process. */
#include "source/clips.h"

/* ---- Segments of shares ---------------------------------------------------------------------- */

enum {
    PARTS = 8 /* a share begins within 1/8 of its length of the ideal place */
};

/* Returns a side's frame at this position. */
static uint64_t frame_of(const struct clips *clips, uint32_t side, uint64_t position)
{
    const struct source_input *input = clips->base.input;
    const int64_t frame = (int64_t)position + clips_first(input) + (side > 0 ? input->offset : 0);
    return frame > 0 ? (uint64_t)frame : 0;
}

/* Returns how many frames are decoded for nothing if a share begins there. */
static uint64_t cost_of(const struct clips *clips, uint64_t position)
{
    uint64_t cost = 0;
    for (uint32_t s = 0; s <= clips->outs; s++) {
        ssimcu_clip *clip = clips->side[s].clip;
        const uint64_t frame = frame_of(clips, s, position);
        if (clip && !ssimcu_clip_is_beyond(clip, frame))
            cost += frame - ssimcu_clip_key_before(clip, frame);
    }
    return cost;
}

/* The best position so far at which a share may begin. */
struct choice {
    uint64_t target, position, cost;
};

static void consider(const struct clips *clips, uint64_t position, struct choice *best)
{
    const uint64_t target = best->target;
    const uint64_t cost = cost_of(clips, position);
    const uint64_t far = position > target ? position - target : target - position;
    const uint64_t best_far =
        best->position > target ? best->position - target : target - best->position;
    if (cost > best->cost || (cost == best->cost && far >= best_far)) return;
    best->position = position;
    best->cost = cost;
}

/* Considers the frames near the target at which a side's decoding can begin. */
static void consider_side(const struct clips *clips, uint32_t side, uint64_t reach,
                          struct choice *best)
{
    ssimcu_clip *clip = clips->side[side].clip;
    const uint64_t first = frame_of(clips, side, 0);
    uint64_t frame = frame_of(clips, side, best->target + reach);
    if (!clip || ssimcu_clip_key_distance(clip) == 1) return; /* it can begin anywhere */
    for (;;) {
        frame = ssimcu_clip_key_before(clip, frame);
        if (frame <= first || frame - first + reach < best->target) return;
        consider(clips, frame - first, best);
        frame--;
    }
}

/* Returns where a share begins if there are `count` pairs in all. */
static uint64_t begin_of(const struct clips *clips, uint64_t shard, uint64_t count)
{
    const struct source_input *input = clips->base.input;
    const uint64_t target = count * (shard - 1) / input->shards;
    struct choice best = {target, target, cost_of(clips, target)};
    const uint64_t reach = count / input->shards / PARTS;
    for (uint32_t s = 0; s <= clips->outs && target > 0; s++) consider_side(clips, s, reach, &best);
    return best.position;
}

/* Returns the number of frames in the index; 0: unknown. */
static uint64_t count_frames(ssimcu_clip *clip)
{
    const uint64_t most = (uint64_t)1 << 40;
    uint64_t low = 0, high = most;
    if (!ssimcu_clip_is_beyond(clip, most)) return 0;
    while (low < high) {
        const uint64_t middle = (low + high) / 2;
        if (ssimcu_clip_is_beyond(clip, middle))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* REF and every OUT must have an index. Uncompressed frames have one size, so each share can
 * seek. */
void clips_segment(struct source *source, struct source_input *input)
{
    const struct clips *clips = (const struct clips *)source;
    bool compressed = false;
    if (source->input->align) return; /* OUT is paired by time, not by number */
    for (uint32_t s = 0; s <= clips->outs; s++) {
        ssimcu_clip *clip = clips->side[s].clip;
        compressed = compressed || (clip && ssimcu_clip_shape(clip)->coding);
        if (clip && count_frames(clip) == 0) return;
    }
    const uint64_t frames = count_frames(clips->side[0].clip), first = frame_of(clips, 0, 0);
    if (!compressed || frames <= first || frames - first < input->shards) return;
    const uint64_t count = frames - first;
    const uint64_t begin = begin_of(clips, input->shard, count);
    input->end =
        input->shard == input->shards ? UINT64_MAX : begin_of(clips, input->shard + 1u, count);
    input->begin = begin;
}

/* ---- Readers, and how many frames their chunks have ------------------------------------------ */

enum {
    /* Each reader has one decoder for REF and one for each OUT; an H200 has 7 engines. Pairs per
     * second, H.264 against HEVC, with seven, ten and fourteen readers. 4K: 704, 703, 668. 1080p:
     * 2,122, 2,115, 2,004, and 636 with one reader. CPU cores that also decode could add a fifth at
     * most: 16 of them decode 157 pairs of 4K. */
    ON_GPU = 7,
    DECODER_FRAMES = 48, /* frames of GPU memory that a decoder takes, as measured */
    SHORTEST = 96        /* least frames of a chunk; going to the next chunk costs some frames */
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

/* Returns the longest distance between frames at which a reader of any side can begin; 0: a side
 * has none. */
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
    if (source->input->align) return one;
    struct source_split split = {.readers = wanted, .gpus = count_gpus(clips)};
    if (wanted == 0 && source->on_device) split.readers = count_readers(clips, split.gpus);
    if (split.readers < 2) return one;
    const uint64_t distance = distance_of(clips);
    if (distance == 0) return one;
    split.length = (uint32_t)(distance * ((SHORTEST + distance - 1) / distance));
    if (!source->input->all_gpus) split.gpus = 0;
    return split;
}
