/* The codec that the module offers: how it hands pictures on. In the program a worker lends them;
 * without workers the caller itself views and reads them. */
#include "check.h"
#include "video/av/file.h"
#include "video/av/module.h"

#include "video/av/shared.h"
#include <string.h>

#include <stdlib.h>

extern const struct ssimcu_video_module ssimcu_video_module;
static const ssimcu_clip_codec *codec;
static struct video_file file;
static ssimcu_clip *clip;
static struct picture picture;
static ssimcu_clip_place place;
static struct picture *comes; /* what file_next returns */
static ssimcu_status failed;
static bool opens; /* file_open succeeds */
static int freed, borrowed, waited, remote_reads;

/* ---- What stands for the module's other parts ------------------------------------------------ */

ssimcu_status file_open(ssimcu_clip *of, const char *path, ssimcu_message *message)
{
    (void)of, (void)path;
    return opens ? SSIMCU_OK : ssimcu_fail(message, SSIMCU_ERROR_FILE, "nothing is opened");
}

void file_close(ssimcu_clip *of) { (void)of; }

ssimcu_status file_next(ssimcu_clip *of, struct picture **next, ssimcu_message *message)
{
    cr_expect(of == clip);
    *next = comes;
    return failed == SSIMCU_OK ? SSIMCU_OK : ssimcu_fail(message, failed, "cannot go on");
}

void picture_free(struct picture *of) { freed += of == &picture; }

bool seek_skip(ssimcu_clip *of, uint64_t frame) { return of == clip && frame == 7; }
uint64_t seek_key_distance(ssimcu_clip *of) { return of == clip ? 8 : 0; }
uint64_t seek_key_before(ssimcu_clip *of, uint64_t frame) { return of == clip ? frame - 1 : 0; }
bool seek_is_beyond(ssimcu_clip *of, uint64_t frame) { return of == clip && frame == 9; }
uint64_t decoder_held(const ssimcu_clip *of) { return of == clip ? 10 : 0; }
void container_tell(void (*reads)(void)) { (void)reads; }

void pixels_view(const ssimcu_clip *of, const AVFrame *frame, ssimcu_view plane[SSIMCU_MAX_PLANES])
{
    cr_expect(of == clip && frame == picture.frame);
    plane[0].width = 11;
}

ssimcu_status nvdec_wait(const struct nvdec *nvdec, ssimcu_message *message)
{
    cr_expect(nvdec == file.nvdec);
    waited++;
    return ssimcu_fail(message, SSIMCU_ERROR_DEVICE, "waits in vain");
}

ssimcu_status pixels_read(const ssimcu_clip *of, const ssimcu_clip_format *format,
                          const AVFrame *frame, void *data, ssimcu_message *message)
{
    (void)data;
    cr_expect(of == clip && format == &clip->format && frame == picture.frame);
    remote_reads++;
    return ssimcu_fail(message, SSIMCU_ERROR_UNSUPPORTED, "is transparent");
}

ssimcu_status shared_borrow(const ssimcu_clip *of, struct picture *shown,
                            struct ssimcu_video_borrowed *to, ssimcu_message *message)
{
    (void)to;
    cr_expect(of == clip && shown == &picture);
    borrowed++;
    return ssimcu_fail(message, SSIMCU_ERROR_MEMORY, "out of memory");
}

/* ---- A picture ------------------------------------------------------------------------------- */

enum { WIDTH = 6, HEIGHT = 4 };

static void start(void)
{
    codec = ssimcu_video_module.codec;
    clip = calloc(1, sizeof *clip + sizeof "clip"); /* its name is behind it */
    file.format = avformat_alloc_context();
    file.stream = avformat_new_stream(file.format, NULL);
    file.nvdec = (struct nvdec *)&file;
    clip->state = &file;
    cr_assert(ssimcu_clip_format_make(WIDTH, HEIGHT, 420, 8, &clip->format));
    picture.frame = av_frame_alloc();
    picture.frame->width = WIDTH, picture.frame->height = HEIGHT;
    picture.frame->format = AV_PIX_FMT_YUV420P;
    cr_assert_eq(av_frame_get_buffer(picture.frame, 0), 0);
    picture.file = &file;
    place.held = &picture;
}

static void end(void)
{
    av_frame_free(&picture.frame);
    avformat_free_context(file.format);
    free(clip);
}

TestSuite(video_module, .init = start, .fini = end);

Test(video_module, views_of_a_picture_are_its_own_memory)
{
    ssimcu_frame plane[SSIMCU_MAX_PLANES];
    cr_assert_eq(codec->view(clip, place, plane, NULL), SSIMCU_OK);
    for (int p = 0; p < 3; p++) {
        cr_expect(plane[p].data == picture.frame->data[p]);
        cr_expect_eq(plane[p].pitch, (size_t)picture.frame->linesize[p]);
        cr_expect_eq(plane[p].width, clip->format.plane[p].width);
    }
}

/* A picture of another size is shown with its own planes, and cannot be read into the clip's. */
Test(video_module, pictures_of_another_size_are_shown_alone)
{
    ssimcu_frame plane[SSIMCU_MAX_PLANES];
    ssimcu_message message = {{0}};
    uint8_t data[WIDTH * HEIGHT * 3 / 2];
    cr_assert(ssimcu_clip_format_make(WIDTH - 1, HEIGHT - 2, 420, 8, &picture.format));
    cr_assert_eq(codec->view(clip, place, plane, NULL), SSIMCU_OK);
    cr_expect(plane[0].width == WIDTH - 1 && plane[1].width == WIDTH / 2);
    cr_expect(plane[0].height == HEIGHT - 2 && plane[2].height == HEIGHT / 2 - 1);
    cr_expect_eq(codec->read(clip, place, data, &message), SSIMCU_ERROR_MISMATCH);
    cr_expect(strstr(message.text, "this frame is 5x2, the first is 6x4"), "%s", message.text);
    picture.format = clip->format;
    cr_expect_eq(codec->read(clip, place, data, NULL), SSIMCU_OK);
    picture.format = (ssimcu_clip_format){.planes = 0};
}

Test(video_module, reading_copies_the_rows_of_all_planes)
{
    uint8_t data[WIDTH * HEIGHT * 3 / 2], expected[sizeof data];
    size_t at = 0;
    for (int p = 0; p < 3; p++)
        for (int y = 0; y < HEIGHT >> (p > 0); y++)
            for (int x = 0; x < WIDTH >> (p > 0); x++) {
                const uint8_t value = expected[at++] = (uint8_t)(100 * p + 10 * y + x);
                picture.frame->data[p][y * picture.frame->linesize[p] + x] = value;
            }
    cr_assert(at == sizeof data && clip->format.frame_bytes == sizeof data);
    cr_assert_eq(codec->read(clip, place, data, NULL), SSIMCU_OK);
    cr_expect_arr_eq(data, expected, sizeof data);
    cr_expect_eq(remote_reads, 0);
}

Test(video_module, samples_in_another_order_are_put_in_order)
{
    uint8_t data[WIDTH * HEIGHT * 3 / 2];
    clip->format.lies_apart = true;
    CHECK_FAILS(codec->read(clip, place, data, &message), SSIMCU_ERROR_UNSUPPORTED, "transparent");
    cr_expect_eq(remote_reads, 1);
}

/* A picture that cannot be compared is neither shown nor read nor lent. */
Test(video_module, a_damaged_picture_says_why)
{
    struct ssimcu_video_borrowed to;
    ssimcu_frame plane[SSIMCU_MAX_PLANES];
    ssimcu_view device[SSIMCU_MAX_PLANES];
    uint8_t data[WIDTH * HEIGHT * 3 / 2] = {0};
    for (int apart = 0; apart < 2; apart++) {
        clip->format.lies_apart = apart;
        picture.status = ssimcu_fail(&picture.why, SSIMCU_ERROR_DATA, "clip: damaged");
        CHECK_FAILS(codec->view(clip, place, plane, &message), SSIMCU_ERROR_DATA, "clip: damaged");
        CHECK_FAILS(codec->read(clip, place, data, &message), SSIMCU_ERROR_DATA, "clip: damaged");
        CHECK_FAILS(codec->device_view(clip, place, device, &message), SSIMCU_ERROR_DATA,
                    "clip: damaged");
        CHECK_FAILS(ssimcu_video_module.borrowed(clip, place, &to, &message), SSIMCU_ERROR_DATA,
                    "clip: damaged");
    }
    cr_expect(waited == 0 && borrowed == 0 && remote_reads == 0);
}

Test(video_module, a_picture_in_device_memory_is_shown_there_alone)
{
    ssimcu_frame plane[SSIMCU_MAX_PLANES];
    ssimcu_view device[SSIMCU_MAX_PLANES];
    uint8_t data[WIDTH * HEIGHT * 3 / 2];
    clip->format.on_device = true;
    CHECK_FAILS(codec->view(clip, place, plane, &message), SSIMCU_ERROR_INTERNAL, "device");
    CHECK_FAILS(codec->read(clip, place, data, &message), SSIMCU_ERROR_INTERNAL, "device");
    CHECK_FAILS(codec->device_view(clip, place, device, &message), SSIMCU_ERROR_DEVICE, "waits");
    cr_expect(device[0].width == 11 && waited == 1);
}

Test(video_module, the_next_picture_and_the_end)
{
    bool ended = true;
    comes = &picture;
    cr_assert_eq(codec->next(clip, NULL, &place, &ended, NULL), SSIMCU_OK);
    cr_expect(!ended && place.held == &picture);
    comes = NULL;
    cr_assert_eq(codec->next(clip, NULL, &place, &ended, NULL), SSIMCU_OK);
    cr_expect(ended && !place.held);
    failed = SSIMCU_ERROR_DATA;
    CHECK_FAILS(codec->next(clip, NULL, &place, &ended, &message), SSIMCU_ERROR_DATA, "go on");
    cr_expect_not(ended, "an error is no end");
}

/* The container says how many pictures there are, or says 0 if it does not know. */
Test(video_module, the_rest_is_handed_on)
{
    struct ssimcu_video_borrowed to;
    opens = true;
    for (int frames = 0; frames < 2; frames++) {
        file.stream->nb_frames = frames;
        cr_assert_eq(codec->open(clip, "", NULL), SSIMCU_OK);
        cr_expect(clip->count == (frames ? 1 : -1) && clip->held == 10);
    }
    cr_expect(codec->skip(clip, 7) && codec->is_beyond(clip, 9) && codec->key_distance(clip) == 8);
    codec->release(clip, place);
    cr_expect_eq(freed, 1);
    CHECK_FAILS(ssimcu_video_module.borrowed(clip, place, &to, &message), SSIMCU_ERROR_MEMORY,
                "memory");
    cr_expect_eq(borrowed, 1);
}
