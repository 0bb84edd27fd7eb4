/* How decoders are opened: their threads, and where their pictures lie. */
#include "check.h"
#include "video/av/file.h"
#include "video/av/shared.h"

static struct video_file file;
static const char *container = "matroska";

/* ---- What stands for the other parts of the module ------------------------------------------- */

int nvdec_use(const struct nvdec *nvdec, AVCodecContext *decoder)
{
    (void)nvdec, (void)decoder;
    return AVERROR(ENOSYS);
}

static int taken, marked;
static int no_watch; /* error of torn_watch */

int shared_get_buffer(struct shared *shared, AVCodecContext *decoder, AVFrame *frame, int flags)
{
    cr_expect(shared == file.shared);
    taken++;
    return avcodec_default_get_buffer2(decoder, frame, flags);
}

void unwritten_mark(const AVCodecContext *decoder, const AVFrame *frame)
{
    (void)decoder, (void)frame;
    marked++;
}

int torn_watch(struct video_file *of, const AVCodecContext *decoder, const AVFrame *frame)
{
    cr_expect(of == &file && frame->buf[0]);
    (void)decoder;
    return no_watch;
}

/* ---- Decoders -------------------------------------------------------------------------------- */

struct kind {
    enum AVCodecID codec;
    int width, height;
    uint32_t threads;
    enum AVPixelFormat pixels;
};

static int open_decoder(const struct kind *kind)
{
    file.format = avformat_alloc_context();
    file.format->iformat = av_find_input_format(container);
    file.stream = avformat_new_stream(file.format, NULL);
    AVCodecParameters *const codec = file.stream->codecpar;
    codec->codec_type = AVMEDIA_TYPE_VIDEO;
    codec->codec_id = kind->codec;
    codec->width = kind->width, codec->height = kind->height, codec->format = kind->pixels;
    file.limits = (ssimcu_image_options){.max_pixels = UINT32_MAX, .threads = kind->threads};
    return decoder_open(&file, avcodec_find_decoder(kind->codec));
}

static void close_decoder(void)
{
    avcodec_free_context(&file.decoder);
    avformat_free_context(file.format);
    file = (struct video_file){.fd = -1};
}

/* A decoder has the threads that were asked for: at most 16, and as many as have their pictures in
 * 1 GiB. MPEG-4 part 2 has one, because damage ends its threads with an assertion. */
Test(video_decoder, threads)
{
    static const struct {
        struct kind kind;
        int threads;
    } cases[] = {{{AV_CODEC_ID_H264, 64, 48, 0, AV_PIX_FMT_YUV420P}, 1},
                 {{AV_CODEC_ID_H264, 64, 48, 1, AV_PIX_FMT_YUV420P}, 1},
                 {{AV_CODEC_ID_H264, 64, 48, 2, AV_PIX_FMT_YUV420P}, 2},
                 {{AV_CODEC_ID_H264, 64, 48, 15, AV_PIX_FMT_YUV420P}, 15},
                 {{AV_CODEC_ID_H264, 64, 48, 100, AV_PIX_FMT_YUV420P}, 16},
                 {{AV_CODEC_ID_H264, 0, 0, 100, AV_PIX_FMT_YUV420P}, 16},
                 {{AV_CODEC_ID_H264, 8192, 4320, 16, AV_PIX_FMT_YUV420P}, 6},
                 {{AV_CODEC_ID_H264, 8192, 4320, 16, AV_PIX_FMT_NONE}, 2},
                 {{AV_CODEC_ID_H264, 10000, 5100, 16, AV_PIX_FMT_YUV420P}, 3},
                 {{AV_CODEC_ID_H264, 16000, 16000, 16, AV_PIX_FMT_YUV420P}, 2},
                 {{AV_CODEC_ID_H264, 16000, 16000, 1, AV_PIX_FMT_YUV420P}, 1},
                 {{AV_CODEC_ID_PRORES, 8192, 4320, 16, AV_PIX_FMT_YUV420P}, 9},
                 {{AV_CODEC_ID_MPEG4, 64, 48, 8, AV_PIX_FMT_YUV420P}, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cr_assert_eq(open_decoder(&cases[i].kind), 0);
        cr_expect_eq(file.decoder->thread_count, cases[i].threads, "%zu: %d", i,
                     file.decoder->thread_count);
        close_decoder();
    }
}

/* After damage one thread decodes, and what frame threads would have taken is still known. Without
 * frame threads a decoder takes one packet at a time. */
Test(video_decoder, one_thread_after_damage)
{
    struct kind kind = {AV_CODEC_ID_H264, 64, 48, 4, AV_PIX_FMT_YUV420P};
    cr_assert_eq(open_decoder(&kind), 0);
    cr_expect_eq(file.ahead, 4);
    file.one_thread = true, file.reordered = 3;
    cr_assert_eq(decoder_reopen(&file), 0);
    cr_expect(file.decoder->thread_count == 1 && file.decoder->codec_id == AV_CODEC_ID_H264);
    cr_expect(file.ahead == 4 && file.decoder->has_b_frames == 3);
    close_decoder();
    kind.codec = AV_CODEC_ID_MPEG2VIDEO;
    cr_assert_eq(open_decoder(&kind), 0);
    cr_expect(file.decoder->thread_count == 4 && file.ahead == 1);
    close_decoder();
}

/* Decoders of a transport stream that complain of what they meet go on behind it, except on the
 * GPU. */
Test(video_decoder, go_on_behind_damage)
{
    static const struct {
        enum AVCodecID codec;
        const char *container;
        bool appends_in_place;
    } cases[] = {{AV_CODEC_ID_H264, "mpegts", true},       {AV_CODEC_ID_HEVC, "mpegts", true},
                 {AV_CODEC_ID_MPEG2VIDEO, "mpegts", true}, {AV_CODEC_ID_H264, "matroska", false},
                 {AV_CODEC_ID_H264, "h264", false},        {AV_CODEC_ID_HEVC, "mov", false},
                 {AV_CODEC_ID_FFV1, "mpegts", false},      {AV_CODEC_ID_MPEG4, "mpegts", false},
                 {AV_CODEC_ID_TIFF, "mov", true},          {AV_CODEC_ID_PNG, "mov", false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        container = cases[i].container;
        cr_assert_eq(open_decoder(&(struct kind){cases[i].codec, 64, 48, 1, AV_PIX_FMT_YUV420P}),
                     0);
        const int ends = file.decoder->err_recognition & AV_EF_EXPLODE;
        cr_expect_eq(ends == 0, cases[i].appends_in_place, "%zu", i);
        cr_expect_eq(file.decoder->err_recognition | AV_EF_EXPLODE, CONTAINER_RECOGNISE);
        cr_expect(file.decoder->flags & AV_CODEC_FLAG_UNALIGNED, "a left side is cropped exactly");
        close_decoder();
    }
    container = "mpegts";
    file.nvdec = (struct nvdec *)&file;
    cr_expect_neq(open_decoder(&(struct kind){AV_CODEC_ID_H264, 64, 48, 1, AV_PIX_FMT_YUV420P}), 0);
    cr_expect_eq(file.decoder->err_recognition, CONTAINER_RECOGNISE);
    close_decoder();
}

Test(video_decoder, holds_two_pictures_a_thread_and_those_to_predict_from)
{
    ssimcu_clip clip = {.state = &file, .format = {.frame_bytes = 1000}};
    for (int intra = 0; intra < 2; intra++) {
        cr_assert_eq(open_decoder(&(struct kind){intra ? AV_CODEC_ID_PRORES : AV_CODEC_ID_H264, 64,
                                                 48, 4, AV_PIX_FMT_YUV420P}),
                     0);
        cr_expect_eq(decoder_held(&clip), intra ? 9000 : 16000);
        file.nvdec = (struct nvdec *)&clip;
        cr_expect_eq(decoder_held(&clip), 0, "they are in the GPU's memory");
        close_decoder();
    }
}

/* Pictures of a worker lie in shared memory. Those of HEVC are marked anywhere. */
Test(video_decoder, memory_of_pictures)
{
    static const struct {
        enum AVCodecID codec;
        bool worker;
        int taken, marked;
    } cases[] = {{AV_CODEC_ID_H264, false, 0, 0},
                 {AV_CODEC_ID_H264, true, 1, 1},
                 {AV_CODEC_ID_HEVC, false, 0, 1},
                 {AV_CODEC_ID_HEVC, true, 1, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        AVFrame *frame = av_frame_alloc();
        taken = marked = 0;
        file.shared = cases[i].worker ? (struct shared *)&file : NULL;
        cr_assert_eq(open_decoder(&(struct kind){cases[i].codec, 64, 48, 1, AV_PIX_FMT_YUV420P}),
                     0);
        frame->width = 64, frame->height = 48, frame->format = AV_PIX_FMT_YUV420P;
        file.decoder->pix_fmt = AV_PIX_FMT_YUV420P;
        cr_assert_eq(file.decoder->get_buffer2(file.decoder, frame, 0), 0);
        cr_expect(taken == cases[i].taken && marked == cases[i].marked, "%zu", i);
        av_frame_free(&frame);
        close_decoder();
    }
}

/* A decoder that lacks what the container says of its stream would decode other pictures. */
Test(video_decoder, lost_memory_is_an_error)
{
    enum { MOST = 1 << 20 };
    file.format = avformat_alloc_context();
    file.format->iformat = av_find_input_format(container);
    file.stream = avformat_new_stream(file.format, NULL);
    AVCodecParameters *const codec = file.stream->codecpar;
    codec->codec_id = AV_CODEC_ID_H264;
    codec->extradata = av_mallocz(2 * MOST);
    codec->extradata_size = 2 * MOST - AV_INPUT_BUFFER_PADDING_SIZE;
    cr_assert(codec->extradata);
    av_max_alloc(MOST);
    cr_expect_eq(decoder_open(&file, avcodec_find_decoder(AV_CODEC_ID_H264)), AVERROR(ENOMEM));
    close_decoder();
}

Test(video_decoder, an_engine_that_cannot_be_used_is_an_error)
{
    file.nvdec = (struct nvdec *)&file;
    cr_expect_eq(open_decoder(&(struct kind){AV_CODEC_ID_H264, 64, 48, 1, AV_PIX_FMT_YUV420P}),
                 AVERROR(ENOSYS));
    close_decoder();
}
