/* The report's parts that need no run: what is kept of many frames, text on its way into HTML, the
 * axis, differences. */
#include "check.h"

#include "base/xml.h"
#include "put_hints.h"
#include "record/record.h"
#include "report/folder/contents.h"
#include "report/folder/folder.h"
#include "report/frames/collect.h"
#include "report/frames/difference.h"
#include "report/frames/report_frame.h"
#include "report/html/scale.h"
#include "report/page/page.h"
#include "report/report.h"

#include "ssimcu_io.h"

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct judged no_limits = {0};

/* ---- What is kept ---------------------------------------------------------------------------- */

enum { MANY = 100000 };

static struct report *begin(uint32_t frames)
{
    ssimcu_message why = {{0}};
    struct report *report = NULL;
    cr_assert_eq(report_open("no-such-report", false, frames, &report, &why), SSIMCU_OK, "%s",
                 why.text);
    return report;
}

/* Adds frame n of scores that fall and rise, some with a fault, a hint, or nothing at all. */
static void add(struct report *report, int64_t n)
{
    char ref[] = "ref/0.png", out[] = "out/0.png";
    struct record record = {.frame = n,
                            .scored.score = 0.9 + (double)(n * 7919 % 1000) / 1e5,
                            .scored.channels = 1,
                            .scored.layout = "grey",
                            .scored.backend = "cpu",
                            .scored.tile = {0.5 + (double)(n * 104729 % 1000) / 1e4, 0, 0, 64, 64},
                            .side = {{.path = ref}, {.path = out}}};
    if (n % 1000 == 500) record.kind = RECORD_FAILED;
    if (n % 1000 >= 600 && n % 1000 < 620) put_hints(&record, "black");
    struct judged judged = no_limits;
    if (n % 1000 == 700) judged.fails = 1u << SSIMCU_LIMIT_MIN_FRAME;
    report_add(report, &record, &judged);
    findings_free(&record.findings);
}

Test(report, keeps_few_of_many)
{
    struct report *report = begin(12);
    for (int64_t n = 0; n < MANY; n++) add(report, n);
    cr_assert(!report->out_of_memory);
    cr_assert_eq(report->count, MANY);
    cr_assert_eq(report->rows.count, COLLECT_ROWS);
    cr_assert_eq(report->worst.count, 12);
    cr_assert_leq(report->sheet.count, COLLECT_SHEET);
    cr_assert_geq(report->sheet.count, COLLECT_SHEET / 2);
    for (size_t i = 0; i < report->sheet.count; i++) { /* each stretch has some that failed */
        cr_assert_eq(report->sheet.frame[i]->at / report->stride, i);
        cr_assert_eq(report->sheet.frame[i]->record.kind, RECORD_FAILED);
    }
    for (size_t i = 0; i < 200; i++) /* failed or beyond a limit, before all hints */
        cr_assert(report->rows.frame[i]->judged.fails ||
                  report->rows.frame[i]->record.kind == RECORD_FAILED);
    cr_assert(report->rows.frame[200]->has_hints);
    report_close(report);
}

/* 100 runs of 20 black frames: the first frame of each run stands for all. */
Test(report, shows_where_something_begins)
{
    size_t count, hinted = 0;
    struct report *report = begin(12);
    for (int64_t n = 0; n < MANY; n++) add(report, n);
    struct report_frame **card = collect_cards(report, &count);
    cr_assert(card && count > 24 && count <= 48, "%zu", count);
    for (size_t i = 0; i < count; i++) {
        cr_assert(i == 0 || card[i]->record.scored.score >= card[i - 1]->record.scored.score);
        hinted += card[i]->begins && (card[i]->has_hints || card[i]->judged.fails);
    }
    cr_assert_geq(hinted, 24, "%zu", hinted);
    free(card);
    report_close(report);
}

/* Adds a record that has nothing except its number and, if it is scored, hints. */
static void add_plain(struct report *report, int64_t n, ssimcu_record_kind kind, unsigned faults,
                      const char *hints)
{
    struct record record = {.frame = n,
                            .kind = kind,
                            .scored.score = 0.9,
                            .scored.channels = 1,
                            .scored.layout = "grey",
                            .scored.backend = "cpu"};
    put_hints(&record, hints);
    struct judged judged = no_limits;
    judged.fails = faults;
    report_add(report, &record, &judged);
    findings_free(&record.findings);
}

/* A frame with a hint is shown although its score is high. */
Test(report, shows_frames_with_hints)
{
    size_t count;
    struct report *report = begin(2);
    for (int64_t n = 0; n < 40; n++) {
        struct record record = {.frame = n,
                                .scored.score = n == 20 ? 0.99 : 0.9,
                                .scored.channels = 1,
                                .scored.layout = "grey",
                                .scored.backend = "cpu"};
        if (n == 20) put_hints(&record, "duplicate");
        report_add(report, &record, &no_limits);
        findings_free(&record.findings);
    }
    struct report_frame **card = collect_cards(report, &count);
    cr_assert(card && count == 3, "%zu", count);
    cr_assert(card[2]->record.frame == 20 && card[2]->has_hints);
    free(card);
    report_close(report);
}

/* Each kind of hint has a card, however many worse frames there are of another kind. */
Test(report, cards_of_each_kind_of_hint)
{
    size_t count;
    finding_mask kinds = 0;
    struct report *report = begin(2);
    for (int64_t n = 0; n < 40; n++)
        add_plain(report, n, RECORD_SCORED, 1,
                  n == 30   ? "duplicate"
                  : n == 35 ? "shift +3 +0; depth REF 16 OUT 8"
                            : "black");
    struct report_frame **card = collect_cards(report, &count);
    cr_assert(card);
    for (size_t i = 0; i < count; i++) kinds |= report->point[card[i]->at].kinds;
    cr_assert_eq(kinds, finding_bit(FINDING_BLACK) | finding_bit(FINDING_DUPLICATE) |
                            finding_bit(FINDING_SHIFT));
    free(card);
    report_close(report);
}

Test(report, sheet_has_what_is_wrong)
{
    struct report *report = begin(12);
    for (int64_t n = 0; n < 2 * COLLECT_SHEET; n++)
        add_plain(report, n, n % 2 ? RECORD_MISSING : RECORD_SCORED, 0, n == 100 ? "black" : "");
    add_plain(report, 2 * COLLECT_SHEET, RECORD_SCORED, 1u << SSIMCU_LIMIT_MIN_TILE, "");
    add_plain(report, 2 * COLLECT_SHEET + 1, RECORD_SCORED, 0, "black");
    cr_assert_eq(report->stride, 4);
    for (size_t i = 0; i < report->sheet.count; i++) /* frames that may be missing tell nothing */
        cr_assert_eq(report->sheet.frame[i]->at, i * report->stride);
    report_close(report);
}

/* A record owns all its texts, so the report has copies. */
Test(report, record_keeps_its_texts)
{
    struct report *report = begin(12);
    for (int64_t n = 0; n < 3; n++) {
        struct record record = {.frame = n,
                                .scored.score = 1,
                                .scored.channels = 1,
                                .scored.layout = "grey",
                                .scored.backend = "cpu"};
        record.shot = strdup("sh010"), record.text[RECORD_LEFT] = strdup("A");
        record.text[RECORD_PENDING_HINTS] = strdup("|");
        record.side[0].path = strdup("ref.exr"), record.side[1].path = strdup("out.exr");
        report_add(report, &record, &no_limits);
        cr_assert_str_eq(record.text[RECORD_LEFT], "A");
        record_clear(&record);
    }
    cr_assert_str_eq(report->rows.frame[2]->record.side[1].path, "out.exr");
    report_close(report);
}

/* Adds frames of several parts and folders, more than the lists hold, and closes the report. */
static void collect_and_close(void)
{
    size_t count;
    char shot[16], path[32];
    struct report *report = begin(2);
    report->inputs.inode = 1; /* as if there were a report before it */
    for (int64_t n = 0; n < 3 * COLLECT_SHEET; n++) {
        snprintf(shot, sizeof shot, "sh%03d", (int)n / 200);
        snprintf(path, sizeof path, "%s/out.%d.png", shot, (int)n);
        struct record record = {.frame = n,
                                .scored.score = 0.9 - (double)n * 1e-5,
                                .scored.channels = 1,
                                .scored.layout = "grey",
                                .scored.backend = "cpu",
                                .shot = shot,
                                .scored.tile = {0.5, 0, 0, 64, 64},
                                .side = {{.path = path}, {.path = path}}};
        if (n % 100 == 3) put_hints(&record, "black");
        report_add(report, &record, &no_limits);
        findings_free(&record.findings);
    }
    cr_assert(!report->out_of_memory);
    free(collect_cards(report, &count));
    report_close(report);
}

/* Nothing stays in memory. A sanitizer's memory is its own. */
Test(report, nothing_stays_in_memory)
{
    enum { RUNS = 4, LEAST = 32 /* bytes of the smallest allocation */ };
    size_t before = 0;
    for (int k = 0; k <= RUNS; k++) {
        collect_and_close();
        if (k == 0) before = mallinfo2().uordblks + mallinfo2().hblkhd;
    }
    cr_expect_lt(mallinfo2().uordblks + mallinfo2().hblkhd, before + RUNS * LEAST);
}

Test(report, kinds_of_hints)
{
    struct report *report = begin(12);
    static const struct {
        const char *hints;
        finding_mask kinds;
    } rows[] = {{"", 0},
                {"black", (finding_mask)1 << FINDING_BLACK},
                {"depth REF 16 OUT 8", 0},
                {"depth REF 16 OUT 8; black", (finding_mask)1 << FINDING_BLACK},
                {"gain r 0.900; offset r +0.0200",
                 (finding_mask)1 << FINDING_GAIN | (finding_mask)1 << FINDING_OFFSET},
                {"frame-offset +1", (finding_mask)1 << FINDING_FRAME_OFFSET},
                {"framed", 0},
                {"exposure +1.000", (finding_mask)1 << FINDING_EXPOSURE},
                {"curve OUT none", (finding_mask)1 << FINDING_CURVE},
                {"foreign-frame", (finding_mask)1 << FINDING_FOREIGN_FRAME}};
    enum { COUNT = sizeof rows / sizeof rows[0] };
    for (int i = 0; i < COUNT; i++) add_plain(report, i, RECORD_SCORED, 0, rows[i].hints);
    for (int i = 0; i < COUNT; i++)
        cr_assert_eq(report->point[i].kinds, rows[i].kinds, "%s", rows[i].hints);
    collect_sort(&report->rows);
    cr_assert(report->rows.frame[3]->begins, "where all have another depth, too");
    report_close(report);
}

/* ---- Text ------------------------------------------------------------------------------------ */

static void written(void (*put)(FILE *, const char *), const char *text, const char *expected)
{
    char *got = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&got, &size);
    put(to, text);
    fclose(to);
    cr_assert_str_eq(got, expected);
    free(got);
}

Test(report, text_means_nothing_in_html)
{
    written(xml_text, "<script>&\"'", "&lt;script&gt;&amp;&quot;&#39;");
    written(xml_text, "a\nb\x01\x7f\xff", "a\\nb\\x01\\x7F\\xFF");
    written(xml_text, "\xe5\x86\x99\xe7\x9c\x9f", "\xe5\x86\x99\xe7\x9c\x9f");
    written(html_link, "../a b/#?%\"<'&\xff:.png", "../a%20b/%23%3F%25%22%3C%27%26%FF%3A.png");
}

/* ---- The axis -------------------------------------------------------------------------------- */

/* Values in dB or points have a linear axis of round numbers; an infinite one is at its top. */
Test(report, linear_axis)
{
    const double pairs[][2] = {{30, 45.5}, {-63.7, 100}, {38, 38},
                               {0, 0},     {-900, 100},  {INFINITY, -INFINITY}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        const struct scale scale = scale_linear(pairs[i][0], pairs[i][1]);
        double tick[SCALE_TICKS];
        const size_t count = scale_ticks(&scale, 0.1, tick);
        cr_assert(count >= 2 && tick[0] == scale.low, "%zu", i);
        cr_assert_float_eq(tick[count - 1], scale.high, 1e-9, "%zu", i);
        cr_assert_eq(scale_place(&scale, INFINITY), 0);
        if (i > 4) continue;
        cr_assert(scale.low <= pairs[i][0] && scale.high >= pairs[i][1], "%zu", i);
    }
    const struct scale scale = scale_linear(20, 40);
    cr_assert(scale_place(&scale, 30) == 0.5 && scale_score(&scale, 0.25) == 35);
}

Test(report, axis_holds_all_scores)
{
    const double pairs[][2] = {{-0.3, 1}, {0, 0}, {1, 1}, {0.5, 0.5}, {0.97, 0.98}, {0.99995, 1}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        const struct scale scale = scale_of(pairs[i][0], pairs[i][1]);
        cr_assert_lt(scale.first, scale.last);
        cr_assert_geq(scale_place(&scale, pairs[i][0]), scale_place(&scale, pairs[i][1]));
        cr_assert_leq(scale_place(&scale, pairs[i][0]), 1);
        cr_assert_geq(scale_place(&scale, pairs[i][1]), 0);
    }
    const struct scale scale = scale_of(0.9, 0.99);
    cr_assert_float_eq(scale_place(&scale, 0.9), 1, 1e-9);
    cr_assert_float_eq(scale_place(&scale, 0.99), 0, 1e-9);
    cr_assert_float_eq(scale_score(&scale, 0.5), 1 - pow(10, -1.5), 1e-9);
    cr_assert(scale_place(&scale, 0.5) == 1 && scale_place(&scale, 1) == 0); /* beyond its ends */
    const struct scale_classes classes = scale_classes_of_scores();
    cr_assert_eq(scale_class(&classes, -1), 0);
    cr_assert_eq(scale_class(&classes, 0.8), 1);
    cr_assert_eq(scale_class(&classes, 1), SCALE_CLASSES - 1);
}

/* ---- The folder ------------------------------------------------------------------------------ */

static int failing_rename; /* number of the next call that fails; 0: none */

int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to)
{
    if (failing_rename == 0 || --failing_rename > 0) return __real_rename(from, to);
    errno = EIO;
    return -1;
}

static void put_page(const char *folder, const char *text)
{
    char name[200];
    snprintf(name, sizeof name, "%s/index.html", folder);
    FILE *file = fopen(name, "w");
    cr_assert(file && fprintf(file, CONTENTS_MARK "\">%s", text) > 0 && fclose(file) == 0);
}

static bool page_says(const char *folder, const char *text)
{
    char name[200], got[200] = "";
    snprintf(name, sizeof name, "%s/index.html", folder);
    FILE *file = fopen(name, "r");
    if (!file) return false;
    cr_assert_not_null(fgets(got, sizeof got, file));
    fclose(file);
    return strstr(got, text) != NULL;
}

/* Whichever of the two renames fails, the earlier report is where it was. */
Test(report, earlier_one_is_put_back)
{
    char scratch[] = "/tmp/ssimcu-folder-XXXXXX";
    cr_assert(mkdtemp(scratch) && chdir(scratch) == 0);
    for (int fails = 2; fails >= 0; fails--) {
        struct folder_draft draft;
        ssimcu_message why = {{0}};
        cr_assert_eq(folder_make("r", &draft, &why), SSIMCU_OK, "%s", why.text);
        put_page(draft.path, fails ? "new" : "last");
        failing_rename = 0;
        if (fails == 2) { /* the earlier report */
            cr_assert_eq(folder_commit("r", &draft, &why), SSIMCU_OK, "%s", why.text);
            put_page("r", "old");
            folder_close(&draft);
            cr_assert_eq(folder_make("r//", &draft, &why), SSIMCU_OK, "%s", why.text);
            put_page(draft.path, "new");
        }
        failing_rename = fails;
        cr_assert_eq(folder_commit("r/", &draft, &why), fails ? SSIMCU_ERROR_WRITE : SSIMCU_OK);
        cr_assert(page_says("r", fails ? "old" : "last"), "rename %d", fails);
        cr_assert_eq(why.text[0] != '\0', fails > 0);
        folder_close(&draft);
    }
    ssimcu_message why = {{0}};
    cr_assert_eq(folder_check("r/", &why), SSIMCU_OK, "%s", why.text);
    cr_assert_eq(system("test \"$(ls)\" = r && rm -r r"), 0, "nothing is left beside it");
    cr_assert(chdir("/") == 0 && rmdir(scratch) == 0);
}

/* ---- Differences ----------------------------------------------------------------------------- */

static ssimcu_frame flat(uint8_t level)
{
    ssimcu_frame frame = {.width = 50, .height = 40, .channels = 3, .bits = 8};
    cr_assert_eq(ssimcu_frame_alloc(&frame, NULL), SSIMCU_OK);
    for (uint32_t y = 0; y < frame.height; y++)
        memset((uint8_t *)frame.data + y * frame.pitch, level, 3 * frame.width);
    return frame;
}

/* A difference is as large as fits: of all samples, or of all but a thousandth. */
Test(report, differences_are_made_large)
{
    const struct {
        uint8_t out;
        size_t spots; /* samples that differ by far more */
        double times;
        int shown;
    } rows[] = {{100, 0, 32, 128}, {103, 0, 32, 224}, {104, 0, 16, 192}, {99, 0, 32, 96},
                {227, 0, 1, 255},  {228, 0, .5, 192}, {103, 6, 32, 224}, {103, 7, .5, 129}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ssimcu_frame ref = flat(100), out = flat(rows[i].out), picture;
        double times = 0;
        memset(out.data, 255, rows[i].spots);
        cr_assert_eq(difference_draw(&ref, &out, &picture, &times, NULL), SSIMCU_OK);
        cr_assert_eq(times, rows[i].times, "row %zu: %g", i, times);
        cr_assert_eq(((uint8_t *)picture.data)[3 * 49], rows[i].shown, "row %zu", i);
        ssimcu_frame_free(&ref), ssimcu_frame_free(&out), ssimcu_frame_free(&picture);
    }
}

/* ---- Digits ---------------------------------------------------------------------------------- */

/* What is below a limit is below it in the page's digits, and in the colour of the sheet. */
Test(report, digits_and_classes_keep_to_a_limit)
{
    const double scores[] = {0.97, 0.9699999, 0.9999999, 1, 0.868162090};
    const char *const shown[] = {"0.970000", "0.969999", "0.999999", "1.000000", "0.868162"};
    const struct scale_classes classes = scale_classes_of_limits();
    for (size_t i = 0; i < sizeof scores / sizeof scores[0]; i++) {
        char got[HTML_VALUE];
        cr_assert_str_eq(html_value(got, SSIMCU_METRIC_SSIM, scores[i]), shown[i]);
    }
    cr_assert_eq(scale_class(&classes, 1 - 2.5), 0);
    cr_assert_eq(scale_class(&classes, 1 - 1.0001), SCALE_BELOW);
    cr_assert_gt(scale_class(&classes, 1 - 1), SCALE_BELOW);
    cr_assert_eq(scale_class(&classes, 1 - 0.5), SCALE_CLASSES - 1);
}
