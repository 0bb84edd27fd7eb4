/* The page of frames without a reference, made from records: which findings have pictures, what the
 * pictures show, how much is kept, and what a strip tells. */
#include "check.h"

#include "base/json.h"
#include "lines/lines.h"
#include "record/record.h"
#include "report/report.h"
#include "verdict/verdict.h"

#include "scratch.h"
#include "ssimcu_io.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WIDTH = 400, HEIGHT = 300, GREY = 90 };

TestSuite(shots_page, .init = scratch_enter, .fini = scratch_leave);

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

/* What a page is made of. */
struct page {
    struct report *report;
    struct header header;
    struct summary summary;
    struct verdict verdict;
    struct source_input input;
    bool share;
};

/* Opens a page of frames that fail by every finding. */
static struct page open_page(void)
{
    struct page page = {.input = {.threads = 3}};
    const struct limits limits = {.alone = true, .has_fail_on = true, .fail_on = ~(finding_mask)0};
    cr_assert_eq(report_open("page", true, 0, &page.report, NULL), SSIMCU_OK);
    page.header.input = json_pack("{s[s]}", "paths", "s");
    page.header.contract = json_pack("{s[s]}", "fail_on", "flat-area");
    summary_start(&page.summary, 5);
    verdict_start(&page.verdict, &limits);
    return page;
}

static void close_page(struct page *page)
{
    report_close(page->report);
    header_clear(&page->header);
    summary_free(&page->summary);
    verdict_free(&page->verdict);
}

/* Adds a record, which is cleared. Only what the page needs is memory that can be lost. */
static void add_record(struct page *page, struct record *record)
{
    const int left = allocations_left;
    allocations_left = -1;
    const struct judged judged = verdict_add(&page->verdict, record, NULL);
    summary_add(&page->summary, record);
    allocations_left = left;
    report_add(page->report, record, &judged);
    record_clear(record);
}

/* Adds a frame of a shot, with a finding of this kind, or without one if that is NULL. `place`: no
 * width: the whole frame. */
static void add_at(struct page *page, const char *shot, int64_t frame, const char *path,
                   const char *kind, struct finding_place place)
{
    const int left = allocations_left;
    struct record record = {.frame = frame, .kind = RECORD_CHECKED};
    allocations_left = -1;
    record.shot = strdup(shot), record.side[1].path = strdup(path);
    if (kind)
        (void)findings_add(&record.findings, (enum finding_kind)finding_named(kind, strlen(kind)),
                           place, 1, "a sentence");
    if (kind && strcmp(kind, "unreadable") == 0) record.kind = RECORD_FAILED;
    allocations_left = left;
    add_record(page, &record);
}

static void add(struct page *page, const char *shot, int64_t frame, const char *path,
                const char *kind)
{
    add_at(page, shot, frame, path, kind, (struct finding_place){0});
}

/* Ends what is counted, and writes the page. */
static ssimcu_status end_page(struct page *page, bool complete, ssimcu_message *message)
{
    const int left = allocations_left;
    const struct report_facts facts = {.header = &page->header,
                                       .summary = &page->summary,
                                       .verdict = &page->verdict,
                                       .share = page->share,
                                       .input = &page->input};
    allocations_left = -1;
    page->summary.complete = complete;
    cr_assert(summary_finish(&page->summary) && verdict_finish(&page->verdict, &page->summary));
    allocations_left = left;
    return report_write(page->report, &facts, message);
}

/* Writes the page, closes it, and returns its text, the caller's to free. */
static char *text_of(struct page *page, bool complete)
{
    ssimcu_message message = {{0}};
    struct stat info;
    cr_assert_eq(end_page(page, complete, &message), SSIMCU_OK, "%s", message.text);
    close_page(page);
    FILE *file = fopen("page/index.html", "re");
    cr_assert(file && fstat(fileno(file), &info) == 0);
    char *text = calloc(1, (size_t)info.st_size + 1);
    cr_assert_eq(fread(text, 1, (size_t)info.st_size, file), (size_t)info.st_size);
    fclose(file);
    return text;
}

static char *write_page(struct page *page) { return text_of(page, true); }

static size_t count_of(const char *text, const char *shot)
{
    size_t count = 0;
    for (; (text = strstr(text, shot)); text++) count++;
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
Test(shots_page, places_are_shown_beside_their_neighbours)
{
    static const char *const names[] = {"page/frame-000000-before.png",
                                        "page/frame-000000-here.png",
                                        "page/frame-000000-behind.png"};
    struct page page = open_page();
    for (int i = 0; i < 3; i++) {
        char name[16];
        snprintf(name, sizeof name, "f%d.png", i + 1);
        put_picture(name, 200, 100, i == 1 ? 40 : 0, i == 1 ? 20 : 0);
        add_at(&page, "f#.png", i + 1, name, i == 1 ? "flat-area" : NULL,
               (struct finding_place){200, 100, 40, 20});
    }
    char *text = write_page(&page);
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
Test(shots_page, neighbours_are_frames_that_could_be_read)
{
    struct page page = open_page();
    for (int i = 1; i <= 5; i++) {
        char name[16];
        snprintf(name, sizeof name, "f%d.png", i);
        if (i == 1 || i == 3 || i == 5) put_picture(name, 0, 0, 0, 0);
        add(&page, "f#.png", i, name, i == 3 ? "solid" : i % 2 == 0 ? "unreadable" : NULL);
    }
    add(&page, "other", 6, "f1.png", NULL);
    char *text = write_page(&page);
    cr_expect_eq(count_of(text, "<article"), 3);
    cr_expect(strstr(text, "alt=\"Before, f1.png\"") && strstr(text, "alt=\"Behind, f5.png\""));
    cr_expect_eq(count_of(text, "<img"), 3);
    cr_expect_eq(count_of(text, "No pictures"), 0);
    free(text);
}

/* Frames of video are found by their numbers, in colours. */
Test(shots_page, frames_of_video_are_read_again)
{
    struct page page = open_page();
    FILE *file = fopen("v.y4m", "we");
    fputs("YUV4MPEG2 W64 H64 F25:1 C444\n", file);
    for (int n = 0; n < 8; n++) {
        fputs("FRAME\n", file);
        for (int i = 0; i < 3 * 64 * 64; i++) fputc(i < 64 * 64 ? 60 + 20 * n : 128, file);
        add_at(&page, "v.y4m", n, "v.y4m", n == 2 || n == 6 ? "outlier-pixel" : NULL,
               (struct finding_place){30, 31, 1, 1});
    }
    fclose(file);
    free(write_page(&page));
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

/* Raw video is read as the input says; a share says that it judges nothing. */
Test(shots_page, the_input_says_how_frames_are_read)
{
    struct page page = open_page();
    FILE *file = fopen("v.raw", "we");
    ssimcu_clip_format raw;
    for (int n = 0; n < 4; n++)
        for (int i = 0; i < 64 * 64; i++) fputc(60 + 20 * n, file);
    fclose(file);
    cr_assert(ssimcu_raw_parse("64x64", "gray", &raw));
    page.input.raw = &raw;
    page.share = true, page.header.shard = 2, page.header.shards = 3;
    for (int n = 0; n < 4; n++)
        add_at(&page, "v.raw", n, "v.raw", n == 2 ? "outlier-pixel" : NULL,
               (struct finding_place){30, 31, 1, 1});
    char *text = write_page(&page);
    cr_expect_eq(count_of(text, "<img"), 3);
    cr_expect(strstr(text, "These are the shots of share 2 of 3; the merge judges."));
    free(text);
}

/* Files that are gone have a reason, and no picture. */
Test(shots_page, frames_that_are_gone_have_their_sentence)
{
    struct page page = open_page();
    add_at(&page, "f#.png", 1, "f1.png", "flat-area", (struct finding_place){0, 0, 8, 8});
    char *text = write_page(&page);
    cr_expect_eq(count_of(text, "<img"), 0);
    cr_expect(strstr(text, "No pictures: <bdi>f1.png: No such file or directory"));
    cr_expect(strstr(text, "a sentence"));
    free(text);
}

/* ---- How much is shown ----------------------------------------------------------------------- */

/* Frames with every kind in every sequence are as many, up to 200; the rest is rows, which end,
 * too.
 */
Test(shots_page, what_is_found_often_leaves_room_for_the_rest)
{
    struct page page = open_page();
    for (int i = 0; i < 10000; i++) add(&page, "a", i, "gone.png", "outlier-pixel");
    for (int i = 0; i < 5; i++) add(&page, "b", i, "gone.png", "nan");
    for (int i = 0; i < 300; i++) add(&page, "c", i, "gone.png", "outlier-pixel");
    char *text = write_page(&page);
    cr_expect_eq(count_of(text, "<article"), 200);
    cr_expect_eq(count_of(text, "<li>nan: a sentence</li>"), 5);
    cr_expect(strstr(text, "200 of 10305 are shown with pictures"));
    cr_expect_eq(count_of(text, "<tr data-frame="), 4800);
    cr_expect_eq(count_of(text, " data-frame=\"c/"), 300);
    cr_expect(strstr(text, "<p>And 5305 more, named in the results.</p>"));
    free(text);
}

/* A tick stands where its frame does, however long the sequence is. */
Test(shots_page, strips_show_where_findings_lie)
{
    struct page page = open_page();
    for (int i = 0; i < 10000; i++)
        add(&page, "a", 1001 + i, "gone.png", i == 7500 ? "outlier-pixel" : NULL);
    char *text = write_page(&page), *tick = strstr(text, "<path class=\"curve tile\" d=\"M");
    cr_assert(tick);
    cr_expect_float_eq(strtod(tick + strlen("<path class=\"curve tile\" d=\"M"), NULL), 225, 1);
    cr_expect(strstr(text, "<span class=\"strip\">1001 ") && strstr(text, "</svg> 11000</span>"));
    free(text);
}

/* ---- The verdict ----------------------------------------------------------------------------- */

/* What was cut short has not passed. */
Test(shots_page, a_check_that_was_cut_short_is_not_complete)
{
    struct page page = open_page();
    add(&page, "a", 1, "gone.png", NULL);
    char *text = text_of(&page, false);
    cr_expect(strstr(text, "data-verdict=\"open\"") && strstr(text, "The check is incomplete"));
    free(text);
}

/* What comes from outside is text, in elements and in attributes. */
Test(shots_page, names_and_sentences_are_escaped)
{
    struct page page = open_page();
    struct record record = {.frame = 1, .kind = RECORD_CHECKED};
    put_picture("f1.png", 0, 0, 0, 0);
    record.shot = strdup("<s>&"), record.side[1].path = strdup("f1.png");
    (void)findings_add(&record.findings, FINDING_NAN, (struct finding_place){0}, 1, "%s",
                       "\"><script>");
    add_record(&page, &record);
    char *text = write_page(&page);
    cr_expect_eq(count_of(text, "<script"), 0);
    cr_expect_eq(count_of(text, "<s>"), 0);
    cr_expect(strstr(text, "&lt;s&gt;&amp;"));
    cr_expect(strstr(text, "alt=\"Frame nan: &quot;&gt;&lt;script&gt;\""));
    free(text);
}

/* A page never takes the place of a report in which its frames lie. */
Test(shots_page, a_report_that_holds_frames_is_left_alone)
{
    struct page page = open_page();
    ssimcu_message message = {{0}};
    put_picture("f1.png", 0, 0, 0, 0);
    add(&page, "f#.png", 1, "f1.png", "solid");
    free(write_page(&page));
    cr_assert(access("page/frame-000000-here.jpg", F_OK) == 0);
    page = open_page();
    add(&page, "page/frame-000000-here.jpg", 1, "./page/frame-000000-here.jpg", NULL);
    cr_expect_eq(end_page(&page, true, &message), SSIMCU_ERROR_WRITE);
    cr_expect_str_eq(message.text, "--report page: contains an input; it was not overwritten");
    close_page(&page);
    cr_expect(access("page/frame-000000-here.jpg", F_OK) == 0);
}

/* ---- Lines from anywhere --------------------------------------------------------------------- */

/* Numbers that no check writes do no harm: a gap of no such count is one frame. */
Test(shots_page, records_of_another_program_do_no_harm)
{
    static const char head[] = "{\"type\":\"frame\",\"status\":";
    static const char *const lines[] = {
        "\"missing\",\"frame\":1,\"shot\":\"b\",\"ref\":null,\"out\":null,\"missing\":\"out\","
        "\"findings\":[{\"kind\":\"missing\",\"fails\":true,\"value\":-1e300,\"text\":\"x\"},"
        "{\"kind\":\"missing\",\"value\":1e300,\"text\":\"y\"}]}",
        "\"missing\",\"frame\":2,\"shot\":\"b\",\"ref\":null,\"out\":null,\"missing\":\"out\","
        "\"findings\":[{\"kind\":\"missing\",\"text\":\"x\"}]}",
        "\"checked\",\"frame\":9223372036854775807,\"shot\":\"b\",\"ref\":null,\"out\":"
        "{\"path\":\"x\"},\"findings\":[{\"kind\":\"nan\",\"text\":\"z\",\"x\":4294967295,"
        "\"y\":4294967295,\"width\":4294967295,\"height\":7}]}"};
    struct page page = open_page();
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char line[1024];
        struct record record;
        snprintf(line, sizeof line, "%s%s", head, lines[i]);
        cr_assert_eq(record_from_json(line, &record), SSIMCU_OK, "%s", line);
        add_record(&page, &record);
    }
    char *text = write_page(&page);
    cr_expect(strstr(text, "<dt>Missing</dt><dd><b>2</b>"), "%s", text);
    cr_expect(strstr(text, "</svg> 9223372036854775807</span>"), "%s", text);
    free(text);
}

/* Makes a page while the n-th allocation fails. Returns whether none has failed. */
static bool page_with_little(int n)
{
    struct page page = open_page();
    ssimcu_message message = {{0}};
    report_close(page.report);
    page.report = NULL;
    allocations_left = n;
    ssimcu_status status = report_open("page", true, 0, &page.report, &message);
    if (status == SSIMCU_OK) {
        add(&page, "f#.png", 1, "f1.png", NULL);
        add_at(&page, "f#.png", 2, "f2.png", "flat-area", (struct finding_place){20, 10, 40, 20});
        page.input.threads = 1;
        status = end_page(&page, true, &message);
    }
    const bool whole = allocations_left >= 0;
    allocations_left = -1;
    close_page(&page);
    cr_assert(status == SSIMCU_OK || status == SSIMCU_ERROR_MEMORY, "%d: %s", n, message.text);
    cr_expect_eq(access("page", F_OK) == 0, status == SSIMCU_OK, "allocation %d", n);
    cr_expect(system("rm -rf page; ! ls -d page.* 2>/dev/null") == 0, "allocation %d", n);
    return whole;
}

Test(shots_page, memory_that_runs_out_leaves_no_page)
{
    int n = 0;
    put_picture("f1.png", 0, 0, 0, 0);
    put_picture("f2.png", 20, 10, 40, 20);
    while (!page_with_little(n)) n++;
    cr_expect_gt(n, 20);
}
