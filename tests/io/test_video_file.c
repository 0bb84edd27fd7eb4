/* How a video file is opened, read to its end and closed. */
#include "avi_maker.h"
#include "check.h"
#include "video/av/file.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[] = "/tmp/ssimcu-test-file-XXXXXX";

static void write_file(void) { avi_make(path); }
static void remove_file(void) { unlink(path); }

TestSuite(video_file, .init = write_file, .fini = remove_file);

static ssimcu_clip *make_clip(int gpu)
{
    ssimcu_clip *const clip = calloc(1, sizeof *clip + sizeof path);
    clip->fd = -1, clip->gpu = gpu;
    clip->limits = (ssimcu_image_options){.max_pixels = UINT32_MAX, .threads = 1};
    memcpy(clip->name, path, sizeof path);
    return clip;
}

static ssimcu_clip *open_clip(int gpu)
{
    ssimcu_clip *const clip = make_clip(gpu);
    ssimcu_message why = {{0}};
    cr_assert_eq(file_open(clip, path, &why), SSIMCU_OK, "%s", why.text);
    return clip;
}

static void close_clip(ssimcu_clip *clip)
{
    file_close(clip);
    free(clip);
}

/* Reads frames from `first` up to `end`, which are as bright as their number. */
static void expect_frames(ssimcu_clip *clip, int first, int end)
{
    struct picture *picture;
    for (int i = first; i < end; i++, clip->frames++) {
        cr_assert(file_next(clip, &picture, NULL) == SSIMCU_OK && picture, "frame %d", i);
        cr_assert(picture->status == SSIMCU_OK && picture->frame->data[0][0] == i, "frame %d", i);
        picture_free(picture);
    }
}

static void expect_end(ssimcu_clip *clip)
{
    struct picture *picture;
    cr_expect_eq(file_next(clip, &picture, NULL), SSIMCU_OK);
    cr_expect_null(picture);
}

Test(video_file, is_read_to_its_end)
{
    ssimcu_clip *clip = open_clip(-1);
    cr_expect_eq(clip->format.plane[0].width, AVI_SIDE);
    cr_expect_str_eq(clip->why_not_gpu.text, "");
    expect_frames(clip, 0, AVI_FRAMES);
    expect_end(clip);
    close_clip(clip);
}

/* No GPU decodes what is not coded. The reason is kept, and a CPU begins at the first frame. */
Test(video_file, is_not_for_a_gpu)
{
    ssimcu_clip *clip = open_clip(0);
    cr_expect_str_neq(clip->why_not_gpu.text, "");
    expect_frames(clip, 0, AVI_FRAMES);
    expect_end(clip);
    close_clip(clip);
    clip = make_clip(0);
    clip->gpu_alone = true;
    cr_expect_eq(file_open(clip, path, NULL), SSIMCU_ERROR_UNSUPPORTED);
    cr_expect_str_neq(clip->why_not_gpu.text, "");
    close_clip(clip);
}

/* A file that a seek has lost begins anew, and goes on behind the frames that were read. */
Test(video_file, begins_anew)
{
    ssimcu_clip *clip = open_clip(-1);
    struct video_file *file = clip->state;
    expect_frames(clip, 0, 5);
    file->position_lost = true;
    expect_frames(clip, 5, 9);
    cr_expect_not(file->position_lost);
    file->position_lost = true;
    expect_frames(clip, 9, AVI_FRAMES);
    expect_end(clip);
    close_clip(clip);
}

Test(video_file, holds_limits)
{
    for (uint64_t more = 0; more < 2; more++) {
        ssimcu_clip *clip = make_clip(-1);
        ssimcu_message why = {{0}};
        clip->limits.max_pixels = AVI_SIDE * AVI_SIDE - more;
        cr_expect_eq(file_open(clip, path, &why), more ? SSIMCU_ERROR_LIMIT : SSIMCU_OK, "%s",
                     why.text);
        close_clip(clip);
    }
}

/* Nothing stays in memory, read or not. A sanitizer's memory is its own. */
Test(video_file, nothing_stays_in_memory)
{
    enum { FIRST = 3, RUNS = 4, LEAST = 32 /* bytes of the smallest allocation */ };
    size_t before = 0;
    for (int k = 0; k < FIRST + RUNS; k++) {
        if (k == FIRST) before = mallinfo2().uordblks + mallinfo2().hblkhd;
        for (int frames = 0; frames < 3; frames++) {
            ssimcu_clip *clip = open_clip(frames - 1);
            expect_frames(clip, 0, frames);
            ((struct video_file *)clip->state)->position_lost = frames == 2;
            expect_frames(clip, frames, frames + 1);
            close_clip(clip);
        }
        close_clip(open_clip(-1));
    }
    cr_expect_lt(mallinfo2().uordblks + mallinfo2().hblkhd, before + RUNS * LEAST);
}
