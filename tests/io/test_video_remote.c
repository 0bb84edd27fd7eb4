/* Video in a worker: what the worker tells of a file and its frames is checked. */
#define _GNU_SOURCE /* F_SEAL_SHRINK */
#include "remote_worker.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

static const ssimcu_clip_codec *const codec = &ssimcu_codec_av_remote;

TestSuite(video_remote, .init = make_clip, .fini = remove_clip, .timeout = 20);

static int count_open(void)
{
    DIR *const folder = opendir("/proc/self/fd");
    int count = 0;
    while (readdir(folder)) count++;
    closedir(folder);
    return count;
}

/* ---- Opening --------------------------------------------------------------------------------- */

/* The memory of a worker grows with its threads, once the size of a frame is known. */
Test(video_remote, opening_takes_over_what_the_worker_says)
{
    memset(script.opened.matrix, 'm', VIDEO_WORD); /* no word ends in it */
    script.opened.format.lies_apart = script.opened.format.on_device = true;
    script.alive = 3;
    open_clip();
    cr_expect_eq(strlen(clip->format.matrix), VIDEO_WORD - 1);
    cr_expect_null(clip->format.coding);
    cr_expect_not(clip->format.lies_apart || clip->format.on_device);
    cr_expect(clip->format.planes == 3 && clip->format.frame_bytes == WIDTH * HEIGHT * 3 / 2);
    cr_expect(clip->count == FRAMES && clip->held == 77);
    cr_expect(workers[0].threads == THREADS && seen.limit[0] == 4ull << 30);
    cr_expect_eq(seen.limit[1], (512ull << 20) + (4 * THREADS + 32) * clip->format.frame_bytes);
    codec->close(clip);
    cr_expect(seen.taken == 1 && seen.given == 1 && seen.ended == 0);
}

static void expect_refusal(ssimcu_status status, const char *words)
{
    const int before = count_open();
    clip->limits = limits, clip->stop = &stop;
    CHECK_FAILS(codec->open(clip, path, &message), status, words);
    codec->close(clip);
    cr_expect_eq(count_open(), before);
}

Test(video_remote, a_file_that_cannot_be_opened_is_refused)
{
    close(STDIN_FILENO); /* the file becomes descriptor 0 */
    script.opened.status = SSIMCU_ERROR_UNSUPPORTED;
    memset(script.opened.why.text, 'y', sizeof script.opened.why.text); /* it does not end */
    expect_refusal(SSIMCU_ERROR_UNSUPPORTED, "yyy");
    script.opened.status = SSIMCU_OK, script.opened.end = true;
    expect_refusal(SSIMCU_ERROR_DATA, "clip: its decoder died");
    script.opened.end = false, limits.max_pixels--;
    expect_refusal(SSIMCU_ERROR_LIMIT, "clip: 6x4 pixels");
    unlink(path);
    expect_refusal(SSIMCU_ERROR_FILE, "No such file");
}

Test(video_remote, a_format_that_cannot_be_is_nonsense)
{
    const ssimcu_clip_format good = script.opened.format;
    ssimcu_clip_format bad[] = {good, good, good, good, good, good, good, good};
    bad[0].range = SSIMCU_RANGE_FULL + 1;
    bad[1].range = (ssimcu_range)-1;
    bad[2].frame_bytes++;
    bad[3].planes = 1;
    bad[4].plane[2].pitch++;
    bad[5].chroma = 421;
    bad[6].rgb = true;
    bad[7].streams = 0; /* it cannot have read stream 0 of none */
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        script.opened.format = bad[i];
        expect_refusal(SSIMCU_ERROR_DATA, "clip: the decoder returned an invalid format");
    }
    cr_assert(ssimcu_clip_format_make(WIDTH, HEIGHT, 444, 8, &script.opened.format));
    ssimcu_clip_format_make_rgb(&script.opened.format);
    script.opened.format.streams = 1;
    script.opened.matrix[0] = 'm', script.opened.coding[0] = 'c';
    script.opened.format.range = SSIMCU_RANGE_FULL;
    open_clip();
    cr_expect(clip->format.rgb && clip->format.planes == 1);
    cr_expect_str_eq(clip->format.matrix, "m");
    cr_expect_str_eq(clip->format.coding, "c");
    codec->close(clip);
}

/* ---- Frames ---------------------------------------------------------------------------------- */

Test(video_remote, a_frame_lies_where_the_worker_says)
{
    uint8_t data[WIDTH * HEIGHT * 3 / 2];
    ssimcu_frame plane[SSIMCU_MAX_PLANES];
    size_t at = 0;
    open_clip();
    const int before = count_open();
    const ssimcu_clip_place place = next_frame();
    cr_assert_eq(codec->view(clip, place, plane, NULL), SSIMCU_OK);
    cr_assert_eq(codec->read(clip, place, data, NULL), SSIMCU_OK);
    for (int p = 0; p < 3; p++) {
        cr_expect(plane[p].pitch == PITCH && plane[p].width == clip->format.plane[p].width);
        for (int y = 0; y < HEIGHT >> (p > 0); y++)
            for (int x = 0; x < WIDTH >> (p > 0); x++) {
                const uint8_t expected =
                    (uint8_t)(script.frame.borrowed.offset[p] + (uint64_t)(PITCH * y + x));
                cr_expect_eq(((uint8_t *)plane[p].data)[y * PITCH + x], expected);
                cr_expect_eq(data[at++], expected);
            }
    }
    cr_expect_eq(seen.asked.frames, 0);
    codec->release(clip, place);
    cr_expect(seen.released == 100 && workers[0].borrowed == 0);
    const ssimcu_clip_place later = next_frame();
    cr_expect(seen.asked.frames == 1 && count_open() == before);
    codec->close(clip); /* the frame is still there */
    cr_expect(seen.given == 1 && workers[0].borrowed == 1);
    (void)later;
}

/* Each of these says that a frame lies elsewhere than in its memory. */
Test(video_remote, a_frame_outside_of_its_memory_is_nonsense)
{
    const struct ssimcu_video_borrowed good = script.frame.borrowed;
    struct ssimcu_video_borrowed borrowed[] = {good, good, good, good, good, good, good, good};
    borrowed[0].offset[2] = BYTES - PITCH - WIDTH / 2; /* it ends where the memory does */
    borrowed[1].offset[2] = borrowed[0].offset[2] + 1;
    borrowed[2].pitch[0] = WIDTH; /* no byte is left out */
    borrowed[3].pitch[0] = WIDTH - 1;
    borrowed[4].pitch[1] = UINT64_MAX;
    borrowed[5].offset[1] = UINT64_MAX;
    borrowed[6].buffer = MOST_BUFFERS;
    borrowed[7].buffer = MOST_BUFFERS - 1;
    open_clip();
    for (size_t i = 0; i < sizeof borrowed / sizeof borrowed[0]; i++) {
        script.frame.borrowed = borrowed[i];
        cr_expect_eq(is_good("clip: the decoder returned invalid plane offsets"),
                     i % 2 == 0 ? i < 4 : i == 7, "%zu", i);
    }
    codec->close(clip);
}

/* A frame of another size is nonsense, unless the clip takes any; its memory must hold it, too. */
Test(video_remote, frames_of_another_size)
{
    const struct ssimcu_video_borrowed good = script.frame.borrowed;
    struct ssimcu_video_borrowed borrowed[] = {good, good, good, good, good};
    borrowed[0].width = WIDTH - 1;
    borrowed[1].height = HEIGHT - 1;
    borrowed[2].height = UINT32_MAX;
    borrowed[3].width = 0;
    borrowed[4].width = PITCH + 1; /* rows would overlap */
    for (int any = 0; any < 2; any++) {
        clip->any_size = any;
        open_clip();
        for (size_t i = 0; i < sizeof borrowed / sizeof borrowed[0]; i++) {
            ssimcu_frame plane[SSIMCU_MAX_PLANES];
            script.frame.borrowed = borrowed[i];
            const ssimcu_clip_place place = next_frame();
            const ssimcu_status status = codec->view(clip, place, plane, NULL);
            cr_expect_eq(status, any && i < 2 ? SSIMCU_OK : SSIMCU_ERROR_DATA, "%zu", i);
            if (status == SSIMCU_OK)
                cr_expect(plane[0].width == borrowed[i].width &&
                          plane[0].height == borrowed[i].height);
            codec->release(clip, place);
        }
        codec->close(clip);
    }
}

/* The caller would end at a frame whose memory shrinks. */
Test(video_remote, memory_that_could_shrink_is_nonsense)
{
    const int good = script.memory, sealed = F_SEAL_SHRINK | F_SEAL_SEAL;
    const int bad[] = {-1, make_memory(BYTES, F_SEAL_SHRINK), make_memory(BYTES, F_SEAL_SEAL),
                       make_memory(0, sealed)};
    open_clip();
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        script.memory = bad[i];
        cr_expect_not(is_good("invalid plane offsets"), "%zu", i);
    }
    script.memory = good;
    cr_expect(is_good(""));
    script.memory = -1; /* it is known from now on */
    cr_expect(is_good(""));
    codec->close(clip);
}

Test(video_remote, a_frame_that_cannot_be_compared_says_why)
{
    open_clip();
    script.frame.frame_status = SSIMCU_ERROR_DATA;
    memset(script.frame.why.text, 'y', sizeof script.frame.why.text);
    cr_expect_not(is_good("yyy"));
    script.frame.frame_status = SSIMCU_OK, script.frame.status = SSIMCU_ERROR_DATA;
    expect_failure("yyy");
    codec->close(clip);
}
