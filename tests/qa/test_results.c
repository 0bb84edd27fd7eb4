/* Results: what was written is read back to the bit, and the summary is what its text says. */
#include "check.h"
#include "fail.h"
#include "lines/lines.h"
#include "record/record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double draw_share(check_random *random) { return ldexp(check_draw(random), -32); }

/* Draws how far a record is over its learned limits. Results have the place of one rule. */
static void draw_learned(check_random *random, struct record *record)
{
    struct learned_excess *learned = &record->learned;
    const enum learned_rule worst = (enum learned_rule)check_between(random, 0, LEARNED_RULES - 1);
    const bool in_channel = learned_has_channel(worst);
    learned->known = true;
    for (int r = 0; r < LEARNED_RULES; r++) learned->z[r] = 100 - ldexp(check_draw(random), -24);
    record->learned_worst = worst;
    if (check_between(random, 0, 3) == 0) return;
    learned->place[worst] = (struct learned_place){
        check_draw(random), check_draw(random), check_between(random, 1, 64), check_draw(random),
        in_channel ? check_between(random, 0, record->scored.channels - 1) : 0};
}

/* RECORD_DECLARED is not in results. */
static const char *const texts[RECORD_TEXTS] = {
    [RECORD_LEFT] = "A\nlayer, \"1\".Z",
    [RECORD_ASSUMED] = "matrix bt709 in OUT",
    [RECORD_COLOURS] = "primaries are bt709 in REF, those of ICC \"a\" in OUT",
    [RECORD_PENDING_HINTS] = "|",
    [RECORD_LAYER] = "depth.Z",
    [RECORD_STREAMS] = "0 of 2 in OUT"};

/* Draws what only some pictures have: light, the range of data, channels that are not compared. */
static void draw_extras(check_random *random, struct record *record)
{
    for (int s = 0; s < 2; s++) {
        record->by_nvdec[s] = check_between(random, 0, 3) == 0;
        if (check_between(random, 0, 1)) continue;
        record->scored.light[s].known = true;
        record->scored.light[s].clamped = draw_share(random);
        record->scored.light[s].outside = check_between(random, 0, 1) ? draw_share(random) : 0;
        record->scored.light[s].not_finite = check_between(random, 0, 1) ? check_draw(random) : 0;
    }
    if (check_between(random, 0, 1))
        record->scored.range =
            (ssimcu_data_range){true, -draw_share(random), 1e10 * draw_share(random),
                                draw_share(random), draw_share(random)};
    if (check_between(random, 0, 1))
        record->scored.diff = (ssimcu_diff){true,
                                            draw_share(random),
                                            check_draw(random),
                                            check_draw(random),
                                            check_draw(random),
                                            check_draw(random),
                                            check_draw(random)};
    for (int t = 0; t < RECORD_TEXTS; t++)
        if (texts[t] && check_between(random, 0, 1)) record->text[t] = strdup(texts[t]);
    if (check_between(random, 0, 1))
        record->scored.level_shift =
            (ssimcu_level_shift){255 - ldexp(check_draw(random), -23),
                                 check_between(random, 0, record->scored.channels - 1),
                                 check_draw(random),
                                 check_draw(random),
                                 check_between(random, 1, 64),
                                 check_draw(random)};
    if (check_between(random, 0, 1)) draw_learned(random, record);
    if (check_between(random, 0, 1)) return;
    record->scored.ignored =
        (ssimcu_ignored){check_between(random, 1, 9), check_between(random, 10, 99),
                         check_draw(random), draw_share(random)};
    if (strcmp(record->scored.layout, "rgb") != 0 || check_between(random, 0, 1)) return;
    record->scored.channels = 0;
    memset(record->scored.channel, 0, sizeof record->scored.channel);
}

static void expect_same_learned(const struct record *a, const struct record *b)
{
    const struct learned_excess *x = &a->learned, *y = &b->learned;
    cr_assert(x->known == y->known && a->learned_worst == b->learned_worst);
    cr_assert_eq(memcmp(x->z, y->z, sizeof x->z), 0);
    cr_assert_eq(memcmp(x->place, y->place, sizeof x->place), 0);
}

/* Draws findings that are neither limits nor a pair that is missing or has failed, which are told
 * by who judges. */
static void draw_findings(check_random *random, struct findings *findings)
{
    static const char *const sentences[] = {"", "shift +1 +0", "a \"b\"; c,\xc3\xa9\\ ;"};
    for (uint64_t i = check_between(random, 0, 5); i > 2; i--) {
        const bool placed = check_between(random, 0, 1), number = check_between(random, 0, 1);
        struct finding *made = findings_add(
            findings,
            (enum finding_kind)check_between(random, FINDING_UNREADABLE, FINDING_KINDS - 1),
            placed ? (struct finding_place){check_draw(random), check_draw(random),
                                            check_between(random, 1, 64), check_draw(random)}
                   : (struct finding_place){0},
            number ? ldexp(check_draw(random), -20) - 1000 : NAN, "%s",
            sentences[check_between(random, 0, 2)]);
        cr_assert(made);
    }
}

static void expect_same_findings(const struct findings *a, const struct findings *b)
{
    cr_assert_eq(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        const struct finding *x = &a->at[i], *y = &b->at[i];
        cr_assert(x->kind == y->kind && !y->fails && isnan(y->limit));
        cr_assert(x->value == y->value || (isnan(x->value) && isnan(y->value)));
        cr_assert_eq(memcmp(&x->place, &y->place, sizeof x->place), 0);
        cr_assert_str_eq(x->text, y->text);
    }
}

static struct record random_record(check_random *random, int64_t frame)
{
    static const char *const layouts[] = {"rgb", "yuv", "y", "grey"};
    static const char *const paths[] = {"a/0001.png", "b \"c\"\\\n.png", "\xc3\xa9.jpg", "-", NULL};
    struct record record = {.frame = frame};
    draw_findings(random, &record.findings);
    if (check_between(random, 0, 1)) record.shot = strdup("sh\"010\"/\xc3\xa9");
    for (int s = 0; s < 2; s++) {
        const char *path = paths[check_between(random, 0, 4)];
        struct record_side *side = &record.side[s];
        side->path = path ? strdup(path) : NULL;
        side->known = path && check_between(random, 0, 2) > 0;
        if (!side->known) continue;
        side->bytes = (int64_t)check_draw(random) << 20 | check_draw(random);
        side->seconds = check_draw(random);
        side->nanoseconds = (long)check_between(random, 0, 999999999);
    }
    record.kind = (ssimcu_record_kind)check_between(random, 0, 2);
    if (record.kind == RECORD_MISSING)
        record.missing[0] =
            !(record.missing[1] = check_between(random, 0, 1)) || check_between(random, 0, 1);
    if (record.kind == RECORD_FAILED) {
        record.status = (ssimcu_status)check_between(random, 1, 11);
        (void)ssimcu_fail(&record.message, SSIMCU_OK, "it, \"%u\"", check_draw(random));
    }
    if (record.kind != RECORD_SCORED) return record;
    const uint32_t layout = check_between(random, 0, 3);
    record.scored.layout = layouts[layout];
    record.scored.channels = layout < 2 ? 3 : 1;
    for (uint32_t c = 0; c < record.scored.channels; c++)
        record.scored.channel[c] =
            1 - ldexp(check_draw(random), -32 - (int)check_between(random, 0, 30));
    record.scored.score = check_between(random, 0, 9) ? record.scored.channel[0] / 3 : 1;
    record.scored.bits = check_between(random, 8, 16);
    record.scored.background = (ssimcu_background)check_between(random, 0, 2);
    record.scored.backend = check_between(random, 0, 1) ? "cpu" : "cuda";
    if (check_between(random, 0, 1))
        record.scored.tile =
            (ssimcu_tile){0.5 - ldexp(check_draw(random), -32), check_draw(random),
                          check_draw(random), check_draw(random), check_between(random, 1, 64)};
    draw_extras(random, &record);
    return record;
}

static void expect_same_extras(const struct record *a, const struct record *b)
{
    for (int s = 0; s < 2; s++) {
        const ssimcu_light_share *x = &a->scored.light[s], *y = &b->scored.light[s];
        cr_assert(x->known == y->known && x->clamped == y->clamped && x->outside == y->outside &&
                  x->not_finite == y->not_finite);
        cr_assert_eq(a->by_nvdec[s], b->by_nvdec[s]);
    }
    const ssimcu_level_shift *x = &a->scored.level_shift, *y = &b->scored.level_shift;
    cr_assert(x->levels == y->levels && x->channel == y->channel);
    cr_assert(x->x == y->x && x->y == y->y && x->width == y->width && x->height == y->height);
    cr_assert(a->scored.range.known == b->scored.range.known &&
              a->scored.range.low == b->scored.range.low &&
              a->scored.range.high == b->scored.range.high &&
              a->scored.range.far == b->scored.range.far);
    for (int t = 0; t < RECORD_TEXTS; t++) {
        cr_assert((a->text[t] != NULL) == (b->text[t] != NULL), "text %d", t);
        if (a->text[t]) cr_assert_str_eq(a->text[t], b->text[t]);
    }
    cr_assert(a->scored.ignored.tiles == b->scored.ignored.tiles &&
              a->scored.ignored.all == b->scored.ignored.all &&
              a->scored.ignored.crc == b->scored.ignored.crc &&
              a->scored.ignored.share == b->scored.ignored.share);
    expect_same_learned(a, b);
}

static void expect_same(const struct record *a, const struct record *b)
{
    cr_assert(a->frame == b->frame && a->kind == b->kind && a->status == b->status);
    cr_assert(a->missing[0] == b->missing[0] && a->missing[1] == b->missing[1]);
    cr_assert_str_eq(a->message.text, b->message.text);
    expect_same_findings(&a->findings, &b->findings);
    cr_assert((a->shot != NULL) == (b->shot != NULL));
    if (a->shot) cr_assert_str_eq(a->shot, b->shot);
    for (int s = 0; s < 2; s++) {
        const struct record_side *x = &a->side[s], *y = &b->side[s];
        cr_assert((x->path != NULL) == (y->path != NULL) && x->known == y->known);
        if (x->path) cr_assert_str_eq(x->path, y->path);
        cr_assert(x->bytes == y->bytes && x->seconds == y->seconds &&
                  x->nanoseconds == y->nanoseconds);
    }
    if (a->kind != RECORD_SCORED) return;
    expect_same_extras(a, b);
    cr_assert_str_eq(a->scored.layout, b->scored.layout);
    cr_assert_str_eq(a->scored.backend, b->scored.backend);
    cr_assert(a->scored.score == b->scored.score && a->scored.channels == b->scored.channels &&
              a->scored.bits == b->scored.bits && a->scored.background == b->scored.background);
    cr_assert_eq(memcmp(a->scored.channel, b->scored.channel, sizeof a->scored.channel), 0);
    const ssimcu_tile *x = &a->scored.tile, *y = &b->scored.tile;
    cr_assert(x->score == y->score && x->x == y->x && x->y == y->y && x->width == y->width &&
              x->height == y->height);
}

Test(results, a_record_is_read_as_it_was_written)
{
    check_random random = {41};
    for (int i = 0; i < 5000; i++) {
        struct record record = random_record(&random, check_draw(&random)), again;
        char *line = record_to_json(&record);
        cr_assert_not_null(line);
        cr_assert_null(strchr(line, '\n'));
        cr_assert_eq(record_from_json(line, &again), SSIMCU_OK, "%s", line);
        expect_same(&record, &again);
        char *second = record_to_json(&again);
        cr_assert_str_eq(line, second);
        record_clear(&again);
        /* no beginning of a line is taken for a line */
        for (size_t cut = check_between(&random, 0, 9); cut < strlen(line); cut += 7) {
            char *half = strndup(line, cut);
            cr_assert_eq(record_from_json(half, &again), SSIMCU_ERROR_DATA, "%s", half);
            free(half);
        }
        free(line), free(second);
        record_clear(&record);
    }
}

/* Counts the fields of a line of CSV, and finds the field of one of them. */
static size_t count_fields(const char *line, size_t wanted, char *field, size_t size)
{
    size_t fields = 1, used = 0;
    bool quoted = false;
    for (const char *at = line; *at && (quoted || *at != '\n'); at++) {
        const bool comma = !quoted && *at == ',';
        if (*at == '"') quoted = !quoted;
        if (!comma && fields - 1 == wanted && used + 1 < size) field[used++] = *at;
        fields += comma;
    }
    field[used] = '\0';
    return fields;
}

Test(results, a_line_of_csv_has_a_field_for_each_name)
{
    check_random random = {43};
    char name[64], field[200];
    size_t left = 0;
    char *header = record_csv_names();
    const size_t names = count_fields(header, 0, name, sizeof name);
    while (strcmp(name, "not_compared") != 0 && left < names)
        (void)count_fields(header, ++left, name, sizeof name);
    for (int i = 0; i < 500; i++) {
        struct record record = random_record(&random, check_draw(&random));
        char *line = record_to_csv(&record);
        cr_assert_not_null(line);
        cr_assert_eq(count_fields(line, left, field, sizeof field), names, "%s", line);
        cr_assert_str_eq(field, record.text[RECORD_LEFT] ? "\"A layer, \"\"1\"\".Z\"" : "", "%s",
                         line);
        free(line);
        record_clear(&record);
    }
    free(header);
}

/* Who reads columns by their place still finds them: new ones come last. */
Test(results, columns_of_csv_keep_their_places)
{
    static const char names[] =
        "frame,status,score,channels,channel_1,channel_2,channel_3,bits,background,backend,ref,"
        "out,message,tile_score,tile_x,tile_y,tile_width,tile_height,fails,findings,shot,"
        "clamped_ref,clamped_out,not_finite_ref,not_finite_out,range_low,range_high,"
        "not_compared,level_shift_levels,level_shift_channel,level_shift_x,level_shift_y,"
        "level_shift_width,level_shift_height,learned_rule,learned_excess,learned_channel,"
        "learned_x,learned_y,learned_width,learned_height,variant,stale,psnr,mse,psnr_1,psnr_2,"
        "psnr_3,ms_ssim,ms_ssim_1,ms_ssim_2,ms_ssim_3,ssimulacra2,bytes_ref,bytes_out,time_ref,"
        "time_out,ignored_tiles,ignored_of,ignored_crc,ignored_share,decoded_ref,decoded_out,"
        "outside_ref,outside_out,range_far,colours,range_beyond,diff_ratio,diff_cluster,diff_x,"
        "diff_y,diff_width,diff_height";
    char *header = record_csv_names();
    cr_expect_str_eq(header, names);
    free(header);
}

/* Tiles that are ignored, decoders, what lies outside a data window and far samples have columns.
 */
Test(results, csv_has_the_facts_that_json_has)
{
    struct record record = {
        .scored.score = 0.5, .scored.layout = "rgb", .scored.backend = "cpu", .by_nvdec = {true}};
    record.scored.ignored = (ssimcu_ignored){2, 9, 77, 0.25};
    record.scored.light[1] = (ssimcu_light_share){true, 0, 0.125, 0};
    record.scored.range = (ssimcu_data_range){true, -1, 2, 0.5, 0.25};
    record.scored.diff = (ssimcu_diff){true, 0.125, 9, 1, 2, 3, 4};
    record.text[RECORD_COLOURS] = strdup("primaries are bt709 in REF, smpte432 in OUT");
    char *line = record_to_csv(&record);
    const char *told = ",2,9,77,0.25,nvdec,cpu,,0.125,0.5,"
                       "\"primaries are bt709 in REF, smpte432 in OUT\","
                       "0.25,0.125,9,1,2,3,4";
    cr_expect(strstr(line, told), "%s", line);
    free(line);
    record_clear(&record);
}

static struct record scored(int64_t frame, double score)
{
    return (struct record){
        .frame = frame, .scored.score = score, .scored.channels = 1, .scored.layout = "grey"};
}

/* No score is outside [-1, 1] by more than a float's rounding, nor a tile's: such a line is not one
 * of ours. */
Test(results, scores_out_of_range_are_refused)
{
    static const struct {
        const char *score, *tile;
        ssimcu_status status;
    } cases[] = {{"1.0", "-1.0", SSIMCU_OK},           {"-1.0", "1.0", SSIMCU_OK},
                 {"1.00000012", "0.5", SSIMCU_OK},     {"1.00001", "0.5", SSIMCU_ERROR_DATA},
                 {"-1.5", "0.5", SSIMCU_ERROR_DATA},   {"0.5", "1.25", SSIMCU_ERROR_DATA},
                 {"0.5", "-1e300", SSIMCU_ERROR_DATA}, {"0.5", "null", SSIMCU_ERROR_DATA}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char line[500];
        struct record record;
        snprintf(line, sizeof line,
                 "{\"type\":\"frame\",\"frame\":1,\"status\":\"ok\",\"score\":%s,"
                 "\"channels\":{\"grey\":0.5},\"tile\":{\"score\":%s,\"x\":0,\"y\":64,"
                 "\"width\":64,\"height\":10},\"bits\":8,\"background\":null,"
                 "\"backend\":\"cpu\",\"ref\":null,\"out\":null}",
                 cases[i].score, cases[i].tile);
        cr_assert_eq(record_from_json(line, &record), cases[i].status, "%s", line);
        record_clear(&record);
    }
}

Test(results, unchanged_files)
{
    check_random random = {42};
    for (int i = 0; i < 200; i++) {
        struct record a = random_record(&random, 1), b = {0};
        for (int s = 0; s < 2; s++) {
            b.side[s] = a.side[s];
            b.side[s].path = a.side[s].path ? strdup(a.side[s].path) : NULL;
        }
        const bool known = a.side[0].known && a.side[1].known;
        cr_assert_eq(record_same_files(&a, &b), known);
        b.side[i % 2].nanoseconds++;
        cr_assert_not(record_same_files(&a, &b));
        record_clear(&a), record_clear(&b);
    }
}

Test(results, summary_of_a_few)
{
    static const double scores[] = {0.5, 0.25, 1, 0.125};
    struct summary summary;
    summary_start(&summary, 2);
    for (int i = 0; i < 4; i++) {
        const struct record record = scored(i + 1, scores[i]);
        summary_add(&summary, &record);
    }
    const struct record missing = {.kind = RECORD_MISSING}, failed = {.kind = RECORD_FAILED};
    summary_add(&summary, &missing);
    summary_add(&summary, &failed);
    cr_assert(summary_finish(&summary));
    cr_assert(summary.pairs == 6 && summary.scored == 4 && summary.missing == 1 &&
              summary.failed == 1);
    cr_assert_eq(summary.numbers.metrics[0].all.mean, 0.46875);
    cr_assert_eq(summary.numbers.metrics[0].all.harmonic_mean, 4.0 / 15);
    cr_assert(summary.numbers.metrics[0].all.min == 0.125 &&
              summary.numbers.metrics[0].all.max == 1 &&
              summary.numbers.metrics[0].all.p50 == 0.375);
    check_near(summary.numbers.metrics[0].all.p1, 0.125 + 0.125 * 0.03, 1e-15, "p1");
    check_near(summary.numbers.metrics[0].all.p5, 0.125 + 0.125 * 0.15, 1e-15, "p5");
    check_near(summary.numbers.metrics[0].all.stddev, 0.335118915461363, 1e-14, "stddev");
    cr_assert(summary.worst.count == 2 && summary.worst.entry[0].frame == 4 &&
              summary.worst.entry[1].frame == 2);
    summary_free(&summary);
}

/* A mean or percentile of 1 says that nothing differs, however many frames there are. */
Test(results, means_are_1_of_ones_alone)
{
    const double below = nextafter(1, 0);
    for (int lower = 0; lower < 2; lower++) {
        struct summary summary;
        summary_start(&summary, 2);
        for (int i = 0; i < 160; i++) { /* 1 % of 160 lies between the second and the third */
            const double score = lower && i < 2 ? below : 1;
            struct record record = scored(i, score);
            record.scored.channel[0] = score;
            record.shot = (char *)"shot";
            summary_add(&summary, &record);
        }
        cr_assert(summary_finish(&summary));
        const ssimcu_statistics *all = &summary.numbers.metrics[0].all;
        const double numbers[] = {all->mean, all->harmonic_mean, summary.numbers.channel[0],
                                  summary.shot[0].numbers.metrics[0].score, all->p1};
        for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
            cr_assert_eq(numbers[i], lower ? below : 1, "number %zu", i);
        cr_assert(all->p50 == 1 && all->max == 1);
        summary_free(&summary);
    }
}

Test(results, summary_without_scores_has_no_numbers)
{
    struct summary summary;
    summary_start(&summary, 5);
    cr_assert(summary_finish(&summary));
    char *line = summary_to_json(&summary, NULL);
    cr_assert_not_null(strstr(line, "\"mean\":null"));
    cr_assert_null(strstr(line, "nan"));
    free(line);
    summary_free(&summary);
    summary_start(&summary, 5);
    const struct record zero = scored(1, 0), negative = scored(2, -0.5);
    summary_add(&summary, &zero);
    summary_add(&summary, &negative);
    cr_assert(summary_finish(&summary));
    line = summary_to_json(&summary, NULL);
    cr_assert_not_null(strstr(line, "\"harmonic_mean\":null"));
    cr_assert_null(strstr(line, "inf"));
    free(line);
    summary_free(&summary);
}

/* Any order of arrival gives the same bits. */
Test(results, summary_does_not_depend_on_the_order)
{
    enum { N = 1000 };
    static double score[N];
    check_random random = {43};
    char *first = NULL;
    for (int i = 0; i < N; i++) /* some scores twice: the frame decides */
        score[i] = i % 3 ? ldexp(check_draw(&random), -33) : 0.0625 * check_between(&random, 1, 15);
    for (int round = 0; round < 20; round++) {
        static int order[N];
        for (int i = 0; i < N; i++) order[i] = i;
        for (int i = N - 1; i > 0; i--) {
            const int k = (int)check_between(&random, 0, (uint32_t)i), swap = order[i];
            order[i] = order[k];
            order[k] = swap;
        }
        struct summary summary;
        summary_start(&summary, 100);
        for (int i = 0; i < N; i++) {
            const struct record record = scored(order[i], score[order[i]]);
            summary_add(&summary, &record);
        }
        cr_assert(summary_finish(&summary));
        char *line = summary_to_json(&summary, NULL);
        if (first) cr_assert_str_eq(line, first);
        if (first) free(line);
        if (!first) first = line;
        summary_free(&summary);
    }
    free(first);
}
