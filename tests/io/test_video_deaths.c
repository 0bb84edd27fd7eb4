/* Video in a worker: what becomes of a clip whose worker dies. */
#define _GNU_SOURCE /* mincore */
#include "remote_worker.h"

#include <sys/mman.h>

static const ssimcu_clip_codec *const codec = &ssimcu_codec_av_remote;

TestSuite(video_deaths, .init = make_clip, .fini = remove_clip, .timeout = 20);

/* Returns a letter for each of the next frames: '.' if it is good. */
static const char *fates(int frames)
{
    static char fates[FRAMES + 1];
    memset(fates, 0, sizeof fates);
    for (int i = 0; i < frames; i++) fates[i] = is_good("clip: its decoder died") ? '.' : 'x';
    return fates;
}

static void expect_end(void)
{
    ssimcu_clip_place place = {.offset = -1};
    bool at_end = false;
    cr_expect_eq(codec->next(clip, NULL, &place, &at_end, NULL), SSIMCU_OK);
    cr_expect(at_end && !place.held);
}

/* Every ninth frame kills, and every fourth is a key frame. A worker of one thread dies at the very
 * frame, so it needs no second one to tell. */
Test(video_deaths, a_seek_passes_the_frame_that_kills)
{
    script.kills_decoder = 9, script.keys = 4;
    open_clip();
    cr_expect_str_eq(fates(FRAMES), ".........xxx......xx.......x........xxxx");
    expect_end();
    cr_expect_eq(seen.taken, 12);
    for (int i = 0; i < seen.taken; i++) cr_expect_eq(workers[i].threads, i > 0 ? 1 : THREADS);
    codec->close(clip);
    cr_expect(seen.given == 1 && seen.ended == 11);
}

/* The second worker decodes and gives back the frames that the caller has. */
Test(video_deaths, without_a_seek_the_clip_ends_at_the_frame)
{
    script.kills_decoder = 3;
    open_clip();
    cr_expect_str_eq(fates(4), "...x");
    cr_expect(seen.decoded == 4 + 4 && workers[1].borrowed == 1 && seen.asked.frames == 3);
    expect_failure("clip: its decoder died, and the frames after it cannot be reached");
    cr_expect(seen.taken == 3 && seen.decoded == 8);
    codec->close(clip);
}

/* Frames behind fail one by one if the end is known. That costs no worker for each, and a seek may
 * end it. */
Test(video_deaths, frames_that_cannot_be_reached_fail)
{
    script.kills_decoder = 3, script.end_is_known = true;
    open_clip();
    cr_expect_str_eq(fates(10), "...xxxxxxx");
    script.keys = 5;
    cr_expect_str_eq(fates(3), "..x");
    script.keys = 0;
    cr_expect_str_eq(fates(FRAMES - 13), "xxxxxxxxxxxxxxxxxxxxxxxxxxx");
    expect_end();
    cr_expect_eq(seen.taken, 4);
    codec->close(clip);
}

/* Another worker may find another file: that is changed while it is read. */
Test(video_deaths, a_frame_that_is_no_longer_there_is_not_reached)
{
    script.kills_decoder = 3, script.end_is_known = true;
    open_clip();
    cr_expect_str_eq(fates(3), "...");
    script.frame.status = SSIMCU_ERROR_DATA;
    cr_expect_str_eq(fates(1), "x");
    cr_expect(seen.decoded == 4 + 1 && workers[1].borrowed == 1);
    codec->close(clip);
}

Test(video_deaths, an_end_before_the_frame_is_the_end)
{
    script.kills_decoder = 3, script.end_is_known = true;
    open_clip();
    cr_expect_str_eq(fates(3), "...");
    script.end = 2;
    expect_end();
    cr_expect_eq(seen.decoded, 4 + 3);
    codec->close(clip);
}

Test(video_deaths, a_clip_costs_32_workers_at_most)
{
    script.kills_decoder = script.keys = 1;
    open_clip();
    cr_expect_str_eq(fates(33), ".xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
    expect_failure("clip: its decoder died");
    cr_expect_eq(seen.taken, 33);
    codec->close(clip);
}

/* A frame is the caller's until it is given back, also if its worker has died. The next worker is
 * not told of it. */
Test(video_deaths, frames_outlive_their_worker)
{
    uint8_t data[WIDTH * HEIGHT * 3 / 2] = {0};
    ssimcu_frame plane[SSIMCU_MAX_PLANES];
    script.kills_decoder = 2, script.keys = 3;
    open_clip();
    const ssimcu_clip_place first = next_frame(), second = next_frame(), killer = next_frame();
    codec->release(clip, killer);
    codec->release(clip, first);
    cr_expect_str_eq(fates(1), ".");
    cr_expect_eq(seen.released, 103);
    cr_expect_eq(codec->read(clip, second, data, NULL), SSIMCU_OK);
    cr_expect(data[0] == 1 && data[WIDTH] == 1 + PITCH);
    cr_assert_eq(codec->view(clip, second, plane, NULL), SSIMCU_OK);
    uint8_t *const gone = (uint8_t *)plane[0].data - script.frame.borrowed.offset[0];
    codec->release(clip, second);
    cr_expect_eq(seen.released, 103);
    cr_expect(mincore(gone, 1, &(unsigned char){0}) == -1, "it is unmapped with the last of them");
    codec->close(clip);
}

/* ---- The caller stops ------------------------------------------------------------------------ */

Test(video_deaths, a_caller_that_has_stopped_is_at_the_end)
{
    open_clip();
    atomic_store(&stop, true);
    expect_end();
    cr_expect_eq(seen.decoded, 0);
    codec->close(clip);
}

/* The worker is killed then, for which the frame is not to blame. */
Test(video_deaths, a_caller_that_stops_meanwhile_is_at_the_end)
{
    script.kills_decoder = 3, script.keys = 4;
    open_clip();
    cr_expect_str_eq(fates(5), "...x.");
    script.stops = true;
    expect_end();
    codec->close(clip);
    cr_expect(seen.taken == 3 && seen.ended == 3);
}

/* ---- What needs no frame --------------------------------------------------------------------- */

Test(video_deaths, what_a_worker_tells_without_frames)
{
    script.kills_decoder = 1, script.keys = 1, script.end_is_known = true;
    open_clip();
    clip->frames = 1;
    cr_expect(codec->is_beyond(clip, FRAMES) && seen.asked.number == FRAMES);
    cr_expect_not(codec->is_beyond(clip, FRAMES - 1));
    cr_expect_eq(codec->key_distance(clip), 12);
    cr_expect_eq(seen.asked.frames, 1);
    cr_expect_not(codec->skip(clip, 2), "it dies there");
    cr_expect_eq(seen.asked.number, 2);
    cr_expect_not(codec->is_beyond(clip, FRAMES));
    cr_expect_eq(codec->key_distance(clip), 0);
    cr_expect_not(codec->skip(clip, 3));
    codec->close(clip);
    cr_expect(seen.taken == 1 && seen.given == 0);
}

Test(video_deaths, a_seek_of_the_caller)
{
    script.keys = 4;
    open_clip();
    cr_expect_not(codec->skip(clip, 3));
    cr_expect(codec->skip(clip, 9));
    cr_expect_eq(workers[0].at, 9);
    codec->close(clip);
}

Test(video_deaths, a_worker_that_dies_when_the_clip_is_closed_is_not_kept)
{
    script.dies_on_close = true;
    open_clip();
    codec->close(clip);
    cr_expect(seen.given == 0 && seen.ended == 1);
    clip->state = NULL;
    codec->close(clip);
}
