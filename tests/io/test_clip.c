/* y4m and raw video: headers good and bad, planes, depths, truncation at every byte, files and
 * pipes. */
#include "check.h"
#include "pipe.h"
#include "video/clip_codec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char path[] = "/tmp/ssimcu-test-clip-XXXXXX";

static void make_file(void)
{
    const int fd = mkstemp(path);
    cr_assert(fd >= 0);
    close(fd);
}

static void remove_file(void) { unlink(path); }

TestSuite(clip, .init = make_file, .fini = remove_file);

static void write_file(const void *bytes, size_t size)
{
    FILE *file = fopen(path, "w");
    cr_assert(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

static void expect_header(const char *line, uint32_t planes, uint32_t chroma_width,
                          uint32_t chroma_height, uint32_t bits, size_t bytes)
{
    ssimcu_clip_format format;
    ssimcu_message why = {{0}};
    cr_assert_eq(ssimcu_y4m_parse("x", line, &format, &why), SSIMCU_OK, "%s: %s", line, why.text);
    cr_assert_eq(format.planes, planes, "%s", line);
    cr_assert(format.plane[0].width == 7 && format.plane[0].height == 5, "%s", line);
    cr_assert_eq(format.plane[0].bits, bits, "%s", line);
    cr_assert_eq(format.frame_bytes, bytes, "%s", line);
    for (uint32_t p = 1; p < planes; p++)
        cr_assert(format.plane[p].width == chroma_width && format.plane[p].height == chroma_height,
                  "%s", line);
}

/* The field C tells where U and V lie, whatever the older field says. */
Test(clip, siting_and_matrix)
{
    static const struct {
        const char *line;
        ssimcu_siting siting;
    } cases[] = {{"YUV4MPEG2 W7 H5", SSIMCU_SITING_CENTER},
                 {"YUV4MPEG2 W7 H5 C420", SSIMCU_SITING_CENTER},
                 {"YUV4MPEG2 W7 H5 C420jpeg", SSIMCU_SITING_CENTER},
                 {"YUV4MPEG2 W7 H5 C420mpeg2 XYSCSS=420JPEG", SSIMCU_SITING_LEFT},
                 {"YUV4MPEG2 W7 H5 XYSCSS=420MPEG2", SSIMCU_SITING_LEFT},
                 {"YUV4MPEG2 W7 H5 C420paldv", SSIMCU_SITING_TOP_LEFT},
                 {"YUV4MPEG2 W7 H5 C422", SSIMCU_SITING_LEFT}};
    ssimcu_clip_format format;
    ssimcu_yuv yuv;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_assert_eq(ssimcu_y4m_parse("x", cases[i].line, &format, NULL), SSIMCU_OK);
        cr_assert(ssimcu_clip_yuv(&format, &yuv), "the size tells the matrix");
        cr_expect_eq((int)yuv.siting, (int)cases[i].siting, "%s", cases[i].line);
        cr_assert(yuv.red == 0.299 && yuv.blue == 0.114 && yuv.limited);
    }
    format.plane[0].width = 1920, format.range = SSIMCU_RANGE_FULL;
    cr_assert(ssimcu_clip_yuv(&format, &yuv) && yuv.red == 0.2126 && !yuv.limited);
    format.matrix = "bt2020";
    cr_assert(ssimcu_clip_yuv(&format, &yuv) && yuv.red == 0.2627 && yuv.blue == 0.0593);
    format.matrix = "ycgco";
    cr_assert(!ssimcu_clip_yuv(&format, &yuv) && yuv.red == 0.2126, "players guess");
}

Test(clip, every_kind_of_header_or_a_refusal)
{
    expect_header("YUV4MPEG2 W7 H5", 3, 4, 3, 8, 35 + 24);
    expect_header("YUV4MPEG2 W7 H5 F25:1 Ip A0:0 C420jpeg", 3, 4, 3, 8, 35 + 24);
    expect_header("YUV4MPEG2 H5 C420mpeg2 W7  Q? XANY=thing", 3, 4, 3, 8, 35 + 24);
    expect_header("YUV4MPEG2 W7 H5 It C420paldv", 3, 4, 3, 8, 35 + 24);
    expect_header("YUV4MPEG2 W7 H5 C422", 3, 4, 5, 8, 35 + 40);
    expect_header("YUV4MPEG2 W7 H5 C444", 3, 7, 5, 8, 105);
    expect_header("YUV4MPEG2 W7 H5 C411", 3, 2, 5, 8, 35 + 20);
    expect_header("YUV4MPEG2 W7 H5 Cmono", 1, 0, 0, 8, 35);
    expect_header("YUV4MPEG2 W7 H5 Cmono12 XYSCSS=400", 1, 0, 0, 12, 70);
    expect_header("YUV4MPEG2 W7 H5 C420p10 XYSCSS=420P10", 3, 4, 3, 10, 118);
    expect_header("YUV4MPEG2 W7 H5 C422p9", 3, 4, 5, 9, 150);
    expect_header("YUV4MPEG2 W7 H5 C444p16", 3, 7, 5, 16, 210);
    expect_header("YUV4MPEG2 W7 H5 XYSCSS=444P10", 3, 7, 5, 10, 210);
    static const char *const bad[] = {"",
                                      "YUV4MPEG",
                                      "YUV4MPEG22 W7 H5",
                                      "YUV4MPEG2",
                                      "YUV4MPEG2 W7",
                                      "YUV4MPEG2 W7 H0",
                                      "YUV4MPEG2 W7 H5 W8",
                                      "YUV4MPEG2 W7x H5",
                                      "YUV4MPEG2 W-7 H5",
                                      "YUV4MPEG2 W16777216 H5",
                                      "YUV4MPEG2 W7 H5 C",
                                      "YUV4MPEG2 W7 H5 C420p",
                                      "YUV4MPEG2 W7 H5 C420p7",
                                      "YUV4MPEG2 W7 H5 C420p17",
                                      "YUV4MPEG2 W7 H5 C420jpegs",
                                      "YUV4MPEG2 W7 H5 C444jpeg",
                                      "YUV4MPEG2 W7 H5 C410",
                                      "YUV4MPEG2 W7 H5 Cmonochrome",
                                      "YUV4MPEG2 W7 H5 C444alpha",
                                      "YUV4MPEG2 W7 H5 I",
                                      "YUV4MPEG2 W7 H5 Iz",
                                      "YUV4MPEG2 W18446744073709551623 H5"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ssimcu_clip_format format;
        ssimcu_message why = {{0}};
        cr_assert_neq(ssimcu_y4m_parse("x", bad[i], &format, &why), SSIMCU_OK, "%s", bad[i]);
        cr_assert_eq(strncmp(why.text, "x: ", 3), 0);
    }
    cr_assert(ssimcu_y4m_is_frame("FRAME") && ssimcu_y4m_is_frame("FRAME Ippp XA=1"));
    cr_assert(!ssimcu_y4m_is_frame("FRAMES") && !ssimcu_y4m_is_frame("FRAM") &&
              !ssimcu_y4m_is_frame(""));
}

/* Whatever stands in a header, parsing neither crashes nor yields sizes that do not fit. */
Test(clip, random_headers)
{
    check_random random = {31};
    static const char letters[] = "WHCIFAX 0123456789mop4:=jeg\t\x80";
    int good = 0;
    for (int i = 0; i < 200000; i++) {
        char line[64] = "YUV4MPEG2 W7 H5 C420";
        size_t length = i % 2 ? 10 : strlen(line);
        for (uint32_t more = check_between(&random, 0, 20); more > 0; more--)
            line[length++] = letters[check_between(&random, 0, sizeof letters - 2)];
        line[length] = '\0';
        ssimcu_clip_format format;
        if (ssimcu_y4m_parse("x", line, &format, NULL) != SSIMCU_OK) continue;
        good++;
        const ssimcu_frame *luma = &format.plane[0];
        cr_assert(luma->width > 0 && luma->height > 0 && luma->bits >= 8 && luma->bits <= 16);
        cr_assert(format.frame_bytes >= (size_t)luma->width * luma->height);
    }
    cr_assert_gt(good, 100);
}

Test(clip, raw_formats)
{
    ssimcu_clip_format format;
    cr_assert(ssimcu_raw_parse("7x5", "yuv420p", &format) && format.frame_bytes == 59);
    cr_assert(ssimcu_raw_parse("7x5", "yuv422p10le", &format) && format.frame_bytes == 150);
    cr_assert(ssimcu_raw_parse("7x5", "gray16", &format) && format.frame_bytes == 70);
    cr_assert(ssimcu_raw_parse("7x5", "yuv444p12", &format) && format.plane[2].bits == 12);
    static const char *const bad[][2] = {
        {"7x", "gray"},        {"x5", "gray"},    {"7*5", "gray"},  {"7x5x", "gray"},
        {"0x5", "gray"},       {"7x5", "grey"},   {"7x5", "gray8"}, {"7x5", "gray17"},
        {"7x5", "gray10be"},   {"7x5", "yuv420"}, {"7x5", "nv12"},  {"7x5", ""},
        {"99999999x5", "gray"}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        cr_assert_not(ssimcu_raw_parse(bad[i][0], bad[i][1], &format), "%s %s", bad[i][0],
                      bad[i][1]);
}

/* Goes to a clip's end, with or without reading: counts the whole frames and the errors. */
static void drain(ssimcu_clip *clip, bool read, int *frames, int *errors)
{
    uint8_t data[1024];
    bool end = false;
    *frames = *errors = 0;
    for (int i = 0; i < 100 && !end; i++) {
        ssimcu_clip_place place;
        ssimcu_status status = ssimcu_clip_next(clip, read ? data : NULL, &place, &end, NULL);
        if (end) break;
        if (status == SSIMCU_OK && read) status = ssimcu_clip_read(clip, place, data, NULL);
        *(status == SSIMCU_OK ? frames : errors) += 1;
    }
    cr_assert(end, "the clip has no end");
}

/* A stream is cut at every byte. Whole frames are read; a part of a frame is one error, never
 * more. The error comes even if no frame is read. */
Test(clip, truncated_at_every_byte)
{
    static const char header[] = "YUV4MPEG2 W7 H5 Cmono\n";
    uint8_t stream[256];
    size_t size = sizeof header - 1;
    memcpy(stream, header, size);
    for (int f = 0; f < 3; f++) {
        const char *line = f == 1 ? "FRAME Xsome=thing\n" : "FRAME\n";
        memcpy(stream + size, line, strlen(line));
        size += strlen(line);
        memset(stream + size, 10 + f, 35);
        size += 35;
    }
    for (size_t i = 0; i < 2 * (size + 1); i++) {
        const size_t ends[] = {22, 22 + 41, 22 + 41 + 53, 22 + 41 + 53 + 41}, cut = i / 2;
        ssimcu_clip *clip = NULL;
        write_file(stream, cut);
        const ssimcu_status status =
            ssimcu_clip_open_how(path, NULL, NULL, NULL, NULL, &clip, NULL);
        cr_assert_eq(status, cut < 22 ? SSIMCU_ERROR_DATA : SSIMCU_OK, "cut at %zu", cut);
        if (status != SSIMCU_OK) continue;
        int frames, errors, whole = 0;
        drain(clip, i % 2 == 0, &frames, &errors);
        while (whole < 3 && cut >= ends[whole + 1]) whole++;
        cr_assert_eq(frames, whole, "cut at %zu", cut);
        cr_assert_eq(errors, cut > ends[whole] ? 1 : 0, "cut at %zu", cut);
        ssimcu_clip_close(&clip);
    }
}

/* Words are little-endian, depths have their peak, planes lie at their places. */
Test(clip, ten_bits_are_little_endian_up_to_1023)
{
    uint8_t stream[64 + 6 + 18] = "YUV4MPEG2 W2 H2 C422p10\nFRAME\n";
    const size_t start = strlen((char *)stream);
    const uint16_t samples[8] = {0, 1023, 512, 1, 2, 3, 4, 256};
    for (size_t i = 0; i < 8; i++) {
        stream[start + 2 * i] = (uint8_t)samples[i];
        stream[start + 2 * i + 1] = (uint8_t)(samples[i] >> 8);
    }
    uint16_t data[8];
    for (int bad = 0; bad < 2; bad++) {
        if (bad) stream[start + 15] = 4; /* the last sample is 1024 now */
        ssimcu_clip *clip;
        ssimcu_clip_place place;
        bool end;
        write_file(stream, start + 16);
        cr_assert_eq(ssimcu_clip_open_how(path, NULL, NULL, NULL, NULL, &clip, NULL), SSIMCU_OK);
        cr_assert_eq(ssimcu_clip_count(clip), 1);
        cr_assert_eq(ssimcu_clip_next(clip, data, &place, &end, NULL), SSIMCU_OK);
        cr_assert_eq(ssimcu_clip_read(clip, place, data, NULL),
                     bad ? SSIMCU_ERROR_DATA : SSIMCU_OK);
        if (!bad) {
            ssimcu_frame plane[SSIMCU_MAX_PLANES];
            ssimcu_clip_planes(ssimcu_clip_shape(clip), data, plane);
            cr_assert_eq(check_sample(&plane[0], 1, 0, 0), 1023u);
            cr_assert_eq(check_sample(&plane[1], 0, 1, 0), 3u);
            cr_assert_eq(check_sample(&plane[2], 0, 1, 0), 256u);
        }
        ssimcu_clip_close(&clip);
    }
}

Test(clip, files_beyond_limits_do_not_open)
{
    const ssimcu_image_options pixels = {.max_pixels = 34};
    ssimcu_clip *clip = NULL;
    write_file("YUV4MPEG2 W7 H5\n", 16);
    cr_assert_eq(ssimcu_clip_open_how(path, NULL, &pixels, NULL, NULL, &clip, NULL),
                 SSIMCU_ERROR_LIMIT);
    cr_assert_eq(ssimcu_clip_open_how("/gone", NULL, NULL, NULL, NULL, &clip, NULL),
                 SSIMCU_ERROR_FILE);
    cr_assert_eq(ssimcu_clip_open_how("/tmp", NULL, NULL, NULL, NULL, &clip, NULL),
                 SSIMCU_ERROR_FILE);
    cr_assert_null(clip);
}

static const ssimcu_stop stopped = true;

/* Writes the pieces to the pipe from another process, a little apart, and leaves. */
static void write_pieces(const char *name, const char *const *piece, int count)
{
    if (fork() != 0) return;
    FILE *file = fopen(name, "w");
    for (int i = 0; file && i < count; i++) {
        fputs(piece[i], file);
        fflush(file);
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
    _exit(0);
}

/* A pipe is told by its content, which stays in it, although its writer has gone by the time it
 * is opened again. */
Test(clip, pipes_are_known_by_their_content, .timeout = 60)
{
    static const char *const pieces[] = {"YUV4", "MPEG2 W2 H2 Cmono\nFRA", "ME\nabcd"};
    char pipe_path[64];
    snprintf(pipe_path, sizeof pipe_path, "%s.fifo", path);
    cr_assert_eq(mkfifo(pipe_path, 0600), 0);
    write_pieces(pipe_path, pieces, 3);
    cr_assert(ssimcu_clip_is_video(pipe_path, NULL));
    cr_assert(ssimcu_clip_is_video(pipe_path, NULL), "asked twice");
    while (wait(NULL) > 0) continue;
    ssimcu_clip *clip;
    ssimcu_clip_place place;
    uint8_t data[4];
    bool end;
    cr_assert_eq(ssimcu_clip_open_how(pipe_path, NULL, NULL, NULL, NULL, &clip, NULL), SSIMCU_OK);
    cr_assert_eq(ssimcu_clip_next(clip, data, &place, &end, NULL), SSIMCU_OK);
    cr_assert(!end && memcmp(data, "abcd", 4) == 0);
    cr_assert_eq(ssimcu_clip_next(clip, data, &place, &end, NULL), SSIMCU_OK);
    cr_assert(end);
    ssimcu_clip_close(&clip);
    static const char *const other[] = {"\x89PNG\r\n", "and more of it"};
    write_pieces(pipe_path, other, 2);
    cr_assert_not(ssimcu_clip_is_video(pipe_path, NULL));
    char start[16];
    const int fd = ssimcu_pipe_open(pipe_path);
    cr_assert(fd >= 0 && read(fd, start, 4) == 4 && memcmp(start, "\x89PNG", 4) == 0);
    close(fd);
    unlink(pipe_path);
}

/* What is peeked at comes again. */
Test(clip, peeking_takes_nothing)
{
    ssimcu_reader *reader;
    const void *bytes;
    size_t size;
    char line[32];
    long length;
    write_file("one\ntwo\n", 8);
    cr_assert_eq(ssimcu_reader_open(path, NULL, &reader, NULL), SSIMCU_OK);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(ssimcu_reader_peek(reader, &bytes, &size, NULL), SSIMCU_OK);
        cr_assert(size == 8 && memcmp(bytes, "one\ntwo\n", 8) == 0);
    }
    cr_assert_eq(ssimcu_reader_line(reader, line, sizeof line, &length, NULL), SSIMCU_OK);
    cr_assert_str_eq(line, "one");
    cr_assert_eq(ssimcu_reader_bytes(reader, line, 4, &size, NULL), SSIMCU_OK);
    cr_assert_eq(ssimcu_reader_peek(reader, &bytes, &size, NULL), SSIMCU_OK);
    cr_assert_eq(size, 0u);
    ssimcu_reader_close(&reader);
}

/* A format's name is read as that format. */
Test(clip, names_and_descriptions)
{
    static const char *const names[] = {"gray",      "gray10",  "yuv411p", "yuv420p",
                                        "yuv420p16", "yuv422p", "yuv444p9"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        ssimcu_clip_format format;
        char name[16];
        cr_assert(ssimcu_raw_parse("7x5", names[i], &format));
        ssimcu_clip_name(&format, name, sizeof name);
        cr_assert_str_eq(name, names[i]);
    }
    static const char *const rates[][2] = {{"F25:1", ", 25 a second"},
                                           {"F24000:1001", ", 24000/1001 a second"},
                                           {"F0:0", ""},
                                           {"F0:1", ""},
                                           {"F25", ""},
                                           {"F25:1x", ""},
                                           {"Q", ""}};
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        char header[128], expected[256], got[256];
        ssimcu_clip *clip;
        snprintf(header, sizeof header, "YUV4MPEG2 W2 H2 %s Cmono XCOLORRANGE=FULL\n", rates[i][0]);
        write_file(header, strlen(header));
        cr_assert_eq(ssimcu_clip_open_how(path, NULL, NULL, NULL, NULL, &clip, NULL), SSIMCU_OK);
        ssimcu_clip_describe(clip, got, sizeof got);
        snprintf(expected, sizeof expected, "%s: 0 frames of 2x2 gray%s, full range", path,
                 rates[i][1]);
        cr_assert_str_eq(got, expected);
        ssimcu_clip_close(&clip);
    }
}

/* A regular file is told by its first bytes or its name, anything else except a pipe by its
 * name. */
Test(clip, says_what_is_video)
{
    char named[64], pipe_path[64];
    snprintf(named, sizeof named, "%s.y4m", path);
    snprintf(pipe_path, sizeof pipe_path, "%s.fifo", path);
    write_file("YUV4MPEG2 W7 H5\n", 16);
    cr_expect(ssimcu_clip_is_video(path, NULL));
    cr_assert_eq(rename(path, named), 0);
    cr_expect(ssimcu_clip_is_video(named, NULL));
    write_file("YUV4MPEG1 W7 H5\n", 16);
    cr_expect_not(ssimcu_clip_is_video(path, NULL));
    write_file("YUV4MPEG2", 9); /* too short for a header */
    cr_expect_not(ssimcu_clip_is_video(path, NULL));
    cr_assert_eq(rename(path, named), 0);
    cr_expect(ssimcu_clip_is_video(named, NULL), "damaged");
    unlink(named);
    cr_expect(ssimcu_clip_is_video(named, NULL), "not there");
    cr_expect_not(ssimcu_clip_is_video(path, NULL));
    cr_assert_eq(mkfifo(pipe_path, 0600), 0);
    cr_expect_not(ssimcu_clip_is_video(pipe_path, &stopped)); /* it has no writer */
    unlink(pipe_path);
    cr_expect_not(ssimcu_clip_is_video("/tmp", NULL));
    cr_expect_not(ssimcu_clip_is_video("-", &stopped));
    cr_expect_not(ssimcu_clip_is_video("y4m", NULL));
}

/* Raw frames have nothing between them. A file must hold a whole number of them; a pipe may not
 * end within one. */
Test(clip, raw_frames)
{
    ssimcu_clip_format raw;
    cr_assert(ssimcu_raw_parse("7x5", "gray", &raw));
    uint8_t bytes[3 * 35];
    memset(bytes, 'F', sizeof bytes);
    for (size_t size = 0; size <= sizeof bytes; size += 5) {
        ssimcu_clip *clip = NULL;
        int frames, errors;
        write_file(bytes, size);
        const bool whole = size > 0 && size % 35 == 0;
        cr_assert_eq(ssimcu_clip_open_how(path, &raw, NULL, NULL, NULL, &clip, NULL),
                     whole ? SSIMCU_OK : SSIMCU_ERROR_DATA, "%zu bytes", size);
        if (whole) {
            cr_expect_eq(ssimcu_clip_count(clip), (int64_t)size / 35);
            drain(clip, true, &frames, &errors);
            cr_expect(frames == (int)size / 35 && errors == 0, "%zu bytes", size);
        }
        ssimcu_clip_close(&clip);
        int ends[2];
        cr_assert(pipe(ends) == 0 && write(ends[1], bytes, size) == (ssize_t)size);
        close(ends[1]);
        cr_assert_eq(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
        close(ends[0]);
        cr_assert_eq(ssimcu_clip_open_how("-", &raw, NULL, NULL, NULL, &clip, NULL), SSIMCU_OK);
        cr_expect_eq(ssimcu_clip_count(clip), -1);
        drain(clip, true, &frames, &errors);
        cr_expect(frames == (int)size / 35 && errors == (size % 35 != 0), "%zu bytes", size);
        ssimcu_clip_close(&clip);
    }
}

/* A file of uncompressed frames knows where it ends: behind its last frame. A pipe does not. */
Test(clip, files_know_where_they_end)
{
    ssimcu_clip_format raw;
    cr_assert(ssimcu_raw_parse("7x5", "gray", &raw));
    for (int header = 0; header < 2; header++)
        for (uint64_t frames = 1; frames <= 3; frames++) {
            uint8_t bytes[256] = "YUV4MPEG2 W7 H5 Cmono\n";
            size_t size = header ? strlen((char *)bytes) : 0;
            for (uint64_t i = 0; i < frames; i++) {
                if (header) memcpy(bytes + size, "FRAME\n", 6), size += 6;
                memset(bytes + size, 'F', 35), size += 35;
            }
            ssimcu_clip *clip = NULL;
            write_file(bytes, size);
            cr_assert_eq(
                ssimcu_clip_open_how(path, header ? NULL : &raw, NULL, NULL, NULL, &clip, NULL),
                SSIMCU_OK);
            for (uint64_t frame = 0; frame < frames + 2; frame++)
                cr_expect_eq(ssimcu_clip_is_beyond(clip, frame), frame >= frames,
                             "frame %d of %d, header %d", (int)frame, (int)frames, header);
            ssimcu_clip_close(&clip);
        }
    ssimcu_clip pipe = {.codec = &ssimcu_codec_raw, .count = -1};
    cr_expect_not(ssimcu_clip_is_beyond(&pipe, UINT64_MAX));
}

/* A last line without a line break counts, and is told from one that has it. */
Test(clip, lines_know_whether_they_are_whole)
{
    static const struct {
        const char *text;
        bool whole;
    } of[] = {{"a", false}, {"a\n", true}, {"a\r\n", true}};
    for (int i = 0; i < 3; i++) {
        ssimcu_reader *reader = NULL;
        char line[10];
        long length = 0;
        write_file((const uint8_t *)of[i].text, strlen(of[i].text));
        cr_assert_eq(ssimcu_reader_open(path, NULL, &reader, NULL), SSIMCU_OK);
        cr_assert_eq(ssimcu_reader_line(reader, line, sizeof line, &length, NULL), SSIMCU_OK);
        cr_expect(length >= 1 && line[0] == 'a' && ssimcu_reader_was_whole(reader) == of[i].whole,
                  "%d", i);
        cr_assert_eq(ssimcu_reader_line(reader, line, sizeof line, &length, NULL), SSIMCU_OK);
        cr_expect_eq(length, -1);
        ssimcu_reader_close(&reader);
    }
}

static bool skip_any(ssimcu_clip *clip, uint64_t frame) { return frame > clip->frames; }

/* A frame that was passed over as known is never read: who asks for it learns that the file has
 * changed. */
Test(clip, frames_passed_over_are_not_read)
{
    const ssimcu_clip_codec codec = {.skip = skip_any}; /* next and read would crash */
    ssimcu_clip *clip = calloc(1, sizeof *clip + 1);
    clip->codec = &codec;
    ssimcu_clip_pass(clip, 2);
    for (int i = 0; i < 2; i++) {
        ssimcu_clip_place place;
        ssimcu_message why = {{0}};
        bool end = true;
        cr_assert_eq(ssimcu_clip_next(clip, NULL, &place, &end, NULL), SSIMCU_OK);
        cr_assert_eq(ssimcu_clip_read(clip, place, NULL, &why), SSIMCU_ERROR_FILE);
        cr_expect(!end && strstr(why.text, ": changed during the run"), "%s", why.text);
    }
    cr_expect(clip->frames == 2 && clip->passed == 0);
    free(clip);
}

Test(clip, of_pictures_that_cannot_be_opened)
{
    struct ssimcu_sequence_file file = {.path = path};
    const ssimcu_sequence sequence = {.count = 1, .file = &file, .numbered = true};
    ssimcu_clip *clip = (void *)path; /* no clip */
    cr_assert_eq(ssimcu_clip_open_files("x", &sequence, NULL, &clip, NULL), SSIMCU_ERROR_DATA);
    cr_expect_null(clip);
}
