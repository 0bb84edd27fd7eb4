/* How containers are opened: by name and by a worker's descriptor, which stays where it is. */
#include "avi_maker.h"
#include "check.h"
#include "video/av/file.h"

#include <fcntl.h>
#include <malloc.h>
#include <string.h>
#include <unistd.h>

static char path[] = "/tmp/ssimcu-test-container-XXXXXX";

static void write_file(void) { avi_make(path); }
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
        cr_assert_eq(packet->size, AVI_BYTES);
        others += packet->stream_index == 0;
        if (packet->stream_index == 1) cr_assert_eq(packet->data[AVI_BYTES - 1], first + i++);
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
        cr_assert(container_open(&file, path, false, &damage, &format[i]) >= 0);
        cr_expect_eq(format[i]->opaque, &damage);
        container_choose_stream(format[i], 1);
    }
    cr_expect_gt(told, 0);
    for (int i = 0; i < AVI_FRAMES; i += 5)
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
    cr_assert(container_open(&file, path, false, NULL, &format) >= 0);
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
    cr_expect_eq(container_open(&file, name, false, &damage, &format) >= 0, good, "%s", name);
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
    cr_expect_eq(container_open(&file, path, false, NULL, &format), AVERROR_EXIT);
    container_close(&format);
}
