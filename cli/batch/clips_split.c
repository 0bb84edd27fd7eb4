/* Whether, and in stretches of how many frames, several readers go through two clips. */
#include "batch/clips.h"

enum {
    ON_GPU = 7,   /* readers, each with a decoder of REF and one of OUT; an H100 has 7 engines */
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

uint32_t clips_split(struct batch_source *source, uint32_t wanted, uint32_t *stretch)
{
    const struct clips *clips = (const struct clips *)source;
    uint32_t readers = wanted;
    if (wanted == 0) readers = source->on_device ? ON_GPU : 1;
    if (clips->outs > 1 || source->input->frames || readers < 2) return 1;
    const uint64_t distance = distance_of(clips);
    if (distance == 0) return 1;
    *stretch = (uint32_t)(distance * ((SHORTEST + distance - 1) / distance));
    return readers;
}
