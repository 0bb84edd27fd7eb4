/* What a clip's format says of its first frame, and where a worker's frames lie. */
#define _GNU_SOURCE /* F_GET_SEALS */
#include "check.h"
#include "video/av/file.h"
#include "video/av/module.h"
#include "video/av/shared.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libavutil/display.h>
#include <libavutil/dovi_meta.h>
#include <libavutil/intreadwrite.h>
#include <libavutil/pixdesc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

/* NVDEC has no part in this. */
static bool on_device;
bool nvdec_has(const AVFrame *frame) { return frame && on_device; }
enum AVPixelFormat nvdec_pixels(const AVFrame *frame) { return frame->format; }

static struct video_file file;
static ssimcu_clip *clip;
static AVFrame *frame;

static void start(void)
{
    clip = calloc(1, sizeof *clip + sizeof "clip"); /* its name is behind it */
    cr_assert(clip);
    clip->state = &file;
    file.format = avformat_alloc_context();
    file.stream = avformat_new_stream(file.format, NULL);
    file.decoder = avcodec_alloc_context3(NULL);
    frame = av_frame_alloc();
    cr_assert(file.stream && file.decoder && frame);
}

static void end(void)
{
    free(clip);
    av_frame_free(&frame);
    avcodec_free_context(&file.decoder);
    avformat_free_context(file.format);
}

TestSuite(video_shape, .init = start, .fini = end, .timeout = 60);

static void read_frame(enum AVPixelFormat pixels)
{
    frame->width = 20, frame->height = 12, frame->format = pixels;
    cr_assert_eq(shape_read(clip, frame, NULL), SSIMCU_OK);
}

static void put_side_data(enum AVPacketSideDataType type, const void *bytes, size_t size)
{
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 31, 100) /* as side_data */
    AVCodecParameters *const codec = file.stream->codecpar;
    AVPacketSideData *const data =
        av_packet_side_data_new(&codec->coded_side_data, &codec->nb_coded_side_data, type, size, 0);
    cr_assert(data);
    memcpy(data->data, bytes, size);
#else
    uint8_t *const data = av_stream_new_side_data(file.stream, type, size);
    cr_assert(data);
    memcpy(data, bytes, size);
#endif
}

Test(video_shape, ranges)
{
    static const struct {
        enum AVPixelFormat pixels;
        enum AVColorRange said;
        ssimcu_range range;
    } cases[] = {{AV_PIX_FMT_YUV420P, AVCOL_RANGE_UNSPECIFIED, SSIMCU_RANGE_UNKNOWN},
                 {AV_PIX_FMT_YUV420P, AVCOL_RANGE_MPEG, SSIMCU_RANGE_LIMITED},
                 {AV_PIX_FMT_YUV420P, AVCOL_RANGE_JPEG, SSIMCU_RANGE_FULL},
                 {AV_PIX_FMT_YUVJ420P, AVCOL_RANGE_UNSPECIFIED, SSIMCU_RANGE_FULL},
                 {AV_PIX_FMT_YUVJ420P, AVCOL_RANGE_MPEG, SSIMCU_RANGE_LIMITED},
                 {AV_PIX_FMT_GRAY8, AVCOL_RANGE_MPEG, SSIMCU_RANGE_LIMITED},
                 {AV_PIX_FMT_GBRP, AVCOL_RANGE_JPEG, SSIMCU_RANGE_UNKNOWN},
                 {AV_PIX_FMT_GBRP, AVCOL_RANGE_MPEG, SSIMCU_RANGE_UNKNOWN}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        frame->color_range = cases[i].said;
        read_frame(cases[i].pixels);
        cr_expect_eq(clip->format.range, cases[i].range, "%zu", i);
    }
}

/* Grey and RGB have no matrix, whatever the file says. */
Test(video_shape, matrices_are_of_yuv)
{
    frame->colorspace = AVCOL_SPC_BT709;
    read_frame(AV_PIX_FMT_YUV444P);
    cr_expect_str_eq(clip->format.matrix, "bt709");
    read_frame(AV_PIX_FMT_GRAY8);
    cr_expect_null(clip->format.matrix);
    read_frame(AV_PIX_FMT_GBRP);
    cr_expect_null(clip->format.matrix);
}

/* A matrix turns by whole degrees, to the right; one that shrinks all to nothing does not turn. */
Test(video_shape, rotations)
{
    static const struct {
        double angle;
        int32_t rotation;
    } cases[] = {{0, 0}, {90, 90}, {-90, 270}, {180, 180}, {359.6, 0}, {-1, 359}};
    int32_t matrix[9] = {0};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        av_display_rotation_set(matrix, cases[i].angle);
        put_side_data(AV_PKT_DATA_DISPLAYMATRIX, matrix, sizeof matrix);
        read_frame(AV_PIX_FMT_GRAY8);
        cr_expect_eq(clip->format.rotation, cases[i].rotation, "%g: %d", cases[i].angle,
                     (int)clip->format.rotation);
    }
    memset(matrix, 0, sizeof matrix);
    put_side_data(AV_PKT_DATA_DISPLAYMATRIX, matrix, sizeof matrix);
    read_frame(AV_PIX_FMT_GRAY8);
    cr_expect_eq(clip->format.rotation, 0);
}

static void set_fields(bool interlaced, bool top)
{
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 7, 100)
    frame->flags =
        (interlaced ? AV_FRAME_FLAG_INTERLACED : 0) | (top ? AV_FRAME_FLAG_TOP_FIELD_FIRST : 0);
#else
    frame->interlaced_frame = interlaced, frame->top_field_first = top;
#endif
}

/* A frame that is progressive has no first field, whatever its flag says. */
Test(video_shape, fields)
{
    static const struct {
        bool interlaced, top;
        ssimcu_fields fields;
    } cases[] = {{true, true, SSIMCU_FIELDS_TOP},
                 {true, false, SSIMCU_FIELDS_BOTTOM},
                 {false, true, SSIMCU_FIELDS_UNKNOWN},
                 {false, false, SSIMCU_FIELDS_UNKNOWN}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        clip->format.fields = SSIMCU_FIELDS_UNKNOWN;
        set_fields(cases[i].interlaced, cases[i].top);
        read_frame(AV_PIX_FMT_YUV420P);
        cr_expect_eq(clip->format.fields, cases[i].fields, "row %zu", i);
    }
}

/* Only without a layer that others can show are the samples not YCbCr. */
Test(video_shape, dolby_vision)
{
    static const struct {
        uint8_t profile, compatible;
        uint32_t dolby;
    } cases[] = {{5, 0, 5}, {10, 0, 10}, {8, 1, 0}, {8, 4, 0}, {7, 6, 0}, {4, 2, 0}};
    read_frame(AV_PIX_FMT_YUV420P10);
    cr_expect_eq(clip->format.dolby, 0, "there is no record");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const AVDOVIDecoderConfigurationRecord record = {.dv_profile = cases[i].profile,
                                                         .bl_present_flag = 1,
                                                         .dv_bl_signal_compatibility_id =
                                                             cases[i].compatible};
        put_side_data(AV_PKT_DATA_DOVI_CONF, &record, sizeof record);
        read_frame(AV_PIX_FMT_YUV420P10);
        cr_expect_eq(clip->format.dolby, cases[i].dolby, "profile %d", cases[i].profile);
    }
}

Test(video_shape, film_grain_and_times)
{
    for (int said = 0; said < 2; said++) {
        file.decoder->properties = said ? FF_CODEC_PROPERTY_FILM_GRAIN : 0;
        file.stream->avg_frame_rate = (AVRational){24, 1};
        file.timeless = said;
        clip->format.rate[0] = clip->format.rate[1] = 0;
        read_frame(AV_PIX_FMT_YUV420P);
        cr_expect_eq(clip->format.grain, said);
        cr_expect_eq(clip->format.timeless, said);
        cr_expect_eq(clip->format.rate[0], said ? 0 : 24, "a rate that is guessed is none");
    }
    file.timeless = false;
}

/* ---- pixels.c -------------------------------------------------------------------------------- */

static void fill(uint8_t *bytes, int size, check_random *random)
{
    for (int i = 0; i < size; i++) bytes[i] = (uint8_t)check_draw(random);
}

/* Makes the frame's alpha opaque but for the pixel at 3, 2, if it is to be `clear`. */
static void set_alpha(const AVPixFmtDescriptor *pixels, bool clear)
{
    const AVComponentDescriptor *const alpha = &pixels->comp[pixels->nb_components - 1];
    for (int y = 0; y < frame->height; y++)
        for (int x = 0; x < frame->width; x++) {
            uint8_t *const at = frame->data[alpha->plane] + y * frame->linesize[alpha->plane] +
                                x * alpha->step + alpha->offset;
            const int value = ((1 << alpha->depth) - 1 - (clear && x == 3 && y == 2))
                              << alpha->shift;
            if (alpha->depth == 8)
                *at = (uint8_t)value;
            else if (pixels->flags & AV_PIX_FMT_FLAG_BE)
                AV_WB16(at, value);
            else
                AV_WL16(at, value);
        }
}

/* Compares the samples of one component with what libavutil reads. */
static void expect_component(const AVPixFmtDescriptor *pixels, const ssimcu_frame *planes, int c)
{
    const ssimcu_frame *const plane = &planes[clip->format.rgb ? 0 : c];
    const uint32_t channel = clip->format.rgb ? (uint32_t)c : 0;
    uint16_t line[64];
    for (uint32_t y = 0; y < plane->height; y++) {
        av_read_image_line2(line, (const uint8_t **)frame->data, frame->linesize, pixels, 0, (int)y,
                            c, (int)plane->width, 0, 2);
        for (uint32_t x = 0; x < plane->width; x++)
            cr_assert_eq(check_sample(plane, x, y, channel), line[x], "%s, %d at %u, %u",
                         pixels->name, c, x, y);
    }
}

/* All of FFmpeg's formats that can be compared, with random samples. */
Test(video_shape, samples_of_all_formats)
{
    check_random random = {7};
    int formats = 0, with_alpha = 0;
    for (const AVPixFmtDescriptor *pixels = NULL; (pixels = av_pix_fmt_desc_next(pixels));) {
        const bool alpha = pixels->flags & AV_PIX_FMT_FLAG_ALPHA;
        ssimcu_frame planes[SSIMCU_MAX_PLANES];
        if (!pixels_format(av_pix_fmt_desc_get_id(pixels), 19, 11, &clip->format)) continue;
        formats++, with_alpha += alpha;
        frame->width = 19, frame->height = 11, frame->format = av_pix_fmt_desc_get_id(pixels);
        cr_assert_eq(av_frame_get_buffer(frame, 0), 0);
        for (int i = 0; i < 4 && frame->buf[i]; i++)
            fill(frame->buf[i]->data, (int)frame->buf[i]->size, &random);
        void *const data = malloc(clip->format.frame_bytes);
        cr_assert(data);
        if (alpha) set_alpha(pixels, true);
        if (alpha)
            CHECK_FAILS(pixels_read(clip, &clip->format, frame, data, &message),
                        SSIMCU_ERROR_UNSUPPORTED, "transparent");
        if (alpha) set_alpha(pixels, false);
        cr_assert_eq(pixels_read(clip, &clip->format, frame, data, NULL), SSIMCU_OK, "%s",
                     pixels->name);
        ssimcu_clip_planes(&clip->format, data, planes);
        for (int c = 0; c < pixels->nb_components - alpha; c++) expect_component(pixels, planes, c);
        free(data);
        av_frame_unref(frame);
    }
    cr_expect(formats > 100 && with_alpha > 10, "%d, %d", formats, with_alpha);
}

/* NVDEC puts U and V together, and 10 bits in the upper ones of 16. */
Test(video_shape, views_of_nvdecs_pictures)
{
    static const struct {
        enum AVPixelFormat pixels;
        size_t bytes; /* bytes of a sample */
        uint32_t peak;
    } cases[] = {{AV_PIX_FMT_NV12, 1, 255}, {AV_PIX_FMT_P010, 2, 1023 << 6}};
    for (size_t i = 0; i < 2; i++) {
        const size_t bytes = cases[i].bytes;
        ssimcu_view plane[SSIMCU_MAX_PLANES];
        read_frame(cases[i].pixels);
        cr_assert_eq(av_frame_get_buffer(frame, 0), 0);
        pixels_view(clip, frame, plane);
        for (int p = 0; p < 3; p++) {
            cr_expect_eq(plane[p].width, p ? 10 : 20);
            cr_expect_eq(plane[p].height, p ? 6 : 12);
            cr_expect_eq(plane[p].channels, 1);
            cr_expect_eq(plane[p].type, bytes == 2 ? SSIMCU_TYPE_U16 : SSIMCU_TYPE_U8);
            cr_expect_eq(plane[p].peak, cases[i].peak);
            cr_expect_eq(plane[p].pixel_stride, bytes * (p ? 2 : 1));
            cr_expect_eq(plane[p].pitch, frame->linesize[p > 0]);
            cr_expect_eq((uint8_t *)plane[p].data[0], frame->data[p > 0] + (p == 2 ? bytes : 0));
        }
        av_frame_unref(frame);
    }
}

/* ---- shared.c -------------------------------------------------------------------------------- */

static int count_open(void)
{
    DIR *const folder = opendir("/proc/self/fd");
    int count = 0;
    cr_assert(folder);
    while (readdir(folder)) count++;
    closedir(folder);
    return count;
}

/* Lends the frame, whose samples are a decoder's own, and looks at what a reader then sees. */
static void borrow(void)
{
    struct picture picture = {.file = &file, .frame = frame};
    struct ssimcu_video_borrowed borrowed = {.fd = -1};
    cr_assert_eq(shared_borrow(clip, &picture, &borrowed, NULL), SSIMCU_OK);
    cr_assert(borrowed.fd >= 0 && picture.copy);
    const int sealed = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
    cr_expect_eq(fcntl(borrowed.fd, F_GET_SEALS) & sealed, sealed);
    uint8_t *const seen = mmap(NULL, borrowed.bytes, PROT_READ, MAP_SHARED, borrowed.fd, 0);
    cr_assert(seen != MAP_FAILED);
    for (uint32_t p = 0; p < clip->format.planes; p++)
        for (uint32_t y = 0; y < clip->format.plane[p].height; y++)
            cr_expect(memcmp(seen + borrowed.offset[p] + y * borrowed.pitch[p],
                             frame->data[p] + (int)y * frame->linesize[p],
                             clip->format.plane[p].width) == 0);
    munmap(seen, borrowed.bytes);
    av_buffer_unref(&picture.copy);
}

/* A worker reads one file after the other: of none is memory left, nor a descriptor. */
Test(video_shape, a_closed_file_leaves_no_shared_memory)
{
    const int before = count_open();
    file.shared = shared_make();
    for (int i = 0; i < 2; i++) {
        frame->height = i ? 12 : 16; /* the second has a size of its own */
        frame->width = 20, frame->format = AV_PIX_FMT_YUV420P;
        cr_assert_eq(shape_read(clip, frame, NULL), SSIMCU_OK);
        cr_assert_eq(av_frame_get_buffer(frame, 0), 0);
        for (int p = 0; p < 3; p++)
            for (int x = 0; x < 20 >> (p > 0); x++) frame->data[p][x] = (uint8_t)(7 * x + p + i);
        borrow();
        av_frame_unref(frame);
    }
    cr_expect(count_open() > before);
    shared_free(file.shared);
    cr_expect_eq(count_open(), before);
}

/* Frames of another size are for clips that take any, and are YUV or grey in host memory; those of
 * other pixels never. */
Test(video_shape, frames_of_another_size)
{
    static const struct {
        enum AVPixelFormat pixels;
        bool any, shared, device, taken;
        const char *advice;
    } cases[] = {
        {AV_PIX_FMT_YUV420P, false, true, false, false, "; --scale with --decode"},
        {AV_PIX_FMT_YUV420P, true, true, false, true, ""},
        {AV_PIX_FMT_YUV444P10, true, false, false, true, ""},
        {AV_PIX_FMT_NV12, true, true, false, true, ""},
        {AV_PIX_FMT_NV12, true, false, false, false, "--scale"},
        {AV_PIX_FMT_GBRP, true, true, false, false, "; ffmpeg -vf scale"},
        {AV_PIX_FMT_YUV420P, true, true, true, false, "--scale with --decode auto or cpu"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ssimcu_clip_format own;
        ssimcu_message message = {{0}};
        read_frame(cases[i].pixels);
        file.pixels = cases[i].pixels;
        file.shared = cases[i].shared ? (struct shared *)&file : NULL;
        clip->any_size = cases[i].any;
        cr_assert_eq(shape_check(clip, frame, &own, NULL), SSIMCU_OK);
        cr_expect(memcmp(&own, &clip->format, sizeof own) == 0);
        frame->width = 13, frame->height = 41;
        on_device = clip->format.on_device = cases[i].device;
        const ssimcu_status status = shape_check(clip, frame, &own, &message);
        cr_expect_eq(status, cases[i].taken ? SSIMCU_OK : SSIMCU_ERROR_MISMATCH, "%zu", i);
        cr_expect(strstr(message.text, cases[i].advice), "%zu: %s", i, message.text);
        if (cases[i].taken) cr_expect(own.plane[0].width == 13 && own.plane[0].height == 41);
        on_device = clip->format.on_device = false;
        frame->format = AV_PIX_FMT_YUV422P;
        message.text[0] = '\0';
        cr_expect_eq(shape_check(clip, frame, &own, &message), SSIMCU_ERROR_MISMATCH);
        cr_expect(!strstr(message.text, "scale"), "%s", message.text);
    }
    file.shared = NULL;
}

/* What cannot be compared is named with a format that can. */
Test(video_shape, pixels_that_cannot_be_compared)
{
    static const struct {
        enum AVPixelFormat pixels;
        const char *near;
    } cases[] = {{AV_PIX_FMT_YUV440P, "yuv444p"},     {AV_PIX_FMT_YUV440P10, "yuv444p10"},
                 {AV_PIX_FMT_YUV440P12, "yuv444p12"}, {AV_PIX_FMT_YUV410P, "yuv444p"},
                 {AV_PIX_FMT_PAL8, "gbrp"},           {AV_PIX_FMT_XYZ12, "gbrp12"},
                 {AV_PIX_FMT_MONOBLACK, "gray"},      {AV_PIX_FMT_GRAYF32, "gray16"},
                 {AV_PIX_FMT_BAYER_RGGB8, "gbrp"},    {AV_PIX_FMT_GBRPF32, "gbrp16"},
                 {AV_PIX_FMT_RGB565, "gbrp"},         {AV_PIX_FMT_CUDA, ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char near[PIXELS_NAME];
        ssimcu_clip_format format;
        pixels_near(cases[i].pixels, near);
        cr_expect_str_eq(near, cases[i].near, "%zu", i);
        if (near[0]) cr_expect(pixels_format(av_get_pix_fmt(near), 20, 12, &format), "%s", near);
    }
}

/* Has a decoder's picture made in shared memory. */
static AVCodecContext *make_decoded(enum AVPixelFormat pixels)
{
    AVCodecContext *const decoder = avcodec_alloc_context3(avcodec_find_decoder(AV_CODEC_ID_H264));
    decoder->codec_id = AV_CODEC_ID_H264;
    read_frame(pixels);
    decoder->width = frame->width, decoder->height = frame->height, decoder->pix_fmt = pixels;
    cr_assert_eq(shared_get_buffer(file.shared, decoder, frame, 0), 0);
    return decoder;
}

/* A decoder may write as far as its padded size, and 16 bytes behind each plane. */
Test(video_shape, a_decoders_picture_is_lent_where_it_lies)
{
    enum { BEHIND = 16, ALIGNED = 16 };
    struct picture picture = {.file = &file, .frame = frame};
    struct ssimcu_video_borrowed borrowed;
    file.shared = shared_make();
    AVCodecContext *decoder = make_decoded(AV_PIX_FMT_YUV420P);
    cr_assert_eq(shared_borrow(clip, &picture, &borrowed, NULL), SSIMCU_OK);
    int width = frame->width, height = frame->height, align[AV_NUM_DATA_POINTERS];
    avcodec_align_dimensions2(decoder, &width, &height, align);
    cr_expect(!picture.copy && borrowed.buffer == 0 && borrowed.bytes == frame->buf[0]->size);
    for (int p = 0; p < 3; p++) {
        const uint64_t next = p < 2 ? borrowed.offset[p + 1] : borrowed.bytes;
        const uint64_t rows = (uint64_t)height >> (p > 0);
        cr_expect(frame->data[p] == frame->buf[0]->data + borrowed.offset[p]);
        cr_expect(borrowed.pitch[p] == (uint64_t)frame->linesize[p] &&
                  borrowed.pitch[p] % ALIGNED == 0);
        cr_expect(borrowed.pitch[p] >= (uint64_t)width >> (p > 0));
        cr_expect(borrowed.offset[p] + rows * borrowed.pitch[p] + BEHIND <= next);
    }
    cr_expect(frame->extended_data == frame->data);
    uint8_t *const gone = frame->data[0];
    av_frame_unref(frame);
    avcodec_free_context(&decoder);
    shared_free(file.shared);
    cr_expect(mincore(gone, 1, &(unsigned char){0}) == -1 && errno == ENOMEM, "it is unmapped");
}

/* Each memory has a number, by which the caller knows what it has mapped. */
Test(video_shape, memory_that_is_given_back_is_used_again)
{
    static const uint64_t numbers[] = {0, 1, 1};
    AVFrame *first = av_frame_alloc();
    struct picture picture = {.file = &file, .frame = frame};
    struct ssimcu_video_borrowed borrowed;
    file.shared = shared_make();
    for (int i = 0; i < 3; i++) {
        AVCodecContext *decoder = make_decoded(AV_PIX_FMT_YUV420P);
        cr_assert_eq(shared_borrow(clip, &picture, &borrowed, NULL), SSIMCU_OK);
        cr_expect_eq(borrowed.buffer, numbers[i], "%d", i);
        if (i == 0) av_frame_move_ref(first, frame);
        av_frame_unref(frame);
        avcodec_free_context(&decoder);
    }
    av_frame_free(&first);
    shared_free(file.shared);
}

/* A file may change the size of its pictures as often as it likes. */
Test(video_shape, memory_of_other_sizes_is_not_kept)
{
    enum { OFTEN = 600 };
    struct picture picture = {.file = &file, .frame = frame};
    struct ssimcu_video_borrowed borrowed;
    file.shared = shared_make();
    for (int i = 0; i < OFTEN; i++) {
        read_frame(i % 2 ? AV_PIX_FMT_YUV420P : AV_PIX_FMT_GRAY8);
        cr_assert_eq(av_frame_get_buffer(frame, 0), 0);
        cr_assert_eq(shared_borrow(clip, &picture, &borrowed, NULL), SSIMCU_OK, "%d", i);
        av_buffer_unref(&picture.copy);
        av_frame_unref(frame);
    }
    shared_free(file.shared);
}

Test(video_shape, a_decoders_samples_in_another_order_are_copied)
{
    struct picture picture = {.file = &file, .frame = frame};
    struct ssimcu_video_borrowed borrowed;
    file.shared = shared_make();
    AVCodecContext *decoder = make_decoded(AV_PIX_FMT_NV12);
    cr_assert(clip->format.lies_apart);
    memset(frame->buf[0]->data, 9, frame->buf[0]->size);
    cr_assert_eq(shared_borrow(clip, &picture, &borrowed, NULL), SSIMCU_OK);
    cr_assert(picture.copy && borrowed.pitch[2] == 10);
    for (size_t i = 0; i < clip->format.frame_bytes; i++) cr_expect_eq(picture.copy->data[i], 9);
    av_buffer_unref(&picture.copy);
    av_frame_unref(frame);
    avcodec_free_context(&decoder);
    shared_free(file.shared);
}

/* Memory that cannot be made is no memory, and leaves no descriptor. */
Test(video_shape, lost_shared_memory_is_an_error)
{
    struct rlimit limit;
    struct picture picture = {.file = &file, .frame = frame};
    struct ssimcu_video_borrowed borrowed;
    const int before = count_open();
    file.shared = shared_make();
    read_frame(AV_PIX_FMT_YUV420P);
    cr_assert_eq(av_frame_get_buffer(frame, 0), 0);
    cr_assert(signal(SIGXFSZ, SIG_IGN) != SIG_ERR && getrlimit(RLIMIT_FSIZE, &limit) == 0);
    const struct rlimit none = {.rlim_max = limit.rlim_max};
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &none), 0);
    const ssimcu_status status = shared_borrow(clip, &picture, &borrowed, NULL);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    cr_expect(status == SSIMCU_ERROR_MEMORY && !picture.copy);
    cr_expect_eq(count_open(), before);
    cr_expect_eq(shared_borrow(clip, &picture, &borrowed, NULL), SSIMCU_OK);
    av_buffer_unref(&picture.copy);
    shared_free(file.shared);
}

/* Planes that do not all lie in one piece are copied to one. */
Test(video_shape, a_picture_of_two_memories_is_copied)
{
    struct ssimcu_video_borrowed borrowed;
    file.shared = shared_make();
    read_frame(AV_PIX_FMT_YUV420P);
    cr_assert_eq(av_frame_get_buffer(frame, 0), 0);
    struct picture own = {.file = &file, .frame = frame}, mixed = own;
    cr_assert_eq(shared_borrow(clip, &own, &borrowed, NULL), SSIMCU_OK);
    frame->data[0] = own.copy->data, frame->linesize[0] = (int)borrowed.pitch[0];
    cr_assert_eq(shared_borrow(clip, &mixed, &borrowed, NULL), SSIMCU_OK);
    cr_expect(mixed.copy && mixed.copy->data != own.copy->data);
    av_buffer_unref(&mixed.copy);
    for (int p = 1; p < 3; p++) /* just behind the piece, but in its last page */
        frame->data[p] = own.copy->data + borrowed.bytes, frame->linesize[p] = 10;
    cr_assert_eq(shared_borrow(clip, &mixed, &borrowed, NULL), SSIMCU_OK);
    cr_expect_not_null(mixed.copy);
    av_buffer_unref(&mixed.copy);
    av_buffer_unref(&own.copy);
    shared_free(file.shared);
}

/* ---- Marks ----------------------------------------------------------------------------------- */

/* A block of 8 x 8 samples that no decoder has written shows, wherever it lies. */
Test(video_shape, blocks_that_are_not_written)
{
    AVCodecContext *decoder = avcodec_alloc_context3(NULL);
    for (int bytes = 1; bytes < 3; bytes++) {
        frame->width = 32, frame->height = 24;
        frame->format = bytes == 1 ? AV_PIX_FMT_YUV420P : AV_PIX_FMT_YUV420P10;
        cr_assert_eq(av_frame_get_buffer(frame, 0), 0);
        for (int at = 0; at < 12; at++) {
            const int x = at % 4 * 8 * bytes, y = at / 4 * 8;
            decoder->codec_id = AV_CODEC_ID_HEVC;
            unwritten_mark(decoder, frame);
            for (int i = 0; i < 24 * 32 * bytes; i++) {
                const int row = i / (32 * bytes), column = i % (32 * bytes);
                if (row / 8 != y / 8 || column / (8 * bytes) != x / (8 * bytes))
                    frame->buf[0]->data[row * frame->linesize[0] + column] = 1;
            }
            cr_expect(unwritten_is(decoder, frame), "%d, %d", x, y);
            memset(frame->buf[0]->data + y * frame->linesize[0] + x, 1, (size_t)(8 * bytes));
            cr_expect_not(unwritten_is(decoder, frame), "%d, %d", x, y);
            decoder->codec_id = AV_CODEC_ID_H264;
            unwritten_mark(decoder, frame);
            decoder->codec_id = AV_CODEC_ID_HEVC;
            cr_expect_not(unwritten_is(decoder, frame), "only HEVC is marked");
        }
        av_frame_unref(frame);
    }
    avcodec_free_context(&decoder);
}

/* What is seen of a cropped picture counts, up to its last column and row, and not beyond.
 * TIFF has a mark in each row. */
Test(video_shape, blocks_of_cropped_pictures)
{
    static const enum AVCodecID codecs[] = {AV_CODEC_ID_HEVC, AV_CODEC_ID_TIFF};
    AVCodecContext *decoder = avcodec_alloc_context3(NULL);
    for (int c = 0; c < 2; c++)
        for (int at = 0; at < 12 * 8; at++) {
            enum { WIDE = 64, HIGH = 48, LEFT = 16, TOP = 8 };
            const int x = at % 8 * 8, y = at / 8 % 6 * 8 + (c ? 3 : 0);
            const bool seen = x >= LEFT && x < WIDE - 8 && y >= TOP && y < HIGH - 8;
            frame->width = WIDE, frame->height = HIGH;
            frame->format = c ? AV_PIX_FMT_RGB24 : AV_PIX_FMT_YUV420P;
            decoder->codec_id = codecs[c];
            cr_assert_eq(av_frame_get_buffer(frame, 0), 0);
            unwritten_mark(decoder, frame);
            const int bytes = c ? 3 : 1;
            for (int row = 0; row < HIGH; row++)
                for (int i = 0; i < WIDE * bytes; i++)
                    if ((c ? row != y : row / 8 != y / 8) || i / (8 * bytes) != x / 8)
                        frame->buf[0]->data[row * frame->linesize[0] + i] = 1;
            cr_expect(unwritten_is(decoder, frame), "%d, %d", x, y);
            frame->data[0] += TOP * frame->linesize[0] + LEFT * bytes;
            frame->width = WIDE - 8 - LEFT, frame->height = HIGH - 8 - TOP;
            cr_expect_eq(unwritten_is(decoder, frame), seen, "%d, %d", x, y);
            av_frame_unref(frame);
        }
    avcodec_free_context(&decoder);
}
