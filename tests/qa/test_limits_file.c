/* Files of limits: what they may say, what each mistake is answered with, and which rule holds. */
#include "check.h"
#include "judged.h"
#include "limits/limits_file.h"
#include "limits/limits_read.h"
#include "record/record.h"

#include "ssimcu_io.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Reads a text as a file of limits. */
static ssimcu_status read_text(const char *text, struct limits_file *file, ssimcu_message *message)
{
    char path[] = "/tmp/ssimcu-limits-XXXXXX";
    const int made = mkstemp(path);
    cr_assert_geq(made, 0);
    cr_assert_eq(write(made, text, strlen(text)), (ssize_t)strlen(text));
    close(made);
    const ssimcu_status status = limits_file_read(path, file, message);
    unlink(path);
    return status;
}

#define RULES(text) "{\"ssimcu_limits\": 1, \"rules\": [" text "]}"

#define LEARNED(members, shots)                                                                    \
    "{\"ssimcu_limits\": 1, \"learned\": {" members "\"shots\": [" shots "]}}"
#define FILE_OF "\"file\": \"f\", \"fingerprint\": \"0123456789abcdef\", "
#define OF(tile) FILE_OF "\"tile\": " tile ", \"contract\": {\"pad\": \"zero\"},"
#define EXCESS(limits) "{\"match\": \"*\", \"max_excess\": " limits "}"

Test(limits_file, mistakes_are_named)
{
    static const char *const cases[][2] = {
        {"", "line 1: "},
        {"[1]", "expected a JSON object"},
        {"{\"ssimcu_limits\": 1,\n\"rules\": [}", "line 2: "},
        {"{\"rules\": []}", "expected \"ssimcu_limits\": 1, the version of the format"},
        {"{\"ssimcu_limits\": 2, \"rules\": [{\"match\": \"*\", \"min_frame\": 0.5}]}",
         "expected \"ssimcu_limits\": 1"},
        {"{\"ssimcu_limits\": 1.0, \"rules\": []}", "expected \"ssimcu_limits\": 1"},
        {"{\"ssimcu_limits\": 1}", "rules: expected a list of rules"},
        {"{\"ssimcu_limits\": 1, \"rules\": [{\"match\": \"a\\nb\", \"c\\nd\": 1}]}",
         "rule 1 \"a?b\": c?d: expected match"},
        {RULES(""), "rules: expected at least one rule, because there are no learned limits"},
        {"{\"ssimcu_limits\": 1, \"rules\": [], \"floors\": {}}", /* an earlier name */
         "expected only ssimcu_limits, rules and learned"},
        {"\xEF\xBB\xBF{}", ": line 1: expected UTF-8 without a byte order mark"},
        {"{\"ssimcu_limits\": 1, \"rules\": [{\"match\": \"*\", \"min_frame\": 0.5}], \"a\": 1}",
         "expected only ssimcu_limits, rules and learned"},
        {RULES("7"), "rule 1: rule: expected an object"},
        {RULES("{\"min_frame\": 0.5}"), "rule 1: match: expected a glob, or frames instead"},
        {RULES("{\"match\": \"\", \"min_frame\": 0.5}"), "rule 1: match: expected a glob such as"},
        {RULES("{\"match\": 1, \"min_frame\": 0.5}"), "rule 1: match: expected a glob such as"},
        {RULES("{\"match\": \"a\"}"), "rule 1 \"a\": rule: expected at least one limit"},
        {RULES("{\"match\": \"a\", \"min_frame\": 1}, {\"match\": \"b\", \"min_tiles\": 1}"),
         "rule 2 \"b\": min_tiles: expected match, frames, min_frame"},
        {RULES("{\"match\": \"a\", \"min_frame\": 0.5, \"min_frame\": 0.6}"), "duplicate"},
        {RULES("{\"match\": \"a\", \"min_frame\": \"1\"}"),
         "expected a number above -1, at most 1"},
        {RULES("{\"match\": \"a\", \"min_frame\": 1.001}"),
         "min_frame: expected a number above -1"},
        {RULES("{\"match\": \"a\", \"min_tile\": -1}"), "min_tile: expected a number above -1"},
        {RULES("{\"match\": \"a\", \"max_drop\": 2}"),
         "max_drop: expected a number from 0, below 2"},
        {RULES("{\"match\": \"a\", \"max_drop\": -0.1}"), "max_drop: expected a number from 0"},
        {RULES("{\"match\": \"a\", \"max_tile_drop\": true}"), "max_tile_drop: expected a number"},
        {RULES("{\"match\": \"a\", \"max_level_shift\": 255.5}"),
         "expected a number from 0 to 255"},
        {RULES("{\"frames\": \"9-1\", \"min_frame\": 0}"),
         "rule 1: frames: expected frames such as"},
        {RULES("{\"frames\": \"9-\", \"min_frame\": 0}"),
         "rule 1: frames: expected a range with an end"},
        {RULES("{\"frames\": 7, \"min_frame\": 0}"), "rule 1: frames: expected a text such as"},
        {RULES("{\"match\": \"a\", \"fail_on\": \"stuk\"}"), "fail_on: expected kinds"},
        {RULES("{\"match\": \"a\", \"fail_on\": 1}"), "fail_on: expected kinds"},
        {RULES("{\"match\": \"a\", \"may_be_missing\": 1}"),
         "may_be_missing: expected true or false"},
        {RULES("{\"match\": \"a\", \"ignore\": []}"),
         "rule 1 \"a\": ignore: expected a list of [x, y, width, height] in pixels"},
        {RULES("{\"match\": \"a\", \"ignore\": [0, 0, 9, 9]}"), "ignore: expected a list of [x"},
        {RULES("{\"match\": \"a\", \"ignore\": [[0, 0, 9]]}"), "ignore: expected a list of [x"},
        {RULES("{\"match\": \"a\", \"ignore\": [[0, 0, 9, 9], [0, 0, 9, 0]]}"), "ignore: expected"},
        {RULES("{\"match\": \"a\", \"ignore\": [[0, -1, 9, 9]]}"), "ignore: expected"},
        {RULES("{\"match\": \"a\", \"ignore\": [[0, 0, 9, 9.5]]}"), "ignore: expected"},
        {RULES("{\"match\": \"a\", \"ignore\": [[16777217, 0, 9, 9]]}"), "ignore: expected"},
        {RULES("{\"match\": \"a\", \"ignore_mask\": 1}"),
         "rule 1 \"a\": ignore_mask: expected the name of a picture"},
        {RULES("{\"match\": \"a\", \"ignore_mask\": \"\"}"),
         "ignore_mask: expected the name of a picture"},
        {RULES("{\"match\": \"a\", \"ignore_mask\": \"no/mask.png\"}"),
         "ignore_mask: expected a grey or RGB picture: /tmp/no/mask.png: No such file"},
        {"{\"ssimcu_limits\": 1, \"rules\": 1, \"learned\": {}}",
         ": rules: expected a list of rules"},
        {"{\"ssimcu_limits\": 1, \"learned\": []}", ": learned: expected an object"},
        {LEARNED("", EXCESS("{\"dark\": 6}")), ": learned: file: expected the name of a file"},
        {LEARNED("\"file\": \"\",", EXCESS("{\"dark\": 6}")), "learned: file: expected the name"},
        {LEARNED("\"file\": \"f\", \"tile\": 32,", EXCESS("{\"dark\": 6}")),
         ": learned: fingerprint: expected that of the file; calibrate again"},
        {LEARNED(FILE_OF, EXCESS("{\"dark\": 6}")),
         ": learned: tile: expected a multiple of 4 from 24 to 65536"},
        {LEARNED(OF("\"32\""), EXCESS("{\"dark\": 6}")),
         ": learned: tile: expected a multiple of 4"},
        {LEARNED(OF("20"), EXCESS("{\"dark\": 6}")), "learned: tile: expected a multiple of 4"},
        {LEARNED(OF("34"), EXCESS("{\"dark\": 6}")), "learned: tile: expected a multiple of 4"},
        {LEARNED(OF("32") "\"run\": 3,", EXCESS("{\"dark\": 6}")),
         ": learned: run: expected file, fingerprint, reference, tile, contract, runs, "
         "false_alarms, frames, shots or \"or\""},
        {LEARNED(OF("32") "\"or\": \"a.json\",", EXCESS("{\"dark\": 6}")),
         ": learned: or: expected a list of files of limits, one for each --or"},
        {LEARNED(OF("32") "\"or\": [],", EXCESS("{\"dark\": 6}")),
         ": learned: or: expected a list"},
        {LEARNED(OF("32") "\"or\": [\"a.json\", \"\"],", EXCESS("{\"dark\": 6}")),
         ": learned: or: expected a list"},
        {LEARNED(FILE_OF "\"tile\": 32,", EXCESS("{\"dark\": 6}")),
         ": learned: contract: expected an object, as ssimcu calibrate writes it"},
        {LEARNED(FILE_OF "\"tile\": 32, \"contract\": 1,", EXCESS("{\"dark\": 6}")),
         ": learned: contract: expected an object"},
        {LEARNED(FILE_OF "\"tile\": 64, \"contract\": {\"tile\": 32},", EXCESS("{\"dark\": 6}")),
         ": learned: tile: expected 32, the tile size of its contract"},
        {LEARNED(OF("32") "\"runs\": 0,", EXCESS("{\"dark\": 6}")),
         ": learned: runs: expected a whole number from 1"},
        {LEARNED(OF("32") "\"false_alarms\": 1,", EXCESS("{\"dark\": 6}")),
         ": learned: false_alarms: expected a number above 0, below 1"},
        {"{\"ssimcu_limits\": 1, \"learned\": {" OF("32") "\"runs\": 3}}",
         ": learned: shots: expected a list of shots"},
        {LEARNED(OF("32"), ""), ": learned: shots: expected a list of shots"},
        {LEARNED(OF("32"), "7"), ": learned: shot 1: shot: expected an object"},
        {LEARNED(OF("32"), "{\"max_excess\": {\"dark\": 6}}"),
         ": learned: shot 1: match: expected a glob"},
        {LEARNED(OF("32"), EXCESS("{}")),
         ": learned: shot 1 \"*\": max_excess: expected an object with a limit"},
        {LEARNED(OF("32"), EXCESS("6")), "max_excess: expected an object with a limit"},
        {LEARNED(OF("32"), EXCESS("{\"dark\": 6}, \"frames\": \"1\"")),
         ": learned: shot 1 \"*\": shot: expected only match and max_excess"},
        {LEARNED(OF("32"), EXCESS("{\"dark\": 6}") "," EXCESS("{\"dork\": 6}")),
         ": learned: shot 2 \"*\": dork: expected score, level_shift, difference, texture, "
         "bright, "
         "dark, frame_score, frame_level_shift, frame_difference or frame_texture"},
        {LEARNED(OF("32"), EXCESS("{\"dark\": -6}")),
         ": learned: shot 1 \"*\": dark: expected a number above 0"},
        {LEARNED(OF("32"), EXCESS("{\"dark\": \"6\"}")), "dark: expected a number above 0"},
        {LEARNED(OF("32"), EXCESS("{\"score\": 0}")), "score: expected a number above 0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct limits_file file;
        ssimcu_message why = {{0}};
        cr_assert_eq(read_text(cases[i][0], &file, &why), SSIMCU_ERROR_DATA, "%s", cases[i][0]);
        cr_assert(strstr(why.text, cases[i][1]) && !strchr(why.text, '\n'), "%s: %s", cases[i][0],
                  why.text);
        limits_file_free(&file);
    }
}

/* Learned limits are of one kind of score. What differs first is named, with both values. */
Test(limits_file, learned_keep_to_their_contract)
{
    static const char *const cases[][3] = {
        {"{\"pad\": \"zero\", \"k1\": 1.0}", "{\"k1\": 1, \"pad\": \"zero\"}", NULL},
        {"{\"pad\": \"zero\"}", "{\"pad\": \"zero\", \"ignored\": \"0f\"}", NULL},
        {"{\"light\": {\"exposure\": 0}}", "{\"light\": {\"exposure\": 0.0}}", NULL},
        {"{\"pad\": \"zero\"}", "{\"pad\": \"valid\"}",
         "pad is \"zero\", but for this it is \"valid\":"},
        {"{\"tile\": 32}", "{\"tile\": 64}", "tile is 32, but for this it is 64: score as"},
        {"{}", "{\"region\": \"64x64+0+0\"}", "region is none, but for this it is \"64x64+0+0\":"},
        {"{\"offset\": 1}", "{}", "offset is 1, but for this it is none:"},
        {"{\"light\": {\"exposure\": 0}}", "{\"light\": {\"exposure\": 0.5}}",
         "light.exposure is 0, but for this it is 0.5:"},
        {"{\"light\": {\"hdr\": \"srgb\"}}", "{}",
         "light is {\"hdr\":\"srgb\"}, but for this it is none"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct limits_file file = {.path = (char[]){"l.json"}};
        ssimcu_message why = {{0}};
        json_t *own = json_loads(cases[i][1], 0, NULL);
        file.learned.contract = json_loads(cases[i][0], 0, NULL);
        cr_assert(own && file.learned.contract);
        const ssimcu_status status = limits_check_contract(&file, own, "this", &why);
        cr_assert_eq(status, cases[i][2] ? SSIMCU_ERROR_MISMATCH : SSIMCU_OK, "%zu", i);
        cr_assert(!cases[i][2] || (strstr(why.text, "l.json: learned: contract: ") == why.text &&
                                   strstr(why.text, cases[i][2])),
                  "%s", why.text);
        json_decref(own);
        json_decref(file.learned.contract);
    }
}

Test(limits_file, must_be_there_and_small)
{
    struct limits_file file;
    ssimcu_message why = {{0}};
    cr_assert_eq(limits_file_read("/nowhere/limits.json", &file, &why), SSIMCU_ERROR_FILE);
    cr_assert(strstr(why.text, "/nowhere/limits.json"));
    limits_file_free(&file);
    char *large = malloc((2 << 20) + 1);
    memset(large, ' ', 2 << 20);
    large[2 << 20] = '\0';
    cr_assert_eq(read_text(large, &file, &why), SSIMCU_ERROR_LIMIT);
    limits_file_free(&file);
    free(large);
}

static struct record scored(const char *shot, int64_t frame)
{
    return (struct record){
        .frame = frame,
        .kind = RECORD_SCORED,
        .shot = (char *)(uintptr_t)shot,
        .side = {{.path = NULL}, {.path = (char *)(uintptr_t) "out/x.beauty.exr"}},
        .scored.score = 0.7,
        .scored.layout = "grey",
        .scored.backend = "cpu",
        .scored.tile = {0.6, 0, 0, 64, 64}};
}

static const char *const text =
    RULES("{\"match\": \"*\", \"min_frame\": 0.5, \"max_level_shift\": 3},"
          "{\"match\": \"sh030/*\", \"frames\": \"10-20x2\", \"min_frame\": 0.75,"
          " \"fail_on\": \"duplicate\", \"may_be_missing\": true},"
          "{\"frames\": \"sh040/7\", \"min_tile\": 1},"
          "{\"match\": \"*.beauty.exr\", \"max_drop\": 0},"
          "{\"match\": \"sh030/14\", \"min_frame\": 0.125, \"may_be_missing\": false}");

/* The last rule that names a limit counts, and an option before all. */
Test(limits_file, the_last_rule_counts)
{
    struct limits_file file;
    struct limits limits = {0};
    ssimcu_message why = {{0}};
    cr_assert_eq(read_text(text, &file, &why), SSIMCU_OK, "%s", why.text);
    cr_assert_eq(limits_file_has(&file),
                 1u << SSIMCU_LIMIT_MIN_FRAME | 1u << SSIMCU_LIMIT_MIN_TILE |
                     1u << SSIMCU_LIMIT_MAX_DROP | 1u << SSIMCU_LIMIT_MAX_LEVEL_SHIFT |
                     1u << FINDING_FAIL_ON);
    limits.file = &file;
    struct record record = scored("sh030", 12);
    struct limits own = limits_for(&limits, &record, NULL);
    cr_assert(limits_number(&own, SSIMCU_LIMIT_MIN_FRAME) == 0.75 &&
              limits_number(&own, SSIMCU_LIMIT_MAX_LEVEL_SHIFT) == 3 &&
              limits_number(&own, SSIMCU_LIMIT_MAX_DROP) == 0);
    cr_assert(!limits_has(&own, SSIMCU_LIMIT_MIN_TILE) && own.allow_missing && !own.file);
    cr_assert(own.has_fail_on && own.fail_on == finding_bit(FINDING_DUPLICATE));
    cr_assert_str_eq(own.rule[SSIMCU_LIMIT_MIN_FRAME], "sh030/*");
    cr_assert_str_eq(own.rule[SSIMCU_LIMIT_MAX_LEVEL_SHIFT], "*");
    record = scored("sh030", 13);
    own = limits_for(&limits, &record, NULL);
    cr_assert(limits_number(&own, SSIMCU_LIMIT_MIN_FRAME) == 0.5 && !own.has_fail_on &&
              !own.allow_missing);
    record = scored("sh030", 14);
    own = limits_for(&limits, &record, NULL);
    cr_assert(limits_number(&own, SSIMCU_LIMIT_MIN_FRAME) == 0.125 && own.has_fail_on &&
              !own.allow_missing);
    record = scored("sh040", 7);
    own = limits_for(&limits, &record, NULL);
    cr_assert_eq(limits_number(&own, SSIMCU_LIMIT_MIN_TILE), 1);
    record = scored("sh041", 7);
    record.side[1].path = NULL;
    own = limits_for(&limits, &record, NULL);
    cr_assert(!limits_has(&own, SSIMCU_LIMIT_MIN_TILE) &&
              !limits_has(&own, SSIMCU_LIMIT_MAX_DROP) &&
              limits_number(&own, SSIMCU_LIMIT_MIN_FRAME) == 0.5);
    limits_set(&limits, SSIMCU_LIMIT_MIN_FRAME, 0.25);
    record = scored("sh030", 12);
    own = limits_for(&limits, &record, NULL);
    cr_assert(limits_number(&own, SSIMCU_LIMIT_MIN_FRAME) == 0.25 &&
              !own.rule[SSIMCU_LIMIT_MIN_FRAME] && own.rule[SSIMCU_LIMIT_MAX_LEVEL_SHIFT]);
    limits_file_free(&file);
}

/* Parts of all rules that are for a frame add up, whatever limits they have. */
Test(limits_file, ignored_areas_add_up)
{
    static const char *const rules =
        RULES("{\"match\": \"*\", \"ignore\": [[1, 2, 3, 4], [5, 6, 7, 8]], \"min_frame\": 0.5},"
              "{\"match\": \"sh030/*\", \"min_frame\": 0.25},"
              "{\"match\": \"sh030/*\", \"frames\": \"10-20\", \"ignore\": [[0, 0, 9, 9]]}");
    struct limits_file file, other;
    const struct record both = scored("sh030", 12), one = scored("sh030", 21);
    size_t at = 0;
    cr_assert_eq(read_text(rules, &file, NULL), SSIMCU_OK);
    const struct ignored_areas *shots = limits_next_ignored(&file, &both, &at);
    cr_assert(shots && shots->count == 2 && shots->width == 0 && shots->rect[1].x == 5 &&
              shots->rect[1].y == 6 && shots->rect[1].width == 7 && shots->rect[1].height == 8);
    shots = limits_next_ignored(&file, &both, &at);
    cr_assert(shots && shots->count == 1 && shots->rect->width == 9);
    cr_assert_null(limits_next_ignored(&file, &both, &at));
    at = 0;
    cr_assert(limits_next_ignored(&file, &one, &at) && !limits_next_ignored(&file, &one, &at));
    cr_assert_eq(strlen(file.ignored), 16);
    cr_assert_eq(read_text(RULES("{\"match\": \"*\", \"ignore\": [[1, 2, 3, 4]]}"), &other, NULL),
                 SSIMCU_OK);
    cr_assert_str_neq(file.ignored, other.ignored);
    limits_file_free(&other);
    cr_assert_eq(read_text(RULES("{\"match\": \"*\", \"min_frame\": 0}"), &other, NULL), SSIMCU_OK);
    cr_assert_str_eq(other.ignored, "");
    limits_file_free(&other);
    limits_file_free(&file);
}

/* Reads a mask from a file, written from a text: '#' is white, '.' black. */
static ssimcu_status read_mask(uint32_t width, uint32_t height, uint32_t channels,
                               const char *marks, struct ignored_areas *shots)
{
    char path[] = "/tmp/ssimcu-mask-XXXXXX";
    ssimcu_frame mask = check_frame(width, height, channels, 8);
    memset(mask.data, 0, mask.pitch * height);
    for (uint32_t i = 0; i < width * height; i++)
        if (marks[i] == '#') check_set_sample(&mask, i % width, i / width, channels - 1, 1);
    const int made = mkstemp(path);
    cr_assert_geq(made, 0);
    close(made);
    cr_assert_eq(ssimcu_image_write_png(path, &mask, NULL), SSIMCU_OK);
    const ssimcu_status status = limits_ignore_read(path, shots, NULL);
    unlink(path);
    ssimcu_frame_free(&mask);
    return status;
}

/* What is not black in some channel is ignored; equal rows are one rectangle. */
Test(limits_file, masks_become_rectangles)
{
    static const char *const marks = "##...."
                                     "#....."
                                     ".#...."
                                     ".##..#"
                                     ".##..#"
                                     ".##..."
                                     "######";
    static const struct ignored_rect expected[] = {{0, 0, 2, 1}, {0, 1, 1, 1}, {1, 2, 1, 1},
                                                   {1, 3, 2, 2}, {5, 3, 1, 2}, {1, 5, 2, 1},
                                                   {0, 6, 6, 1}};
    static const uint32_t kinds[] = {1, 3};
    for (int k = 0; k < 2; k++) {
        struct ignored_areas shots = {0};
        cr_assert_eq(read_mask(6, 7, kinds[k], marks, &shots), SSIMCU_OK);
        cr_assert(shots.width == 6 && shots.height == 7 && shots.count == 7, "%zu", shots.count);
        cr_assert_eq(memcmp(shots.rect, expected, sizeof expected), 0);
        free(shots.rect);
    }
    for (uint32_t channels = 2; channels <= 4; channels += 2) { /* with alpha */
        struct ignored_areas shots = {0};
        cr_assert_eq(read_mask(6, 7, channels, marks, &shots), SSIMCU_ERROR_UNSUPPORTED);
        free(shots.rect);
    }
}

/* Learned limits lie beside the limits. The last shot counts, and no option wins over it. */
Test(limits_file, learned_of_shots)
{
    static const char *const shots =
        "{\"ssimcu_limits\": 1, \"rules\": [], \"learned\": {\"file\": \"a/l.learned\", "
        "\"fingerprint\": \"0123456789abcdef\", \"tile\": 32, \"contract\": {}, \"runs\": 8, "
        "\"false_alarms\": 1e-3, \"frames\": 20, \"shots\": ["
        "{\"match\": \"sh0*\", \"max_excess\": {\"score\": 7.5, \"dark\": 9}},"
        "{\"match\": \"sh030/*\", \"max_excess\": {\"level_shift\": 6}}]}}";
    struct limits_file file;
    struct limits limits = {0};
    ssimcu_message why = {{0}};
    cr_assert_eq(read_text(shots, &file, &why), SSIMCU_OK, "%s", why.text);
    cr_assert_str_eq(file.learned.path, "/tmp/a/l.learned");
    cr_assert(file.rules == 0 && file.learned.tile == 32 && file.learned.shots == 2);
    cr_assert_str_eq(file.learned.print, "0123456789abcdef");
    cr_assert_eq(limits_file_has(&file), 1u << FINDING_LEARNED);
    limits.file = &file;
    struct record record = scored("sh010", 12);
    struct limits own = limits_for(&limits, &record, NULL);
    cr_assert(own.max_excess[LEARNED_SCORE] == 7.5 && own.max_excess[LEARNED_DARK] == 9 &&
              own.max_excess[LEARNED_LEVEL_SHIFT] == 0);
    cr_assert_str_eq(own.rule[FINDING_LEARNED], "sh0*");
    record = scored("sh030", 12);
    own = limits_for(&limits, &record, NULL);
    cr_assert(own.max_excess[LEARNED_LEVEL_SHIFT] == 6 && own.max_excess[LEARNED_SCORE] == 0);
    record = scored(NULL, 12);
    own = limits_for(&limits, &record, NULL);
    cr_assert(own.max_excess && own.max_excess[LEARNED_SCORE] == 0 &&
              limits_has(&own, FINDING_LEARNED));
    limits_file_free(&file);
}

/* Says what a frame is beyond, and of which rule. */
Test(limits_file, a_verdict_names_the_rule)
{
    struct limits_file file;
    struct limits limits = {0};
    struct verdict verdict;
    struct summary summary;
    char beyond[VERDICT_BEYOND], name[VERDICT_LIMIT];
    cr_assert_eq(read_text(RULES("{\"match\": \"a/*\", \"min_frame\": 0.75}, {\"match\": \"b/*\", "
                                 "\"min_frame\": 0.5}, {\"match\": \"c\", \"min_tile\": 0}"),
                           &file, NULL),
                 SSIMCU_OK);
    limits.file = &file;
    verdict_start(&verdict, &limits);
    summary_start(&summary, 0);
    for (int i = 0; i < 4; i++) {
        struct record record = scored(i % 2 ? "a" : "b", i);
        summary_add(&summary, &record);
        verdict_add(&verdict, &record, NULL);
    }
    summary.complete = true;
    cr_assert(summary_finish(&summary) && verdict_finish(&verdict, &summary));
    cr_assert(!verdict.passed && verdict.count[SSIMCU_LIMIT_MIN_FRAME] == 2 && verdict.listed == 2);
    cr_assert(verdict.matched[0] == 2 && verdict.matched[1] == 2 && verdict.matched[2] == 0);
    cr_assert(verdict.limited[SSIMCU_LIMIT_MIN_FRAME] == 4 &&
              verdict.limited[SSIMCU_LIMIT_MIN_TILE] == 0);
    const struct record record = scored("a", 1);
    cr_assert_str_eq(beyond_text(beyond, &limits, SSIMCU_LIMIT_MIN_FRAME, &record),
                     "score 0.700000000 under min_frame 0.75 of a/*");
    cr_assert(strncmp(verdict_limit_name(name, &limits, SSIMCU_LIMIT_MIN_FRAME),
                      "min_frame of ssimcu-limits-", 27) == 0);
    verdict_free(&verdict);
    summary_free(&summary);
    limits_file_free(&file);
}

/* Returns whether one scored frame passes. */
static bool passes(const char *rules, const char *shot)
{
    struct limits_file file;
    struct limits limits = {0};
    struct verdict verdict;
    struct summary summary;
    struct record record = scored(shot, 1);
    cr_assert_eq(read_text(rules, &file, NULL), SSIMCU_OK);
    limits.file = &file;
    verdict_start(&verdict, &limits);
    summary_start(&summary, 0);
    summary_add(&summary, &record);
    verdict_add(&verdict, &record, NULL);
    summary.complete = true;
    cr_assert(summary_finish(&summary) && verdict_finish(&verdict, &summary));
    const bool passed = verdict.passed;
    verdict_free(&verdict);
    summary_free(&summary);
    limits_file_free(&file);
    return passed;
}

/* Limits that are held against no frame do not pass; a file may only say what may be missing. */
Test(limits_file, what_judges_nothing_fails)
{
    cr_assert(passes(RULES("{\"match\": \"a/*\", \"min_frame\": 0.5}"), "a"));
    cr_assert_not(passes(RULES("{\"match\": \"a/*\", \"min_frame\": 0.5}"), "b"));
    cr_assert(passes(RULES("{\"match\": \"a/*\", \"may_be_missing\": true}"), "b"));
    cr_assert_not(
        passes(RULES("{\"match\": \"a/*\", \"max_level_shift\": 9}"), "a")); /* without one */
}

/* The fingerprint of learned limits with looks tells all learned limits and limits. Without looks
 * it stays. */
Test(limits_file, looks_have_a_fingerprint)
{
    struct limits_shot shot[2] = {{"*", {1, 2, 3, 4, 5, 6}}, {"*", {1, 2, 3, 4, 5, 6}}};
    struct limits_variant variant = {NULL,
                                     {.print = "89abcdef01234567", .shot = &shot[1], .shots = 1}};
    struct limits_learned learned = {.print = "0123456789abcdef", .shot = &shot[0], .shots = 1};
    char prints[5][LEARNED_PRINT];
    limits_variants_fingerprint(&learned);
    cr_assert_str_eq(learned.print, "0123456789abcdef");
    learned.variant = &variant;
    learned.variants = 1;
    for (int i = 0; i < 5; i++) {
        strcpy(learned.print, i == 4 ? "0123456789abcdee" : "0123456789abcdef");
        strcpy(variant.learned.print, i == 3 ? "89abcdef01234566" : "89abcdef01234567");
        shot[0].max_excess[LEARNED_DARK] = i == 1 ? 6.1 : 6;
        shot[1].max_excess[LEARNED_DARK] = i == 2 ? 6.1 : 6;
        limits_variants_fingerprint(&learned);
        strcpy(prints[i], learned.print);
        for (int k = 0; k < i; k++) cr_assert_str_neq(prints[k], prints[i]);
    }
}
