/* Files that are shorter than they say, of elements made byte by byte. */
#include "check.h"
#include "video/av/file.h"

#include <string.h>

enum { MOST = 4096 };

static uint8_t bytes[MOST];
static int64_t size, place; /* size of the file, and the place where it is read */

static int read_bytes(void *opaque, uint8_t *to, int count)
{
    (void)opaque;
    if (place >= size) return AVERROR_EOF;
    const int got = (int)(size - place < count ? size - place : count);
    memcpy(to, bytes + place, (size_t)got);
    place += got;
    return got;
}

static int64_t seek_bytes(void *opaque, int64_t offset, int whence)
{
    (void)opaque;
    if (whence == AVSEEK_SIZE) return size;
    return place = offset;
}

/* Whether the first `left` bytes are cut, in a container of this name. */
static bool is_cut(const char *name, size_t left)
{
    AVFormatContext *const format = avformat_alloc_context();
    AVIOContext *io = avio_alloc_context(av_malloc(64), 64, 0, NULL, read_bytes, NULL, seek_bytes);
    size = (int64_t)left, place = 0;
    format->iformat = av_find_input_format(name);
    format->pb = io;
    cr_assert(format->iformat);
    const bool cut = cut_is(format);
    cr_expect_eq(avio_tell(io), 0, "the place is as before");
    av_free(io->buffer);
    avio_context_free(&io);
    avformat_free_context(format);
    return cut;
}

static size_t put(size_t at, const char *head, size_t head_size, size_t more)
{
    cr_assert(at + head_size + more <= MOST);
    memcpy(bytes + at, head, head_size);
    memset(bytes + at + head_size, 0x2A, more);
    return at + head_size + more;
}
#define PUT(at, head, more) put(at, head, sizeof(head) - 1, more)

/* Expects each length to be cut, except those at which an element ends. Fewer than `unread` bytes
 * of the next element tell nothing. */
static void expect_cuts(const char *name, const size_t *ends, size_t count, size_t unread)
{
    for (size_t left = ends[0]; left <= ends[count - 1]; left++) {
        bool whole = false;
        for (size_t i = 0; i < count; i++)
            whole = whole || left == ends[i] || (left > ends[i] && left < ends[i] + unread);
        cr_expect_eq(is_cut(name, left), !whole, "%s of %zu bytes", name, left);
    }
}

Test(video_cut, program_streams)
{
    size_t end[6];
    end[0] = PUT(0, "\0\0\1\xBA\x44\0\0\0\0\0\0\0\0\xF8", 0); /* a pack of MPEG-2 */
    end[1] = PUT(end[0], "\0\0\1\xBB\0\x09", 9);
    end[2] = PUT(end[1], "\0\0\1\xE0\1\2", 0x102);
    end[3] =
        PUT(end[2], "\0\0\1\xBA\x21\0\0\0\0\0\0\7", 0); /* a pack of MPEG-1: no file ends with it */
    end[3] = PUT(end[3], "\0\0\1\xC0\0\x21", 0x21);
    end[4] = PUT(end[3], "\0\0\1\xB9", 0);
    expect_cuts("mpeg", end, 5, 0);
    end[0] = PUT(0, "\0\0\1\xBA\x44\0\0\0\0\0\0\0\0\xFB", 3); /* a pack that three bytes fill up */
    end[1] = PUT(end[0], "\0\0\1\xBB\0\x09", 9);
    expect_cuts("mpeg", end, 2, 0);
    cr_expect_not(is_cut("mpeg", 2), "no pack");
    cr_expect_not(is_cut("mpeg", PUT(end[1], "\0\0\1\xB3\xFF\xFF", 1)), "a code of another kind");
    cr_expect_not(is_cut("mpeg", PUT(end[1], "\7\0\1\xE0\xFF\xFF", 1)), "no code");
}

Test(video_cut, boxes)
{
    size_t end[4];
    end[0] = PUT(0,
                 "\0\0\0\x18"
                 "ftyp",
                 16);
    end[1] = PUT(end[0], "\0\0\0\1mdat\0\0\0\0\0\0\1\2", 0x102 - 16);
    end[2] = PUT(end[1], "\0\0\0\x8moov", 0);
    end[3] = PUT(end[2],
                 "\0\0\0\x9"
                 "free",
                 1);
    expect_cuts("mp4", end, 4, 0);
    cr_expect_not(is_cut("mp4", PUT(end[3], "\0\0\0\0mdat", 9)), "a box up to the end");
    cr_expect_not(is_cut("mp4", PUT(end[3], "\0\0\0\7mdat", 9)), "no box");
    cr_expect(is_cut("mp4", PUT(end[3], "\0\0\0\1mdat\x7F\xFF\xFF\xFF\0\0\0\0", 9)));
    cr_expect_not(is_cut("mp4", PUT(end[3], "\0\0\0\1mdat\x80\0\0\0\0\0\0\0", 9)), "no size");
}

Test(video_cut, riff)
{
    size_t end[2];
    end[0] = PUT(0, "RIFF\2\1\0\0", 0x102);
    end[1] = PUT(end[0], "RIFF\x11\0\0\0", 0x11);
    expect_cuts("avi", end, 2, 8);
    cr_expect(is_cut("avi", 8) && is_cut("avi", end[0] - 1));
    cr_expect_not(is_cut("avi", PUT(0, "RIFF\0\0\0\0", 9)), "never ended");
    cr_expect_not(is_cut("avi", PUT(0, "RIFF\xFF\xFF\xFF\xFF", 9)), "never ended");
    cr_expect_not(is_cut("avi", PUT(0, "RIFX\2\1\0\0", 9)), "another format");
}

Test(video_cut, ebml)
{
    size_t end[3];
    end[0] = PUT(0, "\x1A\x45\xDF\xA3\x90", 16);
    end[1] = PUT(end[0], "\x18\x53\x80\x67\x41\2", 0x102);
    end[2] = PUT(end[1], "\x18\x53\x80\x67\1\0\0\0\0\0\0\x20", 0x20);
    expect_cuts("matroska", end, 3, 12);
    cr_expect_not(is_cut("matroska", PUT(end[0], "\x18\x53\x80\x67\xFF", 9)), "live");
    cr_expect_not(is_cut("matroska", PUT(end[0], "\x18\x53\x80\x67\x7F\xFF", 9)), "live");
    cr_expect(is_cut("matroska", PUT(end[0], "\x18\x53\x80\x67\x7F\xFE", 9)));
    cr_expect_not(is_cut("matroska", PUT(end[0], "\x18\x53\x80\x67\0\0\0\0\0\0\0\1", 1)),
                  "no size has more than 7 further bytes, and the file is whole");
    cr_expect_not(is_cut("matroska", PUT(end[0], "\xA3\x53\x80\x67\x41\2", 9)), "no such name");
}

/* MXF's first partition says where the last one is; from there on everything must be there. */
Test(video_cut, mxf)
{
    size_t end[4];
    end[0] = PUT(0, "\6\x0e\x2b\x34\2\5\1\1\x0d\1\2\1\1\2\4\0\x82\0\x78", 0x78);
    memcpy(bytes + 17 + 2 + 24, (uint8_t[]){0, 0, 0, 0, 0, 0, 0, 200}, 8);
    memset(bytes + end[0], 0x2A, 200 - end[0]);
    end[0] = 200;
    end[1] = PUT(end[0], "\6\x0e\x2b\x34\2\5\1\1\x0d\1\2\1\1\4\4\0\x7F", 0x7F);
    end[2] = PUT(end[1], "\6\x0e\x2b\x34\2\5\1\1\x0d\1\2\1\1\4\4\0\x82\1\2", 0x102);
    end[3] = PUT(end[2], "\6\x0e\x2b\x34\2\5\1\1\x0d\1\2\1\1\4\4\0\x88\0\0\0\0\0\0\0\3", 3);
    for (size_t left = 64; left <= 200; left++) cr_expect(is_cut("mxf", left), "%zu", left);
    expect_cuts("mxf", end + 1, 3, 0);
    cr_expect(is_cut("mxf", PUT(end[3], "\6\x0e\x2b\x34\2\5\1\1\x0d\1\2\1\1\4\4\0\x89", 40)));
    bytes[17 + 2 + 24 + 7] = 0;
    cr_expect_not(is_cut("mxf", 100), "it does not say");
    bytes[17 + 2 + 24 + 7] = 200, bytes[6] = 2;
    cr_expect_not(is_cut("mxf", 100), "no partition");
}

/* A JPEG stream ends with the marker of an end, after which up to 62 zeros may follow. */
Test(video_cut, mjpeg)
{
    const size_t end = PUT(0, "\xFF\xD8\xFF\xD9", 0);
    for (size_t zeros = 0; zeros <= 64; zeros++) {
        memset(bytes + end, 0, zeros);
        cr_expect_eq(is_cut("mjpeg", end + zeros), zeros > 62, "%zu zeros", zeros);
    }
    bytes[end] = 1;
    for (size_t left = 0; left <= end + 1; left++)
        cr_expect_eq(is_cut("mjpeg", left), left != end, "%zu bytes", left);
}
