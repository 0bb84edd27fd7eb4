/* The page of a check, made from lines of results: which findings have pictures, what the pictures
 * show, how much is kept, and what a strip tells. */
#include "check.h"

#include "check/page/page.h"

#include "ssimcu_io.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WIDTH = 400, HEIGHT = 300, GREY = 90 };

static char directory[] = "/tmp/ssimcu-test-check-page-XXXXXX";

static void make_directory(void) { cr_assert(mkdtemp(directory) && chdir(directory) == 0); }

static void remove_directory(void)
{
    char command[64];
    snprintf(command, sizeof command, "rm -r '%s'", directory);
    cr_expect(system(command) == 0);
}

TestSuite(check_page, .init = make_directory, .fini = remove_directory);

/* The n-th allocation fails. */
static int allocations_left = -1;

void *__real_malloc(size_t size), *__wrap_malloc(size_t size);
void *__real_realloc(void *old, size_t size), *__wrap_realloc(void *old, size_t size);
void *__real_calloc(size_t count, size_t size), *__wrap_calloc(size_t count, size_t size);
char *__real_strdup(const char *text), *__wrap_strdup(const char *text);

static bool is_lost(void)
{
    if (allocations_left < 0 || allocations_left-- != 0) return false;
    errno = ENOMEM;
    return true;
}

void *__wrap_malloc(size_t size) { return is_lost() ? NULL : __real_malloc(size); }
void *__wrap_realloc(void *old, size_t size)
{
    return is_lost() ? NULL : __real_realloc(old, size);
}
void *__wrap_calloc(size_t count, size_t size)
{
    return is_lost() ? NULL : __real_calloc(count, size);
}
char *__wrap_strdup(const char *text) { return is_lost() ? NULL : __real_strdup(text); }

static const char SUMMARY[] =
    "{\"type\":\"summary\",\"frames\":1,\"read\":1,\"missing\":0,\"found\":1,\"failed\":1,"
    "\"kinds\":{},\"complete\":true,\"passed\":false}";

static struct check_page *open_page(void)
{
    struct check_page *page = NULL;
    cr_assert_eq(check_page_open("page", &page, NULL), SSIMCU_OK);
    check_page_add(page, "{\"type\":\"check\",\"schema\":1,\"ssimcu\":\"1\",\"frames\":[\"s\"],"
                         "\"fail_on\":[\"block\"]}");
    return page;
}

/* Adds a frame of a sequence, with a finding of this kind, or without one if that is NULL. */
static void add(struct check_page *page, const char *sequence, int64_t frame, const char *path,
                const char *kind, const char *place)
{
    char line[1024], finding[512] = "";
    if (kind)
        snprintf(finding, sizeof finding,
                 "{\"kind\":\"%s\",\"fails\":true,\"number\":1%s,\"text\":\"a sentence\"}", kind,
                 place);
    snprintf(line, sizeof line,
             "{\"type\":\"frame\",\"sequence\":\"%s\",\"frame\":%" PRId64 ",\"path\":\"%s\","
             "\"passed\":%s,\"findings\":[%s]}",
             sequence, frame, path, kind ? "false" : "true", finding);
    check_page_add(page, line);
}

/* Writes the page, and returns its text, the caller's to free. */
static char *write_page(struct check_page *page)
{
    const struct source_input input = {.threads = 3};
    ssimcu_message message = {{0}};
    struct stat info;
    cr_assert_eq(check_page_write(page, &input, 0, &message), SSIMCU_OK, "%s", message.text);
    check_page_close(page);
    FILE *file = fopen("page/index.html", "re");
    cr_assert(file && fstat(fileno(file), &info) == 0);
    char *text = calloc(1, (size_t)info.st_size + 1);
    cr_assert_eq(fread(text, 1, (size_t)info.st_size, file), (size_t)info.st_size);
    fclose(file);
    return text;
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (; (text = strstr(text, part)); text++) count++;
    return count;
}

/* Writes a grey picture with a black rectangle, if it has a width. */
static void put_picture(const char *name, uint32_t x, uint32_t y, uint32_t width, uint32_t height)
{
    ssimcu_frame frame = check_flat(WIDTH, HEIGHT, 3, (const uint32_t[]){GREY, GREY, GREY});
    for (uint32_t j = y; j < y + height; j++)
        memset((char *)frame.data + j * frame.pitch + 3 * (size_t)x, 0, 3 * (size_t)width);
    cr_assert_eq(ssimcu_image_write_png(name, &frame, NULL), SSIMCU_OK);
    ssimcu_frame_free(&frame);
}

static ssimcu_frame read_picture(const char *name)
{
    ssimcu_frame frame = {0};
    ssimcu_message message = {{0}};
    cr_assert_eq(ssimcu_image_read(name, NULL, &frame, &message), SSIMCU_OK, "%s", message.text);
    return frame;
}

/* ---- Pictures -------------------------------------------------------------------------------- */

/* The place is in the middle, pixel by pixel, in the frame and in those beside it. */
Test(check_page, places_are_shown_beside_their_neighbours)
{
    static const char *const names[] = {"page/frame-000000-before.png",
                                        "page/frame-000000-here.png",
                                        "page/frame-000000-behind.png"};
    struct check_page *page = open_page();
    for (int i = 0; i < 3; i++) {
        char name[16];
        snprintf(name, sizeof name, "f%d.png", i + 1);
        put_picture(name, 200, 100, i == 1 ? 40 : 0, i == 1 ? 20 : 0);
        add(page, "f#.png", i + 1, name, i == 1 ? "block" : NULL,
            ",\"x\":200,\"y\":100,\"width\":40,\"height\":20");
    }
    check_page_add(page, SUMMARY);
    char *text = write_page(page);
    for (int i = 0; i < 3; i++) {
        ssimcu_frame shown = read_picture(names[i]);
        cr_assert(shown.width == 80 && shown.height == 48, "%u x %u", shown.width, shown.height);
        cr_expect_eq(check_sample(&shown, 40, 24, 0), i == 1 ? 0 : GREY);
        cr_expect_eq(check_sample(&shown, 21, 24, 0), i == 1 ? 0 : GREY);
        cr_expect_eq(check_sample(&shown, 18, 24, 0), GREY);
        cr_expect(strstr(text, names[i] + strlen("page/")));
        ssimcu_frame_free(&shown);
    }
    cr_expect(strstr(text, "<svg class=\"box\" viewBox=\"0 0 80 48\""));
    cr_expect(strstr(text, "href=\"../f2.png\""));
    free(text);
}

/* A frame that cannot be read, and frames that are missing, are not what is shown beside others. */
Test(check_page, neighbours_are_frames_that_could_be_read)
{
    struct check_page *page = open_page();
    for (int i = 1; i <= 5; i++) {
        char name[16];
        snprintf(name, sizeof name, "f%d.png", i);
        if (i == 1 || i == 3 || i == 5) put_picture(name, 0, 0, 0, 0);
        add(page, "f#.png", i, name, i == 3 ? "flat" : i % 2 == 0 ? "unreadable" : NULL, "");
    }
    add(page, "other", 6, "f1.png", NULL, "");
    char *text = write_page(page);
    cr_expect_eq(count_of(text, "<article"), 3);
    cr_expect(strstr(text, "alt=\"Before, f1.png\"") && strstr(text, "alt=\"Behind, f5.png\""));
    cr_expect_eq(count_of(text, "<img"), 3);
    cr_expect_eq(count_of(text, "No pictures"), 0);
    free(text);
}

/* Frames of video are found by their numbers, in colours. */
Test(check_page, frames_of_video_are_read_again)
{
    struct check_page *page = open_page();
    FILE *file = fopen("v.y4m", "we");
    fputs("YUV4MPEG2 W64 H64 F25:1 C444\n", file);
    for (int n = 0; n < 8; n++) {
        fputs("FRAME\n", file);
        for (int i = 0; i < 3 * 64 * 64; i++) fputc(i < 64 * 64 ? 60 + 20 * n : 128, file);
        add(page, "v.y4m", n, "v.y4m", n == 2 || n == 6 ? "pixel" : NULL,
            ",\"x\":30,\"y\":31,\"width\":1,\"height\":1");
    }
    fclose(file);
    free(write_page(page));
    const int wanted[2][3] = {{1, 2, 3}, {5, 6, 7}};
    for (int f = 0; f < 2; f++)
        for (int i = 0; i < 3; i++) {
            static const char *const which[] = {"before", "here", "behind"};
            char name[64];
            snprintf(name, sizeof name, "page/frame-%06d-%s.png", f, which[i]);
            ssimcu_frame shown = read_picture(name);
            const double level = (60 + 20 * wanted[f][i] - 16) * 255.0 / 219;
            cr_expect(shown.width == 48 && shown.height == 48);
            cr_expect_float_eq(check_sample(&shown, 7, 9, 1), level, 1, "%s", name);
            ssimcu_frame_free(&shown);
        }
}

/* Raw video is read as the header says, if nobody else does. */
Test(check_page, the_header_says_how_frames_are_read)
{
    struct check_page *page = open_page();
    FILE *file = fopen("v.raw", "we");
    for (int n = 0; n < 4; n++)
        for (int i = 0; i < 64 * 64; i++) fputc(60 + 20 * n, file);
    fclose(file);
    check_page_add(page, "{\"type\":\"check\",\"frames\":[\"v.raw\"],\"fail_on\":[],\"options\":"
                         "{\"size\":\"64x64\",\"format\":\"gray\"},\"shard\":[2,3]}");
    for (int n = 0; n < 4; n++)
        add(page, "v.raw", n, "v.raw", n == 2 ? "pixel" : NULL,
            ",\"x\":30,\"y\":31,\"width\":1,\"height\":1");
    char *text = write_page(page);
    cr_expect_eq(count_of(text, "<img"), 3);
    cr_expect(strstr(text, "These are the sequences of share 2 of 3; the merge judges."));
    free(text);
}

/* Files that are gone have a reason, and no picture. */
Test(check_page, frames_that_are_gone_have_their_sentence)
{
    struct check_page *page = open_page();
    add(page, "f#.png", 1, "f1.png", "block", ",\"x\":0,\"y\":0,\"width\":8,\"height\":8");
    char *text = write_page(page);
    cr_expect_eq(count_of(text, "<img"), 0);
    cr_expect(strstr(text, "No pictures: <bdi>f1.png: No such file or directory"));
    cr_expect(strstr(text, "a sentence"));
    free(text);
}

/* ---- How much is shown ----------------------------------------------------------------------- */

/* Findings of every kind in every sequence are as many, up to 200; the rest is rows, which end,
 * too.
 */
Test(check_page, what_is_found_often_leaves_room_for_the_rest)
{
    struct check_page *page = open_page();
    for (int i = 0; i < 10000; i++) add(page, "a", i, "gone.png", "pixel", "");
    for (int i = 0; i < 5; i++) add(page, "b", i, "gone.png", "nan", "");
    for (int i = 0; i < 300; i++) add(page, "c", i, "gone.png", "pixel", "");
    char *text = write_page(page);
    cr_expect_eq(count_of(text, "<article"), 200);
    cr_expect_eq(count_of(text, "<span class=\"state below\">nan</span><b>"), 5);
    cr_expect(strstr(text, "200 of 10305 with pictures"));
    cr_expect_eq(count_of(text, "<span class=\"state below\">"), 200 + 5 + 200);
    cr_expect(strstr(text, "<p>And 9900 more, which the results name.</p>"));
    free(text);
}

/* A tick stands where its frame does, however long the sequence is. */
Test(check_page, strips_show_where_findings_lie)
{
    struct check_page *page = open_page();
    for (int i = 0; i < 10000; i++)
        add(page, "a", 1001 + i, "gone.png", i == 7500 ? "pixel" : NULL, "");
    char *text = write_page(page), *tick = strstr(text, "<path class=\"curve tile\" d=\"M");
    cr_assert(tick);
    cr_expect_float_eq(strtod(tick + strlen("<path class=\"curve tile\" d=\"M"), NULL), 225, 1);
    cr_expect(strstr(text, "<span class=\"strip\">1001 ") && strstr(text, "</svg> 11000</span>"));
    free(text);
}

/* ---- The verdict ----------------------------------------------------------------------------- */

/* Nothing is complete without a last line, and nothing has passed. */
Test(check_page, results_without_an_end_are_not_complete)
{
    struct check_page *page = open_page();
    add(page, "a", 1, "gone.png", NULL, "");
    char *text = write_page(page);
    cr_expect(strstr(text, "data-verdict=\"open\"") && strstr(text, "The check is not complete"));
    free(text);
}

/* What comes from outside is text, in elements and in attributes. */
Test(check_page, names_and_sentences_are_escaped)
{
    struct check_page *page = open_page();
    put_picture("f1.png", 0, 0, 0, 0);
    check_page_add(page,
                   "{\"type\":\"frame\",\"sequence\":\"<s>&\",\"frame\":1,\"path\":\"f1.png\","
                   "\"passed\":false,\"findings\":[{\"kind\":\"<k>\",\"fails\":true,"
                   "\"number\":1,\"text\":\"\\\"><script>\"}]}");
    char *text = write_page(page);
    cr_expect_eq(count_of(text, "<script"), 0);
    cr_expect_eq(count_of(text, "<s>") + count_of(text, "<k>"), 0);
    cr_expect(strstr(text, "&lt;s&gt;&amp;"));
    cr_expect(strstr(text, "alt=\"Frame &quot;&gt;&lt;script&gt;\""));
    free(text);
}

/* A page never takes the place of a report in which its frames lie. */
Test(check_page, a_report_that_holds_frames_is_left_alone)
{
    const struct source_input input = {0};
    struct check_page *page = open_page();
    ssimcu_message message = {{0}};
    put_picture("f1.png", 0, 0, 0, 0);
    add(page, "f#.png", 1, "f1.png", "flat", "");
    free(write_page(page));
    cr_assert(access("page/frame-000000-here.jpg", F_OK) == 0);
    page = open_page();
    add(page, "page/frame-000000-here.jpg", 1, "./page/frame-000000-here.jpg", NULL, "");
    cr_expect_eq(check_page_write(page, &input, 0, &message), SSIMCU_ERROR_WRITE);
    cr_expect_str_eq(message.text, "--report page: holds an input, and is left alone");
    check_page_close(page);
    cr_expect(access("page/frame-000000-here.jpg", F_OK) == 0);
}

/* ---- Lines from anywhere --------------------------------------------------------------------- */

/* Numbers that no check writes are no numbers, and what is no line is passed over. */
Test(check_page, lines_of_another_program_do_no_harm)
{
    static const char *const lines[] = {
        "",
        "[]",
        "{\"type\":7}",
        "{\"type\":\"frame\"}",
        "{\"type\":\"frame\",\"sequence\":7,\"frame\":-9223372036854775807,\"findings\":[{}]}",
        "{\"type\":\"frame\",\"sequence\":\"b\",\"frame\":1,\"path\":null,\"findings\":[{\"kind\":"
        "\"missing\",\"fails\":true,\"number\":-1e300},{\"kind\":\"missing\",\"number\":1e300}]}",
        "{\"type\":\"frame\",\"sequence\":\"b\",\"frame\":9223372036854775807,\"path\":\"x\","
        "\"findings\":[{\"kind\":\"nan\",\"fails\":true,\"x\":4294967296,\"y\":-1,\"width\":7}]}"};
    struct check_page *page = open_page();
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) check_page_add(page, lines[i]);
    char *text = write_page(page);
    cr_expect(strstr(text, "<dt>Missing</dt><dd><b>0</b>"));
    cr_expect(strstr(text, "</svg> 9223372036854775807</span>"));
    free(text);
}

/* Makes a page while the n-th allocation fails. Returns whether none has failed. */
static bool page_with_little(int n)
{
    const struct source_input input = {.threads = 1};
    struct check_page *page = NULL;
    ssimcu_message message = {{0}};
    allocations_left = n;
    ssimcu_status status = check_page_open("page", &page, &message);
    add(page, "f#.png", 1, "f1.png", NULL, "");
    add(page, "f#.png", 2, "f2.png", "block", ",\"x\":20,\"y\":10,\"width\":40,\"height\":20");
    check_page_add(page, SUMMARY);
    if (status == SSIMCU_OK) status = check_page_write(page, &input, 0, &message);
    const bool whole = allocations_left >= 0;
    allocations_left = -1;
    check_page_close(page);
    cr_assert(status == SSIMCU_OK || status == SSIMCU_ERROR_MEMORY, "%d: %s", n, message.text);
    cr_expect_eq(access("page", F_OK) == 0, status == SSIMCU_OK, "allocation %d", n);
    cr_expect(system("rm -rf page; ! ls -d page.* 2>/dev/null") == 0, "allocation %d", n);
    return whole;
}

Test(check_page, memory_that_runs_out_leaves_no_page)
{
    int n = 0;
    put_picture("f1.png", 0, 0, 0, 0);
    put_picture("f2.png", 20, 10, 40, 20);
    while (!page_with_little(n)) n++;
    cr_expect_gt(n, 20);
}
