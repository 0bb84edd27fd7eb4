#include "calibrate/frames.h"

#include "base/results.h"
#include "facts/record.h"
#include "pair/pair.h"

#include <stdlib.h>

/* Returns the place of number i of those that are chosen: in the middle of its share. */
static size_t place_of(size_t i, size_t chosen, size_t all)
{
    return (2 * i + 1) * all / (2 * chosen);
}

static size_t choose(size_t all) { return all < FRAMES_OF_SHOT ? all : FRAMES_OF_SHOT; }

/* Keeps some frames of the shot that was found last. */
static void end_shot(struct some_frames *frames)
{
    struct some_frame *shot = frames->frame + frames->shot;
    const size_t all = frames->count - frames->shot, kept = choose(all);
    size_t next = 0;
    for (size_t i = 0; i < all; i++)
        if (next < kept && place_of(next, kept, all) == i)
            shot[next++] = shot[i];
        else
            free(shot[i].part);
    frames->count = frames->shot += kept;
}

/* Takes a frame that is the first of its name. Returns false if memory runs out. */
static bool take(struct some_frames *frames, struct record *record)
{
    const struct some_frame *last =
        frames->count > frames->shot ? &frames->frame[frames->count - 1] : NULL;
    if (last && record_order(last->part, last->frame, record->part, record->frame) == 0)
        return true;
    if (last && record_order(last->part, 0, record->part, 0) != 0) end_shot(frames);
    if (!results_grow(&frames->frame, frames->count, &frames->room, sizeof *frames->frame))
        return false;
    frames->frame[frames->count++] = (struct some_frame){record->part, record->frame};
    record->part = NULL;
    return true;
}

static ssimcu_status choose_pictures(struct source *source, struct some_frames *frames,
                                     ssimcu_message *message)
{
    struct record record = {0};
    struct pair pair = {.record = &record};
    bool good = true;
    while (good && source->kind->next(source, &pair)) {
        if (record.kind == RECORD_SCORED) good = take(frames, &record);
        record_clear(&record);
        record = (struct record){0};
        pair = (struct pair){.record = &record};
    }
    if (frames->count > frames->shot) end_shot(frames);
    return good ? SSIMCU_OK : results_no_memory(message);
}

static ssimcu_status choose_video(const struct source *source, struct some_frames *frames,
                                  ssimcu_message *message)
{
    const ssimcu_ranges *asked = source->input->frames;
    const int64_t all = source->kind->count ? source->kind->count(source, 0) : -1;
    if (all < 0) return SSIMCU_OK;
    const size_t kept = choose((size_t)all);
    frames->numbers.number = calloc(kept + 1, sizeof *frames->numbers.number);
    if (!frames->numbers.number) return results_no_memory(message);
    frames->numbers.count = kept;
    for (size_t i = 0; i < kept; i++) {
        const size_t at = place_of(i, kept, (size_t)all);
        frames->numbers.number[i] = asked ? asked->number[at] : (int64_t)at;
    }
    return SSIMCU_OK;
}

ssimcu_status some_frames_choose(struct source *source, struct some_frames *frames,
                                 ssimcu_message *message)
{
    return source_is_video(source) ? choose_video(source, frames, message)
                                   : choose_pictures(source, frames, message);
}

static int by_order(const void *a, const void *b)
{
    const struct record *record = a;
    const struct some_frame *frame = b;
    return record_order(record->part, record->frame, frame->part, frame->frame);
}

bool some_frames_hold(const struct some_frames *frames, const struct record *record)
{
    return frames->count > 0 &&
           bsearch(record, frames->frame, frames->count, sizeof *frames->frame, by_order);
}

void some_frames_free(struct some_frames *frames)
{
    for (size_t i = 0; i < frames->count; i++) free(frames->frame[i].part);
    free(frames->frame);
    ssimcu_ranges_free(&frames->numbers);
    *frames = (struct some_frames){0};
}
