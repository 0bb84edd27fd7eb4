/* How containers are opened: by name and by a worker's descriptor, which stays where it is. */
#include "check.h"
#include "video/av/file.h"

#include <fcntl.h>
#include <malloc.h>
#include <string.h>
#include <unistd.h>

enum { FRAMES = 40, SIDE = 64, BYTES = SIDE * SIDE * 3 };

static char path[] = "/tmp/ssimcu-test-container-XXXXXX";

static void add_stream(AVFormatContext *format)
{
    AVStream *const stream = avformat_new_stream(format, NULL);
    AVCodecParameters *const codec = stream->codecpar;
    codec->codec_type = AVMEDIA_TYPE_VIDEO;
    codec->codec_id = AV_CODEC_ID_RAWVIDEO;
    codec->width = codec->height = SIDE;
    codec->format = AV_PIX_FMT_BGR24;
    codec->bits_per_coded_sample = 24;
    stream->time_base = (AVRational){1, 25};
}

/* Writes an AVI with two streams of frames, each as bright as its number. */
static void write_file(void)
{
    static uint8_t pixels[BYTES + AV_INPUT_BUFFER_PADDING_SIZE];
    AVFormatContext *format = NULL;
    AVPacket *packet = av_packet_alloc();
    close(mkstemp(path));
    av_log_set_level(AV_LOG_QUIET);
    cr_assert(avformat_alloc_output_context2(&format, NULL, "avi", path) >= 0);
    add_stream(format), add_stream(format);
    cr_assert(avio_open(&format->pb, path, AVIO_FLAG_WRITE) >= 0);
    cr_assert(avformat_write_header(format, NULL) >= 0);
    for (int i = 0; i < 2 * FRAMES; i++) {
        memset(pixels, i / 2, sizeof pixels);
        packet->data = pixels, packet->size = BYTES;
        packet->stream_index = i % 2;
        packet->pts = packet->dts = i / 2;
        packet->flags = AV_PKT_FLAG_KEY;
        cr_assert(av_write_frame(format, packet) >= 0);
    }
    cr_assert(av_write_trailer(format) >= 0);
    packet->data = NULL;
    av_packet_free(&packet);
    avio_closep(&format->pb);
    avformat_free_context(format);
}

static void remove_file(void) { unlink(path); }

TestSuite(video_container, .init = write_file, .fini = remove_file);

static int others; /* packets of the first stream that were read */

/* Reads `count` packets of the second stream, from frame `first` on. */
static void expect_packets(AVFormatContext *format, int first, int count)
{
    AVPacket *packet = av_packet_alloc();
    for (int i = 0; i < count;) {
        const int error = av_read_frame(format, packet);
        cr_assert(error >= 0, "frame %d: %s", first + i, av_err2str(error));
        cr_assert_eq(packet->size, BYTES);
        others += packet->stream_index == 0;
        if (packet->stream_index == 1) cr_assert_eq(packet->data[BYTES - 1], first + i++);
        av_packet_unref(packet);
    }
    av_packet_free(&packet);
}

static int told;

static void count_read(void) { told++; }

/* Two containers on one descriptor do not disturb each other. Of the first stream
 * nothing comes but what opening has read. */
Test(video_container, two_on_a_descriptor)
{
    AVFormatContext *format[2];
    struct damage damage;
    struct video_file file = {.fd = open(path, O_RDONLY)};
    container_tell(count_read);
    for (int i = 0; i < 2; i++) {
        cr_assert(container_open(&file, path, &damage, &format[i]) >= 0);
        cr_expect_eq(format[i]->opaque, &damage);
        container_choose_stream(format[i], 1);
    }
    cr_expect_gt(told, 0);
    for (int i = 0; i < FRAMES; i += 5)
        for (int k = 0; k < 2; k++) expect_packets(format[k], i, 5);
    for (int k = 0; k < 2; k++) {
        AVPacket *packet = av_packet_alloc();
        cr_expect_eq(av_read_frame(format[k], packet), AVERROR_EOF);
        av_packet_free(&packet);
        container_close(&format[k]);
        cr_expect_null(format[k]);
    }
    cr_expect_leq(others, 2);
    container_tell(NULL);
    cr_expect_eq(close(file.fd), 0, "a container has closed it");
}

/* Offsets count from where seek(2) counts them, and none is before the file. */
Test(video_container, seeks)
{
    struct video_file file = {.fd = open(path, O_RDONLY)};
    const int64_t size = lseek(file.fd, 0, SEEK_END);
    AVFormatContext *format;
    cr_assert(container_open(&file, path, NULL, &format) >= 0);
    int64_t (*const seek)(void *, int64_t, int) = format->pb->seek;
    void *const place = format->pb->opaque;
    uint8_t bytes[2];
    cr_expect_eq(seek(place, 0, AVSEEK_SIZE), size);
    cr_expect_eq(seek(place, 8, SEEK_SET), 8);
    cr_expect(format->pb->read_packet(place, bytes, 2) == 2 && memcmp(bytes, "AV", 2) == 0);
    cr_expect_eq(seek(place, 2, SEEK_CUR | AVSEEK_FORCE), 12);
    cr_expect_eq(seek(place, -2, SEEK_END), size - 2);
    cr_expect_eq(format->pb->read_packet(place, bytes, 2), 2);
    cr_expect_eq(format->pb->read_packet(place, bytes, 2), AVERROR_EOF);
    cr_expect_eq(seek(place, -1, SEEK_SET), AVERROR(EINVAL));
    cr_expect_eq(seek(place, 0, 99), AVERROR(EINVAL));
    cr_expect_eq(seek(place, 0, SEEK_SET), 0);
    container_close(&format);
    close(file.fd);
    cr_expect_eq(format, NULL);
}

static void open_and_close(const char *name, int fd, bool good)
{
    struct video_file file = {.fd = fd};
    struct damage damage;
    AVFormatContext *format;
    cr_expect_eq(container_open(&file, name, &damage, &format) >= 0, good, "%s", name);
    container_close(&format);
}

/* Nothing stays in memory, whether a file can be opened or not. A sanitizer's memory is its own. */
Test(video_container, nothing_stays_in_memory)
{
    enum { FIRST = 3, RUNS = 6, LEAST = 32 /* bytes of the smallest allocation */ };
    size_t before = 0;
    const int fd = open(path, O_RDONLY), none = open("/dev/null", O_RDONLY);
    for (int k = 0; k < FIRST + RUNS; k++) {
        if (k == FIRST) before = mallinfo2().uordblks + mallinfo2().hblkhd;
        open_and_close(path, fd, true), open_and_close(path, -1, true);
        open_and_close("none", none, false), open_and_close("none", -1, false);
    }
    cr_expect_lt(mallinfo2().uordblks + mallinfo2().hblkhd, before + RUNS * LEAST);
    close(fd), close(none);
}

/* A run that is stopped opens nothing. */
Test(video_container, stopped)
{
    ssimcu_stop stop = true;
    struct video_file file = {.fd = -1, .stop = &stop};
    AVFormatContext *format;
    cr_expect_eq(container_open(&file, path, NULL, &format), AVERROR_EXIT);
    container_close(&format);
}
