/* Whether, and in stretches of how many frames, several readers go through two clips. */
#include "batch/clips.h"

enum {
    ON_GPU = 7,  /* readers, each with a decoder of REF and one of OUT; an H100 has 7 engines */
    FOR_GPU = 4, /* threads that those keep busy */
    THREADS_A_CLIP = 2, /* of readers on the CPU */
    LAST = 30,    /* stretches for the GPU alone, in which time one on the CPU does its last */
    SHORTEST = 96 /* frames of a stretch: going to the next costs some of them */
};

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

/* Readers on the CPU beside those on the GPU: not where the GPU was asked for, nor in a short clip.
 */
static void add_helpers(const struct batch_source *source, struct batch_split *split)
{
    const uint32_t threads = source->input->threads;
    const int64_t stretches = source->kind->count(source, 0) / split->length;
    if (source->input->decode == BATCH_DECODE_CUDA || threads <= FOR_GPU || stretches <= LAST)
        return;
    split->on_cpu = (threads - FOR_GPU) / (2 * THREADS_A_CLIP);
    split->threads = THREADS_A_CLIP;
    split->helped = (uint64_t)stretches - LAST;
    split->readers += split->on_cpu;
}

struct batch_split clips_split(struct batch_source *source, uint32_t wanted)
{
    const struct clips *clips = (const struct clips *)source;
    const struct batch_split one = {.readers = 1};
    const uint32_t threads = source->input->threads;
    struct batch_split split = {.readers = wanted};
    if (wanted == 0 && source->on_device) split.readers = ON_GPU < threads ? ON_GPU : threads;
    if (clips->outs > 1 || source->input->frames || split.readers < 2) return one;
    const uint64_t distance = distance_of(clips);
    if (distance == 0) return one;
    split.length = (uint32_t)(distance * ((SHORTEST + distance - 1) / distance));
    if (wanted == 0) add_helpers(source, &split);
    return split;
}
