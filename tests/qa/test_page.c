/* The report's pages, without pictures: each is held against its text in tests/qa/expected. */
#include "check.h"
#include "expected.h"

#include "base/json.h"
#include "put_hints.h"
#include "record/record.h"
#include "report/frames/report_frame.h"
#include "report/html/scale.h"
#include "report/index.h"
#include "report/page/page.h"
#include "report/page/page_index.h"
#include "report/report.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- Pages as text --------------------------------------------------------------------------- */

/* Returns whether a line differs from run to run, or from version to version. */
static bool varies(const char *line)
{
    return strstr(line, "Content-Security-Policy") || strstr(line, "name=\"generator\"") ||
           strstr(line, "class=\"made\"");
}

/* Writes a page without the embedded style and scripts, and without lines that vary. */
static void put_plain(FILE *to, char *page)
{
    const char *end = NULL; /* end of what is left out */
    for (char *line = page, *next; *line; line = next) {
        next = line + strcspn(line, "\n") + 1;
        next[-1] = '\0';
        if (end && strstr(line, end)) end = NULL;
        const bool kept = !end && !varies(line);
        if (!end && strstr(line, "<style>")) end = "</style>";
        if (!end && strncmp(line, "<script>", 8) == 0) end = "</script>";
        if (kept) fprintf(to, "%.*s\n", (int)(end ? strcspn(line, ">") + 1 : strlen(line)), line);
    }
}

/* Fails unless the page is the one of this name. Frees it. */
static void expect_page(char *page, const char *name)
{
    char *got = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&got, &size);
    put_plain(to, page);
    fclose(to);
    expect_file(got, name);
    free(page), free(got);
}

/* ---- Runs ------------------------------------------------------------------------------------ */

/* A run and what the page needs of it. */
struct run {
    struct report *report;
    struct summary summary;
    struct verdict verdict;
    struct header header;
    struct report_facts facts;
    struct page page;
    struct picture picture[16];
};

static struct run *begin(const struct limits *limits, uint32_t cards)
{
    struct run *run = calloc(1, sizeof *run);
    const ssimcu_settings settings = SSIMCU_INIT(settings);
    cr_assert_eq(report_open("no-such-report", false, cards, &run->report, NULL), SSIMCU_OK);
    summary_start(&run->summary, 3);
    verdict_start(&run->verdict, limits);
    run->header.contract = contract_to_json(
        &(struct contract){.settings = &settings,
                           .tile = 64,
                           .light = &(struct contract_light){.transfer = 1, .exposure = 0.5}});
    run->header.input = json_pack("{sssssssb}", "ref", "renders/ref/", "out", "renders/<out>",
                                  "frames", "1-9", "recursive", 1);
    run->header.device = json_pack("{ss}", "cpu", "CPU, \"AVX2\"");
    run->facts = (struct report_facts){.header = &run->header,
                                       .summary = &run->summary,
                                       .verdict = &run->verdict,
                                       .score_seconds = 1.5};
    return run;
}

static void finish(struct run *run)
{
    run->summary.complete = true;
    cr_assert(summary_finish(&run->summary) && verdict_finish(&run->verdict, &run->summary));
    run->page = (struct page){.report = run->report, .facts = &run->facts};
    run->page.card = collect_cards(run->report, &run->page.cards);
    collect_sort(&run->report->rows);
}

static void release(struct run *run)
{
    report_close(run->report);
    summary_free(&run->summary);
    verdict_free(&run->verdict);
    header_clear(&run->header);
    free(run->page.card);
    free(run);
}

/* Returns the page of a run. */
static char *text_of(struct run *run)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    cr_assert(page_write(to, &run->page));
    fclose(to);
    return text;
}

/* Writes a part of a page, between two texts. */
static void put_part(FILE *to, const char *page, const char *from, const char *end)
{
    const char *const begin = strstr(page, from), *const stop = begin ? strstr(begin, end) : NULL;
    cr_assert(stop, "%s: %s", from, page);
    fprintf(to, "%.*s\n", (int)(stop - begin), begin);
}

static struct picture_file file_of(size_t number, const char *kind, uint32_t width, uint32_t height)
{
    struct picture_file file = {.width = width, .height = height};
    snprintf(file.name, sizeof file.name, "frame-%06zu-%s", number, kind);
    return file;
}

/* Gives a card pictures that are nowhere. */
static void add_pictures(struct run *run, size_t number, struct report_frame *frame)
{
    static const char *const whole[] = {"ref.jpg", "out.jpg", "diff.jpg", "heat.jpg"};
    static const char *const crop[] = {"crop-ref.png", "crop-out.png", "crop-diff.png",
                                       "crop-heat.jpg"};
    struct picture *picture = frame->picture = &run->picture[number];
    picture->score = frame->record.scored.score;
    picture->small = file_of(number, "small.jpg", 160, 90);
    for (int view = 0; view < PICTURE_VIEWS; view++) {
        picture->whole[view] = file_of(number, whole[view], 320, 180);
        if (frame->record.scored.tile.width == 0) continue;
        picture->crop[view] = file_of(number, crop[view], 60 + (uint32_t)number, 100);
        picture->whole[view].box = (struct picture_box){1.5, 2.25, 16, 8};
        picture->crop[view].box = (struct picture_box){3, 4, 32, 24};
    }
    picture->times = 4, picture->crop_times = 0.5;
    picture->low = 0.125, picture->high = 0.875;
}

/* ---- A batch --------------------------------------------------------------------------------- */

static const struct limits LIMITS = {
    .has = 1u << SSIMCU_LIMIT_MIN_FRAME | 1u << SSIMCU_LIMIT_MIN_TILE |
           1u << SSIMCU_LIMIT_MAX_DROP | 1u << SSIMCU_LIMIT_MAX_TILE_DROP,
    .number = {[SSIMCU_LIMIT_MIN_FRAME] = 0.9,
               [SSIMCU_LIMIT_MIN_TILE] = 0.6,
               [SSIMCU_LIMIT_MAX_DROP] = 0.02,
               [SSIMCU_LIMIT_MAX_TILE_DROP] = 0.05},
    .has_score = 1,
    .min_score = {0.95},
    .has_fail_on = true,
    .fail_on = (finding_mask)1 << FINDING_DUPLICATE | (finding_mask)1 << FINDING_BLACK,
    .max_bad = 0,
    .allow_missing = false};

/* Frames of two shots with every kind of fault. `before`: score and tile of the baseline; 0: none.
 */
static const struct row {
    const char *shot, *hints;
    int frame;
    ssimcu_record_kind kind;
    double score, tile, before[2];
} rows[] = {{"sh010", "", 1, RECORD_SCORED, 0.9876, 0.91, {0.9876, 0.91}},
            {"sh010", "", 2, RECORD_SCORED, 0.85, 0.55, {0.85, 0.55}},
            {"sh010", "duplicate", 3, RECORD_SCORED, 0.96, 0.93, {0.96, 0.93}},
            {"sh010", "", 4, RECORD_MISSING, 0, 0, {0}},
            {"sh010", "", 5, RECORD_FAILED, 0, 0, {0}},
            {"sh<020>", "shift +1 +0; gain rgb 0.900", 1, RECORD_SCORED, 0.97, 0.95, {0.97, 0.95}},
            {"sh<020>", "", 2, RECORD_SCORED, 0.96, 0.9, {0.999, 0.97}},
            {"sh<020>", "", 3, RECORD_SCORED, 0.99, 0, {0}},
            {"sh<020>", "", 4, RECORD_SCORED, 1, 1, {1, 1}}};
enum { ROWS = sizeof rows / sizeof rows[0] };

static void add_row(struct run *run, const struct row *row)
{
    char ref[40], out[40];
    const struct verdict_baseline before = {row->before[0], row->before[1], row->before[1] > 0},
                                  *baseline = row->before[0] > 0 ? &before : NULL;
    struct record record = {.frame = row->frame,
                            .kind = row->kind,
                            .shot = (char *)(uintptr_t)row->shot,
                            .scored.score = row->score,
                            .scored.channels = 3,
                            .scored.channel = {row->score, row->score / 2, row->score / 4},
                            .scored.layout = "rgb",
                            .scored.backend = "cpu",
                            .missing = {row->kind == RECORD_MISSING, false},
                            .status = SSIMCU_ERROR_DATA,
                            .message = {"out.png: no \"end\""},
                            .scored.tile = {row->tile, 64, 128, row->tile > 0 ? 64 : 0, 32}};
    put_hints(&record, row->hints);
    snprintf(ref, sizeof ref, "%s/ref.%d.png", row->shot ? row->shot : ".", row->frame);
    snprintf(out, sizeof out, "%s/out.%d.png", row->shot ? row->shot : ".", row->frame);
    if (!record.missing[0]) record.side[0].path = ref;
    record.side[1].path = out;
    if (row->score == 1) { /* linear light */
        record.scored.light[0] = record.scored.light[1] =
            (ssimcu_light_share){.known = true, .clamped = 0.05};
        record.text[RECORD_LEFT] = (char *)"A\nN.x";
    }
    const struct judged judged = verdict_add(&run->verdict, &record, baseline);
    report_add(run->report, &record, &judged);
    summary_add(&run->summary, &record);
    findings_free(&record.findings);
}

static struct run *run_of_rows(const struct limits *limits, size_t first, size_t end)
{
    struct run *run = begin(limits, 2);
    for (size_t i = first; i < end; i++) add_row(run, &rows[i]);
    finish(run);
    return run;
}

Test(page, of_a_batch)
{
    struct run *run = run_of_rows(&LIMITS, 0, ROWS);
    for (size_t i = 0; i < 2; i++) add_pictures(run, i, run->page.card[i]);
    run->picture[0].score += 2e-4; /* the files have changed */
    strcpy(run->picture[1].why, "REF is <gone>");
    expect_page(text_of(run), "batch.html");
    release(run);
}

Test(page, of_a_pair)
{
    struct run *run = run_of_rows(&LIMITS, 1, 2);
    run->facts.pair = true;
    add_pictures(run, 0, run->page.card[0]);
    expect_page(text_of(run), "pair.html");
    release(run);
}

/* Tiles of a GPU are less exact than its frames, and the page says so where it shows any. */
Test(page, tiles_of_a_gpu)
{
    for (int i = 0; i < 4; i++) {
        struct run *run = begin(&LIMITS, 2);
        struct record record = {.kind = RECORD_SCORED,
                                .scored.score = 1,
                                .scored.layout = "grey",
                                .scored.backend = i & 1 ? "cuda" : "cpu",
                                .scored.tile = {1, 0, 0, i & 2 ? 64 : 0, 64}};
        report_add(run->report, &record, &(struct judged){.own = run->verdict.limits});
        summary_add(&run->summary, &record);
        finish(run);
        char *text = text_of(run);
        cr_expect_eq(strstr(text, "tiles within 1e-5 there") != NULL, i == 3, "%d: %s", i, text);
        free(text);
        release(run);
    }
}

/* Without pictures the page says why, once. */
Test(page, without_pictures)
{
    struct run *run = run_of_rows(&LIMITS, 5, ROWS);
    run->page.no_pictures = "OUT is a pipe";
    run->facts.score_seconds = -1;
    json_object_del(run->header.input, "ref");
    expect_page(text_of(run), "no_pictures.html");
    release(run);
}

/* Whatever lies behind the cards in memory: a link to a card that is not there leads nowhere. */
Test(page, cards_end_with_the_last)
{
    struct report_frame frame[2] = {{.at = 0}, {.at = 1}}, *card[] = {&frame[0], &frame[1]};
    const struct page page = {.card = card, .cards = 1};
    cr_expect(page_has_card(&page, card[0]));
    cr_expect_not(page_has_card(&page, card[1]));
}

/* Writes the top of the page for each kind of outcome. */
Test(page, verdicts)
{
    const struct limits none = {0}, few = {.has = 1u << SSIMCU_LIMIT_MIN_FRAME,
                                           .number = {[SSIMCU_LIMIT_MIN_FRAME] = 0.9},
                                           .has_score = 1,
                                           .min_score = {0.5},
                                           .max_bad = 1,
                                           .allow_missing = true};
    static const struct {
        bool limited, share, cut, pair;
        size_t first, end;
    } cases[] = {{false, false, false, false, 0, 4}, /* one is missing */
                 {true, false, false, false, 0, 4},  /* and allowed, as one that is bad */
                 {true, false, false, false, 5, 7},
                 {true, true, false, false, 3, 5},
                 {true, false, true, false, 3, 5},
                 {true, false, false, true, 5, 6},
                 {false, false, false, true, 8, 9},
                 {false, false, false, false, 2, 4}}; /* the worst has a hint */
    char *all = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&all, &size);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct run *run =
            run_of_rows(cases[i].limited ? &few : &none, cases[i].first, cases[i].end);
        run->facts.share = cases[i].share;
        run->facts.pair = cases[i].pair;
        run->verdict.incomplete = cases[i].cut;
        char *text = text_of(run);
        put_part(to, text, "<title>", "</title>");
        put_part(to, text, "<header class=\"top ", "</header>");
        free(text);
        release(run);
    }
    fclose(to);
    expect_page(all, "verdicts.html");
}

/* Every kind of hint has its meaning on the page. */
Test(page, says_what_hints_mean)
{
    const struct limits none = {0};
    struct run *run = begin(&none, 2);
    char expected[200];
    for (int kind = FINDING_BLACK; kind < FINDING_KINDS; kind++)
        add_row(run, &(struct row){.frame = kind,
                                   .kind = RECORD_SCORED,
                                   .shot = "a",
                                   .hints = finding_row(kind)->name,
                                   .score = 0.9,
                                   .tile = 0.8});
    finish(run);
    char *text = text_of(run);
    for (int kind = FINDING_BLACK; kind < FINDING_KINDS; kind++) {
        snprintf(expected, sizeof expected, "title=\"%s\">%s<", finding_row(kind)->meaning,
                 finding_row(kind)->name);
        cr_expect_eq(strstr(text, expected) != NULL, kind != FINDING_DEPTH, "%s: %s", expected,
                     text); /* another depth is said of every frame */
    }
    cr_expect_not(strstr(text, "(null)"), "%s", text);
    free(text);
    release(run);
}

/* A page that passes names the file of limits beside the limits that are options. */
Test(page, names_the_file_of_limits)
{
    const struct limits_file file = {.path = (char *)"shots <1>.limits"};
    struct limits limits = {0};
    limits_set(&limits, SSIMCU_LIMIT_MIN_FRAME, 0.9), limits.file = &file;
    struct run *run = run_of_rows(&limits, 8, 9);
    char *text = text_of(run);
    cr_expect(strstr(text, "Limits: <code>--min-frame 0.9</code>, "
                           "<code>--limits shots &lt;1&gt;.limits</code>."),
              "%s", text);
    free(text);
    release(run);
}

/* The page of a run that ended early says why, whatever pictures an earlier report has left. */
Test(page, that_was_withdrawn)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    page_write_withdrawn(to, &(struct page_withdrawn){"it was <stopped>", "no-such-report"});
    fclose(to);
    cr_expect(strstr(text, " verdict: it was &lt;stopped&gt;</p>\n<p>Pictures of the previous "
                           "report:</p>\n<ul>\n</ul>\n</body>\n</html>\n"),
              "%s", text);
    free(text);
}

/* ---- Many frames ----------------------------------------------------------------------------- */

enum { MANY = 1200, COLUMNS = 600, GAP = 600 /* first of four frames that are missing */ };

static size_t count_of(const char *text, const char *shot)
{
    size_t count = 0;
    for (; (text = strstr(text, shot)); text++) count++;
    return count;
}

/* Writes the area of columns that follow each other: there along the best, back along the worst. */
static void put_area(FILE *to, int begin, int end, double best, double worst)
{
    for (int i = begin; i < end; i++)
        fprintf(to, "%c%.1f %.1f", i == begin ? 'M' : 'L', (i + 0.5) * 1000 / COLUMNS, best);
    for (int i = end; i-- > begin;)
        fprintf(to, "L%.1f %.1f%s", (i + 0.5) * 1000 / COLUMNS, worst, i == begin ? "Z" : "");
}

static char *area_of_many(void)
{
    const struct scale scale = scale_of(0.9, 0.995);
    const double best = 4 + 240 * scale_place(&scale, 0.99), worst = 4 + 240.0;
    char *area = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&area, &size);
    fputs(" d=\"", to);
    put_area(to, 0, GAP / 2, best, worst);
    put_area(to, GAP / 2 + 2, COLUMNS, best, worst);
    fputs("\"/>", to);
    fclose(to);
    return area;
}

/* Two frames are a column of the plot, which has one mark of a kind, and every hundredth a number.
 */
Test(page, plot_of_many_frames)
{
    struct limits limits = {0};
    limits_set(&limits, SSIMCU_LIMIT_MIN_FRAME, 0.995);
    struct run *run = begin(&limits, 2);
    for (int i = 0; i < MANY; i++) {
        const struct row row = {NULL,
                                i % 50 == 7 ? "black" : "",
                                1001 + i,
                                i >= GAP && i < GAP + 4 ? RECORD_MISSING : RECORD_SCORED,
                                i % 2 ? 0.9 : 0.99,
                                0,
                                {0}};
        add_row(run, &row);
    }
    finish(run);
    char *area = area_of_many(), *text = text_of(run);
    cr_expect(strstr(text, area), "%.300s, not %.300s", strstr(text, " d=\"M0.8"), area);
    const unsigned plots = 2; /* of the limits, and of the score */
    cr_expect_eq(count_of(text, "\"#mark-below\""), plots * (COLUMNS - 2));
    cr_expect_eq(count_of(text, "\"#mark-missing\""), plots * 2);
    cr_expect_eq(count_of(text, "\"#mark-hinted\""), plots * 24);
    cr_expect_eq(count_of(text, "<text class=\"frame\""), plots * 6);
    cr_expect_eq(count_of(text, "<text class=\"frame minor\""), plots * 6);
    cr_expect(strstr(text, "<text class=\"frame\" x=\"8.292%\" y=\"313.0\">1100</text>"));
    cr_expect(strstr(text, ">1458</a> and 14 more</li>"), "%.900s", strstr(text, "Hints: "));
    cr_expect(strstr(text, "<p>1000 of 1200 frames: "));
    cr_expect(strstr(text, "<p>The worst frame of every 16, coloured by its multiple of its limit; "
                           "above 1 it is over the limit.</p>"));
    free(area), free(text);
    release(run);
}

/* Long lists end with the number of what they leave out. */
Test(page, lists_of_many_parts_end)
{
    enum { PARTS = 510, MISSING = 250 };
    struct run *run = begin(&LIMITS, 2);
    for (int i = 0; i < PARTS; i++) {
        char shot[16];
        snprintf(shot, sizeof shot, "part%03d", i);
        const struct row row = {shot, "",  7,          i < MISSING ? RECORD_MISSING : RECORD_SCORED,
                                0.99, 0.9, {0.99, 0.9}};
        add_row(run, &row);
    }
    finish(run);
    char *text = text_of(run);
    cr_expect(strstr(text, ">part499</bdi></th>") && strstr(text, "<p>And 10 more.</p>"));
    cr_expect(strstr(text, "<p>And 50 more, named in the results.</p>"));
    cr_expect_eq(count_of(text, "<tr data-frame="), 200u);
    cr_expect_null(strstr(text, "<svg class=\"band"), "so many names have no room");
    free(text);
    release(run);
}

/* ---- Several OUTs ---------------------------------------------------------------------------- */

Test(page, of_several_outs)
{
    struct limits tiles = {0};
    limits_set(&tiles, SSIMCU_LIMIT_MIN_TILE, 0.6);
    struct run *longest = run_of_rows(&tiles, 0, ROWS), *good = run_of_rows(&tiles, 5, 7);
    const struct index_row row[] = {
        {"renders/<a>", "a#1", NULL, 1, NULL, longest->report, &longest->summary,
         &longest->verdict},
        {"renders/b", NULL, "no frame of \"b\"", 0, NULL, NULL, NULL, NULL},
        {"c/", "c", NULL, 2, NULL, good->report, &good->summary, &good->verdict},
        {"d", "d", NULL, 0, NULL, good->report, &good->summary, &good->verdict}};
    char *const groups[] = {"first", "<second>"};
    const struct index outs = {.ref = "renders/ref",
                               .row = row,
                               .count = 3,
                               .sides = true,
                               .group = groups,
                               .groups = 2},
                       passed = {.ref = "ref", .row = row + 2, .count = 2, .share = true};
    longest->summary.coded = (struct summary_coded){.frames = 1, .rate = 2.5e6};
    good->summary.coded.rate = 1e6;
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    cr_assert(page_index(to, &outs));
    cr_assert(page_index(to, &passed));
    page_index_withdrawn(to, "it was <stopped>");
    fclose(to);
    expect_page(text, "outs.html");
    release(longest), release(good);
}

/* The run's first metric comes first in the table; worst tiles are beside SSIM. */
Test(page, first_metric_of_several_outs)
{
    struct run *run = run_of_rows(&LIMITS, 0, ROWS);
    run->summary.metric = SSIMCU_METRIC_PSNR;
    run->summary.numbers.metrics[SSIMCU_METRIC_PSNR] =
        (struct summary_metric){.scored = 1, .score = 38};
    const struct index_row row = {"a",  "a",         NULL,          0,
                                  NULL, run->report, &run->summary, &run->verdict};
    const struct index outs = {.ref = "ref", .row = &row, .count = 1};
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    cr_assert(page_index(to, &outs));
    fclose(to);
    cr_expect(strstr(text, ">kbit/s</th><th scope=\"colgroup\" colspan=\"5\">PSNR</th>"
                           "<th scope=\"colgroup\" colspan=\"5\">SSIM</th>"
                           "<th scope=\"colgroup\" colspan=\"4\">Worst tiles</th></tr>"));
    cr_expect(strstr(text, "</td><td class=\"n\"></td><td class=\"n\">38.00</td>"), "%s",
              strstr(text, "<tbody>"));
    free(text);
    release(run);
}

/* Adds frames of which every second has a bad tile, and of which a few are missing. */
static struct run *run_of_bad_tiles(const struct limits *limits, int count)
{
    struct run *run = begin(limits, 2);
    for (int i = 0; i < count; i++) {
        const bool gone = i >= GAP && i < GAP + 4;
        const struct row row = {
            NULL, "", 1001 + i, gone ? RECORD_MISSING : RECORD_SCORED, 0.99, i % 2 ? 0.7 : 0.9,
            {0}};
        add_row(run, &row);
    }
    finish(run);
    return run;
}

/* Writes their curve from column `begin` to `end`. */
static void put_bad_tiles(FILE *to, int begin, int end, double y)
{
    for (int i = begin; i < end; i++)
        fprintf(to, "%c%.1f %.1f", i == begin ? 'M' : 'L', (i + 0.5) * 1000 / COLUMNS, y);
}

/* Writes the curve of the sixth OUT, which ends after a quarter, and that of the seventh. */
static char *curves_of_bad_tiles(void)
{
    const struct scale scale = scale_of(0.7, 0.95); /* up to the limit */
    const double y = 4 + 240 * scale_place(&scale, 0.7);
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    fputs("<path class=\"curve c5 d0\" d=\"", to);
    put_bad_tiles(to, 0, COLUMNS / 4, y);
    fputs("\"/><path class=\"curve c0 d1\" d=\"", to);
    put_bad_tiles(to, 0, GAP / 2, y);
    put_bad_tiles(to, GAP / 2 + 2, COLUMNS, y);
    fputs("\"/></svg>", to);
    fclose(to);
    return text;
}

/* Three frames, of which the lowest PSNR is not that of the lowest SSIM, and one is identical. */
static struct run *run_of_metrics(const struct limits *limits)
{
    static const double psnr[] = {40.126, 31.5, INFINITY}, score[] = {0.25, 0.5, 1};
    struct run *run = begin(limits, 2);
    run->summary.metric = SSIMCU_METRIC_PSNR;
    report_order_by(run->report, SSIMCU_METRIC_PSNR);
    for (int i = 0; i < 3; i++) {
        struct record record = {.frame = i + 1,
                                .kind = RECORD_SCORED,
                                .scored.score = score[i],
                                .scored.channels = 1,
                                .scored.channel = {score[i]},
                                .scored.layout = "y",
                                .scored.backend = "cpu",
                                .metrics = 1u << SSIMCU_METRIC_PSNR | 1u << SSIMCU_METRIC_MS_SSIM,
                                .metric = {0, psnr[i], score[i], 0},
                                .metric_channel = {{0}, {psnr[i]}, {score[i]}, {0}},
                                .mse = pow(10, -psnr[i] / 10)};
        const struct judged judged = verdict_add(&run->verdict, &record, NULL);
        summary_add(&run->summary, &record);
        report_add(run->report, &record, &judged);
    }
    finish(run);
    return run;
}

/* Every metric has a plot, a column and a number; the first orders the frames. */
Test(page, several_metrics)
{
    static const char *const cases[] = {
        "id=\"plot-excess\" checked><label for=\"plot-excess\">Limits</label>",
        "id=\"plot-psnr\"><label for=\"plot-psnr\">PSNR</label>",
        "id=\"plot-ms_ssim\"><label",
        "PSNR</span> of each frame; identical frames are at its top.",
        ">--min-frame psnr=32<",
        "<svg class=\"curves\" data-metric=\"MS-SSIM\"",
        "<dt>Mean PSNR</dt><dd><b data-metric=\"psnr\">35.71</b> of the mean",
        "lowest 31.50<br>1 identical frame</dd>",
        "<b id=\"furthest\">1.06</b> x its limit, frame ",
        ">PSNR</th><th scope=\"col\" class=\"n\">SSIM</th>",
        "<td class=\"n\">inf</td><td class=\"n\">1.000000</td>",
        "<b class=\"score\">PSNR 31.50</b>",
        "<li><span>PSNR</span> 40.12</li>",
        "<li>PSNR below <code>--min-frame psnr=32</code></li>",
        "\"metrics\":{\"PSNR\":[40.12,31.50,1e999],\"MS-SSIM\":[0.250000,",
        "1 of 3 frames have a PSNR below <code>--min-frame psnr=32</code>: ",
        "The mean PSNR, 35.71, is below <code>--min-score psnr=36</code>."};
    struct limits limits = {0};
    limits_set(&limits, limits_fault(SSIMCU_METRIC_PSNR), 32),
        limits_set_score(&limits, SSIMCU_METRIC_PSNR, 36);
    struct run *run = run_of_metrics(&limits);
    cr_assert_eq(run->page.card[0]->record.frame, 2, "the lowest PSNR comes first");
    char *text = text_of(run);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_expect(strstr(text, cases[i]), "%s: %.3000s", cases[i], text);
    free(text);
    release(run);
}

/* The page over several OUTs has a mean, a lowest and a plot of each metric, that of the run first.
 */
Test(page, several_metrics_of_outs)
{
    struct limits limits = {0};
    struct run *run = run_of_metrics(&limits);
    const struct index_row row[] = {
        {"a", "a", NULL, 0, NULL, run->report, &run->summary, &run->verdict},
        {"b", NULL, "it is not there", 0, NULL, NULL, NULL, NULL}};
    const struct index index = {.ref = "ref", .row = row, .count = 2};
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    run->summary.metric = SSIMCU_METRIC_PSNR;
    cr_assert(page_index(to, &index));
    fclose(to);
    const char *const scores = strstr(text, "<h2>Scores</h2>"), *psnr = strstr(text, "<h2>PSNR");
    cr_expect(scores && psnr && psnr < scores);
    cr_expect(strstr(text, "<th scope=\"colgroup\" colspan=\"5\">PSNR</th>"));
    cr_expect(strstr(text, "<td class=\"n\">35.71</td>"), "%s", text);
    cr_expect(strstr(text, "<td class=\"n\">31.50</td><td class=\"n\">2</td>"), "%s", text);
    cr_expect(strstr(text, "<td colspan=\"23\">No result"));
    cr_expect(strstr(text, "<h2>PSNR</h2>") && strstr(text, "<h2>MS-SSIM</h2>"));
    free(text);
    release(run);
}

/* Columns are those of the longest OUT. A gap interrupts its curve, and a shorter one ends before.
 * The seventh curve has the colour of the first. */
Test(page, overlay_of_many_frames)
{
    enum { OUTS = 7 };
    struct limits limits = {0};
    struct index_row row[OUTS];
    char *text = NULL, *curves = curves_of_bad_tiles();
    size_t size = 0;
    limits_set(&limits, SSIMCU_LIMIT_MIN_TILE, 0.95);
    struct run *run[2] = {run_of_bad_tiles(&limits, MANY / 4), run_of_bad_tiles(&limits, MANY)};
    for (int i = 0; i < OUTS; i++) {
        const struct run *of = run[i == OUTS - 1];
        row[i] =
            (struct index_row){"a", NULL, NULL, 0, NULL, of->report, &of->summary, &of->verdict};
    }
    const struct index index = {.ref = "ref", .row = row, .count = OUTS};
    FILE *to = open_memstream(&text, &size);
    cr_assert(page_index(to, &index));
    fclose(to);
    cr_expect(strstr(text, curves), "%.300s, not %.300s", strstr(text, "c5 d0\" d="), curves);
    cr_expect(strstr(text, "<text class=\"frame\" x=\"24.958%\" y=\"273.0\">1300<"));
    cr_expect_eq(count_of(text, "<rect class=\"f0\""),
                 6u); /* the first, the last, and behind a gap */
    cr_expect_eq(count_of(text, "<text class=\"frame\""), 10u);
    cr_expect_eq(count_of(text, "--min-tile 0.95"), 1u);
    free(text), free(curves);
    release(run[0]), release(run[1]);
}
