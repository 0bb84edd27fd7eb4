/* Segments: where shares of video begin, so that no share decodes what another does. */
#include "source/clips.h"

enum {
    PARTS = 8 /* a share begins at most this part of its length away from where it should */
};

/* Returns the frame of a side at this position. */
static uint64_t frame_of(const struct clips *clips, uint32_t side, uint64_t position)
{
    const struct source_input *input = clips->base.input;
    const int64_t frame = (int64_t)position + clips_first(input) + (side > 0 ? input->offset : 0);
    return frame > 0 ? (uint64_t)frame : 0;
}

/* Returns how many frames are decoded in vain if a share begins there. */
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

/* Considers the frames near the target at which a side can be entered. */
static void consider_side(const struct clips *clips, uint32_t side, uint64_t reach,
                          struct choice *best)
{
    ssimcu_clip *clip = clips->side[side].clip;
    const uint64_t first = frame_of(clips, side, 0);
    uint64_t frame = frame_of(clips, side, best->target + reach);
    if (!clip || ssimcu_clip_key_distance(clip) == 1) return; /* it can be entered anywhere */
    for (;;) {
        frame = ssimcu_clip_key_before(clip, frame);
        if (frame <= first || frame - first + reach < best->target) return;
        consider(clips, frame - first, best);
        frame--;
    }
}

/* Returns where a share begins, of `count` pairs. */
static uint64_t begin_of(const struct clips *clips, uint64_t shard, uint64_t count)
{
    const struct source_input *input = clips->base.input;
    const uint64_t target = count * (shard - 1) / input->shards;
    struct choice best = {target, target, cost_of(clips, target)};
    const uint64_t reach = count / input->shards / PARTS;
    for (uint32_t s = 0; s <= clips->outs && target > 0; s++) consider_side(clips, s, reach, &best);
    return best.position;
}

/* Returns the number of frames by the index; 0: it is not known. */
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

/* REF and every OUT must have an index. With frames of one size each share finds its own. */
void clips_segment(struct source *source, struct source_input *input)
{
    const struct clips *clips = (const struct clips *)source;
    bool compressed = false;
    if (source->input->align) return; /* OUT is paired by times, not by numbers */
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
