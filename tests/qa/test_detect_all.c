/* A whole check of a source that the test makes. Shots, records and findings come out of it, and
 * some things end it early. */
#include "detect_shot.h"

#include "detect/detect.h"
#include "pair/layers.h"
#include "pair/pair.h"
#include "record/record.h"

#include <stdio.h>

enum { MOST = 40, SHOTS = 3 };

/* A frame of the source. It fails, or is missing, or shows waves that move. */
struct item {
    const char *shot;
    int64_t frame;
    enum { WAVES, FAILED, NO_MEMORY, MISSING, CODED, CODED_REF, CHANGED } what;
    void (*change)(ssimcu_frame *frame); /* CHANGED; of floats */
    const char *declared;
};

struct fake {
    struct source base;
    const struct item *item;
    size_t count, at;
    ssimcu_frame frame[MOST];
};

static bool next(struct source *source, struct pair *pair)
{
    static const ssimcu_clip_format format;
    struct fake *fake = (struct fake *)source;
    struct record *record = pair->record;
    ssimcu_message why = {"x.png: truncated"};
    if (fake->at == fake->count) return false;
    const struct item *item = &fake->item[fake->at];
    pair->place[0] = (int64_t)fake->at++;
    record->frame = item->frame, record->shot = strdup(item->shot);
    record->coded[1] =
        (ssimcu_coded){.known = item->what == CODED,
                       .time = (double)(item->frame + (item->frame > 5 ? 3 : 0)) / 25};
    if (item->what == MISSING) record->kind = RECORD_MISSING;
    if (item->what == MISSING) return true;
    record->side[1] = (struct record_side){.path = strdup("x.png"), .known = true, .bytes = 77};
    record->text[RECORD_STREAMS] = strdup("0 of 2"), record->text[RECORD_LEFT] = strdup("Z");
    record->text[RECORD_DECLARED] = strdup(item->declared ? item->declared : "PNG");
    if (item->what == FAILED) record_fail(record, SSIMCU_ERROR_DATA, &why);
    if (item->what == NO_MEMORY) record_fail(record, SSIMCU_ERROR_MEMORY, &why);
    pair->format[0] = item->what == CODED_REF ? &format : NULL;
    pair->format[1] = item->what == CODED ? &format : NULL;
    return true;
}

static ssimcu_status load(const struct source *source, struct pair *pair, ssimcu_message *message)
{
    const struct fake *fake = (const struct fake *)source;
    (void)message;
    pair->planes = 1;
    pair->plane[0][0] = pair->plane[1][0] = fake->frame[pair->place[0]];
    return SSIMCU_OK;
}

static const struct source_kind kind = {.next = next, .load = load};

/* What came out of a check. */
struct seen {
    size_t records, begun, frames[MOST];
    int64_t numbers[MOST], progress;
    char shots[MOST], text[MOST][64], streams, left, layer;
    ssimcu_record_kind kinds[MOST];
    finding_mask found[MOST], all;
    bool last[MOST], missing[MOST][2];
    int64_t bytes[MOST];
    ssimcu_status status[MOST];
    size_t stop_at;     /* records after which it ends; 0: never */
    size_t stop_before; /* shots likewise */
    char remark[600];
};

static bool take(void *user, struct record *record, bool known)
{
    struct seen *seen = user;
    const size_t at = seen->records++;
    cr_assert(!known && at < MOST);
    seen->numbers[at] = record->frame, seen->shots[at] = record->shot[0];
    seen->kinds[at] = record->kind, seen->found[at] = findings_kinds(&record->findings);
    seen->all |= seen->found[at];
    seen->last[at] = record->last, seen->status[at] = record->status;
    memcpy(seen->missing[at], record->missing, sizeof record->missing);
    snprintf(seen->text[at], sizeof *seen->text, "%.60s", record->message.text);
    seen->bytes[at] = record->side[1].path ? record->side[1].bytes : -1;
    seen->streams += record->text[RECORD_STREAMS] != NULL,
        seen->left += record->text[RECORD_LEFT] != NULL;
    seen->layer += record->text[RECORD_LAYER] != NULL;
    cr_expect(!record->side[0].path && isnan(record->coded[1].time) &&
              isnan(record->coded[0].time));
    return seen->records != seen->stop_at;
}

static bool before(void *user, size_t at)
{
    struct seen *seen = user;
    cr_expect_eq(at, seen->begun);
    return ++seen->begun != seen->stop_before;
}

static void progress(void *user, int64_t done) { ((struct seen *)user)->progress = done; }

static void remark(void *user, const char *line)
{
    snprintf(((struct seen *)user)->remark, sizeof((struct seen *)user)->remark, "%s", line);
}

/* Checks these frames. */
static ssimcu_status check(const struct item *item, size_t count, const struct noref_shot *shots,
                           const char *frames, struct seen *seen, ssimcu_message *why)
{
    struct fake fake = {.base.kind = &kind, .item = item, .count = count};
    struct batch_times times;
    ssimcu_ranges ranges = {0};
    const ssimcu_image_options limits = {
        .struct_size = sizeof limits, .remark = remark, .user = seen};
    for (size_t i = 0; i < count; i++) {
        fake.frame[i] =
            draw(3, item[i].what == CHANGED ? SSIMCU_BITS_F32 : 8, (double)item[i].frame);
        if (item[i].what == CODED || item[i].what == CODED_REF) {
            fill(&fake.frame[i], 0, 0, WIDTH, HEIGHT, 20);
            fill(&fake.frame[i], 0, 80, 8, 8, (uint8_t)(20 + i));
        }
        if (item[i].what == CHANGED) fake.frame[i].height = 80; /* it is faster */
        if (item[i].change) item[i].change(&fake.frame[i]);
    }
    if (frames) cr_assert_eq(ssimcu_ranges_parse(frames, &ranges, NULL), SSIMCU_OK);
    const struct detect_config config = {.sequence = shots,
                                         .frames = frames ? &ranges : NULL,
                                         .limits = &limits,
                                         .threads = 2,
                                         .take = take,
                                         .before = before,
                                         .progress = progress,
                                         .user = seen};
    const ssimcu_status status = detect_all(&config, &fake.base, &times, why);
    if (frames) ssimcu_ranges_free(&ranges);
    for (size_t i = 0; i < count; i++) ssimcu_frame_free(&fake.frame[i]);
    return status;
}

static ssimcu_message why; /* checks that cannot fail leave none */

static const struct noref_shot shots[SHOTS] = {
    {.name = "a", .numbered = true}, {.name = "b"}, {.name = "c", .video = true}};

static const struct item two_shots[] = {
    {"a", 1, WAVES, NULL, NULL},    {"a", 2, WAVES, NULL, NULL}, {"a", 3, WAVES, NULL, NULL},
    {"a", 4, FAILED, NULL, NULL},   {"a", 5, WAVES, NULL, NULL}, {"a", 8, WAVES, NULL, NULL},
    {"c", -1, MISSING, NULL, NULL}, {"c", 0, WAVES, NULL, NULL}, {"c", 1, WAVES, NULL, NULL}};
enum { TWO = sizeof two_shots / sizeof *two_shots };

/* Records come in order, with their shot's missing frames, from the sequences that have any. */
Test(detect_all, records_of_two_shots)
{
    static const struct noref_shot both[] = {{.name = "a", .numbered = true},
                                             {.name = "c", .video = true}};
    static struct seen seen;
    cr_assert_eq(check(two_shots, TWO, both, NULL, &seen, &why), SSIMCU_OK);
    cr_assert_eq(seen.records, 10);
    cr_expect(seen.begun == 2 && seen.progress == 8);
    for (size_t i = 0; i < 10; i++) {
        const bool missing = i == 5 || i == 6, failed = i == 3;
        cr_expect_eq(seen.shots[i], i < 8 ? 'a' : 'c');
        cr_expect_eq(seen.numbers[i], i < 8 ? (int64_t)i + 1 : (int64_t)i - 8);
        cr_expect_eq(seen.kinds[i], missing  ? RECORD_MISSING
                                    : failed ? RECORD_FAILED
                                             : RECORD_CHECKED);
        cr_expect_eq(seen.last[i], i == 7 || i == 9);
        cr_expect_eq(seen.found[i],
                     missing  ? finding_bit(FINDING_MISSING)
                     : failed ? finding_bit(FINDING_UNREADABLE)
                              : 0,
                     "record %zu", i);
        cr_expect(!seen.missing[i][0] && seen.missing[i][1] == missing);
        cr_expect_eq(seen.status[i], failed ? SSIMCU_ERROR_DATA : SSIMCU_OK);
        cr_expect_str_eq(seen.text[i], failed ? "x.png: truncated" : "");
        cr_expect_eq(seen.bytes[i], missing ? -1 : 77);
    }
    cr_expect(seen.streams == 8 && seen.left == 7 && seen.layer == 0);
}

/* A receiver ends it without an error, and so does a refused shot. Memory that runs out is an
 * error. */
Test(detect_all, early_ends)
{
    static const struct noref_shot both[] = {{.name = "a", .numbered = true},
                                             {.name = "c", .video = true}};
    for (int row = 0; row < 4; row++) {
        struct seen seen = {.stop_at = row == 0   ? 2
                                       : row == 1 ? 9
                                                  : 0,
                            .stop_before = row == 2 ? 2 : 0};
        ssimcu_message ended = {""};
        struct item items[TWO];
        memcpy(items, two_shots, sizeof items);
        if (row == 3) items[4].what = NO_MEMORY;
        const ssimcu_status status = check(items, TWO, both, NULL, &seen, &ended);
        cr_expect_eq(status, row == 3 ? SSIMCU_ERROR_MEMORY : SSIMCU_OK, "row %d", row);
        cr_expect_str_eq(ended.text, row == 3 ? "x.png: truncated" : "");
        cr_expect_eq(seen.records,
                     row == 0   ? 2
                     : row == 1 ? 9
                     : row == 2 ? 8
                                : 0,
                     "row %d: %zu", row, seen.records);
    }
}

/* Frames of video are of one colour to two levels, and pictures to none. */
Test(detect_all, tolerance_of_video)
{
    for (int video = 0; video < 2; video++) {
        struct item items[4];
        static struct seen seen;
        seen = (struct seen){0};
        for (int i = 0; i < 4; i++)
            items[i] = (struct item){"a", i, video ? CODED : CODED_REF, NULL, NULL};
        cr_assert_eq(check(items, 4, shots, NULL, &seen, &why), SSIMCU_OK);
        for (int i = 0; i < 4; i++)
            cr_expect_eq(seen.found[i] >> FINDING_BLANK & 1, i == 0 || (video && i < 3),
                         "%d, frame %d", video, i);
    }
}

static int drawn; /* frames of the check so far */

static void put_waves(ssimcu_frame *frame)
{
    ssimcu_frame waves = draw(3, 8, drawn++);
    memcpy(frame->data, waves.data, frame->pitch * frame->height);
    ssimcu_frame_free(&waves);
}

/* Draws a frame whose red is of one colour to five levels, as a codec leaves it. */
static void put_traces(ssimcu_frame *frame)
{
    put_waves(frame);
    for (uint32_t y = 0; y < HEIGHT; y++)
        for (uint32_t x = 0; x < WIDTH; x++)
            ((uint8_t *)frame->data)[y * frame->pitch + 3 * x] = (uint8_t)(100 + x % 2 * 5);
}

/* A channel of video is lost although a codec left traces there. One of pictures then has work. */
Test(detect_all, traces_of_a_codec)
{
    enum { COUNT = 12 };
    static const int places[3] = {0, 5, COUNT - 1};
    for (int row = 0; row < 6; row++) {
        const int at = places[row / 2], video = row % 2;
        struct item items[COUNT];
        static struct seen seen;
        seen = (struct seen){0};
        drawn = 0;
        for (int i = 0; i < COUNT; i++)
            items[i] = (struct item){"a", i, video ? CODED : CODED_REF,
                                     i == at ? put_traces : put_waves, NULL};
        cr_assert_eq(check(items, COUNT, shots, NULL, &seen, &why), SSIMCU_OK);
        for (int i = 0; i < COUNT; i++)
            cr_expect_eq(seen.found[i] >> FINDING_LOST_CHANNEL & 1, video && i == at,
                         "video %d, frame %d of %d", video, i, at);
    }
}

/* Requested frames must exist, but for those of a file that cannot be opened. */
Test(detect_all, requested_frames)
{
    static const struct {
        const char *frames;
        struct item items[7];
        size_t count, missing;
        bool numbered;
    } rows[] = {{"1-4", {{"a", 1, WAVES, NULL, NULL}, {"a", 3, WAVES, NULL, NULL}}, 2, 2, true},
                {"1-4", {{"a", 1, WAVES, NULL, NULL}, {"a", 3, WAVES, NULL, NULL}}, 2, 2, false},
                {"1-", {{"a", 1, WAVES, NULL, NULL}, {"a", 3, WAVES, NULL, NULL}}, 2, 1, true},
                {"1-4", {{"a", -1, FAILED, NULL, NULL}}, 1, 0, false},
                {"1-4", {{"a", 0, FAILED, NULL, NULL}}, 1, 0, false},
                {"1-4", {{"a", 1, FAILED, NULL, NULL}}, 1, 3, false},
                {"1-4", {{"a", 0, FAILED, NULL, NULL}}, 1, 4, true},
                {"1-4", {{"a", 0, WAVES, NULL, NULL}}, 1, 4, false},
                {"1-4", {{"a", 0, FAILED, NULL, NULL}, {"a", 1, WAVES, NULL, NULL}}, 2, 3, false},
                {"2-3", {{"a", -1, MISSING, NULL, NULL}}, 1, 2, false},
                {"0-4,6-8",
                 {{"a", 0, WAVES, NULL, NULL},
                  {"a", 1, WAVES, NULL, NULL},
                  {"a", 2, WAVES, NULL, NULL},
                  {"a", 3, WAVES, NULL, NULL},
                  {"a", 4, WAVES, NULL, NULL},
                  {"a", 6, WAVES, NULL, NULL},
                  {"a", 7, WAVES, NULL, NULL}},
                 7,
                 1,
                 true}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const struct noref_shot shot = {.name = "a", .numbered = rows[r].numbered};
        static struct seen seen;
        size_t missing = 0;
        seen = (struct seen){0};
        cr_assert_eq(check(rows[r].items, rows[r].count, &shot, rows[r].frames, &seen, &why),
                     SSIMCU_OK);
        for (size_t i = 0; i < seen.records; i++) missing += seen.kinds[i] == RECORD_MISSING;
        cr_expect_eq(missing, rows[r].missing, "row %zu: %zu", r, missing);
    }
}

/* ---- Layers ---------------------------------------------------------------------------------- */

static void put_nan(ssimcu_frame *frame) { ((float *)frame->data)[7] = NAN; }
static void put_negative(ssimcu_frame *frame) { ((float *)frame->data)[7] = -1; }
static void put_zeros(ssimcu_frame *frame) { fill(frame, 0, 0, WIDTH, HEIGHT, 0); }
static void put_block(ssimcu_frame *frame) { fill(frame, 61, 42, 16, 16, 0); }
static void put_size(ssimcu_frame *frame) { frame->height -= 8; }

/* Findings of a shot with a fault of each kind, by the layer that it reads. */
Test(detect_all, findings_of_layers)
{
    const finding_mask nan = finding_bit(FINDING_NAN),
                       light = nan | finding_bit(FINDING_NEGATIVE) | finding_bit(FINDING_SOLID) |
                               finding_bit(FINDING_FLAT_AREA),
                       any = finding_bit(FINDING_UNREADABLE) | finding_bit(FINDING_DIMENSIONS),
                       once = finding_bit(FINDING_MISSING) | finding_bit(FINDING_HEADER),
                       data = any | nan | finding_bit(FINDING_SOLID);
    const struct {
        struct layer layer;
        bool further;
        size_t nans; /* frames with NaN, of 31 and two missing ones */
        finding_mask kinds;
    } rows[] = {
        {{.name = "RGB"}, false, 1, any | once | light | finding_bit(FINDING_BLANK)},
        {{.name = "RGB"},
         true,
         1,
         any | finding_bit(FINDING_HEADER) | light | finding_bit(FINDING_BLANK)},
        {{.name = "d", .layer = "d", .channels = "d.R,d.G,d.B"}, false, 1, any | once | light},
        {{.name = "d", .layer = "d", .channels = "d.R,d.G,d.B"}, true, 1, any | light},
        {{.name = "d", .layer = "d"}, true, 1, data},
        {{.name = "Z", .channels = "Z"}, false, 1, data | once},
        {{.name = "Z", .channels = "Z"}, true, 1, data},
        {{.name = "N", .channels = "N.X,N.Y,N.Z", .exact = true}, true, 1, any},
        {{.name = "Z", .channels = "Z"}, true, 4, data},
        {{.name = "Z", .channels = "Z"}, true, 5, data & ~nan},
        {{.name = "RGB"}, false, 5, any | once | light | finding_bit(FINDING_BLANK)},
        {{.name = "d", .channels = "d.R,d.G,d.B"}, true, 5, any | light}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const struct noref_shot shot = {
            .name = "a", .numbered = true, .reads = &rows[r].layer, .further = rows[r].further};
        struct item items[31];
        static struct seen seen;
        seen = (struct seen){0};
        for (int i = 0; i < 31; i++)
            items[i] = (struct item){"a", i + (i > 20 ? 2 : 0), CHANGED, NULL, NULL};
        for (size_t i = 0; i < rows[r].nans; i++) items[15 + i].change = put_nan;
        items[0].change = put_zeros, items[3].change = put_block, items[6].change = put_negative;
        items[9].change = put_zeros, items[12].declared = "EXR";
        items[22].what = FAILED, items[25].change = put_size;
        cr_assert_eq(check(items, 31, &shot, NULL, &seen, &why), SSIMCU_OK);
        const finding_mask all = seen.all & (any | once | light | finding_bit(FINDING_BLANK));
        cr_expect_eq(all, rows[r].kinds, "row %zu: %llx, not %llx", r, (unsigned long long)all,
                     (unsigned long long)rows[r].kinds);
        cr_expect_eq(seen.records, rows[r].further ? 31 : 33, "row %zu", r);
        cr_expect_eq((size_t)seen.layer, seen.records);
    }
}

/* Three frames are lost after the fifth one, by the times of a video. Pictures have no times. */
Test(detect_all, times_of_video)
{
    for (int video = 0; video < 2; video++) {
        struct item items[12];
        static struct seen seen;
        seen = (struct seen){0};
        for (int i = 0; i < 12; i++)
            items[i] = (struct item){"a", i, video ? CODED : CODED_REF, NULL, NULL};
        cr_assert_eq(check(items, 12, shots, NULL, &seen, &why), SSIMCU_OK);
        for (int i = 0; i < 12; i++)
            cr_expect_eq(seen.found[i] >> FINDING_TIMING & 1, video && i == 6, "frame %d", i);
    }
}

/* A video may end with a frame of one colour, and pictures hardly do. */
Test(detect_all, ends_of_one_colour)
{
    for (int video = 0; video < 2; video++) {
        const struct noref_shot shot = {.name = "a", .video = video};
        struct item items[5];
        static struct seen seen;
        seen = (struct seen){0};
        for (int i = 0; i < 5; i++)
            items[i] = (struct item){"a", i, CHANGED, i == 4 ? put_zeros : NULL, NULL};
        cr_assert_eq(check(items, 5, &shot, NULL, &seen, &why), SSIMCU_OK);
        cr_expect_eq(seen.all, finding_bit(video ? FINDING_BLANK : FINDING_SOLID));
    }
}

/* ---- Advice ---------------------------------------------------------------------------------- */

Test(detect_all, numbers_that_are_doubtful)
{
    static const struct {
        bool numbered, further, sizes;
        int64_t first;
        const char *says;
    } rows[] = {{true, false, false, 1001, "a: icons, textures or UDIM tiles?"},
                {true, false, false, 1, ""},
                {true, false, true, 1, "a: pictures of several sizes"},
                {true, true, true, 1, ""},
                {false, false, false, 1001, ""},
                {true, true, false, 1001, ""}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const struct noref_shot shot = {
            .name = "a", .numbered = rows[r].numbered, .further = rows[r].further};
        struct item items[7];
        static struct seen seen;
        seen = (struct seen){0};
        for (int i = 0; i < 7; i++)
            items[i] = (struct item){"a", rows[r].first + i + (i > 4 ? 5 : 0), CHANGED,
                                     rows[r].sizes && i < 2 ? put_size : NULL, NULL};
        cr_assert_eq(check(items, 7, &shot, NULL, &seen, &why), SSIMCU_OK);
        cr_expect_eq(strncmp(seen.remark, rows[r].says, strlen(rows[r].says)), 0, "row %zu: %s", r,
                     seen.remark);
        cr_expect_eq(seen.remark[0] != 0, rows[r].says[0] != 0, "row %zu: %s", r, seen.remark);
    }
}
